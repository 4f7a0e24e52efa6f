// A crash while the last one is being made good: the recovery is a writer like any other, and leaves as much to chance.

import { expect, test } from 'vitest';
import { budget, SEED } from './budget.ts';
import { CASES } from './cases.ts';
import { kills, powerCuts } from './crash-states.ts';
import { emptyTally, interruptRecovery, tryDeath } from './explore.ts';
import { below, seeded } from './random.ts';
import { recordRun } from './record-run.ts';
import { batches, recovery, segments } from './workloads.ts';

const NOTHING_WRONG = { examples: [], problems: emptyTally().problems };

test.each(CASES.filter(({ workload }) => workload === batches || workload === segments))(
  '[J6, S11, P1] $name: the repair is interrupted, and so is the repair of that',
  { timeout: 300_000 },
  async ({ name, workload, options }) => {
    using explorer = budget({ ms: 1_800, leastStates: 100 });
    const { root, tally, goesOn } = explorer;
    const trial = await recordRun(root, workload, options);
    const { recording } = trial;
    for (let round = 0; goesOn(); round += 1) {
      const seed = round === 0 ? 1 : SEED + round;
      const random = seeded(seed);
      const point = below(random, recording.operations.length + 1);
      const one = { perPoint: 2, seed, isChosen: (other: number) => other === point };
      const states = [...kills(recording, one), ...powerCuts(recording, { ...one, randomPerPoint: 1 })];
      for (const state of states) {
        // Nothing to make good.
        if (state.how === 'between two operations') continue;
        await interruptRecovery(explorer, `${name}, seed ${seed}`, trial, state, { perPoint: 1, seed });
      }
    }
    expect(tally).toMatchObject(NOTHING_WRONG);
  },
);

test(
  '[J4, P1] killed at any operation, taken over in the same cache, and then the power is cut',
  { timeout: 300_000 },
  async () => {
    using explorer = budget({ ms: 5_000, leastStates: 300 });
    const options = { segmentBytes: 4 * 1024 };
    const { recording } = await recordRun(explorer.root, segments, options);
    const random = seeded(SEED);
    // While a segment is sealed and packed first, then anywhere.
    const sealing = recording.operations.flatMap(({ kind }, at) =>
      kind === 'rename' ? [at, at + 1, at + 2] : [],
    );
    for (let round = 0; explorer.goesOn(); round += 1) {
      const operations = sealing[round] ?? below(random, recording.operations.length);
      await tryDeath(explorer, [segments, recovery], operations, options, { perPoint: 2, points: 6 });
    }
    expect(explorer.tally).toMatchObject(NOTHING_WRONG);
  },
);
