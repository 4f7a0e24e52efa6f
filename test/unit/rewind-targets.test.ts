import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileJournal, readFileJournal, type FileJournal } from '../../core/journal/index.ts';
import type { JournalProvider } from '../../core/model/ports.ts';
import { readFromEntry } from '../../core/replay/from-entry.ts';
import { handleEvents, live, NAME, OPERATOR } from '../crash/rewind-life.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const ORDER = { isHandledAgain: true };

async function threeEvents(): Promise<{ readonly directory: string; readonly ends: readonly number[] }> {
  const directory = join(tempDirectory(), 'journal');
  const journal = openFileJournal(directory);
  const ends = await handleEvents(journal, 3);
  await journal.close();
  return { directory, ends };
}

/** One letter of the value in a line is another one. */
function harm(directory: string, seq: number): void {
  const path = join(directory, `${NAME}.jsonl`);
  const lines = readFileSync(path, 'latin1').split('\n');
  const at = lines.findIndex((line) => line.includes(`"seq":${seq},`));
  lines[at] = lines[at]!.replace('"entry_type"', '"entry_tYpe"');
  writeFileSync(path, lines.join('\n'), 'latin1');
}

test.each([
  ['the target', 0],
  ['an entry behind it', 1],
])('[S12] [S39] where %s is damaged nothing is moved, and nothing is stopped for it', async (_, more) => {
  const { directory, ends } = await threeEvents();
  await using life = await live(openFileJournal(directory));
  const { process } = life;
  await process.settled();
  const { seq } = process.snapshot;
  harm(directory, ends[0]! + more);
  const plan = process.rewinds.plan({ to: ends[0]!, ...ORDER });
  await expect(plan).rejects.toMatchObject({ code: 'journal.damaged' });
  const apply = process.rewinds.apply({ to: ends[0]!, ...ORDER }, null, OPERATOR);
  await expect(apply).rejects.toMatchObject({ code: 'journal.damaged' });
  expect(process.snapshot).toMatchObject({ seq, lifecycle: 'running', context: { count: 3 } });
  const fork = life.runtime.planFork('copy', { from: NAME, at: ends[0]!, set: {} });
  await expect(fork).rejects.toMatchObject({ code: 'journal.damaged' });
});

/** What retention leaves of it. */
function since(journal: FileJournal, first: number): Pick<JournalProvider, 'readLast'> {
  return {
    readLast: async (process, limit, before) => {
      const page = await journal.readLast(process, limit, before);
      return { ...page, entries: page.entries.filter(({ seq }) => seq >= first), before: null };
    },
  };
}

test('[S15] [S39] an entry that retention dropped is told apart from one that never was', async () => {
  const { directory, ends } = await threeEvents();
  await using life = await live(openFileJournal(directory));
  await life.process.rewinds.apply({ to: ends[1]!, ...ORDER }, null, OPERATOR);
  await life.process.settled();
  const whole = readFileJournal(directory);
  const checkpoint = (await whole.read(NAME)).find(({ entry_type }) => entry_type === 'checkpoint')!.seq;
  const left = since(whole, checkpoint);
  await expect(readFromEntry(left, NAME, ends[0]!)).rejects.toMatchObject({
    code: 'rewind.no-entry',
    message: `What ${NAME} was at entry ${ends[0]} is not kept any more: what is left of its journal begins with entry ${checkpoint}. Choose one behind a full checkpoint there.`,
  });
  const { target, snapshot } = await readFromEntry(left, NAME, checkpoint);
  expect(target.seq).toBe(checkpoint);
  expect(snapshot.seq).toBe(checkpoint);
  const noBeginning = since(whole, ends[0]!);
  await expect(readFromEntry(noBeginning, NAME, ends[0]!)).rejects.toMatchObject({ code: 'rewind.no-entry' });
  const last = (await whole.read(NAME)).at(-1)!.seq;
  await expect(readFromEntry(left, NAME, last + 1)).rejects.toMatchObject({
    code: 'rewind.no-entry',
    message: `${NAME} has no entry ${last + 1}; its last is ${last}. Choose one of its timeline.`,
  });
  await expect(readFromEntry(whole, 'nobody', 1)).rejects.toMatchObject({
    code: 'rewind.no-entry',
    message: 'nobody has no entry 1. Choose one of its timeline.',
  });
});

test('[S15] [S39] entries of segments that were sealed and packed are gone back to; of those that were dropped it is said', async () => {
  const directory = join(tempDirectory(), 'journal');
  const small = { segmentBytes: 2_000 };
  const first = openFileJournal(directory, small);
  const ends = await handleEvents(first, 12);
  await first.settled();
  await first.close();
  {
    await using life = await live(openFileJournal(directory, small));
    const { process } = life;
    const early = await process.rewinds.plan({ to: ends[0]!, ...ORDER });
    expect(early.undone).toHaveLength(11);
    await process.rewinds.apply({ to: ends[9]!, ...ORDER }, 2, OPERATOR);
    expect(process.snapshot).toMatchObject({ context: { count: 10 }, open: [{}, {}] });
  }
  const dropping = openFileJournal(directory, { ...small, retention: { maxAgeDays: null, maxBytes: 0 } });
  await dropping.append({ process_id: NAME, entry_type: 'log', data: {} });
  await dropping.settled();
  await dropping.close();
  await using life = await live(openFileJournal(directory, small));
  const { process } = life;
  await process.settled();
  const left = (await readFileJournal(directory).read(NAME))[0]!.seq;
  expect(left).toBeGreaterThan(ends[0]!);
  const { seq } = process.snapshot;
  for (const to of [1, ends[0]!]) {
    const apply = process.rewinds.apply({ to, ...ORDER }, null, OPERATOR);
    const message = expect.stringContaining(
      `is not kept any more: what is left of its journal begins`,
    ) as string;
    await expect(apply).rejects.toMatchObject({ code: 'rewind.no-entry', message });
    const fork = life.runtime.planFork('copy', { from: NAME, at: to, set: {} });
    await expect(fork).rejects.toMatchObject({ code: 'rewind.no-entry', message });
  }
  expect(process.snapshot).toMatchObject({ seq, context: { count: 10 } });
});
