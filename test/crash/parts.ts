// All there is to try, in parts that can be tried side by side.

import { CASES } from './cases.ts';
import { distinct, kills, powerCuts } from './crash-states.ts';
import { interruptRecovery, tryAll, tryDeath, tryFault, type Explorer } from './explore.ts';
import { everyFault } from './faults.ts';
import { recordRun } from './record-run.ts';
import { batches, checkpointInBatch, recovery, segments, single, stubborn } from './workloads.ts';

export interface Part {
  readonly name: string;
  readonly run: (explorer: Explorer) => Promise<void>;
}

const SHORT = { segmentBytes: 4 * 1024 } as const;
const DROPPED = { ...SHORT, retention: { maxAgeDays: null, maxBytes: 2_000 }, isKnown: true } as const;

/** One of so many slices of everything that comes one after the other. */
interface Slice {
  readonly at: number;
  readonly of: number;
}

const isIn = ({ at, of }: Slice, index: number): boolean => index % of === at;

function* sliceOf<T>(slice: Slice, items: Iterable<T>): Generator<T> {
  let at = 0;
  for (const item of items) if (isIn(slice, at++)) yield item;
}

/** Every state of every case; after every fault, and after every kill that somebody went on from, a sample. */
export function allParts(slices: number): readonly Part[] {
  const all = Array.from({ length: slices }, (_, at): Slice => ({ at, of: slices }));
  const sliced = (name: string, run: (explorer: Explorer, slice: Slice) => Promise<void>): Part[] =>
    all.map((slice) => ({
      name: `${name}, part ${slice.at + 1} of ${slice.of}`,
      run: (explorer) => run(explorer, slice),
    }));
  return [
    ...CASES.flatMap(({ name, workload, options }) =>
      sliced(name, async (explorer, slice) => {
        const trial = await recordRun(explorer.root, workload, options);
        const { recording } = trial;
        await tryAll(explorer, name, trial, sliceOf(slice, distinct(recording, kills(recording))));
        const cuts = powerCuts(recording, { randomPerPoint: 3 });
        await tryAll(explorer, name, trial, sliceOf(slice, distinct(recording, cuts)));
      }),
    ),
    ...sliced('every fault', async (explorer, slice) => {
      for (const options of [SHORT, DROPPED]) {
        const faults = await everyFault(explorer.root, stubborn, options);
        for (const [at, fault] of faults.entries()) {
          if (isIn(slice, at))
            await tryFault(explorer, stubborn, fault, options, { perPoint: 4, points: 20 });
        }
      }
    }),
    ...sliced('every kill that somebody goes on from', async (explorer, slice) => {
      for (const first of [segments, single]) {
        const { recording } = await recordRun(explorer.root, first, SHORT);
        for (const at of recording.operations.keys()) {
          if (!isIn(slice, at)) continue;
          await tryDeath(explorer, [first, recovery], at, SHORT, { perPoint: 4, points: 10 });
        }
      }
    }),
    ...sliced('every recovery that is interrupted', async (explorer, slice) => {
      for (const workload of [batches, checkpointInBatch, segments]) {
        const trial = await recordRun(explorer.root, workload, SHORT);
        const { recording } = trial;
        const sampled = { perPoint: 2, seed: 1, isChosen: (point: number) => isIn(slice, point) };
        for (const state of [...kills(recording, sampled), ...powerCuts(recording, sampled)]) {
          await interruptRecovery(explorer, 'a recovery', trial, state, { perPoint: 1, seed: 1 });
        }
      }
    }),
  ];
}
