// J4 and J6: an end that was cut short is nobody's entry; it is set aside byte for byte before anything is appended.

import {
  appendFileSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hashLine } from '../../core/journal/codec.ts';
import { openFileJournal, readFileJournal, type FileJournal } from '../../core/journal/index.ts';
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

describe('[S11] damage before the last line feed', () => {
  const lines = ourLines([update('n', 1), update('n', 2), update('n', 3), update('n', 4)]);

  async function claimOf(bytes: Buffer): Promise<{ path: string; claim: () => Promise<FileJournal> }> {
    const directory = tempDirectory();
    writeOurDirectory(directory, { 'one.jsonl': bytes });
    return {
      path: join(directory, 'one.jsonl'),
      claim: async () => {
        const journal = openFileJournal(directory);
        onTestFinished(() => journal.close());
        await journal.claim('one');
        return journal;
      },
    };
  }

  test('that a later line acknowledges is real: nothing is cut, not even a torn end, and nothing is written', async () => {
    const bytes = Buffer.concat([fileOf([lines[0]!, '{"half', lines[2]!]), Buffer.from('{"torn')]);
    const { path, claim } = await claimOf(bytes);
    await expect(claim()).rejects.toMatchObject({
      code: 'journal.damaged',
      detail: { lines: [{ seq: 2 }, { seq: 3 }] },
    });
    expect(readFileSync(path)).toEqual(bytes);
  });

  test('lost lines are real damage too', async () => {
    const bytes = fileOf([lines[0]!, lines[2]!, lines[3]!]);
    const { path, claim } = await claimOf(bytes);
    await expect(claim()).rejects.toMatchObject({ code: 'journal.damaged' });
    expect(readFileSync(path)).toEqual(bytes);
  });

  test('that no later line acknowledges is an unfinished batch: set aside byte for byte, and cut', async () => {
    // Written together, so that none of them knew of the others being durable.
    const batch = ourLines([update('n', 2), update('n', 3), update('n', 4)], 2, hashLine(lines[0]!), 1);
    const good = fileOf([lines[0]!]);
    const hole = fileOf([Buffer.alloc(batch[0]!.length), batch[1]!, batch[2]!]);
    const { path, claim } = await claimOf(Buffer.concat([good, hole]));
    const journal = await claim();
    const items = await journal.read('one');
    expect(items.map(({ entry_type }) => entry_type)).toEqual([
      'context_update',
      'journal_repaired',
      'writer_opened',
    ]);
    const { data } = items[1]!;
    expect(data).toMatchObject({ kind: 'unfinished_batch', offset: good.length, bytes: hole.length });
    expect(readFileSync(join(path, '..', data['file'] as string))).toEqual(hole);
  });

  test('[S13] that the head knows durable is real, whatever the lines say', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    await Promise.all([1, 2, 3].map((n) => journal.append(update('n', n))));
    await journal.close();
    const path = join(directory, 'one.jsonl');
    const bytes = readFileSync(path);
    bytes.fill(0, bytes.indexOf('"value":2'), bytes.indexOf('"value":2') + 9);
    writeFileSync(path, bytes);
    const again = openFileJournal(directory);
    await expect(again.claim('one')).rejects.toMatchObject({ code: 'journal.damaged' });
    await again.close();
    expect(readFileSync(path)).toEqual(bytes);
  });
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
  const before = openIn(directory);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await expect(journal.append(update('n', 1))).rejects.toMatchObject({ code: 'journal.repair-failed' });
  }
  expect(readFileSync(join(directory, 'one.jsonl'), 'utf8')).toBe('{"torn');
  expect(openIn(directory)).toEqual(before);
  await journal.close();
});

/** What this program has open in a directory; what else it opens meanwhile is its own affair. */
function openIn(directory: string): readonly string[] {
  if (process.platform !== 'linux') return [];
  const root = realpathSync(directory);
  return readdirSync('/proc/self/fd')
    .flatMap((descriptor) => {
      try {
        return [readlinkSync(join('/proc/self/fd', descriptor))];
      } catch {
        return []; // It was that of the listing itself.
      }
    })
    .filter((path) => path.startsWith(root))
    .sort();
}

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
