// When a schedule comes due, worked out by walking through every minute: slow, plain, and without the library that the
// product uses. The zone's offsets are asked of Intl alone.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const STEP_MS = 4 * HOUR_MS;

/** Every minute of the span, with what a clock on the wall shows then, as if it were UTC. */
export interface WallClock {
  readonly zone: string;
  readonly fromMs: number;
  readonly shown: Float64Array;
}

/** Offsets change on whole minutes, and none changes twice in a few hours. */
export function wallClock(zone: string, fromMs: number, untilMs: number): WallClock {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  });
  const offsetAt = (ms: number): number => {
    const parts = Object.fromEntries(
      format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]),
    );
    const { year, month, day, hour, minute } = parts;
    return Date.UTC(year!, month! - 1, day, hour, minute) - ms;
  };
  const shown = new Float64Array((untilMs - fromMs) / MINUTE_MS);
  let before = offsetAt(fromMs);
  for (let stepMs = fromMs; stepMs < untilMs; stepMs += STEP_MS) {
    const after = offsetAt(stepMs + STEP_MS);
    for (let ms = stepMs; ms < Math.min(stepMs + STEP_MS, untilMs); ms += MINUTE_MS) {
      shown[(ms - fromMs) / MINUTE_MS] = ms + (before === after ? before : offsetAt(ms));
    }
    before = after;
  }
  return { zone, fromMs, shown };
}

interface Sets {
  readonly minute: ReadonlySet<number>;
  readonly hour: ReadonlySet<number>;
  readonly day: ReadonlySet<number>;
  readonly month: ReadonlySet<number>;
  readonly weekday: ReadonlySet<number>;
  readonly second: readonly number[];
  readonly eitherDay: boolean;
  readonly isFixed: boolean;
}

/** All scheduled times of the span after its first minute, in order. */
export function scheduledTimes({ fromMs, shown }: WallClock, expression: string): readonly number[] {
  const sets = setsOf(expression);
  const times: number[] = [];
  let latest = shown[0]!;
  for (let at = 1; at < shown.length; at += 1) {
    const ms = fromMs + at * MINUTE_MS;
    const now = shown[at]!;
    const isRepeated = now <= latest;
    if (sets.isFixed && skippedMatches(sets, shown[at - 1]! + MINUTE_MS, now)) times.push(ms);
    if (!(sets.isFixed && isRepeated) && matches(sets, now)) {
      for (const second of sets.second)
        if (times.at(-1) !== ms + second * 1_000) times.push(ms + second * 1_000);
    }
    latest = Math.max(latest, now);
  }
  return times;
}

function skippedMatches(sets: Sets, fromShown: number, toShown: number): boolean {
  for (let skipped = fromShown; skipped < toShown; skipped += MINUTE_MS)
    if (matches(sets, skipped)) return true;
  return false;
}

function matches(sets: Sets, shownMs: number): boolean {
  if (!sets.minute.has((shownMs / MINUTE_MS) % 60) || !sets.hour.has(Math.floor(shownMs / HOUR_MS) % 24))
    return false;
  const shown = new Date(shownMs);
  if (!sets.month.has(shown.getUTCMonth() + 1)) return false;
  const day = sets.day.has(shown.getUTCDate());
  const weekday = sets.weekday.has(shown.getUTCDay());
  return sets.eitherDay ? day || weekday : day && weekday;
}

function setsOf(expression: string): Sets {
  const [minute, hour, day, month, weekday, second = '0'] = expression.split(' ') as [
    string,
    string,
    string,
    string,
    string,
    string?,
  ];
  return {
    minute: numbers(minute, 0, 59),
    hour: numbers(hour, 0, 23),
    day: numbers(day, 1, 31),
    month: numbers(month, 1, 12),
    weekday: new Set(Array.from(numbers(weekday, 0, 7), (number) => number % 7)),
    second: Array.from(numbers(second, 0, 59)).sort((a, b) => a - b),
    eitherDay: day !== '*' && weekday !== '*',
    isFixed: !/[*/]/.test(`${second}${minute}${hour}`),
  };
}

/** `*`, numbers, ranges, steps and lists of them. */
function numbers(field: string, first: number, last: number): ReadonlySet<number> {
  const all = new Set<number>();
  for (const item of field.split(',')) {
    const [range, step = '1'] = item.split('/') as [string, string?];
    const [from, to] = range === '*' ? [first, last] : range.split('-').map(Number);
    const end = to ?? (item.includes('/') ? last : from!);
    for (let number = from!; number <= end; number += Number(step)) all.add(number);
  }
  return all;
}
