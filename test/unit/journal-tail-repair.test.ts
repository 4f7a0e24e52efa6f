// J4 and J6: an end that was cut short is nobody's entry; it is set aside byte for byte before anything is appended.

import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import { entriesForwards, isBad } from '../../core/journal/read-entries.ts';
import { fileOf, ourLines, update, writeOurDirectory } from '../support/journal-bytes.ts';
import { treeHash } from '../support/fixtures.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const QUARANTINE = '.holdfast/quarantine';

const values = (path: string): unknown[] =>
  [...entriesForwards(path)].flatMap((item) =>
    !isBad(item) && item.entry_type === 'context_update' ? [item.data['value']] : [],
  );

test('[J4] what stands behind the last line feed is never read, by any way of reading', async () => {
  const directory = tempDirectory();
  const [first, second] = ourLines([update('n', 1), update('n', 2)]) as [Buffer, Buffer];
  writeOurDirectory(directory, { 'one.jsonl': Buffer.concat([fileOf([first]), second]) });
  const before = treeHash(directory);
  const journal = readFileJournal(directory);
  expect((await journal.read('one')).map((entry) => entry.seq)).toEqual([1]);
  expect(await journal.readLast('one', 9)).toMatchObject({ entries: [{ seq: 1 }], badLines: [] });
  expect([...entriesForwards(join(directory, 'one.jsonl'))]).toHaveLength(1);
  expect(treeHash(directory)).toBe(before);
});

test('[J6] cut at every byte of its last line: set aside byte for byte, told of, and the next entry readable', async () => {
  const directory = tempDirectory();
  const cases: { name: string; cut: number; whole: Buffer; good: number; last: number }[] = [];
  for (let cut = 0; cut === 0 || cut <= cases[0]!.last; cut += 1) {
    const name = `process-${String(cut).padStart(3, '0')}`;
    const entries = [update('n', 1, name), update('n', 2, name), update('text', 'x'.repeat(78), name)];
    const lines = ourLines(entries);
    const whole = fileOf(lines);
    const last = lines[2]!.length + 1;
    cases.push({ name, cut, whole, good: whole.length - last, last });
  }
  expect(cases[0]!.last).toBe(300);
  writeOurDirectory(
    directory,
    Object.fromEntries(
      cases.map(({ name, cut, whole, good }) => [`${name}.jsonl`, whole.subarray(0, good + cut)]),
    ),
  );
  const journal = openFileJournal(directory, { durability: 'os' });
  for (const { name } of cases) await journal.append(update('n', 3, name));
  await journal.close();

  for (const { name, cut, whole, good, last } of cases) {
    const path = join(directory, `${name}.jsonl`);
    const items = [...entriesForwards(path)];
    const isWhole = cut === 0 || cut === last;
    expect(
      items.map((item) => (isBad(item) ? 'bad' : item.entry_type)),
      `cut at ${cut}`,
    ).toEqual([
      ...Array.from({ length: cut === last ? 3 : 2 }, () => 'context_update'),
      ...(isWhole ? [] : ['journal_repaired']),
      'writer_opened',
      'context_update',
    ]);
    expect(items.every((item) => !isBad(item) && item.verification === 'verified')).toBe(true);
    expect(readFileSync(path).subarray(0, good).equals(whole.subarray(0, good))).toBe(true);
    if (isWhole) continue;
    const repaired = items[2]!;
    const data = isBad(repaired) ? {} : repaired.data;
    expect(data).toMatchObject({ kind: 'torn_tail', offset: good, bytes: cut });
    const kept = join(directory, data['file'] as string);
    expect(readFileSync(kept).equals(whole.subarray(good, good + cut))).toBe(true);
    expect(statSync(kept).mode & 0o777).toBe(0o600);
  }
  expect(readdirSync(join(directory, QUARANTINE)).length).toBe(299);
});

