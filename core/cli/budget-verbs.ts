// The verb for limits, and what the verbs that look tell of them.

import { InvalidArgumentError, Option } from 'commander';
import type { ProcessRow } from '../contract/process-row.ts';
import { counted } from '../host/counted.ts';
import { LIMITS, MAX_AMOUNT, MAX_EXTENSION_MS } from '../model/budget.ts';
import { fullestOf } from '../model/limit-gauge.ts';
import { kept } from '../model/meters.ts';
import { moneyText, sumText } from '../model/money-text.ts';
import { burnOf, runsOutAt, type Spending } from '../model/spending.ts';
import { timestampOf } from '../model/time.ts';
import { at, type HostVerb } from './host-verb.ts';

export const BUDGET_VERBS: readonly HostVerb[] = [
  {
    usage: at('extend', ' <limit> <amount>'),
    description: 'allow more than a limit of the manifest says; what waited for that goes on',
    asks: 'budget.extend',
    options: [
      new Option(
        '--for <duration>',
        'only for so long: 45s, 30m, 2h or 1d; else until its day or run is over',
      ).argParser(durationMs),
    ],
    more: ([, limit, amount = ''], { for: forMs }) => ({
      limit,
      amount: amountOf(amount),
      forMs: forMs ?? null,
    }),
  },
];

function amountOf(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= MAX_AMOUNT) return value;
  throw new InvalidArgumentError(
    `<amount> must be a number above 0 and up to ${MAX_AMOUNT}, not ${text || '""'}`,
  );
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function durationMs(text: string): number {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  const value = Number(count) * (UNITS[unit] ?? 0);
  if (value > 0 && value <= MAX_EXTENSION_MS) return value;
  throw new InvalidArgumentError(
    'It must be a number and a unit, like 45s, 30m, 2h or 1d, and a year at most.',
  );
}

type Budget = ProcessRow['budget'];
type Limit = Budget['limits'][number];

/** "9 of 10 (effects in a day)", of the limit of which most is used. */
export function fullestText({ limits, currency }: Budget): string {
  const fullest = fullestOf(limits);
  if (fullest === null) return '';
  const { words, spent, reserved, max, unpriced } = fullest;
  const show = unitOf(fullest, currency);
  return `${unpriced > 0 ? '≥ ' : ''}${show(spent + reserved)} of ${show(max)} (${words})`;
}

function unitOf({ limit }: Limit, currency: string | null): (value: number) => string {
  return LIMITS[limit].meter === 'money' ? (value) => sumText(value, currency) : amount;
}

/** What is known of the budget, a line for each thing; what nobody runs here tells of no limits [P5]. */
export function budgetLines(
  { budget, live }: Pick<ProcessRow, 'budget' | 'live'>,
  spending: Spending,
  nowMs: number,
): readonly string[] {
  const { until, runs, cost, limits, exceeded, models, currency } = budget;
  const day = until === null ? 'its end is unknown' : `until ${until}`;
  return [
    `budget of the day, ${day}: ${runs === null ? 'runs unknown' : counted(runs, 'run')}, cost ${cost === null ? 'unknown' : amount(cost)}`,
    ...(models === null
      ? []
      : [
          `  ${counted(models.turns, 'model call')}, ${amount(models.tokens)} tokens, ${moneyText({ ...models, currency })}`,
        ]),
    ...limits.map((limit) => limitLine(limit, budget, { spending, nowMs })),
    ...(limits.length > 0 ? [] : [live ? '  no limits set' : '  limits unknown: no host runs it']),
    ...(exceeded === null ? [] : [`did not fit: ${exceeded.text}`]),
  ];
}

function limitLine(
  limit: Limit,
  { currency, until }: Budget,
  { spending, nowMs }: { readonly spending: Spending; readonly nowMs: number },
): string {
  const { limit: name, scope, words, spent, reserved, max, unpriced, overshoot } = limit;
  const { meter } = LIMITS[name];
  const show = unitOf(limit, currency);
  const isAtLeast = unpriced > 0 ? `at least ` : '';
  const left = max - spent - reserved;
  const burn = scope === 'day' && meter !== 'runs' ? burnOf(spending, meter, nowMs) : null;
  const at = left > 0 ? runsOutAt(left, burn, nowMs) : null;
  const isInTime = at !== null && (until === null || at < Date.parse(until));
  return [
    `  ${name}: ${isAtLeast}${show(spent)} spent${reserved === 0 ? '' : ` and ${show(reserved)} reserved`} of ${show(max)} (${words})`,
    ...(unpriced === 0 ? [] : [`${counted(unpriced, 'call')} unpriced`]),
    ...(overshoot === 0
      ? []
      : [`may be passed by ${overshoot === null ? 'nobody knows how much' : show(overshoot)}`]),
    ...(burn === null || burn === 0 ? [] : [`${show(burn)} a minute`]),
    ...(isInTime ? [`runs out at ${timestampOf(at)}`] : []),
  ].join(' · ');
}

function amount(value: number): string {
  return String(kept(value));
}
