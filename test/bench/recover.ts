// How long it takes to have a process back, from opening its journal to its state: for journals from a thousand entries to
// ten million, which should make no difference.

import { execFileSync } from 'node:child_process';
import { statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFileJournal, readFileJournal } from '../../core/journal/file-journal.ts';
import { sameJson, type Json } from '../../core/model/json.ts';
import type { ProcessSnapshot } from '../../core/model/snapshot.ts';
import { ReplayEngine } from '../../core/replay/replay-engine.ts';
import { checkJournal } from './check-journal.ts';
import { AFTER_CHECKPOINT, AGENT, MIX, writeLife } from './life.ts';
import { describeMachine } from './machine.ts';
import { findPromptise, type Promptise } from './peers/promptise.ts';
import { atLeast, atMost, measured, percentile, spread, type BenchResult, type Measured } from './result.ts';
import { isSmall, leaveOut, say, sized, takeTurns, type Contender, type Rounds } from './rounds.ts';
import { workDirectory } from './work-directory.ts';

const UNIT = 'ms';
const SIZES = isSmall ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
const SHORTEST = SIZES[0]!;
const LONGEST = SIZES.at(-1)!;
/** What Promptise recovers from: it reads all of it. */
const PROMPTISE_SIZE = isSmall ? 10_000 : 1_000_000;
/** In one round, which gives their median and their 99th percentile. */
const TIMES = sized(200, 5);
/** About what an entry and its part of the checkpoints take up. */
const BYTES_PER_ENTRY = 450;

interface Written {
  readonly directory: string;
  readonly entries: number;
  readonly state: ProcessSnapshot;
}

export async function run(): Promise<BenchResult> {
  using work = workDirectory();
  const at = new Date().toISOString();
  const promptise = findPromptise();
  makeSureOfRoom(work.path);
  say(`writing journals: ${MIX}`);
  const journals: Written[] = [];
  for (const entries of SIZES) journals.push(await write(join(work.path, String(entries)), entries));
  const canDropCaches = tryDropCaches();
  if (!canDropCaches)
    leaveOut('Cold recovery is left out: dropping the caches of the file system takes root, on Linux.');
  const whole = promptise === null ? null : await write(join(work.path, 'whole'), PROMPTISE_SIZE, true);
  const rounds = await takeTurns([
    ...journals.map(warm),
    ...(canDropCaches ? journals.map(cold) : []),
    ...(promptise === null || whole === null ? [] : [ourWhole(whole), theirWhole(whole, promptise)]),
  ]);
  for (const { directory, entries } of [...journals, ...(whole === null ? [] : [whole])]) {
    say(`checking ${entries} entries`);
    checkJournal(directory, AGENT, entries);
  }
  return {
    bench: 'recover',
    at,
    machine: describeMachine(),
    limits: {},
    results: [
      ...table(rounds, warmName, 1.5),
      measured(P99, rounds(P99), UNIT, { target: atMost(5) }),
      ...(canDropCaches ? table(rounds, coldName, 5) : []),
      ...(whole === null ? [] : besidePromptise(rounds)),
    ],
  };
}

const warmName = (entries: number): string => `${entries.toLocaleString('en-US')} entries, warm`;
const P99 = `${warmName(LONGEST)}, 99th percentile`;
const coldName = (entries: number): string => `${entries.toLocaleString('en-US')} entries, cold`;

/** Every size, and the longest beside the shortest. */
function table(rounds: Rounds, nameOf: (entries: number) => string, bound: number): Measured[] {
  const shortest = nameOf(SHORTEST);
  return SIZES.map((size) =>
    measured(nameOf(size), rounds(nameOf(size)), UNIT, {
      ...(size === SHORTEST ? {} : { to: [shortest, spread(rounds(shortest), UNIT)] }),
      ...(size === LONGEST ? { target: atMost(bound) } : {}),
    }),
  );
}

const OURS = `one file of ${PROMPTISE_SIZE.toLocaleString('en-US')} entries, Holdfast`;
const THEIRS = `one file of ${PROMPTISE_SIZE.toLocaleString('en-US')} entries, Promptise`;

function besidePromptise(rounds: Rounds): Measured[] {
  return [
    measured(OURS, rounds(OURS), UNIT),
    measured(THEIRS, rounds(THEIRS), UNIT, {
      to: [OURS, spread(rounds(OURS), UNIT)],
      target: atLeast(1_000),
    }),
  ];
}

async function write(directory: string, entries: number, isOneFile = false): Promise<Written> {
  say(`  ${entries.toLocaleString('en-US')} entries${isOneFile ? ', in one file' : ''}`);
  const journal = openFileJournal(directory, {
    durability: 'os',
    ...(isOneFile ? { segmentBytes: Number.MAX_SAFE_INTEGER } : {}),
  });
  const state = await writeLife(journal, entries);
  await journal.settled();
  await journal.close();
  return { directory, entries, state };
}

/** As a program does it that has the journal closed: open, read, fold. */
async function recover({ directory, state }: Written): Promise<number> {
  const start = performance.now();
  const recovered = await new ReplayEngine(readFileJournal(directory)).recover(AGENT);
  const milliseconds = performance.now() - start;
  if (recovered.entries_replayed !== AFTER_CHECKPOINT) {
    throw new Error(`${recovered.entries_replayed} entries were replayed instead of ${AFTER_CHECKPOINT}.`);
  }
  if (!sameJson(recovered.snapshot as unknown as Json, state as unknown as Json)) {
    throw new Error('What was recovered is not what was written.');
  }
  return milliseconds;
}

function warm(written: Written): Contender {
  return async () => {
    const times = await recoverAgain(written);
    return {
      [warmName(written.entries)]: spread(times, UNIT).median,
      ...(written.entries === LONGEST ? { [P99]: percentile(times, 0.99) } : {}),
    };
  };
}

async function recoverAgain(written: Written): Promise<number[]> {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time += 1) times.push(await recover(written));
  return times;
}

function cold(written: Written): Contender {
  return async () => {
    tryDropCaches();
    return { [coldName(written.entries)]: await recover(written) };
  };
}

function ourWhole(written: Written): Contender {
  return async () => ({ [OURS]: spread(await recoverAgain(written), UNIT).median });
}

function theirWhole({ directory, state }: Written, promptise: Promptise): Contender {
  return async () => {
    const { seconds, entries, keys } = await promptise.recover(directory, AGENT);
    if (entries !== AFTER_CHECKPOINT || keys !== Object.keys(state.context).length) {
      throw new Error(`Promptise replayed ${entries} entries and recovered ${keys} keys.`);
    }
    return { [THEIRS]: seconds * 1000 };
  };
}

function makeSureOfRoom(directory: string): void {
  const { bavail, bsize } = statfsSync(directory);
  const needed = (SIZES.reduce((sum, size) => sum + size, 0) + PROMPTISE_SIZE) * BYTES_PER_ENTRY;
  if (bavail * bsize < needed) {
    const [gb, free] = [needed, bavail * bsize].map((bytes) => (bytes / 1e9).toFixed(1));
    throw new Error(
      `The journals take ${gb} GB and there are ${free} GB where temporary files lie. Make room, or set TMPDIR to another disk.`,
    );
  }
}

/** False where this system does not let us. */
function tryDropCaches(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    execFileSync('sync');
    writeFileSync('/proc/sys/vm/drop_caches', '3');
    return true;
  } catch {
    return false;
  }
}
