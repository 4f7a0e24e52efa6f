// How many durable effects a second a runtime gets through when the effects themselves cost nothing: one process with one
// long invocation, and twenty processes at once; beside what the disk can do and what others do with it.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { rawAppend } from './limits.ts';
import { describeMachine } from './machine.ts';
import { OURS, ourRuntime } from './our-runtime.ts';
import { DBOS, startDbos } from './peers/dbos.ts';
import { RESTATE, startRestate } from './peers/restate.ts';
import { rawFiles } from './raw-files.ts';
import { atLeast, measured, spread, type BenchResult, type Judgement } from './result.ts';
import { sized, takeTurns, type Contender, type Samples } from './rounds.ts';
import type { StepRunner } from './step-runner.ts';
import { newOrder, settle } from './steps.ts';
import { workDirectory } from './work-directory.ts';

const RATE = 'effects/s';
const COMMITS = 'commits/s';
const PROCESSES = sized(20, 3);
const D1 = 'D1: one 300-byte line, fdatasync';
const D20 = `D${PROCESSES}: the same in ${PROCESSES} files at once`;

/** So many at once, with so many effects each. */
interface Load {
  readonly processes: number;
  readonly steps: number;
}
const ONE: Load = { processes: 1, steps: sized(2_000, 20) };
const MANY: Load = { processes: PROCESSES, steps: sized(200, 3) };

const nameOf = (who: string, { processes }: Load): string => `${who}, ${processes} at once`;

export async function run(): Promise<BenchResult> {
  using work = workDirectory();
  const at = new Date().toISOString();
  await using dbos = await startDbos();
  await using restate = await startRestate();
  const peers: [string, StepRunner | null][] = [
    [DBOS, dbos],
    [RESTATE, restate],
  ];
  await using one = await ourRuntime(makeDirectory(work.path, 'one'), ONE.processes, 'ask');
  await using many = await ourRuntime(makeDirectory(work.path, 'many'), MANY.processes, 'ask');
  const contenders: [string, StepRunner, Load][] = [
    [OURS, one, ONE],
    [OURS, many, MANY],
    ...peers.flatMap(([who, runner]) =>
      runner === null ? [] : [ONE, MANY].map((load): [string, StepRunner, Load] => [who, runner, load]),
    ),
  ];
  const rounds = await takeTurns([
    ...limitsIn(work.path),
    ...contenders.map(([who, runner, load]) => contender(work.path, who, runner, load)),
  ]);
  const limits = Object.fromEntries([D1, D20].map((name) => [name, spread(rounds(name), COMMITS)]));
  const line = (name: string, judgement: Judgement, of = name) => measured(name, rounds(of), RATE, judgement);
  const beside = (who: string): Judgement['to'] => [who, spread(rounds(nameOf(who, MANY)), RATE)];
  const there = peers.flatMap(([who, runner]) => (runner === null ? [] : [who]));
  const wanted: Readonly<Record<string, number>> = { [DBOS]: 3, [RESTATE]: 1.5 };
  return {
    bench: 'effects',
    at,
    machine: describeMachine(),
    limits,
    results: [
      line(nameOf(OURS, ONE), { to: [D1, limits[D1]!], target: atLeast(0.4) }),
      line(nameOf(OURS, MANY), { to: [D20, limits[D20]!], target: atLeast(0.4) }),
      ...there.flatMap((who) => [
        line(nameOf(who, ONE), { to: [D1, limits[D1]!] }),
        line(nameOf(who, MANY), { to: [D20, limits[D20]!] }),
      ]),
      ...there.map((who) => {
        const name = nameOf(OURS, MANY);
        return line(`${name}, beside ${who}`, { to: beside(who), target: atLeast(wanted[who]!) }, name);
      }),
    ],
  };
}

function limitsIn(directory: string): Contender[] {
  return [
    () => ({ [D1]: rawAppend(directory, { lines: sized(2_000, 50), batch: 1, isSynced: true }) }),
    async () => ({ [D20]: await rawFiles({ directory, files: PROCESSES, lines: sized(200, 5) }) }),
  ];
}

/** Everybody's processes live as long as the benchmark does, and have just done something. */
function contender(directory: string, who: string, runner: StepRunner, load: Load): Contender {
  return async () => {
    await rateOf(directory, who, runner, { ...load, steps: 1 });
    return rateOf(directory, who, runner, load);
  };
}

function makeDirectory(...parts: string[]): string {
  const path = join(...parts);
  mkdirSync(path);
  return path;
}

let orders = 0;

/** Every effect was performed once, and no more. */
async function rateOf(directory: string, who: string, runner: StepRunner, load: Load): Promise<Samples> {
  const { processes, steps } = load;
  const ordered = Array.from({ length: processes }, () => {
    orders += 1;
    return newOrder(join(directory, `ledger-${orders}`), steps);
  });
  const seconds = await runner.run(ordered);
  for (const order of ordered) settle(order, who);
  return { [nameOf(who, load)]: (processes * steps) / seconds };
}
