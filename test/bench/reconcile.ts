// Of a thousand kills inside effects of class `reconcile`: which of the doubts that they leave are settled without a person, and
// whether any is settled wrongly.

import { KINDS, startReconcileKills, type KillTally } from '../crash/reconcile-kills.ts';
import { below, seeded } from '../crash/random.ts';
import { mapLimited } from '../support/child.ts';
import { NO_POSTGRES } from '../support/providers/postgres.ts';
import { describeMachine } from './machine.ts';
import { atLeast, atMost, measured, type BenchResult, type Judgement } from './result.ts';
import { isSmall, leaveOut, say, sized } from './rounds.ts';
import { workDirectory } from './work-directory.ts';

const KILLS = sized(1_000, 6);
/** In one life at most. */
const MOST_IN_A_LIFE = sized(16, 3);
const SIDE_BY_SIDE = sized(6, 2);
const SEED = 20_261_130;

export async function run(): Promise<BenchResult> {
  const at = new Date().toISOString();
  if (NO_POSTGRES !== null) leaveOut(`rows of PostgreSQL are left out. ${NO_POSTGRES}`);
  using work = workDirectory();
  const random = seeded(SEED);
  await using kills = await startReconcileKills(work.path, random);
  const tallies: KillTally[] = [];
  const sum = (of: (tally: KillTally) => number): number =>
    tallies.reduce((total, tally) => total + of(tally), 0);
  await mapLimited(
    Array.from({ length: SIDE_BY_SIDE }, (_, at_) => at_),
    SIDE_BY_SIDE,
    async () => {
      while (sum((tally) => tally.kills) < KILLS) {
        const tally = await kills.live(1 + below(random, MOST_IN_A_LIFE));
        tallies.push(tally);
        for (const text of [...tally.wrong, ...tally.why]) say(text);
        if (tallies.length % 10 === 0) {
          say(
            `${tallies.length} lives, ${sum((one) => one.kills)} kills, ${sum((one) => one.doubts)} doubts`,
          );
        }
      }
    },
  );
  const once = (name: string, value: number, unit: string, judgement: Judgement = {}) =>
    measured(name, [value], unit, judgement);
  const doubts = sum((tally) => tally.doubts);
  const left = sum((tally) => tally.leftToPeople);
  if (isSmall) say(`a small run: ${tallies.length} lives`);
  return {
    bench: 'reconcile',
    at,
    machine: describeMachine(),
    limits: {},
    results: [
      once(
        'kills',
        sum((tally) => tally.kills),
        'kills',
        { target: atLeast(KILLS) },
      ),
      once('doubts', doubts, 'doubts', { target: atLeast(sized(500, 0)) }),
      ...KINDS.map((kind) =>
        once(
          `doubts, ${kind}`,
          sum(({ byKind }) => byKind[kind]),
          'doubts',
        ),
      ),
      once(
        'it happened',
        sum((tally) => tally.happened),
        'doubts',
      ),
      once(
        'it did not happen',
        sum((tally) => tally.didNotHappen),
        'doubts',
      ),
      once('left to people', left, 'doubts'),
      once('settled without people', doubts === 0 ? 100 : (100 * (doubts - left)) / doubts, '%', {
        target: atLeast(95),
      }),
      once(
        'settled wrongly',
        sum(({ wrong }) => wrong.length),
        'times',
        { target: atMost(0) },
      ),
    ],
  };
}
