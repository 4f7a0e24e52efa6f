// A directory that is looked at may go wrong under the hands of whoever looks: that ends nothing and is shown as unknown.

import { appendFileSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { JournalView } from '../../core/contract/fleet-views.ts';
import type { JournalSource } from '../../core/host/journal-source.ts';
import { lookAtJournal, sizeOf, sumOf } from '../../core/host/looked-at-journal.ts';
import { openFileJournal, readFileJournal } from '../../core/journal/file-journal.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const lineOf = (process_id: string, n: number): string =>
  `${JSON.stringify({
    entry_id: `${n}`,
    process_id,
    timestamp: '2026-01-31T00:00:00+00:00',
    entry_type: 'context_update',
    data: { key: 'n', value: n },
  })}\n`;

async function lookAt(directory: string): Promise<{ source: JournalSource; failures: unknown[] }> {
  const failures: unknown[] = [];
  const source = await lookAtJournal(
    directory,
    () => {},
    (error) => failures.push(error),
  );
  onTestFinished(() => source.close());
  return { source, failures };
}

test('[P5] a directory that can not be asked any more has an unknown size, and its processes say why', async () => {
  const directory = join(tempDirectory(), 'journal');
  mkdirSync(directory);
  writeFileSync(join(directory, 'a.jsonl'), lineOf('a', 1));
  const { source, failures } = await lookAt(directory);
  expect(source.view().sizeBytes).toBe(lineOf('a', 1).length);
  renameSync(directory, `${directory}-gone`);
  symlinkSync('journal', directory); // A link that leads to itself.
  await waitFor(() => source.view().sizeBytes === null, { what: 'the unknown size' });
  expect(JournalView.parse(source.view()).sizeBytes).toBeNull();
  expect(source.rows()[0]!.why).toContain('ELOOP');
  expect(source.detail('a').context).toEqual([{ key: 'n', text: '1', cut: false }]);
  expect(failures).toEqual([]);
});

test('[P5] the size of a whole is unknown as soon as the size of a part is', () => {
  const directory = tempDirectory();
  symlinkSync('loop.jsonl', join(directory, 'loop.jsonl'));
  const journal = readFileJournal(directory);
  expect(sizeOf(journal, 'loop')).toBeNull();
  expect(sizeOf(journal, 'missing')).toBe(0);
  expect(sumOf([1, 2])).toBe(3);
  expect(sumOf([1, null])).toBeNull();
});

test('what a change throws is handed over, and the next change is seen', async () => {
  const directory = tempDirectory();
  writeFileSync(join(directory, 'a.jsonl'), lineOf('a', 1));
  const failures: unknown[] = [];
  let heard = 0;
  const source = await lookAtJournal(
    directory,
    () => {
      heard += 1;
      if (heard === 1) throw new Error('a listener that fails');
    },
    (error) => failures.push(error),
  );
  onTestFinished(() => source.close());
  appendFileSync(join(directory, 'a.jsonl'), lineOf('a', 2));
  await waitFor(() => failures.length === 1);
  appendFileSync(join(directory, 'a.jsonl'), lineOf('a', 3));
  await waitFor(() => source.detail('a').context[0]!.text === '3');
});

test('a row is the same until its file changes, and then it is another', async () => {
  const directory = tempDirectory();
  for (const name of ['a', 'b']) writeFileSync(join(directory, `${name}.jsonl`), lineOf(name, 1));
  const { source } = await lookAt(directory);
  const [a, b] = source.rows();
  expect(source.rows()).toEqual([a, b]);
  expect(source.rows()[0]).toBe(a);
  appendFileSync(join(directory, 'b.jsonl'), lineOf('b', 2));
  await waitFor(() => source.rows()[1]!.entries === 2);
  expect(source.rows()[0]).toBe(a);
});

test('a journal that this very process has let go of is not said to be written by it', async () => {
  const directory = join(tempDirectory(), 'journal');
  const journal = openFileJournal(directory);
  await journal.append({ process_id: 'a', entry_type: 'log', data: {} });
  await journal.close();
  const { source } = await lookAt(directory);
  expect(source.view().note).toBe('Not run by this console: looked at, never changed.');
});

test('a marker with an id that no request takes gets one that can be asked for', async () => {
  const directory = tempDirectory();
  writeFileSync(join(directory, 'journal.holdfast'), JSON.stringify({ format: 1, id: 'i'.repeat(100_000) }));
  const { source } = await lookAt(directory);
  expect(source.id).toMatch(/^at-/);
});

test('a link that leads to itself, put into a directory that is looked at, ends nothing', async () => {
  const directory = tempDirectory();
  writeFileSync(join(directory, 'a.jsonl'), lineOf('a', 1));
  const { source, failures } = await lookAt(directory);
  symlinkSync('loop.jsonl', join(directory, 'loop.jsonl'));
  appendFileSync(join(directory, 'a.jsonl'), lineOf('a', 2));
  await waitFor(() => source.detail('a').context[0]?.text === '2', { what: 'the change beside it' });
  expect(failures).toEqual([]);
});

test('[P5] a directory that is renamed while it is looked at: its processes are unknown since then, and what was read stays', async () => {
  const root = tempDirectory();
  const directory = join(root, 'journal');
  mkdirSync(directory);
  writeFileSync(
    join(directory, 'a.jsonl'),
    lineOf('a', 1)
      .replace('context_update', 'state_transition')
      .replace('"key":"n","value":1', '"to_state":"running"') + lineOf('a', 2),
  );
  const { source } = await lookAt(directory);
  expect(source.rows()[0]).toMatchObject({ state: 'running' });
  renameSync(directory, join(root, 'elsewhere'));
  await waitFor(() => source.rows()[0]?.state === 'unknown', { what: 'the unknown state' });
  expect(source.rows()[0]).toMatchObject({
    why: expect.stringContaining('is gone. Put it back') as string,
    tone: 'alarm',
  });
  expect(source.view()).toMatchObject({
    sizeBytes: null,
    note: expect.stringContaining('is gone') as string,
  });
  expect(source.detail('a').context).toEqual([{ key: 'n', text: '2', cut: false }]);
  renameSync(join(root, 'elsewhere'), directory);
  await waitFor(() => source.rows()[0]?.state === 'running', { what: 'the return' });
});

test('a long journal that grows is read on from where it was, and gives what a reading from the beginning gives', async () => {
  const directory = tempDirectory();
  const path = join(directory, 'a.jsonl');
  const lines = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, at) => lineOf('a', from + at)).join('');
  writeFileSync(path, lines(0, 20_000));
  const { source, failures } = await lookAt(directory);
  for (let round = 0; round < 5; round += 1) {
    appendFileSync(path, lines(20_000 + round * 100, 20_100 + round * 100));
    await waitFor(() => source.detail('a').context[0]?.text === String(20_099 + round * 100), {
      what: 'the growth',
    });
  }
  appendFileSync(path, 'not an entry\n');
  await waitFor(() => source.view().badLines === 1, { what: 'the bad line' });
  expect(source.detail('a').row.entries).toBe(20_500);
  expect(failures).toEqual([]);
  writeFileSync(path, lines(0, 3));
  await waitFor(() => source.detail('a').context[0]?.text === '2' && source.view().badLines === 0, {
    what: 'the replaced file',
  });
});
