// One suite for every backend: what a JournalProvider promises.

import { describe, expect, test } from 'vitest';
import { FileJournal, InMemoryJournal, openFileJournal } from '../../core/journal/index.ts';
import { RawNumber } from '../../core/model/json.ts';
import type { JournalProvider } from '../../core/model/ports.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const BACKENDS: Readonly<Record<string, () => JournalProvider>> = {
  InMemoryJournal: () => new InMemoryJournal(),
  'FileJournal, always': () => openFileJournal(tempDirectory()),
  'FileJournal, interval': () => openFileJournal(tempDirectory(), { durability: 'interval' }),
  'FileJournal, os': () => openFileJournal(tempDirectory(), { durability: 'os' }),
};

const update = (value: number, process_id = 'one') => ({
  process_id,
  entry_type: 'context_update',
  data: { key: 'n', value },
});

/** Without what a file journal says about itself. */
const OWN = new Set(['writer_opened', 'journal_repaired']);

describe.each(Object.keys(BACKENDS))('%s', (name) => {
  const open = BACKENDS[name]!;
  const values = async (journal: JournalProvider, limit?: number) =>
    (
      await journal.read('one', { entryType: 'context_update', ...(limit === undefined ? {} : { limit }) })
    ).map((entry) => entry.data['value']);

  test('[P1] gives back what was appended, in the order of the calls, verified', async () => {
    const journal = open();
    await Promise.all(Array.from({ length: 200 }, (_, value) => journal.append(update(value))));
    expect(await values(journal)).toEqual(Array.from({ length: 200 }, (_, value) => value));
    const all = await journal.read('one');
    expect(all.map((entry) => entry.seq)).toEqual(all.map((_, at) => at + 1));
    expect(new Set(all.map((entry) => entry.verification))).toEqual(new Set(['verified']));
    await journal.close();
  });

  test('fills in id and time, and keeps those that are given', async () => {
    const journal = open();
    const made = await journal.append(update(1));
    expect(made.entry_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(made.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
    const given = await journal.append({
      ...update(2),
      entry_id: 'mine',
      timestamp: '2026-01-05T09:00:00+00:00',
    });
    expect([given.entry_id, given.timestamp]).toEqual(['mine', '2026-01-05T09:00:00+00:00']);
    await journal.close();
  });

  test('[J3] read takes since, type and limit as Promptise does: the oldest that match', async () => {
    const journal = open();
    for (const day of ['05', '06', '07']) {
      await journal.append({ ...update(Number(day)), timestamp: `2026-01-${day}T00:00:00+00:00` });
    }
    expect(await values(journal, 2)).toEqual([5, 6]);
    const since = await journal.read('one', {
      since: '2026-01-06T00:00:00+00:00',
      entryType: 'context_update',
      limit: 5,
    });
    expect(since.map((entry) => entry.data['value'])).toEqual([6, 7]);
    expect(await journal.read('one', { entryType: 'nothing' })).toEqual([]);
    await journal.close();
  });

  test('readLast pages from the end to the beginning and meets every line once', async () => {
    const journal = open();
    for (let value = 0; value < 25; value += 1) await journal.append(update(value));
    const seen: number[] = [];
    let page = await journal.readLast('one', 4);
    for (;;) {
      seen.unshift(...page.entries.map((entry) => entry.seq));
      if (page.before === null) break;
      page = await journal.readLast('one', 4, page.before);
    }
    expect(seen).toEqual((await journal.read('one')).map((entry) => entry.seq));
    await journal.close();
  });

  test('keeps processes apart and names them', async () => {
    const journal = open();
    await journal.append(update(1, 'one'));
    await journal.append(update(2, 'two'));
    expect(await journal.processes()).toEqual(['one', 'two']);
    const two = (await journal.read('two')).filter((entry) => !OWN.has(entry.entry_type));
    expect(two.map((entry) => entry.data['value'])).toEqual([2]);
    expect(await journal.read('three')).toEqual([]);
    expect(await journal.readLast('three', 5)).toEqual({ entries: [], badLines: [], before: null });
    expect(await journal.lastCheckpoint('three')).toBeNull();
    await journal.close();
  });

  test('a checkpoint is a line, and the newest one is found', async () => {
    const journal = open();
    await journal.checkpoint('one', { context_state: { n: 1 }, lifecycle_state: 'running' });
    await journal.append(update(2));
    const second = await journal.checkpoint('one', { context_state: { n: 2 }, lifecycle_state: 'suspended' });
    await journal.append(update(3));
    expect(await journal.lastCheckpoint('one')).toEqual({
      state: { context_state: { n: 2 }, lifecycle_state: 'suspended' },
      seq: second.seq,
    });
    await journal.close();
  });

  test('refuses what JSON would change without a word, and goes on', async () => {
    const journal = open();
    await expect(
      journal.append({ ...update(0), data: { key: 'n', value: Number.NaN } }),
    ).rejects.toMatchObject({
      code: 'journal.not-json',
      message: expect.stringContaining('data.value is NaN') as string,
    });
    await expect(
      journal.append({ ...update(0), data: { value: new RawNumber('Infinity') } }),
    ).rejects.toMatchObject({ code: 'journal.not-json' });
    await journal.append(update(1));
    expect(await values(journal)).toEqual([1]);
    await journal.close();
  });

  test('numbers beyond a double come back with every digit', async () => {
    const journal = open();
    await journal.append({ ...update(0), data: { key: 'n', value: new RawNumber('9007199254740993') } });
    const [entry] = await journal.read('one', { entryType: 'context_update' });
    expect(entry!.data['value']).toEqual(new RawNumber('9007199254740993'));
    await journal.close();
  });

  test('what was appended shares nothing with the caller', async () => {
    const journal = open();
    const data = { key: 'n', value: { inner: 1 } };
    const appended = journal.append({ ...update(0), data });
    data.value.inner = 2;
    await appended;
    const [entry] = await journal.read('one', { entryType: 'context_update' });
    expect(entry!.data['value']).toEqual({ inner: 1 });
    await journal.close();
  });

  test('after close nothing can be appended, and what was appended before is there', async () => {
    const journal = open();
    const pending = journal.append(update(1));
    await journal.close();
    await expect(pending).resolves.toMatchObject({ entry_type: 'context_update' });
    await expect(journal.append(update(2))).rejects.toMatchObject({
      code: expect.stringMatching(/^journal\.(closed|read-only)$/) as string,
    });
    expect(await values(journal)).toEqual([1]);
  });
});

test('the file journal is the class that its functions give', () => {
  const journal = openFileJournal(tempDirectory());
  expect(journal).toBeInstanceOf(FileJournal);
  return journal.close();
});
