// Kills at random moments inside effects that can be reconciled. A thousand of them: `npm run bench -- reconcile`.

import { expect, test } from 'vitest';
import { mapLimited } from '../support/child.ts';
import { NO_POSTGRES } from '../support/providers/postgres.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { SEED } from './budget.ts';
import { seeded } from './random.ts';
import { startReconcileKills, type KillTally } from './reconcile-kills.ts';

const BUDGET_MS = 12_000;
const LEAST_LIVES = 4;
const SIDE_BY_SIDE = 4;
const KILLS_IN_A_LIFE = 5;

test(
  `[P2] [S28] [S30] whatever is killed inside of effects that can be reconciled: nothing is settled wrongly, and people are asked about 1 in 20 at most${NO_POSTGRES === null ? '' : ` (without rows of PostgreSQL. ${NO_POSTGRES})`}`,
  { timeout: 600_000 },
  async () => {
    await using kills = await startReconcileKills(tempDirectory(), seeded(SEED));
    const until = performance.now() + BUDGET_MS;
    const tallies: KillTally[] = [];
    let lives = 0;
    await mapLimited(Array.from({ length: SIDE_BY_SIDE }), SIDE_BY_SIDE, async () => {
      while (lives < LEAST_LIVES || performance.now() < until) {
        lives += 1;
        tallies.push(await kills.live(KILLS_IN_A_LIFE));
      }
    });
    const sum = (of: (tally: KillTally) => number): number =>
      tallies.reduce((total, tally) => total + of(tally), 0);
    expect(
      tallies.flatMap(({ wrong }) => wrong),
      `seed ${SEED}`,
    ).toEqual([]);
    const doubts = sum((tally) => tally.doubts);
    expect(sum((tally) => tally.kills)).toBeGreaterThan(0);
    expect(doubts).toBeGreaterThan(0);
    const why = tallies.flatMap((tally) => tally.why).join('\n');
    expect(sum((tally) => tally.leftToPeople) / doubts, why).toBeLessThanOrEqual(0.05);
  },
);
