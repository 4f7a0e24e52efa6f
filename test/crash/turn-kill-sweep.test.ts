// A turn of a model agent, killed between its calls and inside of them. A sample of the places; all of them:
// `npm run bench -- turn-kills`.

import { expect, test } from 'vitest';
import { mapLimited } from '../support/child.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { SEED } from './budget.ts';
import { below, seeded } from './random.ts';
import { allTurnKills, randomTurnKills, startTurnSweep } from './turn-kill-sweep.ts';

const BUDGET_MS = 12_000;
const LEAST_LIVES = 5;

test(
  '[P2] [S28] [S33] wherever a turn is killed its answer is the same: what is recorded is not asked for or done again, and a kill costs one more call of the model at most, which stays counted',
  { timeout: 240_000 },
  async () => {
    const random = seeded(SEED);
    const sweep = await startTurnSweep(tempDirectory());
    const all = allTurnKills(sweep);
    const until = performance.now() + BUDGET_MS;
    const problems: string[] = [];
    let lives = 0;
    let kills = 0;
    await mapLimited([0, 1], 2, async () => {
      while (lives < LEAST_LIVES || performance.now() < until) {
        lives += 1;
        const chosen = all[below(random, all.length)]!;
        const tally = await sweep.live(lives % 3 === 0 ? randomTurnKills(random, sweep.calls) : [chosen]);
        kills += tally.kills;
        problems.push(...tally.problems);
      }
    });
    expect(problems, `seed ${SEED}`).toEqual([]);
    expect(kills).toBeGreaterThan(0);
  },
);
