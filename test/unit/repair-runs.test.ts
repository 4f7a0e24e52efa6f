// [S14] Which pieces of a damaged journal are kept: the heaviest row of those that can stand behind one another.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIRST_PREV } from '../../core/journal/codec.ts';
import { heaviestRow, type Run } from '../../core/journal/repair-runs.ts';

describe('which pieces are kept', () => {
  const run = (firstSeq: number, lines: number, follows: Run | null = null, start = 0): Run => ({
    start,
    end: start + lines - 1,
    lines,
    prev: firstSeq === 1 ? FIRST_PREV : (follows?.lastHash ?? `before ${start}:${firstSeq}`),
    firstSeq,
    lastSeq: firstSeq + lines - 1,
    lastHash: `hash ${start}:${firstSeq + lines - 1}`,
  });
  const kept = (runs: readonly Run[]): number[] => {
    const row = heaviestRow(runs);
    return runs.flatMap((each, at) => (row.has(each) ? [at] : []));
  };
  const beginning = run(1, 5);

  test.each<[string, Run[], number[]]>([
    ['none', [], []],
    ['one', [run(7, 1)], [0]],
    ['what comes behind a loss', [beginning, run(9, 3, null, 5)], [0, 1]],
    ['not what comes a second time', [beginning, run(2, 3, null, 5), run(6, 2, beginning, 8)], [0, 2]],
    [
      'not what was put in from far ahead',
      [beginning, run(900, 20, null, 5), run(6, 2, beginning, 25)],
      [0, 2],
    ],
    [
      'the greater part of what was put together in the wrong order',
      [run(900, 1_000), run(1, 5, null, 1_000)],
      [0],
    ],
    ['the longer one of two histories', [beginning, run(3, 99, null, 5)], [1]],
  ])('%s', (_what, runs, expected) => {
    expect(kept(runs)).toEqual(expected);
  });

  test('numbers only grow, whatever is there, and no row is heavier', () => {
    const anyRuns = fc
      .array(fc.record({ first: fc.integer({ min: 1, max: 12 }), lines: fc.integer({ min: 1, max: 5 }) }), {
        maxLength: 9,
      })
      .map((list) =>
        list.map(({ first, lines }, at) => ({ ...run(first, lines, null, at * 10), prev: `none ${at}` })),
      );
    fc.assert(
      fc.property(anyRuns, (runs) => {
        const row = runs.filter((each) => heaviestRow(runs).has(each));
        expect(row.every((each, at) => at === 0 || row[at - 1]!.lastSeq < each.firstSeq)).toBe(true);
        const weight = (list: readonly Run[]): number => list.reduce((sum, { lines }) => sum + lines, 0);
        let best = 0;
        for (let mask = 0; mask < 2 ** runs.length; mask += 1) {
          const some = runs.filter((_, at) => (mask >> at) & 1);
          if (some.every((each, at) => at === 0 || some[at - 1]!.lastSeq < each.firstSeq))
            best = Math.max(best, weight(some));
        }
        expect(weight(row)).toBe(best);
      }),
    );
  });
});
