// A turn of a model agent, killed between its calls and inside of them. A sample of the places; all of them:
// `npm run bench -- turn-kills`.

import { expect, test } from 'vitest';
import { mapLimited } from '../support/child.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { SEED } from './budget.ts';
import { below, seeded } from './random.ts';
import { allTurnKills, randomTurnKills, startTurnSweep, type TurnKill } from './turn-kill-sweep.ts';

const BUDGET_MS = 12_000;
const LEAST_LIVES = 5;

test(
  '[P2] [S28] [S33] wherever a turn is killed its answer is the same: what is recorded is not asked for or done again, and a kill costs one more call of the model at most, which stays counted',
  { timeout: 600_000 },
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

/** Before a call of each class, inside of it, and behind it; two in a turn, the second after what the first has cost. */
const OVER_MCP: readonly (readonly TurnKill[])[] = [
  [
    { victim: 'worker', inside: { call: 2, phase: 'after' } },
    { victim: 'both', inside: { call: 8, phase: 'before' } },
  ],
  [
    { victim: 'both', inside: { call: 4, phase: 'before' } },
    { victim: 'worker', inside: { call: 9, phase: 'before' } },
  ],
  [
    { victim: 'worker', inside: { call: 5, phase: 'after' } },
    { victim: 'host', inside: { call: 7, phase: 'before' } },
  ],
  [
    { victim: 'host', inside: { call: 1, phase: 'middle' } },
    { victim: 'worker', inside: { call: 7, phase: 'after' } },
  ],
  [{ victim: 'both', inside: { call: 9, phase: 'after' } }],
];

/** Its list of tools is on record, and nothing of what follows. */
const behindList = (seq: number): readonly TurnKill[] => [
  { victim: 'worker', at: { seq, when: 'durable' } },
  { victim: 'both', inside: { call: 6, phase: 'after' } },
];

test(
  '[P2] [S28] [S30] [S32] over a real server of tools it is the same: what is to be repeated is, under the same key, and the rest is asked about',
  { timeout: 600_000 },
  async () => {
    const random = seeded(SEED);
    const sweep = await startTurnSweep(tempDirectory(), true);
    const place = 1 + below(random, sweep.positions);
    expect(sweep.listedAt).toBeGreaterThan(0);
    const lives: readonly (readonly TurnKill[])[] = [
      ...OVER_MCP,
      behindList(sweep.listedAt),
      [{ victim: 'worker', at: { seq: place, when: 'durable' } }],
    ];
    const problems: string[] = [];
    let landed = 0;
    await mapLimited(lives, 2, async (kills) => {
      const tally = await sweep.live(kills);
      landed += tally.kills;
      problems.push(...tally.problems);
    });
    expect(problems, `seed ${SEED}`).toEqual([]);
    expect(landed).toBeGreaterThan(OVER_MCP.length + 2);
  },
);
