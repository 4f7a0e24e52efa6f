// The journal on a disk that tells what it did. Whatever a crash may have left of it is put together, opened as the next
// host would open it, and judged: nothing acknowledged is lost [P1], the state is that of the entries that are there [P3],
// and nothing is called damage that is none [S11].
//
// Known hazards come first, then a sample that is always the same, then others while there is time; `npm run bench -- crash` takes all.

import { expect, test } from 'vitest';
import { budget, SEED } from './budget.ts';
import { CASES } from './cases.ts';
import { kills, powerCuts, type StateOptions } from './crash-states.ts';
import { emptyTally, tryAll } from './explore.ts';
import type { Operation } from './operations.ts';
import { recordRun, type RunOptions } from './record-run.ts';
import * as workloads from './workloads.ts';
import type { Workload } from './workloads.ts';

const NOTHING_WRONG = { examples: [], problems: emptyTally().problems };

interface Hazard {
  readonly name: string;
  readonly workload: Workload;
  readonly options: RunOptions;
  readonly states: StateOptions;
  /** Where it lies, in what the workload does. */
  readonly isThere: (operations: readonly Operation[], point: number) => boolean;
}

const isSeal = (operation: Operation): boolean =>
  operation.kind === 'rename' && /\/next\.tmp$|\/segments\//.test(`${operation.from} ${operation.to}`);
/** Of the first two. */
const isSealing = (operations: readonly Operation[], point: number): boolean =>
  operations.slice(Math.max(0, point - 3), point + 2).some(isSeal) &&
  operations.slice(0, point).filter(isSeal).length < 4;
const isFirstLife = (operations: readonly Operation[], point: number): boolean =>
  point <= 2 + operations.findIndex(({ kind }) => kind === 'acknowledged');
const isTheEnd = (operations: readonly Operation[], point: number): boolean => point >= operations.length - 2;
const SHORT = { segmentBytes: 4 * 1024 } as const;

/** Where it has gone wrong before, or would go wrong first. */
const HAZARDS: readonly Hazard[] = [
  {
    name: '[J4] a new journal, its marker and its first file may get their names in any order',
    workload: workloads.single,
    options: {},
    states: { isNamesOnly: true },
    isThere: isFirstLife,
  },
  {
    name: '[S15] a segment that is sealed and the next may get their names in any order',
    workload: workloads.segments,
    options: SHORT,
    states: { isNamesOnly: true },
    isThere: isSealing,
  },
  {
    name: '[S11] a page may be lost in front of a checkpoint that is there, where nothing was synced',
    workload: workloads.batches,
    options: { durability: 'os' },
    states: { perPoint: 60 },
    isThere: isTheEnd,
  },
  {
    name: '[S13] a head may be older than a journal whose first segments were dropped',
    workload: workloads.segments,
    options: { ...SHORT, retention: { maxAgeDays: null, maxBytes: 1_000 } },
    states: { perPoint: 3, randomPerPoint: 2 },
    isThere: (operations, point) =>
      operations.slice(Math.max(0, point - 2), point).some(({ kind }) => kind === 'remove'),
  },
];

test.each(HAZARDS)('$name', { timeout: 120_000 }, async ({ name, workload, options, states, isThere }) => {
  using explorer = budget({ ms: 0, leastStates: Infinity });
  const trial = await recordRun(explorer.root, workload, options);
  const { operations } = trial.recording;
  const isChosen = (point: number): boolean => isThere(operations, point);
  await tryAll(explorer, name, trial, powerCuts(trial.recording, { ...states, isChosen }));
  expect(explorer.tally).toMatchObject(NOTHING_WRONG);
  expect(explorer.tally.states).toBeGreaterThan(0);
});

test.each(CASES)('[P1, P3, S11] $name', { timeout: 120_000 }, async ({ name, workload, options }) => {
  using explorer = budget({ ms: 1_200, leastStates: 80 });
  const { root, tally, goesOn } = explorer;
  const trial = await recordRun(root, workload, options);
  const { recording } = trial;
  for (let round = 0; goesOn(); round += 1) {
    const seed = round === 0 ? 1 : SEED + round;
    // Every third operation, and others in the next round.
    const isChosen = (point: number): boolean => point % 3 === round % 3;
    const what = `${name}, seed ${seed}`;
    await tryAll(explorer, what, trial, kills(recording, { perPoint: 2, seed, isChosen }));
    const cuts = powerCuts(recording, { perPoint: 2, randomPerPoint: 1, seed, isChosen });
    await tryAll(explorer, what, trial, cuts);
  }
  expect(tally).toMatchObject(NOTHING_WRONG);
});

test.each(CASES.filter(({ options }) => options.segmentBytes !== undefined))(
  '[S15] $name: in whatever order the names reach the disk',
  { timeout: 120_000 },
  async ({ name, workload, options }) => {
    using explorer = budget({ ms: 1_200, leastStates: 80 });
    const { root, tally, goesOn } = explorer;
    const trial = await recordRun(root, workload, options);
    for (let round = 0; goesOn(); round += 1) {
      const seed = round === 0 ? 1 : SEED + round;
      const cuts = powerCuts(trial.recording, { isNamesOnly: true, perPoint: 2, seed });
      await tryAll(explorer, `${name}, seed ${seed}`, trial, cuts);
    }
    expect(tally).toMatchObject(NOTHING_WRONG);
  },
);
