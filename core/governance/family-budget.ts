// The budget of a process is shared with all that it began: what these use counts for its days too, and for those of whoever
// began it, up to the first of them. What each has used is in its own journal [P4]; nothing is kept here.

import { LIMIT_NAMES, LIMITS, limitNow, type Asked, type BudgetConfig } from '../model/budget.ts';
import type { Overrun } from '../model/budget-state.ts';
import { total, type Amounts, type Meter } from '../model/meters.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';

/** One of a family, as far as its budget goes. */
export interface Relative {
  readonly name: string;
  readonly snapshot: Readonly<ProcessSnapshot>;
  readonly budget: BudgetConfig;
  /** Begins another day of its budget where the last one is over. */
  readonly turn: () => void;
}

/** What the budget of one process asks its family. */
export interface FamilyMember {
  /** The first limit, its own or of one that it comes from, that so much more would pass together with all that they began. */
  readonly over: (more: Asked) => Overrun | null;
  /** When the day of whoever began it is over; null for one with a day of its own. */
  readonly dayUntil: () => string | null;
  /** There may be room for the others. */
  readonly released: () => void;
}

/** Of a process that none began, and that began none. */
export const ALONE: FamilyMember = { over: () => null, dayUntil: () => null, released: () => {} };

/**
 * @param line whose limits count: the process itself, and behind it those that it comes from
 * @param begunBy all that came from one of them, however far down
 */
export function overFamily(
  line: readonly Relative[],
  begunBy: (name: string) => readonly Relative[],
  more: Asked,
  nowMs: number,
): Overrun | null {
  for (const [place, relative] of line.entries()) {
    const begun = begunBy(relative.name);
    // Without others it is its own limit, which was looked at.
    if (place === 0 && begun.length === 0) continue;
    relative.turn();
    const over = overOne(relative, begun, more, nowMs);
    if (over !== null) return over;
  }
  return null;
}

function overOne(
  { name, snapshot, budget }: Relative,
  begun: readonly Relative[],
  { asked, freed = {}, eventId }: Asked,
  nowMs: number,
): Overrun | null {
  for (const limit of LIMIT_NAMES) {
    const { meter, scope } = LIMITS[limit];
    const more = asked[meter] ?? 0;
    if (scope !== 'day' || more === 0) continue;
    const own = limitNow(budget, snapshot, { limit, eventId: null, nowMs });
    if (own === null) continue;
    const spent = sumOf(begun, meter, (one) => spentToday(one.snapshot, nowMs), own.spent);
    const underWay = sumOf(begun, meter, (one) => one.snapshot.budget.reserved, own.reserved);
    const reserved = total(underWay, -(freed[meter] ?? 0));
    if (total(spent, reserved, more) > own.max) {
      return { limit, max: own.max, spent, reserved, asked: more, eventId, of: name };
    }
  }
  return null;
}

function sumOf(
  begun: readonly Relative[],
  meter: Meter,
  amounts: (one: Relative) => Amounts,
  own: number,
): number {
  return begun.reduce((sum, one) => total(sum, amounts(one)[meter] ?? 0), own);
}

/** Of a day that is over nothing counts any more. */
export function spentToday({ budget }: Readonly<ProcessSnapshot>, nowMs: number): Amounts {
  const until = budget.period?.until ?? null;
  return until !== null && nowMs >= Date.parse(until) ? {} : budget.spent;
}
