// When a process spent what, for as long as it matters to how fast it does: a fold like everything else, by the times of
// entries, in memory of a fixed size.

import { total, plus, type Amounts, type Meter } from './meters.ts';
import { isMoment } from './time.ts';

/** Of one minute, or of half an hour: `at` is its first minute, counted from the epoch. */
export interface Spent {
  readonly at: number;
  readonly spent: Amounts;
}

export interface Spending {
  /** The first minute in which anything was spent; null before that. */
  readonly since: number | null;
  /** The last minutes in which anything was; oldest first. */
  readonly minutes: readonly Spent[];
  /** The last half hours in which anything was, without the last of the minutes, which may not be over; oldest first. */
  readonly halfHours: readonly Spent[];
}

/** How far back how fast it spends is looked at. */
export const BURN_MINUTES = 10;
/** With fewer minutes nobody can say how fast. */
const LEAST_MINUTES = 3;
export const HALF_HOUR = 30;
const KEPT_HALF_HOURS = 12;
const MINUTE_MS = 60_000;

export function noSpending(): Spending {
  return { since: null, minutes: [], halfHours: [] };
}

/** What an entry of this time spent. On a clock that went back it counts for the last minute that there was [S22]. */
export function withSpent(spending: Spending, timestamp: string, spent: Amounts): Spending {
  const minute = minuteOf(timestamp);
  if (minute === null) return spending;
  const { since, minutes, halfHours } = spending;
  const last = minutes.at(-1);
  return {
    since: since ?? minute,
    minutes: added(minutes, { at: minute, spent }, BURN_MINUTES),
    halfHours: last === undefined || minute <= last.at ? halfHours : withMinute(halfHours, last),
  };
}

let lastMinute = { text: '', minute: 0 };

/** Entries of one minute come by the thousand, and reading a time takes longer than all that is done with it. */
function minuteOf(timestamp: string): number | null {
  const text = timestamp.endsWith('+00:00') ? timestamp.slice(0, 'yyyy-mm-ddThh:mm'.length) : '';
  if (text !== '' && text === lastMinute.text) return lastMinute.minute;
  const minute = Math.floor(Date.parse(timestamp) / MINUTE_MS);
  if (Number.isNaN(minute)) return null;
  lastMinute = { text, minute };
  return minute;
}

function halfHourOf(minute: number): number {
  return Math.floor(minute / HALF_HOUR) * HALF_HOUR;
}

function withMinute(halfHours: readonly Spent[], { at, spent }: Spent): readonly Spent[] {
  return added(halfHours, { at: halfHourOf(at), spent }, HALF_HOUR * (KEPT_HALF_HOURS - 1));
}

/** Oldest first, as far back from the newest as `kept` minutes. */
function added(list: readonly Spent[], more: Spent, kept: number): readonly Spent[] {
  const last = list.at(-1);
  if (last === undefined || last.at < more.at) {
    return [...list.filter(({ at }) => at >= more.at - kept), more];
  }
  const sum = { at: last.at, spent: plus(last.spent, more.spent) };
  return list.length === 1 ? [sum] : [...list.slice(0, -1), sum];
}

/** The clock was set: what was spent a while ago is as long ago as before. */
export function withClockSet(spending: Spending, byMs: number): Spending {
  const by = Math.round(byMs / MINUTE_MS);
  const { since, minutes, halfHours } = spending;
  if (by === 0 || since === null || !isMoment((since + by) * MINUTE_MS)) return spending;
  const halves = Math.round(by / HALF_HOUR) * HALF_HOUR;
  return {
    since: since + by,
    minutes: minutes.map(({ at, spent }) => ({ at: at + by, spent })),
    halfHours: halfHours.map(({ at, spent }) => ({ at: at + halves, spent })),
  };
}

/** How much of it a minute uses: the median of the last ten that are over; null with too few to say [P5]. */
export function burnOf({ since, minutes }: Spending, meter: Meter, nowMs: number): number | null {
  const now = Math.floor(nowMs / MINUTE_MS);
  const sample = since === null ? 0 : Math.min(BURN_MINUTES, now - since);
  if (sample < LEAST_MINUTES) return null;
  const of = new Map(minutes.map(({ at, spent }) => [at, spent[meter] ?? 0]));
  const values = Array.from({ length: sample }, (_, back) => of.get(now - 1 - back) ?? 0).sort(
    (a, b) => a - b,
  );
  const middle = Math.floor(sample / 2);
  return sample % 2 === 1 ? values[middle]! : total(values[middle - 1]!, values[middle]!) / 2;
}

/** When what is left will be used, at this pace, to the minute; null where it will not, or nobody knows. */
export function runsOutAt(left: number, burn: number | null, nowMs: number): number | null {
  if (burn === null || burn <= 0) return null;
  const at = nowMs + (Math.max(0, left) / burn) * MINUTE_MS;
  return isMoment(at) ? Math.ceil(at / MINUTE_MS) * MINUTE_MS : null;
}

/** The last half hours up to now, oldest first, also those in which nothing was spent; none where nothing ever was. */
export function lastHalfHours({ since, minutes, halfHours }: Spending, nowMs: number): readonly Spent[] {
  if (since === null) return [];
  const now = halfHourOf(nowMs / MINUTE_MS);
  const first = Math.max(halfHourOf(since), now - HALF_HOUR * (KEPT_HALF_HOURS - 1));
  const last = minutes.at(-1);
  const all = last === undefined ? halfHours : withMinute(halfHours, last);
  const of = new Map(all.map(({ at, spent }) => [at, spent]));
  const count = Math.max(0, Math.min(KEPT_HALF_HOURS, (now - first) / HALF_HOUR + 1));
  return Array.from({ length: count }, (_, step) => {
    const at = first + step * HALF_HOUR;
    return { at, spent: of.get(at) ?? {} };
  });
}
