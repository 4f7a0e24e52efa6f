// How fast a process spends, from the times of its entries.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  burnOf,
  lastHalfHours,
  noSpending,
  runsOutAt,
  withClockSet,
  withSpent,
  type Spending,
} from '../../core/model/spending.ts';
import { timestampOf } from '../../core/model/time.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-03-28T12:00:00Z');
const at = (minute: number): number => START + minute * MINUTE;

/** So much money in each minute. */
function spentIn(minutes: readonly (readonly [minute: number, money: number])[]): Spending {
  return minutes.reduce<Spending>(
    (spending, [minute, money]) => withSpent(spending, timestampOf(at(minute)), { money, toolCalls: 1 }),
    noSpending(),
  );
}

describe('burn', () => {
  test('[P5] is unknown with less than three minutes to go by', () => {
    const spending = spentIn([[0, 5]]);
    expect(burnOf(noSpending(), 'money', at(100))).toBeNull();
    expect(burnOf(spending, 'money', at(2))).toBeNull();
    expect(burnOf(spending, 'money', at(3))).toBe(0);
  });

  test('is the median of the last ten minutes that are over; one in which nothing was spent counts as nothing', () => {
    const steady = spentIn(Array.from({ length: 12 }, (_, minute) => [minute, minute === 8 ? 1_000 : 2]));
    // One minute that was dear changes nothing, and the minute that it is counts once it is over.
    expect(burnOf(steady, 'money', at(11.9))).toBe(2);
    expect(burnOf(steady, 'toolCalls', at(11.9))).toBe(1);
    expect(burnOf(steady, 'tokens', at(11.9))).toBe(0);
    expect(
      burnOf(
        spentIn([
          [0, 1],
          [1, 2],
          [2, 4],
          [3, 8],
        ]),
        'money',
        at(4),
      ),
    ).toBe(3);
    // Idle since.
    expect(burnOf(steady, 'money', at(18))).toBe(0);
    expect(burnOf(steady, 'money', at(100_000))).toBe(0);
  });

  test('what is left runs out at the end of a minute, at this pace; at none, and at an unknown one, nobody knows', () => {
    expect(runsOutAt(10, 2, at(0))).toBe(at(5));
    expect(runsOutAt(1, 0.3, at(0))).toBe(at(4));
    expect(runsOutAt(-5, 2, at(0))).toBe(at(0));
    expect(runsOutAt(10, 0, at(0))).toBeNull();
    expect(runsOutAt(10, null, at(0))).toBeNull();
    expect(runsOutAt(1e15, 1e-6, at(0))).toBeNull();
  });
});

test('[S22] on a clock that is set back what was spent stays where it was, and is as long ago as before', () => {
  const before = spentIn([
    [0, 1],
    [1, 1],
    [2, 1],
    [3, 1],
  ]);
  // Not told: it counts for the last minute that there was.
  const back = withSpent(before, timestampOf(at(-60)), { money: 7 });
  expect(back.minutes.at(-1)).toEqual({ at: at(3) / MINUTE, spent: { money: 8, toolCalls: 1 } });
  // Told: an hour back.
  const set = withClockSet(before, -60 * MINUTE);
  expect(burnOf(set, 'money', at(4 - 60))).toBe(1);
  expect(set.since).toBe(at(-60) / MINUTE);
  expect(withClockSet(before, 20_000)).toBe(before);
});

test('half hours up to now, those without anything too, and no more than six hours of them', () => {
  const spending = spentIn([
    [0, 1],
    [1, 1],
    [29, 1],
    [30, 5],
    [95, 2],
  ]);
  const shown = (nowMs: number) => lastHalfHours(spending, nowMs).map(({ spent }) => spent.money ?? 0);
  expect(shown(at(95))).toEqual([3, 5, 0, 2]);
  expect(shown(at(125))).toEqual([3, 5, 0, 2, 0]);
  expect(shown(at(60 * 24))).toEqual(Array(12).fill(0));
  expect(lastHalfHours(noSpending(), at(0))).toEqual([]);
});

test('whatever comes when, it stays small and in order, and nothing recent is lost', () => {
  const step = fc.record({ by: fc.integer({ min: -30, max: 40 }), money: fc.integer({ min: 1, max: 9 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      let spending = noSpending();
      let minute = 0;
      let latest = -Infinity;
      const counted = new Map<number, number>();
      for (const { by, money } of steps) {
        minute += by;
        latest = Math.max(latest, minute);
        counted.set(latest, (counted.get(latest) ?? 0) + money);
        spending = withSpent(spending, timestampOf(at(minute)), { money });
      }
      for (const list of [spending.minutes, spending.halfHours]) {
        expect(list.length).toBeLessThanOrEqual(12);
        expect(list.map((one) => one.at)).toEqual(list.map((one) => one.at).toSorted((a, b) => a - b));
      }
      for (const { at: of, spent } of spending.minutes) {
        expect(spent.money).toBe(counted.get(of - START / MINUTE));
      }
      const sum = lastHalfHours(spending, at(latest)).reduce((all, { spent }) => all + (spent.money ?? 0), 0);
      const half = (of: number): number => Math.floor(of / 30);
      const recent = [...counted].filter(([of]) => half(of) > half(latest) - 12);
      expect(steps.length === 0 ? 0 : sum).toBe(recent.reduce((all, [, money]) => all + money, 0));
    }),
  );
});
