// The verb for limits, and what the verbs that look tell of them.

import { InvalidArgumentError, Option } from 'commander';
import type { ProcessRow } from '../contract/views.ts';
import { counted } from '../host/counted.ts';
import { MAX_AMOUNT, MAX_EXTENSION_MS } from '../model/budget.ts';
import { fullestOf } from '../model/limit-gauge.ts';
import { kept } from '../model/meters.ts';
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

function durationMs(text: string): number {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  const value = Number(count) * (UNITS[unit] ?? 0);
  if (value > 0 && value <= MAX_EXTENSION_MS) return value;
  throw new InvalidArgumentError(
    'It must be a number and a unit, like 45s, 30m, 2h or 1d, and a year at most.',
  );
}

type Budget = ProcessRow['budget'];

/** "9 of 10 (effects in a day)", of the limit of which most is used. */
export function fullestText({ limits }: Budget): string {
  const fullest = fullestOf(limits);
  if (fullest === null) return '';
  const { words, spent, reserved, max } = fullest;
  return `${amount(spent + reserved)} of ${amount(max)} (${words})`;
}

/** What is known of the budget, a line for each thing; what nobody runs here tells of no limits [P5]. */
export function budgetLines({ budget, live }: Pick<ProcessRow, 'budget' | 'live'>): readonly string[] {
  const { until, runs, cost, limits, exceeded } = budget;
  const day = until === null ? 'its end is unknown' : `until ${until}`;
  return [
    `budget of the day, ${day}: ${runs === null ? 'runs unknown' : counted(runs, 'run')}, cost ${cost === null ? 'unknown' : amount(cost)}`,
    ...limits.map(
      ({ limit, words, spent, reserved, max }) =>
        `  ${limit}: ${amount(spent)} spent${reserved === 0 ? '' : ` and ${amount(reserved)} reserved`} of ${amount(max)} (${words})`,
    ),
    ...(limits.length > 0 ? [] : [live ? '  no limits set' : '  limits unknown: no host runs it']),
    ...(exceeded === null ? [] : [`did not fit: ${exceeded.text}`]),
  ];
}

function amount(value: number): string {
  return String(kept(value));
}
