// What a process may use, and whether one thing more fits. Everything is asked before it is done: what is under way counts
// as reserved until its end is known, so that what runs side by side can't pass a limit together.

import type { BudgetState, Overrun } from './budget-state.ts';
import type { EscalationTarget } from './escalation.ts';
import { total, type Amounts, type Meter } from './meters.ts';
import { openOf, type ProcessSnapshot } from './snapshot.ts';

export type LimitScope = 'run' | 'day';

interface Limit {
  readonly scope: LimitScope;
  readonly meter: Meter;
  /** For a person: "tool calls". */
  readonly words: string;
}

/** By their names in a manifest: Promptise's, and behind them our own. */
export const LIMITS = {
  max_tool_calls_per_run: { scope: 'run', meter: 'toolCalls', words: 'effects in a run' },
  max_cost_per_run: { scope: 'run', meter: 'cost', words: 'cost of a run' },
  max_irreversible_per_run: { scope: 'run', meter: 'irreversible', words: 'irreversible effects in a run' },
  max_tool_calls_per_day: { scope: 'day', meter: 'toolCalls', words: 'effects in a day' },
  max_runs_per_day: { scope: 'day', meter: 'runs', words: 'runs in a day' },
  max_cost_per_day: { scope: 'day', meter: 'cost', words: 'cost of a day' },
  max_irreversible_per_day: { scope: 'day', meter: 'irreversible', words: 'irreversible effects in a day' },
} as const satisfies Record<string, Limit>;
export type LimitName = keyof typeof LIMITS;

export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

export function isLimitName(text: string): text is LimitName {
  return Object.hasOwn(LIMITS, text);
}

/** `pause`: what did not fit waits for more. `escalate`: the same, and somebody is told. */
export const ON_EXCEEDED = ['pause', 'stop', 'escalate'] as const;
export type OnExceeded = (typeof ON_EXCEEDED)[number];

export interface EffectCost {
  /** In the manifest's own units. */
  readonly cost: number;
  readonly isIrreversible: boolean;
}

export interface BudgetConfig {
  readonly limits: Readonly<Partial<Record<LimitName, number>>>;
  /** By the name of an effect; any other costs {@link DEFAULT_COST}. */
  readonly effectCosts: Readonly<Record<string, EffectCost>>;
  readonly onExceeded: OnExceeded;
  /** Who is told with `escalate`; null for the process's default. */
  readonly escalation: EscalationTarget | null;
  /** The share of a limit at which its nearness is told. */
  readonly warnAt: number;
  /** When a day of the budget begins, on the clock of `resetZone`. */
  readonly resetHour: number;
  readonly resetZone: string;
}

export const DEFAULT_COST: EffectCost = { cost: 1, isIrreversible: false };

export const DEFAULT_BUDGET: BudgetConfig = {
  limits: {},
  effectCosts: {},
  onExceeded: 'pause',
  escalation: null,
  warnAt: 0.8,
  resetHour: 0,
  resetZone: 'UTC',
};

/** What a limit may be extended by at once, and for how long: beyond it a number is a slip. The second is a year. */
export const MAX_AMOUNT = 1e12;
export const MAX_EXTENSION_MS = 366 * 24 * 3_600_000;

/** What an effect is booked at before it is performed. */
export function bookingOf({ effectCosts }: BudgetConfig, name: string): Amounts {
  const { cost, isIrreversible } = Object.hasOwn(effectCosts, name) ? effectCosts[name]! : DEFAULT_COST;
  return { toolCalls: 1, cost, ...(isIrreversible ? { irreversible: 1 } : {}) };
}

/** So much more, of a run; null for a run that is to begin. */
export interface Asked {
  readonly asked: Amounts;
  /** Reserved until now, and not any more once this is begun. */
  readonly freed?: Amounts;
  readonly eventId: string | null;
}

/** The first limit that would be passed; null where it fits. */
export function overrun(
  config: BudgetConfig,
  snapshot: Readonly<ProcessSnapshot>,
  { asked, freed = {}, eventId, nowMs }: Asked & { readonly nowMs: number },
): Overrun | null {
  for (const limit of LIMIT_NAMES) {
    const { meter } = LIMITS[limit];
    const more = asked[meter] ?? 0;
    const now = more === 0 ? null : limitNow(config, snapshot, { limit, eventId, nowMs });
    if (now === null) continue;
    const reserved = total(now.reserved, -(freed[meter] ?? 0));
    if (total(now.spent, reserved, more) > now.max) return { limit, ...now, reserved, asked: more, eventId };
  }
  return null;
}

/** Whether what did not fit does now: there may be other limits, and it may be over. */
export function fitsNow(config: BudgetConfig, snapshot: Readonly<ProcessSnapshot>, nowMs: number): boolean {
  const { exceeded } = snapshot.budget;
  if (exceeded === null) return true;
  const { limit, asked, eventId } = exceeded;
  return overrun(config, snapshot, { asked: { [LIMITS[limit].meter]: asked }, eventId, nowMs }) === null;
}

/** Limits of which so much is used that it should be told, and was not. */
export function near(
  config: BudgetConfig,
  snapshot: Readonly<ProcessSnapshot>,
  { eventId, nowMs }: { readonly eventId: string; readonly nowMs: number },
): readonly Omit<Overrun, 'asked'>[] {
  const open = openOf(snapshot, eventId);
  const told = [...snapshot.budget.warned, ...(open?.warned ?? [])];
  return LIMIT_NAMES.flatMap((limit) => {
    const now = told.includes(limit) ? null : limitNow(config, snapshot, { limit, eventId, nowMs });
    const used = now === null ? 0 : total(now.spent, now.reserved);
    // Nothing of a limit of nothing is not near it.
    return now !== null && used > 0 && used >= config.warnAt * now.max ? [{ limit, ...now, eventId }] : [];
  });
}

/** How a limit stands: for a run, of that run; null where there is none. */
export function limitNow(
  { limits }: BudgetConfig,
  snapshot: Readonly<ProcessSnapshot>,
  asked: { readonly limit: LimitName; readonly eventId: string | null; readonly nowMs: number },
): { readonly max: number; readonly spent: number; readonly reserved: number } | null {
  const most = limits[asked.limit];
  if (most === undefined) return null;
  const { meter, scope } = LIMITS[asked.limit];
  const used: { readonly spent?: Amounts; readonly reserved?: Amounts } =
    scope === 'day' ? snapshot.budget : (openOf(snapshot, asked.eventId) ?? {});
  return {
    max: total(most, extended(snapshot.budget, asked)),
    spent: used.spent?.[meter] ?? 0,
    reserved: used.reserved?.[meter] ?? 0,
  };
}

/** What was granted above a limit, and still is. */
function extended(
  { extensions }: BudgetState,
  {
    limit,
    eventId,
    nowMs,
  }: { readonly limit: LimitName; readonly eventId: string | null; readonly nowMs: number },
): number {
  return extensions
    .filter((extension) => extension.limit === limit)
    .filter(({ eventId: of }) => LIMITS[limit].scope === 'day' || of === eventId)
    .filter(({ until }) => until === null || nowMs < Date.parse(until))
    .reduce((sum, { amount }) => total(sum, amount), 0);
}

/** For a person: what was asked for, and why it was too much. */
export function describeOverrun({ limit, max, spent, reserved, asked }: Overrun): string {
  const under = reserved === 0 ? '' : `, ${reserved} more under way`;
  return `${LIMITS[limit].words}: ${spent} of ${max} used${under}, and ${asked} more is asked for (${limit})`;
}
