import type { ProcessRow } from '../../core/contract/process-row.ts';
import { LIMITS } from '../../core/model/budget.ts';
import { sumText } from '../../core/model/money-text.ts';
import { amountText } from './numbers.ts';

type Limit = ProcessRow['budget']['limits'][number];

/** So much of what the limit counts, in its own unit. */
export function limitAmount(limit: Limit['limit'], value: number, currency: string | null): string {
  return LIMITS[limit].meter === 'money' ? sumText(value, currency) : amountText(value);
}

/** How far it can be passed at most by what is under way; empty where it can't be. Unknown is a word [P5]. */
export function overshootText({ limit, overshoot }: Limit, currency: string | null): string {
  if (overshoot === 0) return '';
  if (overshoot === null) return 'How far it may be passed is unknown';
  return `May be passed by ${limitAmount(limit, overshoot, currency)} at most`;
}

/** "≥ " where calls are in it that nobody knows the price of [P5]. */
export function atLeast({ unpriced }: Limit): string {
  return unpriced > 0 ? '≥ ' : '';
}

/** As a heading has it: "Effects in a day". */
export function limitName(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
