// What a kill does to an agent at work: nothing that anybody notices in the end. An agent with an effect of each class, effects
// side by side, promises, timers, signals and three events is killed at every place of its journal in turn, the worker, the
// host, and both; then its host again at each of the places that a recovery writes; then anybody, at random, in the middle of
// effects. A ledger that nobody kills says what happened in the world.

import { availableParallelism } from 'node:os';
import { startSweep, PROBLEMS, randomKills, type SweepProblem } from '../crash/kill-sweep.ts';
import { seeded } from '../crash/random.ts';
import { mapLimited } from '../support/child.ts';
import type { Kill } from '../support/swept-life.ts';
import { describeMachine } from './machine.ts';
import { atLeast, atMost, measured, type BenchResult, type Judgement } from './result.ts';
import { isSmall, say, sized } from './rounds.ts';
import { workDirectory } from './work-directory.ts';

/** A small run tries a place in so many. */
const STEP = sized(1, 40);
const RANDOM_LIVES = sized(120, 2);
const SEED = 20_260_105;
/** Where the host is killed first, and how many places behind it the recovery is killed. */
const FIRST_KILL = 40;
const RECOVERY = sized(16, 1);

type Place = Exclude<Kill['at'], { readonly effect: number }>;

export async function run(): Promise<BenchResult> {
  const at = new Date().toISOString();
  using work = workDirectory();
  const sweep = await startSweep(work.path);
  const problems: SweepProblem[] = [];
  let kills = 0;
  let entries = 0;
  let lived = 0;
  try {
    const lives = allLives(sweep.positions);
    await mapLimited(lives, availableParallelism(), async (life) => {
      const tally = await sweep.live(life);
      kills += tally.kills;
      entries += tally.entries;
      lived += 1;
      problems.push(...tally.problems);
      for (const { kind, text } of tally.problems) say(`${kind}: ${text}`);
      if (lived % 20 === 0) say(`${lived} of ${lives.length} lives, ${kills} kills`);
    });
  } finally {
    await sweep.close();
  }
  const once = (name: string, value: number, unit: string, judgement: Judgement = {}) =>
    measured(name, [value], unit, judgement);
  const count = (kind: SweepProblem['kind']): number =>
    problems.filter((problem) => problem.kind === kind).length;
  return {
    bench: 'kill-sweep',
    at,
    machine: describeMachine(),
    limits: {},
    results: [
      once('places of an undisturbed journal', sweep.positions, 'places', { target: atLeast(80) }),
      once('lives with kills', lived, 'lives'),
      once('kills', kills, 'kills', { target: atLeast(sized(400, 1)) }),
      once('entries judged', entries, 'entries'),
      ...PROBLEMS.map((kind) => once(PLURALS[kind], count(kind), 'times', { target: atMost(0) })),
    ],
  };
}

const PLURALS: Readonly<Record<SweepProblem['kind'], string>> = {
  'lost event': 'lost events',
  'wrong state': 'wrong states',
  'silent repeat': 'silent repeats',
  'unreported doubt': 'unreported doubts',
  'damaged journal': 'damaged journals',
  'no end': 'lives without an end',
};

function allLives(positions: number): readonly (readonly Kill[])[] {
  const lives: Kill[][] = [];
  const places = Array.from({ length: positions }, (_, at) => at + 1).filter((at) => at % STEP === 0);
  for (const seq of places) {
    lives.push([{ victim: 'worker', at: { seq, when: 'durable' } }]);
    lives.push([{ victim: 'host', at: { seq, when: 'written' } }]);
    lives.push([{ victim: 'both', at: { seq, when: 'durable' } }]);
  }
  const first: Place = { seq: FIRST_KILL, when: 'durable' };
  for (let behind = 1; behind <= RECOVERY; behind += 1) {
    const second: Place = { seq: FIRST_KILL + behind, when: 'durable' };
    lives.push([
      { victim: 'host', at: first },
      { victim: 'host', at: second },
    ]);
  }
  const random = seeded(SEED);
  for (let life = 0; life < RANDOM_LIVES; life += 1) lives.push([...randomKills(random)]);
  if (isSmall) say(`a small run: ${lives.length} lives`);
  return lives;
}