describe('an end that is', () => {
  test.each<[string, Buffer]>([
    ['a run of NUL, as a crash of the machine leaves it', Buffer.alloc(5_000)],
    ['longer than a chunk', Buffer.alloc(200_000, 'x')],
    ['not UTF-8', Buffer.from([0xff, 0xfe, 0x00])],
    ['all that there is', Buffer.from('{"entry_id":"')],
  ])('%s is set aside whole', async (name, tail) => {
    const directory = tempDirectory();
    const good = name === 'all that there is' ? Buffer.alloc(0) : fileOf(ourLines([update('n', 1)]));
    writeOurDirectory(directory, { 'one.jsonl': Buffer.concat([good, tail]) });
    const journal = openFileJournal(directory);
    await journal.claim('one');
    await journal.append(update('n', 2));
    const [kept] = readdirSync(join(directory, QUARANTINE));
    expect(readFileSync(join(directory, QUARANTINE, kept!))).toEqual(tail);
    expect(values(join(directory, 'one.jsonl'))).toEqual(good.length === 0 ? [2] : [1, 2]);
    await journal.close();
  });
});

test('[J6] damage before the last line feed is nobody to cut: it stays, and writing goes on behind it', async () => {
  const directory = tempDirectory();
  const lines = ourLines([update('n', 1), update('n', 2), update('n', 3)]);
  const bytes = fileOf([lines[0]!, '{"half', lines[2]!]);
  writeOurDirectory(directory, { 'one.jsonl': bytes });
  const journal = openFileJournal(directory);
  await journal.append(update('n', 4));
  await journal.close();
  const path = join(directory, 'one.jsonl');
  expect(readFileSync(path).subarray(0, bytes.length)).toEqual(bytes);
  expect([...entriesForwards(path)].map((item) => (isBad(item) ? 'bad' : item.seq))).toEqual([
    1,
    'bad',
    3,
    4,
    5,
  ]);
});

test('numbers are never given out twice, even on a journal that has lost lines', async () => {
  const directory = tempDirectory();
  const lines = ourLines(Array.from({ length: 6 }, (_, at) => update('n', at)));
  writeOurDirectory(directory, { 'one.jsonl': fileOf([lines[0]!, lines[4]!, lines[5]!]) });
  const journal = openFileJournal(directory);
  const entry = await journal.append(update('n', 9));
  await journal.close();
  expect(entry.seq).toBe(8);
  const items = await readFileJournal(directory).read('one');
  expect(items.map((item) => [item.seq, item.verification])).toEqual([
    [1, 'verified'],
    [5, 'broken'],
    [6, 'verified'],
    [7, 'verified'],
    [8, 'verified'],
  ]);
});

test('the longest name that a file can have still leaves room for its repair and its checkpoint', async () => {
  const directory = tempDirectory();
  const name = `${'ü'.repeat(119)}x`;
  expect(Buffer.byteLength(name)).toBe(239);
  const journal = openFileJournal(directory);
  await journal.append(update('n', 1, name));
  await journal.checkpoint(name, { context_state: { n: 1 } });
  await journal.close();
  appendFileSync(join(directory, `${name}.jsonl`), '{"torn');
  const again = openFileJournal(directory);
  await again.append(update('n', 2, name));
  expect((await again.read(name)).map((entry) => entry.entry_type)).toEqual([
    'writer_opened',
    'context_update',
    'checkpoint',
    'journal_repaired',
    'writer_opened',
    'context_update',
  ]);
  expect(statSync(join(directory, `${name}.checkpoint.json`)).isFile()).toBe(true);
  await again.close();
});

test('a repair that can not be saved leaves the journal as it is, says so, and holds nothing open', async () => {
  const directory = tempDirectory();
  writeOurDirectory(directory, { 'one.jsonl': '{"torn' });
  const journal = openFileJournal(directory);
  // A file where the folder should be: nothing can be saved there.
  writeFileSync(join(directory, QUARANTINE), 'in the way');
  const open = (): string[] => (process.platform === 'linux' ? readdirSync('/proc/self/fd') : []);
  const before = open().length;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await expect(journal.append(update('n', 1))).rejects.toMatchObject({ code: 'journal.repair-failed' });
  }
  expect(readFileSync(join(directory, 'one.jsonl'), 'utf8')).toBe('{"torn');
  expect(open().length).toBe(before);
  await journal.close();
});

test('a journal cut at a line feed is whole, and its numbers go on from there', async () => {
  const directory = tempDirectory();
  const bytes = fileOf(ourLines([update('n', 1), update('n', 2)]));
  writeOurDirectory(directory, { 'one.jsonl': bytes });
  truncateSync(join(directory, 'one.jsonl'), bytes.indexOf(10) + 1);
  const journal = openFileJournal(directory);
  await journal.append(update('n', 3));
  expect((await journal.read('one')).map((entry) => entry.seq)).toEqual([1, 2, 3]);
  await journal.close();
});
