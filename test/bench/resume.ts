// How long an invocation takes to go on after `kill -9` of the process that its code runs in: inside its last effect, with
// N - 1 others on record. The effect may be repeated, so nobody is asked.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeMachine } from './machine.ts';
import { OURS, ourRuntime } from './our-runtime.ts';
import { DBOS, startDbos } from './peers/dbos.ts';
import { EAGER_RETRY_MS, RESTATE, startRestate } from './peers/restate.ts';
import { atMost, measured, spread, type BenchResult, type Judgement, type Measured } from './result.ts';
import { isSmall, takeTurns, type Contender, type Rounds, type Samples } from './rounds.ts';
import type { Resumed, StepRunner } from './step-runner.ts';
import { newOrder } from './steps.ts';
import { workDirectory } from './work-directory.ts';

const MS = 'ms';
const US = 'µs';
const SIZES = isSmall ? [2, 5] : [10, 100, 1_000, 5_000];
const SHORTEST = SIZES[0]!;
const LONGEST = SIZES.at(-1)!;
const EAGER = `${RESTATE} trying every ${EAGER_RETRY_MS} ms`;

type Resume = StepRunner['resume'];

export async function run(): Promise<BenchResult> {
  using work = workDirectory();
  const at = new Date().toISOString();
  await using dbos = await startDbos();
  await using restate = await startRestate();
  const shipped: [string, Resume][] = [];
  if (dbos !== null) shipped.push([DBOS, dbos.resume]);
  if (restate !== null) shipped.push([RESTATE, restate.resume]);
  const peers: [string, Resume][] = [...shipped];
  if (restate !== null) peers.push([EAGER, restate.resumeEagerly]);
  const all: [string, Resume][] = [[OURS, oursIn(join(work.path, 'ours'))], ...peers];
  const rounds = await takeTurns(
    SIZES.flatMap((size) => all.map(([who, resume]) => contender(work.path, who, resume, size))),
  );
  const names = all.map(([who]) => who);
  return {
    bench: 'resume',
    at,
    machine: describeMachine(),
    limits: {},
    results: [
      ...SIZES.map((size) =>
        measured(
          resumeOf(OURS, size),
          rounds(resumeOf(OURS, size)),
          MS,
          size === LONGEST ? { target: atMost(150) } : {},
        ),
      ),
      measured(slopeOf(OURS), slope(rounds, OURS), US, { target: atMost(20) }),
      ...peers.flatMap(([who]) => [
        ...SIZES.map((size) => measured(resumeOf(who, size), rounds(resumeOf(who, size)), MS)),
        measured(slopeOf(who), slope(rounds, who), US),
      ]),
      ...shipped.flatMap(([who]) => SIZES.map((size) => beside(rounds, who, size))),
      ...names.map((who) => measured(startOf(who), rounds(startOf(who)), MS)),
      ...names.flatMap((who) =>
        SIZES.map((size) => measured(totalOf(who, size), rounds(totalOf(who, size)), MS)),
      ),
      ...names.map((who) => measured(repeatedOf(who), rounds(repeatedOf(who)), 'effects')),
    ],
  };
}

const effects = (size: number): string => `${size.toLocaleString('en-US')} effects`;
const resumeOf = (who: string, size: number): string => `${who}, ${effects(size)}, ready to live`;
const totalOf = (who: string, size: number): string => `${who}, ${effects(size)}, kill to live`;
const startOf = (who: string): string => `${who}, process start`;
const slopeOf = (who: string): string => `${who}, for each effect on record`;
const repeatedOf = (who: string): string => `${who}, repeated for each kill`;

/** Ours beside one of the others. */
function beside(rounds: Rounds, who: string, size: number): Measured {
  const to: Judgement['to'] = [who, spread(rounds(resumeOf(who, size)), MS)];
  const ours = resumeOf(OURS, size);
  return measured(`${ours}, beside ${who}`, rounds(ours), MS, { to, target: atMost(1) });
}

/** What each effect on record adds, in microseconds, of each round. */
function slope(rounds: Rounds, who: string): number[] {
  const shortest = rounds(resumeOf(who, SHORTEST));
  return rounds(resumeOf(who, LONGEST)).map(
    (longest, round) => ((longest - shortest[round]!) * 1000) / (LONGEST - SHORTEST),
  );
}

function contender(directory: string, who: string, resume: Resume, size: number): Contender {
  return async (): Promise<Samples> => {
    orders += 1;
    const order = newOrder(join(directory, `ledger-${orders}`), size, size - 1);
    const found = await resume(order);
    return {
      [resumeOf(who, size)]: found.resume,
      [totalOf(who, size)]: found.total,
      [startOf(who)]: found.start,
      [repeatedOf(who)]: found.repeated,
    };
  };
}

let orders = 0;

/** A runtime for each kill, with one process whose effects have a key. */
function oursIn(directory: string): Resume {
  return async (order) => {
    mkdirSync(directory);
    let resumed: Resumed;
    {
      await using runner = await ourRuntime(directory, 1, 'idempotent');
      resumed = await runner.resume(order);
    }
    rmSync(directory, { recursive: true });
    return resumed;
  };
}
