// What a process may use, and whether one thing more fits. Everything is asked before it is done: what is under way counts
// as reserved until its end is known, so that what runs side by side can't pass a limit together.

import type { BudgetState, Overrun } from './budget-state.ts';
import type { EscalationTarget } from './escalation.ts';
import { isPriced } from './model-calls.ts';
import { CAP_WORDS } from './cap-names.ts';
import { total, type Amounts, type Meter } from './meters.ts';
import type { PriceTable } from './prices.ts';
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
  max_llm_turns_per_run: { scope: 'run', meter: 'modelTurns', words: 'model calls in a run' },
  max_llm_turns_per_day: { scope: 'day', meter: 'modelTurns', words: 'model calls in a day' },
  max_tokens_per_run: { scope: 'run', meter: 'tokens', words: 'tokens in a run' },
  max_tokens_per_day: { scope: 'day', meter: 'tokens', words: 'tokens in a day' },
  max_input_tokens_per_run: { scope: 'run', meter: 'tokensIn', words: 'input tokens in a run' },
  max_input_tokens_per_day: { scope: 'day', meter: 'tokensIn', words: 'input tokens in a day' },
  max_cached_read_tokens_per_run: {
    scope: 'run',
    meter: 'tokensCachedRead',
    words: 'tokens read from a cache in a run',
  },
  max_cached_read_tokens_per_day: {
    scope: 'day',
    meter: 'tokensCachedRead',
    words: 'tokens read from a cache in a day',
  },
  max_cached_write_tokens_per_run: {
    scope: 'run',
    meter: 'tokensCachedWrite',
    words: 'tokens written to a cache in a run',
  },
  max_cached_write_tokens_per_day: {
    scope: 'day',
    meter: 'tokensCachedWrite',
    words: 'tokens written to a cache in a day',
  },
  max_output_tokens_per_run: { scope: 'run', meter: 'tokensOut', words: 'output tokens in a run' },
  max_output_tokens_per_day: { scope: 'day', meter: 'tokensOut', words: 'output tokens in a day' },
  max_money_per_run: { scope: 'run', meter: 'money', words: 'money of a run' },
  max_money_per_day: { scope: 'day', meter: 'money', words: 'money of a day' },
} as const satisfies Record<string, Limit>;
export type LimitName = keyof typeof LIMITS;

export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

export function isLimitName(text: string): text is LimitName {
  return Object.hasOwn(LIMITS, text);
}

/** Limits of money, the day's first: it is the one that everything of a process counts for. */
const MONEY_LIMITS = ['max_money_per_day', 'max_money_per_run'] as const satisfies readonly LimitName[];

/** What becomes of a call whose model has no price where money is limited: it waits for one, or is made all the same. */
export const UNPRICED = ['hold', 'allow'] as const;
export type Unpriced = (typeof UNPRICED)[number];

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
  /** The workspace's own; null for those that Holdfast knows. */
  readonly prices: PriceTable | null;
  readonly unpriced: Unpriced;
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
  prices: null,
  unpriced: 'hold',
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
  /** What it calls, where it calls a model. */
  readonly model?: string;
}

/** The first limit that would be passed; null where it fits. */
export function overrun(
  config: BudgetConfig,
  snapshot: Readonly<ProcessSnapshot>,
  { asked, freed = {}, eventId, model, nowMs }: Asked & { readonly nowMs: number },
): Overrun | null {
  for (const limit of LIMIT_NAMES) {
    const { meter } = LIMITS[limit];
    const more = asked[meter] ?? 0;
    const now = more === 0 ? null : limitNow(config, snapshot, { limit, eventId, nowMs });
    if (now === null) continue;
    const reserved = total(now.reserved, -(freed[meter] ?? 0));
    if (total(now.spent, reserved, more) > now.max) return { limit, ...now, reserved, asked: more, eventId };
  }
  return model === undefined ? null : unpriced(config, snapshot, { model, eventId, nowMs });
}

/** Of what nobody knows the price, nobody can say whether it fits. */
function unpriced(
  config: BudgetConfig,
  snapshot: Readonly<ProcessSnapshot>,
  {
    model,
    eventId,
    nowMs,
  }: { readonly model: string; readonly eventId: string | null; readonly nowMs: number },
): Overrun | null {
  if (config.unpriced === 'allow' || isPriced(config, model)) return null;
  for (const limit of MONEY_LIMITS) {
    const now = limitNow(config, snapshot, { limit, eventId, nowMs });
    if (now !== null) return { limit, ...now, asked: 0, eventId, model };
  }
  return null;
}

/** Whether what did not fit does now: there may be other limits, and it may be over. */
export function fitsNow(config: BudgetConfig, snapshot: Readonly<ProcessSnapshot>, nowMs: number): boolean {
  const { exceeded } = snapshot.budget;
  if (exceeded === null) return true;
  const { limit, asked, eventId, model } = exceeded;
  const again = { asked: { [LIMITS[limit].meter]: asked }, eventId, nowMs };
  return overrun(config, snapshot, model === undefined ? again : { ...again, model }) === null;
}

/** Limits of which so much is used that it should be told, and was not; of those that `more` was counted for. */
export function near(
  config: BudgetConfig,
  snapshot: Readonly<ProcessSnapshot>,
  { more, eventId, nowMs }: { readonly more: Amounts; readonly eventId: string; readonly nowMs: number },
): readonly Omit<Overrun, 'asked'>[] {
  const open = openOf(snapshot, eventId);
  const isTold = (limit: LimitName): boolean =>
    snapshot.budget.warned.includes(limit) || open?.warned?.includes(limit) === true;
  const found: Omit<Overrun, 'asked'>[] = [];
  for (const limit of LIMIT_NAMES) {
    if (more[LIMITS[limit].meter] === undefined || isTold(limit)) continue;
    const now = limitNow(config, snapshot, { limit, eventId, nowMs });
    if (now === null) continue;
    const used = total(now.spent, now.reserved);
    // Nothing of a limit of nothing is not near it.
    if (used > 0 && used >= config.warnAt * now.max) found.push({ limit, ...now, eventId });
  }
  return found;
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
  if (extensions.length === 0) return 0;
  return extensions
    .filter((extension) => extension.limit === limit)
    .filter(({ eventId: of }) => LIMITS[limit].scope === 'day' || of === eventId)
    .filter(({ until }) => until === null || nowMs < Date.parse(until))
    .reduce((sum, { amount }) => total(sum, amount), 0);
}

/** For a person: what was asked for, and why it was too much. */
export function describeOverrun({ limit, max, spent, reserved, asked, model, cap, of }: Overrun): string {
  if (model !== undefined) {
    return `${LIMITS[limit].words}: nobody knows what ${model} costs, so whether it fits (${limit}). Give it a price under budget.holdfast.prices, or let such calls be made with budget.holdfast.unpriced: allow`;
  }
  const under = reserved === 0 ? '' : `, ${reserved} more under way`;
  const [whose, which] =
    cap !== undefined
      ? [` by ${CAP_WORDS[cap]}`, `cap of ${cap}: `]
      : of === undefined
        ? ['', '']
        : [` by ${of} and what it began together`, `limit of ${of}: `];
  return `${LIMITS[limit].words}: ${spent} of ${max} used${whose}${under}, and ${asked} more is asked for (${which}${limit})`;
}
