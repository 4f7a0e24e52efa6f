// Which scheduled times are to be handled now. They are compared with the last one handled and not with the moment of
// the last look [S22], so a clock that goes back makes none of them due again, and a machine that slept misses none.

import type { MissedPolicy } from '../model/trigger-config.ts';
import type { Schedule } from './cron-schedule.ts';

/** The newest scheduled time is on time for so long; all others are missed. */
export const ON_TIME_MS = 5_000;
/** How many missed times are handled one by one. */
export const MAX_CAUGHT_UP = 1_000;
/** How many are counted: each costs about as much as a small request. A day of minutes is counted exactly. */
export const MAX_COUNTED = 2_000;

const SECOND_MS = 1_000;
const BATCH = 64;

export interface DueTick {
  readonly scheduledMs: number;
  /** How many scheduled times it stands for besides its own. */
  readonly missed: number;
}

export interface DueTicks {
  /** Oldest first. */
  readonly fire: readonly DueTick[];
  /** Scheduled times that nothing is done for. */
  readonly skipped: number;
  /** More were missed than are counted: `skipped` and the first `missed` are the least that they can be. */
  readonly isAtLeast: boolean;
  /** The last scheduled time that is handled with these. */
  readonly lastMs: number;
}

/**
 * All scheduled times in (lastMs, nowMs] are due. `skip` fires the newest if it is on time; `once` fires the newest for
 * all of them; `all` fires each, but at most {@link MAX_CAUGHT_UP}, the first of which stands for those before it too.
 * Takes a bounded number of steps, however long nobody looked.
 */
export function dueTicks({
  schedule,
  policy,
  lastMs,
  nowMs,
}: {
  readonly schedule: Schedule;
  readonly policy: MissedPolicy;
  readonly lastMs: number;
  readonly nowMs: number;
}): DueTicks {
  const counted = ticksBetween(schedule, lastMs, nowMs, MAX_COUNTED);
  const isAtLeast = counted.length > MAX_COUNTED;
  const latest = isAtLeast ? latestTick(schedule, counted.at(-1)!, nowMs) : counted.at(-1);
  if (latest === undefined) return { fire: [], skipped: 0, isAtLeast: false, lastMs };
  const total = counted.length;
  const done = { isAtLeast, lastMs: latest };
  switch (policy) {
    case 'skip':
      return nowMs - latest <= ON_TIME_MS
        ? { ...done, fire: [{ scheduledMs: latest, missed: 0 }], skipped: total - 1 }
        : { ...done, fire: [], skipped: total };
    case 'once':
      return { ...done, fire: [{ scheduledMs: latest, missed: total - 1 }], skipped: 0 };
    case 'all': {
      const times = isAtLeast
        ? ticksUntil(schedule, lastMs, latest, MAX_CAUGHT_UP)
        : counted.slice(-MAX_CAUGHT_UP);
      const fire = times.map((scheduledMs, at) => ({
        scheduledMs,
        missed: at === 0 ? total - times.length : 0,
      }));
      return { ...done, fire, skipped: 0 };
    }
  }
}

/** Those in (afterMs, untilMs], oldest first; one more than `most` where there are more. */
function ticksBetween(schedule: Schedule, afterMs: number, untilMs: number, most: number): number[] {
  const ticks: number[] = [];
  let at = afterMs;
  while (ticks.length <= most && at < untilMs) {
    const next = schedule.next(at);
    if (next === null || next > untilMs) break;
    ticks.push(next);
    at = next;
  }
  return ticks;
}

/** The newest in (…, untilMs], where `knownMs` is one of them: found by halving, whatever lies between. */
function latestTick(schedule: Schedule, knownMs: number, untilMs: number): number {
  // Ticks are whole seconds, and none is due after `over`.
  let last = knownMs;
  let over = Math.ceil(untilMs / SECOND_MS) * SECOND_MS;
  while (over > last) {
    const middle = last + Math.floor((over - last) / 2 / SECOND_MS) * SECOND_MS;
    const next = schedule.next(middle);
    if (next !== null && next <= untilMs) last = next;
    else over = middle;
  }
  return last;
}

/** The newest `most` in (afterMs, untilMs], oldest first: from the end, in windows that hold a few of them. */
function ticksUntil(schedule: Schedule, afterMs: number, untilMs: number, most: number): readonly number[] {
  const parts: number[][] = [];
  let found = 0;
  let end = untilMs;
  let windowMs = BATCH * SECOND_MS;
  while (found < most && end > afterMs) {
    const begin = Math.max(afterMs, end - windowMs);
    const ticks = ticksBetween(schedule, begin, end, BATCH);
    if (ticks.length > BATCH) {
      windowMs /= 2;
      continue;
    }
    parts.push(ticks);
    found += ticks.length;
    end = begin;
    if (ticks.length < BATCH / 4) windowMs *= 2;
  }
  return parts.reverse().flat().slice(-most);
}
