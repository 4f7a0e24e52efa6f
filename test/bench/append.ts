// How fast entries become durable, beside what the disk can do and what others do with it.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Durability } from '../../core/journal/index.ts';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import type { JournalProvider } from '../../core/model/ports.ts';
import { checkJournal } from './check-journal.ts';
import { AGENT } from './life.ts';
import { LINE_BYTES, rawAppend } from './limits.ts';
import { describeMachine } from './machine.ts';
import { loadLangGraph, type LangGraph } from './peers/langgraph.ts';
import { findPromptise, type Promptise } from './peers/promptise.ts';
import { sqliteAppend } from './peers/sqlite.ts';
import { atLeast, measured, spread, type BenchResult, type Judgement } from './result.ts';
import { secondsOf, sized, takeTurns, type Contender } from './rounds.ts';
import { workDirectory } from './work-directory.ts';

const RATE = 'entries/s';
const D1 = 'D1: one 300-byte line, fdatasync';
const D100 = 'D100: 100 lines at once, fdatasync';
const N1 = 'N1: one 300-byte line, no sync';

const ALWAYS_1 = 'always, 1 producer';
const ALWAYS_100 = 'always, 100 producers';
const OS_1 = 'os, 1 producer';
const OS_100 = 'os, 100 producers';
const STEP_FULL = 'LangGraph SqliteSaver forced FULL, one super-step';

/** A result that makes the line about as long as the lines of the limits. */
const TEXT = 'x'.repeat(58);
/** What a peer without our keys gets, so that it stores as many bytes. */
const PEER_TEXT = 'x'.repeat(LINE_BYTES);

export async function run(): Promise<BenchResult> {
  using work = workDirectory();
  const at = new Date().toISOString();
  const langGraph = await loadLangGraph();
  const promptise = findPromptise();
  const rounds = await takeTurns([
    ...limitsIn(work.path),
    ours(work.path, ALWAYS_1, 'always', 1, sized(2_000, 50)),
    ours(work.path, ALWAYS_100, 'always', 100, sized(40_000, 500)),
    ours(work.path, OS_1, 'os', 1, sized(50_000, 500)),
    ours(work.path, OS_100, 'os', 100, sized(100_000, 500)),
    ...sqliteIn(work.path),
    ...(langGraph === null ? [] : langGraphIn(work.path, langGraph)),
    ...(promptise === null ? [] : [promptiseIn(work.path, promptise)]),
  ]);
  const limits = Object.fromEntries([D1, D100, N1].map((name) => [name, spread(rounds(name), RATE)]));
  const to = (name: string, other = limits[name]!): Judgement['to'] => [name, other];
  const line = (name: string, judgement: Judgement) => measured(name, rounds(name), RATE, judgement);
  const peer = (name: string, limit: string) =>
    rounds(name).length === 0 ? [] : [line(name, { to: to(limit) })];
  return {
    bench: 'append',
    at,
    machine: describeMachine(),
    limits,
    results: [
      line(ALWAYS_1, { to: to(D1), target: atLeast(0.75) }),
      line(ALWAYS_100, { to: to(D100), target: atLeast(0.3) }),
      line(OS_1, { to: to(N1), target: atLeast(0.2) }),
      line(OS_100, { to: to(N1), target: atLeast(0.33) }),
      ...peer(SQLITE_FULL, D1),
      ...peer(SQLITE_NORMAL, N1),
      ...peer(PUT_SHIPPED, N1),
      ...peer(PUT_FULL, D1),
      ...peer(STEP_FULL, D1),
      ...peer(PROMPTISE, N1),
      ...(rounds(STEP_FULL).length === 0
        ? []
        : [
            measured(`${ALWAYS_1}, beside LangGraph`, rounds(ALWAYS_1), RATE, {
              to: to(STEP_FULL, spread(rounds(STEP_FULL), RATE)),
              target: atLeast(4),
            }),
          ]),
    ],
  };
}

function limitsIn(directory: string): Contender[] {
  const limit =
    (name: string, lines: number, batch: number, isSynced: boolean): Contender =>
    () => ({ [name]: rawAppend(directory, { lines, batch, isSynced }) });
  return [
    limit(D1, sized(2_000, 50), 1, true),
    limit(D100, sized(40_000, 500), 100, true),
    limit(N1, sized(100_000, 500), 1, false),
  ];
}

/** Each producer awaits its entry before it gives the next one. */
function ours(
  directory: string,
  name: string,
  durability: Durability,
  producers: number,
  count: number,
): Contender {
  return async () => {
    const path = join(directory, 'journal');
    const journal = openFileJournal(path, { durability });
    await journal.claim(AGENT);
    const seconds = await secondsOf(() =>
      Promise.all(Array.from({ length: producers }, () => produce(journal, count / producers))),
    );
    await journal.close();
    // The first line says who writes.
    checkJournal(path, AGENT, count + 1);
    rmSync(path, { recursive: true });
    return { [name]: count / seconds };
  };
}

async function produce(journal: JournalProvider, count: number): Promise<void> {
  for (let invocation = 0; invocation < count; invocation += 1) {
    await journal.append({
      process_id: AGENT,
      entry_type: 'invocation_result',
      data: { invocation, response: TEXT },
    });
  }
}

const SQLITE_FULL = 'SQLite WAL FULL, one row';
const SQLITE_NORMAL = 'SQLite WAL NORMAL, one row';

function sqliteIn(directory: string): Contender[] {
  const path = join(directory, 'sqlite');
  return [
    () => {
      const count = sized(2_000, 50);
      return cleared(path, { [SQLITE_FULL]: count / sqliteAppend(path, 'FULL', count, PEER_TEXT) });
    },
    () => {
      const count = sized(20_000, 50);
      return cleared(path, { [SQLITE_NORMAL]: count / sqliteAppend(path, 'NORMAL', count, PEER_TEXT) });
    },
  ];
}

const PUT_SHIPPED = 'LangGraph SqliteSaver as shipped, one put';
const PUT_FULL = 'LangGraph SqliteSaver forced FULL, one put';

function langGraphIn(directory: string, langGraph: LangGraph): Contender[] {
  const path = join(directory, 'langgraph');
  return [
    async () => {
      const count = sized(1_000, 20);
      return cleared(path, {
        [PUT_SHIPPED]: count / (await langGraph.put(path, 'shipped', count, PEER_TEXT)),
      });
    },
    async () => {
      const count = sized(1_000, 20);
      return cleared(path, { [PUT_FULL]: count / (await langGraph.put(path, 'full', count, PEER_TEXT)) });
    },
    async () => {
      // Short enough that the growing state is not what takes the time.
      const count = sized(100, 20);
      return cleared(path, { [STEP_FULL]: count / (await langGraph.steps(path, 'full', count, PEER_TEXT)) });
    },
  ];
}

const PROMPTISE = 'Promptise FileJournal, one entry, no sync';

function promptiseIn(directory: string, promptise: Promptise): Contender {
  const path = join(directory, 'promptise');
  return async () => {
    const count = sized(20_000, 50);
    return cleared(path, { [PROMPTISE]: count / (await promptise.append(path, count, PEER_TEXT)) });
  };
}

/** The samples, once the files that they came from are gone. */
function cleared<T>(path: string, samples: T): T {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { recursive: true, force: true });
  return samples;
}
