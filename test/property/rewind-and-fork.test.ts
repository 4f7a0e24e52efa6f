// Going back deletes nothing: whatever rewinds and forks come after one another, every byte that was in a journal stays where
// it is, a plan says what then is done, and whoever takes the processes over finds what was live.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import { AppError } from '../../core/model/errors.ts';
import type { AgentProcess } from '../../core/runtime/agent-process.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { SEED } from '../crash/budget.ts';
import { below, seeded } from '../crash/random.ts';
import { definitionOf, handleEvents, live, NAME, OPERATOR, type Life } from '../crash/rewind-life.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const STEPS = 100;
const EVENTS = 8;
const LIVES = 10;

const filesOf = (directory: string): ReadonlyMap<string, Buffer> =>
  new Map(
    readdirSync(directory)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => [name, readFileSync(join(directory, name))]),
  );

/** The first file that does not begin with all that was in it; null for none. */
function overwritten(before: ReadonlyMap<string, Buffer>, after: ReadonlyMap<string, Buffer>): string | null {
  for (const [name, bytes] of before) {
    if (!after.get(name)?.subarray(0, bytes.length).equals(bytes)) return name;
  }
  return null;
}

async function rewindAtRandom(process: AgentProcess, random: () => number): Promise<string | null> {
  const order = { to: below(random, process.snapshot.seq + 2), isHandledAgain: random() < 0.5 };
  const plan = await process.rewinds.plan(order);
  const done = await process.rewinds.apply(order, plan.undone.length, OPERATOR);
  // Between the two it may have been suspended.
  const same = { ...done, basedOn: plan.basedOn };
  return isDeepStrictEqual(same, plan) ? null : `${JSON.stringify(plan)} became ${JSON.stringify(done)}`;
}

async function forkAtRandom(
  { runtime }: Life,
  { name: from, snapshot }: AgentProcess,
  random: () => number,
): Promise<string | null> {
  const name = `fork-${runtime.processes.size}`;
  const set = random() < 0.5 ? {} : { count: below(random, 1_000) };
  const order = { from, at: below(random, snapshot.seq + 2), set };
  const plan = await runtime.planFork(name, order);
  const done = await runtime.fork(definitionOf(name), order, { actor: OPERATOR, keep: () => {} });
  return isDeepStrictEqual(plan, done) ? null : `${JSON.stringify(plan)} became ${JSON.stringify(done)}`;
}

async function step(life: Life, random: () => number): Promise<string | null> {
  const processes = [...life.runtime.processes.values()];
  const process = processes[below(random, processes.length)]!;
  try {
    if (random() < 0.5) return await rewindAtRandom(process, random);
    return await forkAtRandom(life, process, random);
  } catch (error) {
    // There is no such entry, which is an answer.
    if (error instanceof AppError && error.code === 'rewind.no-entry') return null;
    throw error;
  }
}

test(
  '[P1] [P3] [P6] [S39] [S40] a hundred rewinds and forks of what was rewound and forked leave every byte before them as it was',
  { timeout: 300_000 },
  async () => {
    const seed = Number(process.env['HOLDFAST_SEED'] ?? SEED);
    const random = seeded(seed);
    const directory = join(tempDirectory(), 'journal');
    const first = openFileJournal(directory);
    await handleEvents(first, EVENTS);
    await first.close();
    let names: readonly string[] = [NAME];
    let before = filesOf(directory);
    for (let at = 0; at < LIVES; at += 1) {
      await using life = await live(openFileJournal(directory), names);
      for (let count = 0; count < STEPS / LIVES; count += 1) {
        expect(await step(life, random), `seed ${seed}`).toBeNull();
        for (const process of life.runtime.processes.values()) await process.settled();
        const after = filesOf(directory);
        expect(overwritten(before, after), `seed ${seed}`).toBeNull();
        before = after;
      }
      for (const [name, process] of life.runtime.processes) {
        const { snapshot } = await new ReplayEngine(readFileJournal(directory)).recover(name);
        expect({ ...snapshot }, `seed ${seed}`).toEqual({ ...process.snapshot });
      }
      names = [...life.runtime.processes.keys()];
    }
    expect(names.length).toBeGreaterThan(10);
  },
);
