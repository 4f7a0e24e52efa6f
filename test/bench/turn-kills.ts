// What a kill does to the turn of a model agent: its answer is the same, nothing that is recorded is paid or done again, and a
// kill costs one more call of the model at most. A turn of ten steps is killed at every place of its journal, and inside of
// every call, when its server has got it, in the middle of the answer, and behind it: the worker, the host, and both; and then
// several times at random. Servers that nobody kills say what was asked and done.

import { availableParallelism } from 'node:os';
import { seeded } from '../crash/random.ts';
import { allTurnKills, randomTurnKills, startTurnSweep, type TurnKill } from '../crash/turn-kill-sweep.ts';
import { mapLimited } from '../support/child.ts';
import { describeMachine } from './machine.ts';
import { atLeast, atMost, measured, type BenchResult, type Judgement } from './result.ts';
import { isSmall, say, sized } from './rounds.ts';
import { workDirectory } from './work-directory.ts';

/** A small run tries a place in so many. */
const STEP = sized(1, 60);
const RANDOM_LIVES = sized(60, 1);
const SEED = 20_261_130;

export async function run(): Promise<BenchResult> {
  const at = new Date().toISOString();
  using work = workDirectory();
  const sweep = await startTurnSweep(work.path);
  const random = seeded(SEED);
  const lives: (readonly TurnKill[])[] = [
    ...allTurnKills(sweep)
      .filter((_, place) => place % STEP === 0)
      .map((kill) => [kill]),
    ...Array.from({ length: RANDOM_LIVES }, () => randomTurnKills(random, sweep.calls)),
  ];
  if (isSmall) say(`a small run: ${lives.length} lives`);
  let lived = 0;
  let kills = 0;
  let paidAgain = 0;
  let problems = 0;
  await mapLimited(lives, availableParallelism(), async (life) => {
    const tally = await sweep.live(life);
    lived += 1;
    kills += tally.kills;
    paidAgain += tally.paidAgain;
    problems += tally.problems.length;
    for (const text of tally.problems) say(text);
    if (lived % 20 === 0) say(`${lived} of ${lives.length} lives, ${kills} kills`);
  });
  const once = (name: string, value: number, unit: string, judgement: Judgement = {}) =>
    measured(name, [value], unit, judgement);
  return {
    bench: 'turn-kills',
    at,
    machine: describeMachine(),
    limits: {},
    results: [
      once('places of an undisturbed journal', sweep.positions, 'places', { target: atLeast(25) }),
      once('lives with kills', lived, 'lives'),
      once('kills', kills, 'kills', { target: atLeast(sized(200, 1)) }),
      once('model calls paid again', paidAgain, 'calls', { target: atMost(kills) }),
      once('what went otherwise', problems, 'times', { target: atMost(0) }),
    ],
  };
}
