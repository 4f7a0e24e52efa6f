// How many crashes lose what was acknowledged, change what is recovered, or are taken for damage: none may. Real processes
// are killed on a real disk; and everything that a kill or a power cut could leave of recorded runs is put together, opened
// and judged, also after every single fault of the disk, and when the recovery itself is interrupted.

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { emptyTally, type Tally } from '../crash/explore.ts';
import type { Problem } from '../crash/judge.ts';
import { killRounds, type KillOptions, type KillTally } from '../crash/kill-rounds.ts';
import { allParts } from '../crash/parts.ts';
import { mapLimited, startNode } from '../support/child.ts';
import { describeMachine } from './machine.ts';
import { atLeast, atMost, measured, type BenchResult } from './result.ts';
import { isSmall, say, sized } from './rounds.ts';
import { workDirectory } from './work-directory.ts';

const KILLS = sized(1_000, 8);
/** A journal that grows takes longer to check after each kill. */
const KILLS_OF_ONE_JOURNAL = sized(25, 2);
const SLICES = 6;
/** Every state, however long it takes; or a few of each part. */
const SECONDS_A_PART = sized(24 * 60 * 60, 1);
const TRY_PART = fileURLToPath(new URL('../crash/try-part.ts', import.meta.url));

const KEPT: readonly KillOptions[] = [
  {},
  { segmentBytes: 32 * 1024 },
  { durability: 'interval', segmentBytes: 16 * 1024 },
  { durability: 'os', segmentBytes: 8 * 1024, retention: { maxAgeDays: null, maxBytes: 200_000 } },
];

export async function run(): Promise<BenchResult> {
  const at = new Date().toISOString();
  const killed = await killAll();
  const tried = await tryAllParts();
  const total = (kind: Problem['kind']): number =>
    tried.problems[kind] + killed.problems.filter((problem) => problem.kind === kind).length;
  for (const { kind, text } of killed.problems.slice(0, 20)) say(`after a kill: ${kind}: ${text}`);
  for (const example of tried.examples) say(example);
  const once = (name: string, value: number, unit: string, judgement = {}) =>
    measured(name, [value], unit, judgement);
  return {
    bench: 'crash',
    at,
    machine: describeMachine(),
    limits: {},
    results: [
      once('kills of real processes', killed.kills, 'kills', { target: atLeast(KILLS) }),
      once('entries acknowledged before those kills', killed.acknowledged, 'entries'),
      once('states after kills and power cuts', tried.states, 'states', {
        target: atLeast(sized(100_000, 1)),
      }),
      once('acknowledged entries lost', total('acknowledged entry lost'), 'entries', { target: atMost(0) }),
      once('wrong states', total('wrong state'), 'states', { target: atMost(0) }),
      once('false damage reports', total('false damage report'), 'reports', { target: atMost(0) }),
    ],
  };
}

async function killAll(): Promise<KillTally> {
  using work = workDirectory();
  const journals = Array.from({ length: Math.ceil(KILLS / KILLS_OF_ONE_JOURNAL) }, (_, at) => at);
  const tallies = await mapLimited(journals, availableParallelism(), async (at) => {
    const options = KEPT[at % KEPT.length]!;
    const tally = await killRounds(
      join(work.path, `journal-${at}`),
      options,
      ({ kills }) => kills < KILLS_OF_ONE_JOURNAL,
    );
    say(`${(at + 1) * KILLS_OF_ONE_JOURNAL} of ${KILLS} kills`);
    return tally;
  });
  return {
    kills: tallies.reduce((sum, { kills }) => sum + kills, 0),
    acknowledged: tallies.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    problems: tallies.flatMap(({ problems }) => problems),
  };
}

/** @throws Error where a part could not be tried to its end */
async function tryAllParts(): Promise<Tally> {
  const total = emptyTally();
  const parts = allParts(SLICES);
  await mapLimited([...parts.entries()], availableParallelism(), async ([at, { name }]) => {
    // Of the slices of a part, a small run takes the first.
    if (isSmall && at % SLICES !== 0) return;
    const { code, stdout, stderr } = await startNode(TRY_PART, [
      String(at),
      String(SLICES),
      String(SECONDS_A_PART),
    ]).ended;
    if (code !== 0) throw new Error(`${name}: ${stderr}`);
    const tally = JSON.parse(stdout) as Tally;
    total.states += tally.states;
    for (const kind of Object.keys(total.problems) as Problem['kind'][]) {
      total.problems[kind] += tally.problems[kind];
    }
    total.examples.push(...tally.examples);
    say(`${name}: ${tally.states} states`);
  });
  return total;
}
