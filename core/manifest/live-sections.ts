// The sections of a manifest that can be changed while its process lives, each checked whole and by the manifest's own
// schema.

import { z } from 'zod';
import type { AgentPlan } from '../model/agent-plan.ts';
import { AppError } from '../model/errors.ts';
import { define, isObject, showJson, type Json, type JsonObject } from '../model/json.ts';
import type { PriceTable } from '../model/prices.ts';
import type { ProcessConfig } from '../model/process-config.ts';
import { keysOf, pathOf, valueAt, withValues } from '../model/settings.ts';
import { approvalOf, LIVE_AGENT, ManifestApproval, toolsOf } from './agent-schema.ts';
import { budgetOf, irreversibleIn, ManifestBudget } from './budget-schema.ts';
import { knownKeys } from './known-keys.ts';

interface LiveSection {
  readonly schema: z.core.$ZodType;
  /** Whether only an agent without code has it. */
  readonly isOfModel: boolean;
  /** `whole`: of all sections. @throws z.ZodError */
  readonly applied: (config: ProcessConfig, section: Json | undefined, whole: JsonObject) => ProcessConfig;
}

function section<S extends z.ZodType>(
  schema: S,
  applied: (config: ProcessConfig, section: z.output<S>) => ProcessConfig,
): LiveSection {
  return { schema, isOfModel: false, applied: (config, given) => applied(config, schema.parse(given)) };
}

/** Of an agent without code. */
function ofModel<S extends z.ZodType>(
  schema: S,
  applied: (agent: AgentPlan, section: z.output<S>, whole: JsonObject) => AgentPlan,
): LiveSection {
  return {
    schema,
    isOfModel: true,
    applied: (config, given, whole) => {
      const section = schema.parse(given ?? {});
      return config.agent === null ? config : { ...config, agent: applied(config.agent, section, whole) };
    },
  };
}

const LiveHoldfast = z.strictObject(LIVE_AGENT);
type LiveHoldfast = z.output<typeof LiveHoldfast>;
const LiveConfig = z.strictObject({ approval: ManifestApproval.nullish() });
type Policy = z.output<typeof LiveConfig>['approval'];

/** What of a plan follows from sections that can be changed while its process lives. */
type LiveParts = Pick<
  AgentPlan,
  | 'modelTimeoutMs'
  | 'maxSteps'
  | 'maxOutputTokens'
  | 'temperature'
  | 'compactAboveTokens'
  | 'tools'
  | 'approval'
>;

export function planWith(
  rest: Omit<AgentPlan, keyof LiveParts>,
  holdfast: LiveHoldfast,
  policy: Policy,
): AgentPlan {
  return {
    ...rest,
    modelTimeoutMs: holdfast.model_timeout * 1_000,
    maxSteps: holdfast.max_steps,
    maxOutputTokens: holdfast.max_output_tokens ?? null,
    temperature: holdfast.temperature ?? null,
    compactAboveTokens: holdfast.compact_above_tokens,
    tools: toolsOf(holdfast.tools),
    approval: approvalOf(policy, holdfast.approval),
  };
}

/** Each invocation records what it began with. */
const MAX_INSTRUCTIONS = 20_000;
const Instructions = z.string().max(MAX_INSTRUCTIONS).nullish();

const LiveBudget = ManifestBudget.refine(({ escalation }) => escalation == null, {
  path: ['escalation'],
  message: 'whom to tell stands in the manifest alone: the address of a receiver is as good as a password',
});

const PRICES = 'budget.holdfast.prices';

const SECTIONS: Readonly<Record<string, LiveSection>> = {
  instructions: section(Instructions, (config, instructions) => ({
    ...config,
    instructions: instructionsOf(instructions),
  })),
  budget: section(LiveBudget.prefault({}), (config, budget) => ({
    ...config,
    agent:
      config.agent === null
        ? null
        : {
            ...config.agent,
            tellsBudget: budget.inject_remaining,
            irreversibleTools: irreversibleIn(budget),
          },
    budget: {
      ...budgetOf(budget, (file) => pricesOf(config, file)),
      escalation: config.budget.escalation,
    },
  })),
  holdfast: ofModel(LiveHoldfast, (agent, holdfast, whole) =>
    planWith(agent, holdfast, LiveConfig.parse(whole['config'] ?? {}).approval),
  ),
  config: ofModel(LiveConfig, (agent, { approval }, whole) =>
    planWith(agent, LiveHoldfast.parse(whole['holdfast'] ?? {}), approval),
  ),
};

