// `holdfast verify`: every kind of damage is named once, with its place to the byte, and what nobody was told is safe is none.

import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hashLine } from '../../core/journal/codec.ts';
import { openFileJournal } from '../../core/journal/index.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import { fileOf, foreignLine, ourLines, update } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import {
  age,
  durableJournalOf,
  entry,
  FULL,
  journalOf,
  kinds,
  verifyOne,
  writeHead,
  writeSegments,
} from '../support/verified.ts';

describe('each kind of damage is told once, with its place', () => {
  const lines = ourLines([1, 2, 3, 4, 5].map((n) => update('n', n)));
  const third = lines[2]!;
  const replaced = (from: number, count: number, ...by: readonly (Buffer | string)[]): Buffer[] =>
    lines.toSpliced(from, count, ...by.map((each) => Buffer.from(each)));
  const garbled = (change: (text: string) => string | Buffer): Buffer[] =>
    replaced(2, 1, change(third.toString()));
  const offset = fileOf(lines.slice(0, 2)).length;

  test.each<[string, Buffer[]]>([
    [
      'not-utf8',
      garbled(() => Buffer.concat([third.subarray(0, 20), Buffer.from([0xff, 0xfe]), third.subarray(20)])),
    ],
    ['not-json', garbled((text) => text.slice(0, -9))],
    ['not-object', garbled(() => '[1,2]')],
    ['no-timestamp', garbled((text) => text.replace('"timestamp"', '"timestamq"'))],
    ['bad-time', garbled((text) => text.replace('2026-01-05', '2026-13-05'))],
    ['nul', garbled((text) => text.replace('update', '\0\0\0\0\0\0'))],
    ['too-deep', garbled(() => `${'['.repeat(1_001)}${']'.repeat(1_001)}`)],
    ['checksum', garbled((text) => text.replace('"value":3', '"value":4'))],
    ['checksum', garbled((text) => text.replace('"crc":"', '"crc":"X'))],
    ['foreign', replaced(2, 0, foreignLine({}))],
    ['link', replaced(2, 0, '')],
    ['link', lines.toSpliced(2, 1)],
  ])('%s', async (kind, changed) => {
    const directory = durableJournalOf(changed, lines);
    const { damage } = await verifyOne(directory);
    expect(kinds(damage)).toEqual([kind]);
    const [found] = damage;
    expect(found).toMatchObject({ segment: 'one.jsonl' });
    const bytes = readFileSync(join(directory, 'one.jsonl'));
    // The place is the line's own, or that of the first line that does not fit any more.
    expect(bytes[found!.offset - 1]).toBe(10);
    expect(bytes[found!.offset + found!.sizeBytes - 1]).toBe(10);
    const { seq, offset: at } = found!;
    expect(kind === 'link' || (seq === 3 && at === offset)).toBe(true);
  });

  test('sequence: a number that does not follow, in a chain that does', async () => {
    const [, second] = ourLines([update('n', 1), update('n', 2)]) as [Buffer, Buffer];
    const jumped = ourLines([update('n', 3)], 5, hashLine(second));
    const { damage } = await verifyOne(journalOf([lines[0]!, second, ...jumped]));
    expect(damage).toMatchObject([{ kind: 'sequence', seq: 5 }]);
  });

  test('duplicate-id: lines that come a second time are one place, and every other line is fine', async () => {
    const doubled = lines.toSpliced(4, 0, ...lines.slice(1, 4));
    const { damage, verified, lines: count } = await verifyOne(durableJournalOf(doubled, lines));
    expect(kinds(damage).sort()).toEqual(['duplicate-id', 'link']);
    expect(damage.find(({ kind }) => kind === 'duplicate-id')!.reason).toContain(
      '3 entries that are there already, from entry 2 on',
    );
    expect({ verified, count }).toEqual({ verified: 7, count: 8 });
    const twins = ourLines([
      { ...update('n', 1), entry_id: 'same' },
      update('n', 2),
      { ...update('n', 3), entry_id: 'same' },
      { ...update('n', 4), entry_id: '' },
      { ...update('n', 5), entry_id: '' },
    ]);
    expect((await verifyOne(journalOf(twins))).damage).toMatchObject([
      { kind: 'duplicate-id', seq: 3, reason: 'has the same entry_id as entry 1' },
    ]);
  });

  test('a line behind a damaged one is not damage, but for one that goes back', async () => {
    const damaged = replaced(1, 2, 'garbage', '\0\0\0');
    expect(kinds((await verifyOne(durableJournalOf(damaged, lines))).damage)).toEqual(['not-json', 'nul']);
    const back = [...lines.slice(0, 4), 'garbage', lines[1]!, lines[4]!];
    expect(kinds((await verifyOne(durableJournalOf(back, lines))).damage).sort()).toEqual([
      'duplicate-id',
      'link',
      'not-json',
      'sequence',
    ]);
  });

  test('a thousand places are listed, and the rest is counted', async () => {
    const many = durableJournalOf(
      [lines[0]!, ...Array.from({ length: 1_500 }, () => 'garbage'), ...lines.slice(1)],
      lines,
    );
    const { damage, damageCount } = await verifyOne(many);
    expect([damage.length, damageCount]).toEqual([1_000, 1_500]);
  });
});

describe('[S11] what nobody was told is safe is no damage', () => {
  test('an end that no later line acknowledges is an unfinished batch, unless the head knows better', async () => {
    const [one, , three] = ourLines([update('n', 1), update('n', 2), update('n', 3)]) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    // In one batch: none names the others as durable.
    const batch = [one, 'garbage', Buffer.from(three.toString().replace('"ack":2', '"ack":0'))];
    const { damage, notes } = await verifyOne(journalOf(batch.slice(0, 2)));
    expect({ damage, notes: kinds(notes) }).toEqual({ damage: [], notes: ['unfinished-batch'] });
    const directory = journalOf(batch.slice(0, 2));
    writeHead(directory, 2);
    expect(kinds((await verifyOne(directory)).damage)).toEqual(['not-json']);
    expect(kinds((await verifyOne(journalOf([one, 'garbage', three]))).damage)).toEqual(['not-json']);
  });
});

