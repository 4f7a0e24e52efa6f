// Schedules and what becomes of missed times, over two years of simulated time in zones whose clocks change in different
// ways, against an oracle that walks through every minute. [A13] [S22]

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MISSED_POLICIES, type MissedPolicy } from '../../core/model/trigger-config.ts';
import {
  dueTicks,
  MAX_CAUGHT_UP,
  MAX_COUNTED,
  ON_TIME_MS,
  type DueTicks,
} from '../../core/triggers/cron-due.ts';
import { cronSchedule } from '../../core/triggers/cron-schedule.ts';
import { startCronTrigger } from '../../core/triggers/cron-trigger.ts';
import { SteppedClock } from '../support/stepped-clock.ts';
import { scheduledTimes, wallClock } from './cron-oracle.ts';

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'America/St_Johns',
];
const FROM = Date.UTC(2026, 0, 1);
const UNTIL = Date.UTC(2028, 0, 1);
const DAY_MS = 86_400_000;
const SEED = Date.now() % 2 ** 31;

/** Fixed times and intervals, at and around the hours in which clocks change. */
const EXPRESSIONS = [
  '30 2 * * *',
  '0,15,30,45 1-3 * * 0',
  '45 1 * 3,4,9,10,11 *',
  '*/15 2 * * 0,1',
  '*/20 0-3 * 3,4,10,11 6,7',
  '0 */6 * * *',
  '15 9 * * 1-5',
  '0 0 1 * *',
  '59 23 28-31 * 5',
  '5/25 * 1,29 * *',
  '10 2 * 3,4,10,11 0 15,45',
  '30 1-2 * * 0 */20',
];

const clocks = new Map(ZONES.map((zone) => [zone, wallClock(zone, FROM, UNTIL)]));

describe.each(ZONES)('%s', (zone) => {
  test.each(EXPRESSIONS)('"%s" comes due when the clock on the wall says so', (cronExpression) => {
    const expected = scheduledTimes(clocks.get(zone)!, cronExpression);
    const schedule = cronSchedule({ cronExpression, cronTimezone: zone });
    const times: number[] = [];
    for (let at = schedule.next(FROM); at !== null && at < UNTIL; at = schedule.next(at)) times.push(at);
    expect(times.map(iso)).toEqual(expected.map(iso));
    expect(times.length).toBeGreaterThan(10);
  });
});

describe('each scheduled time is handled by its policy, and never twice', () => {
  const times = new Map(
    ['30 2 * * *', '*/5 * * * *', '0 9-17 * * 1-5', '* * 1 * * */15', '* 0 * * * *'].map((expression) => [
      expression,
      scheduledTimes(clocks.get('Europe/Berlin')!, expression),
    ]),
  );

  /** How far the clock is moved, and whether somebody looks then. */
  const moves = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 1, max: 400_000 }) },
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 40 * DAY_MS }) },
      { weight: 2, arbitrary: fc.integer({ min: -10 * DAY_MS, max: -1 }) },
      { weight: 1, arbitrary: fc.constantFrom(0, ON_TIME_MS, 3_600_000, -3_600_000) },
    ),
    { minLength: 1, maxLength: 80 },
  );

  test.each(MISSED_POLICIES)(`%s, over downtimes and jumps of the clock (seed ${SEED}) [S22]`, (policy) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...times.keys()),
        fc.nat({ max: 300 * DAY_MS }),
        moves,
        (expression, start, steps) => {
          const all = times.get(expression)!;
          const schedule = { next: (afterMs: number) => all[upTo(all, afterMs)] ?? null };
          let nowMs = FROM + start;
          let lastMs = nowMs;
          const fired: number[] = [];
          for (const step of steps) {
            nowMs = Math.min(nowMs + step, UNTIL - 1);
            const due = dueTicks({ schedule, policy, lastMs, nowMs });
            const waiting = all.slice(upTo(all, lastMs), upTo(all, nowMs));
            expect(due).toEqual(handled(policy, waiting, lastMs, nowMs));
            fired.push(...due.fire.map(({ scheduledMs }) => scheduledMs));
            ({ lastMs } = due);
          }
          expect(fired).toEqual([...new Set(fired)].sort((a, b) => a - b));
        },
      ),
      { seed: SEED, numRuns: 150 },
    );
  });
});

