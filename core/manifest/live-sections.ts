// The sections of a manifest that can be changed while its process lives, each checked whole and by the manifest's own
// schema.

import { z } from 'zod';
import { AppError } from '../model/errors.ts';
import type { AgentPlan, ToolRule } from '../model/agent-plan.ts';
import { EFFECT_CLASSES } from '../model/effects.ts';
import { define, isObject, showJson, type Json, type JsonObject } from '../model/json.ts';
import type { PriceTable } from '../model/prices.ts';
import type { ProcessConfig } from '../model/process-config.ts';
import { keysOf, pathOf, valueAt, withValues } from '../model/settings.ts';
import { budgetOf, ManifestBudget } from './budget-schema.ts';
import { knownKeys } from './known-keys.ts';

interface LiveSection {
  readonly schema: z.core.$ZodType;
  /** @throws z.ZodError */
  readonly applied: (config: ProcessConfig, section: Json | undefined) => ProcessConfig;
}

function section<S extends z.ZodType>(
  schema: S,
  applied: (config: ProcessConfig, section: z.output<S>) => ProcessConfig,
): LiveSection {
  return { schema, applied: (config, given) => applied(config, schema.parse(given)) };
}

/** Each invocation records what it began with. */
const MAX_INSTRUCTIONS = 20_000;
const Instructions = z.string().max(MAX_INSTRUCTIONS).nullish();

const LiveBudget = ManifestBudget.refine(({ escalation }) => escalation == null, {
  path: ['escalation'],
  message: 'whom to tell stands in the manifest alone: the address of a receiver is as good as a password',
});

const PRICES = 'budget.holdfast.prices';

/** How operators want tools handled, by the names that a model calls them by. */
const LiveTools = z.strictObject({
  tools: z
    .record(
      z.string(),
      z.looseObject({ class: z.enum(EFFECT_CLASSES).nullish(), disabled: z.boolean().nullish() }),
    )
    .nullish(),
});

const SECTIONS: Readonly<Record<string, LiveSection>> = {
  instructions: section(Instructions, (config, instructions) => ({
    ...config,
    instructions: instructionsOf(instructions),
  })),
  holdfast: section(LiveTools.prefault({}), (config, { tools }) =>
    config.agent === null
      ? withoutAgent(config, tools)
      : { ...config, agent: withTools(config.agent, tools) },
  ),
  budget: section(LiveBudget.prefault({}), (config, budget) => ({
    ...config,
    budget: {
      ...budgetOf(budget, (file) => pricesOf(config, file)),
      escalation: config.budget.escalation,
    },
  })),
};

function withoutAgent(config: ProcessConfig, tools: z.output<typeof LiveTools>['tools']): ProcessConfig {
  if (Object.keys(tools ?? {}).length === 0) return config;
  throw new AppError(
    'settings.invalid',
    'Nothing was changed: holdfast.tools is about the tools of an agent that its manifest describes, and this one has code of its own.',
    { problems: ['holdfast.tools'] },
  );
}

function withTools(agent: AgentPlan, tools: z.output<typeof LiveTools>['tools']): AgentPlan {
  const rules: Record<string, ToolRule> = { ...agent.tools };
  for (const [name, given] of Object.entries(tools ?? {})) {
    const { class: _, isDisabled: __, ...rest } = rules[name] ?? {};
    define(rules, name, {
      ...rest,
      ...(given.class == null ? {} : { class: given.class }),
      ...(given.disabled == null ? {} : { isDisabled: given.disabled }),
    });
  }
  return { ...agent, tools: rules };
}

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
export function writtenOf(document: Readonly<Record<string, unknown>>): JsonObject {
  const written: Record<string, Json> = {};
  for (const name of Object.keys(SECTIONS)) {
    const given = document[name];
    if (given === undefined) continue;
    const whole = JSON.parse(JSON.stringify(given)) as Json;
    const section = name === 'holdfast' && isObject(whole) ? toolsAlone(whole) : whole;
    if (section === null) continue;
    define(written, name, isObject(section) ? withoutKey(section, 'escalation') : section);
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
    const live = Object.hasOwn(SECTIONS, name) ? SECTIONS[name] : undefined;
    if (live === undefined) {
      problems.push(`${cut(name)} can't be changed while it lives; there are ${liveSections().join(', ')}`);
      continue;
    }
    try {
      changed = live.applied(changed, whole[name]);
    } catch (error) {
      const issues = issuesOf(error);
      if (issues === null) throw error;
      problems.push(...issues.map((issue) => problemOf(name, live.schema, whole, issue)));
    }
  }
  if (problems.length === 0) return changed;
  throw new AppError('settings.invalid', `Nothing was changed: ${problems.join('; ')}.`, { problems });
}

function toolsAlone({ tools = null }: JsonObject): Json {
  return tools === null ? null : { tools };
}

function withoutKey(section: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = section;
  return rest;
}

export function liveSections(): readonly string[] {
  return Object.keys(SECTIONS);
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
