import type { ProcessDetail } from '../../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { LIMITS } from '../../../core/model/budget.ts';
import type { Meter } from '../../../core/model/meters.ts';
import { sumText } from '../../../core/model/money-text.ts';
import { burnOf, lastHalfHours, runsOutAt } from '../../../core/model/spending.ts';
import type { SpendingStep } from '../../charts/spending-chart.tsx';
import { limitAmount } from '../../ui/limit-text.ts';
import { clockText } from '../../ui/moments.ts';
import { amountText } from '../../ui/numbers.ts';

type Budget = ProcessRow['budget'];
type Limit = Budget['limits'][number];
type Spending = ProcessDetail['spending'];

const MINUTE_MS = 60_000;

/**
 * How fast a day's limit is used up, and when it will be: the median of the last ten minutes. Of a limit of a run, and of
 * one of runs, there is nothing to say.
 */
export function paceText(
  limit: Limit,
  {
    spending,
    budget,
    nowMs,
  }: { readonly spending: Spending; readonly budget: Budget; readonly nowMs: number },
): string {
  const { scope, max, spent, reserved } = limit;
  const { meter } = LIMITS[limit.limit];
  if (scope === 'run' || meter === 'runs' || spending.since === null) return '';
  const burn = burnOf(spending, meter, nowMs);
  if (burn === null) return 'How fast it is used is unknown: it has run for less than three minutes';
  const pace = `${limitAmount(limit.limit, burn, budget.currency)} a minute`;
  const at = runsOutAt(max - spent - reserved, burn, nowMs);
  if (at === null || spent + reserved >= max) return pace;
  const ends = budget.until === null ? Infinity : Date.parse(budget.until);
  return at >= ends ? `${pace}, enough for its day` : `${pace}, runs out at ${clockText(at)}`;
}

/** What the chart of the last hours shows: money where models were paid, else what the manifest calls cost. */
export function chartedOf({ halfHours, minutes }: Spending): Extract<Meter, 'money' | 'cost'> {
  return [...halfHours, ...minutes].some(({ spent }) => spent.money !== undefined) ? 'money' : 'cost';
}

export function stepsOf(spending: Spending, meter: Meter, nowMs: number): readonly SpendingStep[] {
  return lastHalfHours(spending, nowMs).map(({ at, spent }) => ({
    at: at * MINUTE_MS,
    value: spent[meter] ?? 0,
  }));
}

/** What the chart shows, and how high it goes: it has no scale beside it. */
export function chartWords(
  steps: readonly SpendingStep[],
  meter: 'money' | 'cost',
  currency: string | null,
): string {
  const most = Math.max(...steps.map(({ value }) => value));
  const amount = meter === 'money' ? sumText(most, currency) : amountText(most);
  return `${meter === 'money' ? 'Money' : 'Cost'} by the half hour, last six hours; highest ${amount}`;
}

/** The same in words, for the table. */
export function stepFacts(
  steps: readonly SpendingStep[],
  meter: 'money' | 'cost',
  currency: string | null,
): readonly (readonly [string, string])[] {
  const name = meter === 'money' ? 'Money' : 'Cost';
  return steps.map(({ at, value }) => [
    `${name} from ${clockText(at)}`,
    meter === 'money' ? sumText(value, currency) : amountText(value),
  ]);
}
