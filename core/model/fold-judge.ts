// What the judge of a mission uses. It belongs to no run, and counts for the day and for caps like everything that is used.

import { LIMITS } from './budget.ts';
import { spentOfCaps } from './fold-caps.ts';
import { isNone, minus, plus, type Amounts } from './meters.ts';
import type { ProcessSnapshot } from './snapshot.ts';
import { withSpent } from './spending.ts';

export function reservedForJudge({ budget }: ProcessSnapshot, amounts: Amounts): void {
  if (!isNone(amounts)) budget.reserved = plus(budget.reserved, amounts);
}

/** It has answered, or nobody will say any more whether it has. */
export function settledForJudge(
  state: ProcessSnapshot,
  { reserved, used, at }: { readonly reserved: Amounts; readonly used: Amounts; readonly at: string },
): void {
  const { budget } = state;
  budget.reserved = minus(budget.reserved, reserved);
  if (!isNone(used)) {
    budget.spent = plus(budget.spent, used);
    spentOfCaps(state, used);
    budget.spending = withSpent(budget.spending, at, used);
  }
  const { exceeded } = budget;
  if (exceeded === null || minus(reserved, used)[LIMITS[exceeded.limit].meter] === undefined) return;
  if (LIMITS[exceeded.limit].scope === 'day') budget.exceeded = null;
}
