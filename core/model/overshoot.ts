// How far a limit can be passed at most by what is under way. What is counted as it is booked passes none. What a model used
// is known only afterwards: then it can be as much as its model lets a call use, whatever was expected of it.

import { LIMITS, limitNow, type BudgetConfig, type LimitName } from './budget.ts';
import type { RecordedEffect } from './effects.ts';
import { TOKEN_METERS, total, type Meter } from './meters.ts';
import { openOf, type OpenInvocation, type ProcessSnapshot } from './snapshot.ts';

const REPORTED: ReadonlySet<Meter> = new Set<Meter>(['tokens', ...TOKEN_METERS, 'money']);

interface Asked {
  readonly limit: LimitName;
  /** Of a limit of a run: which. */
  readonly eventId: string | null;
  readonly nowMs: number;
}

/**
 * In the limit's own unit, 0 where it can't be passed; null where nobody knows [P5]: a model is called whose most is not
 * known, or, of money, something was used that has no price.
 */
export function overshootOf(
  config: BudgetConfig,
  snapshot: Readonly<ProcessSnapshot>,
  asked: Asked,
): number | null {
  const { meter, scope } = LIMITS[asked.limit];
  const now = REPORTED.has(meter) ? limitNow(config, snapshot, asked) : null;
  if (now === null) return 0;
  const run = openOf(snapshot, asked.eventId);
  const { spent = {} } = scope === 'day' ? snapshot.budget : (run ?? {});
  if (meter === 'money' && spent.unpriced !== undefined) return null;
  const judging = scope === 'day' ? (snapshot.mission?.judging ?? null) : null;
  let more = judging === null ? 0 : excessOfCall(judging, meter);
  if (more === null) return null;
  for (const open of scope === 'day' ? snapshot.open : run === undefined ? [] : [run]) {
    const excess = excessOf(open, meter);
    if (excess === null) return null;
    more = total(more, excess);
  }
  return Math.max(0, total(now.spent, now.reserved, more, -now.max));
}

/** By how much the calls of a run that are being made can be more than they were booked at. */
function excessOf({ reserved, effects }: OpenInvocation, meter: Meter): number | null {
  if (reserved === undefined) return 0;
  let sum = 0;
  for (const effect of effects) {
    const excess = effect.end === null ? excessOfCall(effect, meter) : 0;
    if (excess === null) return null;
    sum = total(sum, excess);
  }
  return sum;
}

function excessOfCall(
  { model, booked, most }: Pick<RecordedEffect, 'model' | 'booked' | 'most'>,
  meter: Meter,
): number | null {
  if (model === undefined || booked === undefined) return 0;
  return most === undefined ? null : Math.max(0, (most[meter] ?? 0) - (booked[meter] ?? 0));
}