describe('[S13] the head knows what was durable', () => {
  const cut = (directory: string, lines: number): void => {
    const path = join(directory, 'one.jsonl');
    const all = readFileSync(path);
    let at = 0;
    for (let n = 0; n < lines; n += 1) at = all.indexOf(10, at) + 1;
    truncateSync(path, at);
  };

  test('a journal that was cut at a line feed has lost its end', async () => {
    const directory = tempDirectory();
    await writeSegments(directory, 4);
    cut(directory, 3);
    const { damage } = await verifyOne(directory);
    expect(damage).toMatchObject([{ kind: 'lost-tail', seq: 4, segment: 'one.jsonl', sizeBytes: 0 }]);
    expect(damage[0]!.reason).toBe('the journal ends at entry 3, and entry 5 had been written and synced');
  });

  test('so has one that is another one, and one that is gone', async () => {
    const directory = tempDirectory();
    await writeSegments(directory, 4);
    writeFileSync(
      join(directory, 'one.jsonl'),
      fileOf(ourLines(Array.from({ length: 9 }, (_, n) => update('n', n)))),
    );
    expect((await verifyOne(directory)).damage).toMatchObject([{ kind: 'lost-tail', seq: 10 }]);
    rmSync(join(directory, 'one.jsonl'));
    const { isWhole, processes } = await verifyJournal(directory);
    expect(isWhole).toBe(false);
    expect(processes).toMatchObject([
      { process: 'one', lines: 0, lastSeq: 0, damage: [{ kind: 'lost-tail', segment: 'one.jsonl' }] },
    ]);
  });

  test('[J8] of an empty one the checkpoint file says nothing, and without a marker it is no journal of ours to be whole', async () => {
    const directory = tempDirectory();
    await writeSegments(directory, 4);
    writeFileSync(join(directory, 'one.checkpoint.json'), JSON.stringify({ context_state: { n: 4 } }));
    writeFileSync(join(directory, 'one.jsonl'), '');
    age(join(directory, 'one.checkpoint.json'));
    const { notes } = await verifyOne(directory);
    expect(notes.map(({ reason }) => reason)).toEqual([
      'the checkpoint file says what no checkpoint line says, and is ignored',
    ]);
    expect((await verifyJournal(directory)).hasLostMarker).toBe(false);
    rmSync(join(directory, 'journal.holdfast'));
    expect(await verifyJournal(directory)).toMatchObject({ format: 'promptise', hasLostMarker: true });
  });

  test('lines that are missing in the middle are not told twice', async () => {
    const directory = tempDirectory();
    await writeSegments(directory, 4);
    const path = join(directory, 'one.jsonl');
    const all = readFileSync(path).toString().split('\n');
    writeFileSync(path, all.toSpliced(2, 1).join('\n'));
    expect(kinds((await verifyOne(directory)).damage)).toEqual(['link']);
    const last = all[4]!;
    writeFileSync(path, all.toSpliced(4, 1, last.replace('"n"', '"m"')).join('\n'));
    expect(kinds((await verifyOne(directory)).damage)).toEqual(['checksum']);
  });

  test('a damaged line that was put in, and only counts as far as the head, does not stand for the lost end', async () => {
    const lines = ourLines([update('n', 1), update('n', 2)]);
    const directory = durableJournalOf([foreignLine({}), 'garbage', lines[0]!], lines);
    expect(kinds((await verifyOne(directory)).damage)).toEqual(['not-json', 'lost-tail']);
  });
});

describe('[S16] values beside the journal', () => {
  test('each that is named has to be there as it was written; those that nothing names do not matter', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    const [whole, changed, gone] = await Promise.all(
      ['whole', 'changed', 'gone'].map((text) => journal.spill('one', Buffer.from(text))),
    );
    await journal.spill('one', Buffer.from('named by nothing'));
    for (const spilled of [whole!, changed!, gone!])
      await journal.append(
        entry('effect_finished', { effect_id: spilled.id, end: 'done', spilled: { ...spilled } }),
      );
    await journal.checkpoint('one', { ...FULL, kept: [{ spilled: { ...gone! } }] });
    await journal.close();
    expect((await verifyOne(directory)).damage).toEqual([]);
    const folder = join(directory, '.holdfast/spills/one');
    writeFileSync(join(folder, changed!.id), 'chained');
    rmSync(join(folder, gone!.id));
    const { damage } = await verifyOne(directory);
    expect(damage).toMatchObject([
      { kind: 'missing-spill', seq: 3 },
      { kind: 'missing-spill', seq: 4 },
    ]);
    expect(damage[0]!.reason).toContain(`.holdfast/spills/one/${changed!.id} that is not what was written`);
    expect(damage[1]!.reason).toContain(`${gone!.id} that is not there`);
  });

  test('what an older checkpoint names may be gone, what the last one names may not', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    const spilled = await journal.spill('one', Buffer.from('text'));
    await journal.checkpoint('one', { ...FULL, kept: { spilled: { ...spilled } } });
    rmSync(join(directory, '.holdfast/spills/one', spilled.id));
    expect((await verifyOne(directory)).damage).toMatchObject([{ kind: 'missing-spill', seq: 2 }]);
    await journal.checkpoint('one', FULL);
    await journal.close();
    expect((await verifyOne(directory)).damage).toEqual([]);
  });
});