/** The oracle's answer is worked out once for each. */
const followed = ZONES.flatMap((zone) =>
  ['30 2 * * *', '*/15 1-3 * * *', '0 */2 * * *'].map((expression) => ({
    zone,
    expression,
    all: scheduledTimes(clocks.get(zone)!, expression),
  })),
);

test.each(MISSED_POLICIES)(
  `a running trigger loses and doubles nothing with %s (seed ${SEED}) [S22]`,
  (policy) => {
    const cases = fc.record({
      followed: fc.constantFrom(...followed),
      start: fc.integer({ min: FROM, max: UNTIL - 60 * DAY_MS }),
      moves: fc.array(
        fc.record({
          // Time goes by with timers, or it was slept through or set, forward or back.
          kind: fc.constantFrom('pass', 'pass', 'sleep', 'set'),
          ms: fc.integer({ min: 1, max: 2 * DAY_MS }),
          back: fc.boolean(),
          fails: fc.boolean(),
        }),
        { minLength: 3, maxLength: 12 },
      ),
    });
    fc.assert(
      fc.property(cases, ({ followed: { zone, expression, all }, start, moves }) => {
        const clock = new SteppedClock(start);
        const heard: (DueTicks & { readonly after: number; readonly at: number })[] = [];
        let fails = false;
        const config = {
          type: 'cron',
          cronExpression: expression,
          cronTimezone: zone,
          missed: policy,
          filter: null,
        } as const;
        let lastMs = start;
        using trigger = startCronTrigger(config, {
          clock,
          lastMs,
          onDue: (due) => {
            if (fails) throw new Error('the disk is full');
            heard.push({ ...due, after: lastMs, at: clock.now() });
            ({ lastMs } = due);
          },
        });
        let latest = start;
        for (const move of moves) {
          fails = move.fails;
          if (move.kind === 'set') clock.set(move.back ? -move.ms : move.ms);
          else if (move.kind === 'sleep') clock.set(move.ms);
          else clock.pass(move.ms);
          // The longest that it takes to notice.
          clock.pass(60_000);
          latest = Math.max(latest, clock.now());
          fails = false;
          clock.pass(60_000);
          latest = Math.max(latest, clock.now());
        }
        for (const { after, at, ...due } of heard) {
          const waiting = all.slice(upTo(all, after), upTo(all, at));
          expect(due).toEqual(handled(policy, waiting, after, at));
        }
        const stoodFor = heard.flatMap(({ fire, skipped }) => [
          skipped,
          ...fire.map(({ missed }) => missed + 1),
        ]);
        const due = upTo(all, latest) - upTo(all, start);
        expect(stoodFor.reduce((sum, count) => sum + count, 0)).toBe(due);
        expect(trigger.next).toBe(iso(all[upTo(all, lastMs)]!));
        expect(clock.pending).toBe(1);
      }),
      { seed: SEED, numRuns: 24 },
    );
  },
);

/** What is to become of those that are due, oldest first. */
function handled(policy: MissedPolicy, waiting: readonly number[], lastMs: number, nowMs: number): DueTicks {
  const newest = waiting.at(-1);
  if (newest === undefined) return { fire: [], skipped: 0, isAtLeast: false, lastMs };
  const isAtLeast = waiting.length > MAX_COUNTED;
  const count = isAtLeast ? MAX_COUNTED + 1 : waiting.length;
  const rest = { isAtLeast, lastMs: newest };
  switch (policy) {
    case 'skip': {
      const fire = nowMs - newest <= ON_TIME_MS ? [{ scheduledMs: newest, missed: 0 }] : [];
      return { ...rest, fire, skipped: count - fire.length };
    }
    case 'once':
      return { ...rest, fire: [{ scheduledMs: newest, missed: count - 1 }], skipped: 0 };
    case 'all': {
      const times = waiting.slice(-MAX_CAUGHT_UP);
      const left = count - times.length;
      return {
        ...rest,
        fire: times.map((scheduledMs, at) => ({ scheduledMs, missed: at === 0 ? left : 0 })),
        skipped: 0,
      };
    }
  }
}

/** How many of them are not after a moment, by halving. */
function upTo(times: readonly number[], ms: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! > ms) high = middle;
    else low = middle + 1;
  }
  return low;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
