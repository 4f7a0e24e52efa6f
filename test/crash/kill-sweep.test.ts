// An agent with something of everything, killed at places of its journal and in the middle of its effects. A sample of the
// places; all of them: `npm run bench -- kill-sweep`.

import { expect, test } from 'vitest';
import { mapLimited } from '../support/child.ts';
import type { Kill } from '../support/swept-life.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { SEED } from './budget.ts';
import { randomKills, startSweep } from './kill-sweep.ts';
import { below, seeded } from './random.ts';

const BUDGET_MS = 12_000;
const LEAST_LIVES = 4;

test(
  '[P1] [P2] [P3] [C1] [T28] whatever is killed, worker, host or both, wherever: no event is lost, nothing is done twice in silence, every doubt is told, and the end is the same',
  { timeout: 600_000 },
  async () => {
    const random = seeded(SEED);
    const sweep = await startSweep(tempDirectory());
    try {
      const until = performance.now() + BUDGET_MS;
      let lives = 0;
      let kills = 0;
      const problems: string[] = [];
      const victims = ['worker', 'host', 'both'] as const;
      await mapLimited([0, 1], 2, async () => {
        while (lives < LEAST_LIVES || performance.now() < until) {
          lives += 1;
          const seq = 1 + below(random, sweep.positions);
          const when = (['written', 'durable'] as const)[below(random, 2)]!;
          const place: Kill = { victim: victims[lives % 3]!, at: { seq, when } };
          const tally = await sweep.live(lives % 4 === 0 ? randomKills(random) : [place]);
          kills += tally.kills;
          problems.push(...tally.problems.map(({ kind, text }) => `${kind}: ${text}`));
        }
      });
      expect(problems, `seed ${SEED}`).toEqual([]);
      expect(kills).toBeGreaterThan(0);
    } finally {
      await sweep.close();
    }
  },
);