const MAX_SHOWN = 100;

/** Prices are read when a workspace is opened; until then only those that are there can be taken. */
function pricesOf({ written, budget }: ProcessConfig, file: string): PriceTable {
  if (budget.prices !== null && valueAt(written, PRICES) === file) return budget.prices;
  throw new AppError(
    'settings.invalid',
    `Nothing was changed: ${PRICES} can't be another file while it lives. Name ${cut(file)} in the manifest, and open the workspace again.`,
    { problems: [PRICES] },
  );
}

export function instructionsOf(given: string | null | undefined): string {
  return given?.trim() ?? '';
}

/** What of a manifest's document can be changed while its process lives. */
export function writtenOf(document: JsonObject, isModelAgent: boolean): JsonObject {
  const written: Record<string, Json> = {};
  for (const [name, { schema, isOfModel }] of Object.entries(SECTIONS)) {
    const given = document[name];
    if (given === undefined || (isOfModel && !isModelAgent)) continue;
    if (!isOfModel) define(written, name, isObject(given) ? withoutKey(given, 'escalation') : given);
    // The rest of it is no part of what can be changed.
    else if (isObject(given)) define(written, name, onlyKeys(given, knownKeys(schema, [])));
  }
  return written;
}

/**
 * The configuration with these settings in place of the manifest's.
 * @param values by path; null takes a setting away
 * @throws `settings.invalid`, which names every path, what is there, and what may be
 */
export function configWith(config: ProcessConfig, values: Readonly<Record<string, Json>>): ProcessConfig {
  const whole = withValues(config.written, values);
  const problems: string[] = [];
  let changed = config;
  for (const name of new Set(Object.keys(values).map((path) => keysOf(path)[0] ?? ''))) {
    const sections = sectionsOf(config);
    const live = sections.includes(name) ? SECTIONS[name] : undefined;
    if (live === undefined) {
      problems.push(`${cut(name)} can't be changed while it lives; there are ${sections.join(', ')}`);
      continue;
    }
    try {
      changed = live.applied(changed, whole[name], whole);
    } catch (error) {
      const issues = issuesOf(error);
      if (issues === null) throw error;
      problems.push(...issues.map((issue) => problemOf(name, live.schema, whole, issue)));
    }
  }
  if (problems.length === 0) return changed;
  throw new AppError('settings.invalid', `Nothing was changed: ${problems.join('; ')}.`, { problems });
}

function onlyKeys(section: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(section).filter(([key]) => keys.includes(key)));
}

function withoutKey(section: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = section;
  return rest;
}

/** Those that the agent has. */
function sectionsOf({ agent }: ProcessConfig): readonly string[] {
  return Object.keys(SECTIONS).filter((name) => agent !== null || !SECTIONS[name]!.isOfModel);
}

function issuesOf(error: unknown): readonly z.core.$ZodIssue[] | null {
  return error instanceof Error && 'issues' in error && Array.isArray(error.issues)
    ? (error.issues as readonly z.core.$ZodIssue[])
    : null;
}

function problemOf(
  name: string,
  schema: z.core.$ZodType,
  whole: JsonObject,
  issue: z.core.$ZodIssue,
): string {
  const path = pathOf([name, ...issue.path]);
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, issue.path);
    const those = known.length === 0 ? '' : `; there are ${known.join(', ')}`;
    return `${path} has no setting ${issue.keys.map((key) => JSON.stringify(cut(key))).join(', ')}${those}`;
  }
  // What is told is recorded, and the address of a receiver is not to be.
  if (issue.path[0] === 'escalation') return `${cut(path)}: ${issue.message}`;
  return `${cut(path)} = ${cut(showJson(valueAt(whole, path)))}: ${issue.message}`;
}

function cut(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1)}…`;
}
