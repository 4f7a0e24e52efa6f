// What a manifest says of limits: Promptise's keys and defaults; under `holdfast` what it has no word for.

import { z } from 'zod';
import { JUDGE_NAME } from '../model/mission.ts';
import {
  DEFAULT_BUDGET,
  LIMITS,
  ON_EXCEEDED,
  UNPRICED,
  type BudgetConfig,
  type LimitName,
} from '../model/budget.ts';
import { escalationSchema } from './escalation-schema.ts';
import type { PriceTable } from '../model/prices.ts';

/** Beyond it a number is a slip. */
const MAX_COUNT = 1e9;
const MAX_COST = 1e12;
const MAX_EFFECTS = 1_000;
const MAX_TOKENS = 1e12;

export const Count = z.number().int().min(1).max(MAX_COUNT).nullish();
export const Cost = z.number().positive().max(MAX_COST).nullish();
const Tokens = z.number().int().min(1).max(MAX_TOKENS).nullish();
/** None at all is a limit as well. */
export const Irreversible = z.number().int().min(0).max(MAX_COUNT).nullish();

/** Of a limit, from which on somebody is told. */
const Share = z.number().positive().max(1).optional();

function isZone(zone: string): boolean {
  // Offsets are taken there too, and know nothing of summer.
  if (/^[+-]/.test(zone)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** When a day of a budget begins, on the clock of a zone. */
export const ResetHour = z.number().int().min(0).max(23).nullish();
export const ResetZone = z
  .string()
  .max(100)
  .refine(isZone, 'there is no such time zone: use an IANA name such as Europe/Berlin, or UTC')
  .nullish();

export const ManifestBudget = z
  .strictObject({
    enabled: z.boolean().default(true),
    max_tool_calls_per_run: Count,
    max_llm_turns_per_run: Count,
    max_cost_per_run: Cost,
    max_irreversible_per_run: Irreversible,
    max_tool_calls_per_day: Count,
    max_runs_per_day: Count,
    max_cost_per_day: Cost,
    tool_costs: z
      .record(
        z.string().min(1).max(200),
        z.strictObject({
          cost_weight: z.number().positive().max(MAX_COST).default(1),
          irreversible: z.boolean().default(false),
        }),
      )
      .refine(
        (costs) => !Object.hasOwn(costs, JUDGE_NAME),
        `what ${JUDGE_NAME} costs is said by mission.holdfast.judge_cost`,
      )
      .refine((costs) => Object.keys(costs).length <= MAX_EFFECTS, `at most ${MAX_EFFECTS} are told apart`)
      .default({}),
    on_exceeded: z.enum(ON_EXCEEDED).default('pause'),
    escalation: escalationSchema.nullish(),
    daily_reset_hour_utc: ResetHour,
    inject_remaining: z.boolean().default(true),
    warning_threshold: Share,
    holdfast: z
      .strictObject({
        max_irreversible_per_day: Irreversible,
        max_llm_turns_per_day: Count,
        max_tokens_per_run: Tokens,
        max_tokens_per_day: Tokens,
        max_input_tokens_per_run: Tokens,
        max_input_tokens_per_day: Tokens,
        max_cached_read_tokens_per_run: Tokens,
        max_cached_read_tokens_per_day: Tokens,
        max_cached_write_tokens_per_run: Tokens,
        max_cached_write_tokens_per_day: Tokens,
        max_output_tokens_per_run: Tokens,
        max_output_tokens_per_day: Tokens,
        max_money_per_run: Cost,
        max_money_per_day: Cost,
        prices: z.string().min(1).max(4096).nullish(),
        unpriced: z.enum(UNPRICED).default(DEFAULT_BUDGET.unpriced),
        warn_at: Share,
        reset_hour: ResetHour,
        reset_timezone: ResetZone,
      })
      .prefault({}),
  })
  .superRefine((budget, context) => {
    for (const [run, day] of PAIRS) {
      const [ofRun, ofDay] = [limitsOf(budget)[run], limitsOf(budget)[day]];
      if (ofRun === undefined || ofDay === undefined || ofRun <= ofDay) continue;
      context.addIssue({
        code: 'custom',
        path: [run],
        message: `a run may use ${ofRun}, which is more than the ${ofDay} of ${day}`,
      });
    }
    if (budget.escalation != null && budget.on_exceeded !== 'escalate') {
      context.addIssue({
        code: 'custom',
        path: ['escalation'],
        message: `nobody is told with on_exceeded: ${budget.on_exceeded}; make it escalate, or leave this out`,
      });
    }
    if (budget.warning_threshold !== undefined && budget.holdfast.warn_at !== undefined) {
      context.addIssue({
        code: 'custom',
        path: ['warning_threshold'],
        message: 'it is given twice: leave it out where holdfast.warn_at is',
      });
    }
    const { reset_hour, reset_timezone } = budget.holdfast;
    if (budget.daily_reset_hour_utc == null || (reset_hour == null && reset_timezone == null)) return;
    context.addIssue({
      code: 'custom',
      path: ['daily_reset_hour_utc'],
      message: 'the hour is given twice: leave it out where holdfast.reset_hour or .reset_timezone is',
    });
  });
type ManifestBudget = z.output<typeof ManifestBudget>;

/** Limits of a run and of a day on the same thing. */
const PAIRS = [
  ['max_tool_calls_per_run', 'max_tool_calls_per_day'],
  ['max_cost_per_run', 'max_cost_per_day'],
  ['max_irreversible_per_run', 'max_irreversible_per_day'],
  ['max_llm_turns_per_run', 'max_llm_turns_per_day'],
  ['max_tokens_per_run', 'max_tokens_per_day'],
  ['max_input_tokens_per_run', 'max_input_tokens_per_day'],
  ['max_cached_read_tokens_per_run', 'max_cached_read_tokens_per_day'],
  ['max_cached_write_tokens_per_run', 'max_cached_write_tokens_per_day'],
  ['max_output_tokens_per_run', 'max_output_tokens_per_day'],
  ['max_money_per_run', 'max_money_per_day'],
] as const satisfies readonly (readonly [LimitName, LimitName])[];

/** `pricesOf`: those in the file of this name. */
export function budgetOf(budget: ManifestBudget, pricesOf: (file: string) => PriceTable): BudgetConfig {
  const { enabled, tool_costs, on_exceeded, escalation, daily_reset_hour_utc, holdfast } = budget;
  return {
    limits: enabled ? limitsOf(budget) : {},
    effectCosts: Object.fromEntries(
      Object.entries(tool_costs).map(([name, { cost_weight, irreversible }]) => [
        name,
        { cost: cost_weight, isIrreversible: irreversible },
      ]),
    ),
    onExceeded: on_exceeded,
    escalation: escalation ?? null,
    warnAt: holdfast.warn_at ?? budget.warning_threshold ?? DEFAULT_BUDGET.warnAt,
    resetHour: daily_reset_hour_utc ?? holdfast.reset_hour ?? DEFAULT_BUDGET.resetHour,
    resetZone: holdfast.reset_timezone ?? DEFAULT_BUDGET.resetZone,
    prices: holdfast.prices == null ? null : pricesOf(holdfast.prices),
    unpriced: holdfast.unpriced,
  };
}

/** Where in a manifest this limit stands. */
export function pathOfLimit(limit: LimitName): string {
  return Object.hasOwn(ManifestBudget.shape, limit) ? `budget.${limit}` : `budget.holdfast.${limit}`;
}

function limitsOf(budget: Omit<ManifestBudget, 'tool_costs'>): Partial<Record<LimitName, number>> {
  const given: Readonly<Record<string, unknown>> = { ...budget, ...budget.holdfast };
  const limits: Partial<Record<LimitName, number>> = {};
  for (const limit of Object.keys(LIMITS) as LimitName[]) {
    const value = given[limit];
    if (typeof value === 'number') limits[limit] = value;
  }
  return limits;
}

/** The tools of which it says that what they do can't be taken back. */
export function irreversibleIn({ tool_costs }: Pick<ManifestBudget, 'tool_costs'>): readonly string[] {
  return Object.entries(tool_costs).flatMap(([name, { irreversible }]) => (irreversible ? [name] : []));
}
