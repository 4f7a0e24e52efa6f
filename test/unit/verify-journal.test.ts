// `holdfast verify`: every kind of damage is named once, with its place to the byte, what is no damage is a note, nothing is
// changed, and somebody who writes meanwhile is not taken for damage.

import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hashLine } from '../../core/journal/codec.ts';
import { DuplicateIds, SuspectIds } from '../../core/journal/duplicate-ids.ts';
import { openFileJournal, readFileJournal, type WriteOptions } from '../../core/journal/index.ts';
import { verifyJournal, type ProcessReport } from '../../core/journal/verify-journal.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import type { NewEntry } from '../../core/model/entry.ts';
import { FOLD_VERSION } from '../../core/model/fold.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { startNode } from '../support/child.ts';
import { PROMPTISE_JOURNALS, promptiseCases, REPOSITORY, treeHash } from '../support/fixtures.ts';
import { fileOf, foreignLine, ourLines, update, writeOurDirectory } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const APPEND = join(REPOSITORY, 'test/support/append-until-killed.ts');
const SEGMENTS = '.holdfast/segments/one';
const FULL = snapshotToState(emptySnapshot(), FOLD_VERSION);

const entry = (entry_type: string, data: JsonObject = {}): NewEntry => ({
  process_id: 'one',
  entry_type,
  data,
});

/** The one process of a directory. */
async function verifyOne(directory: string): Promise<ProcessReport> {
  const before = treeHash(directory);
  const { processes } = await verifyJournal(directory);
  expect(treeHash(directory), 'looking changes nothing [P6]').toBe(before);
  expect(processes).toHaveLength(1);
  return processes[0]!;
}

const kinds = (found: readonly { readonly kind: string }[]): string[] => found.map(({ kind }) => kind);

/** A directory of ours with these lines in one file that nobody has touched for long. */
function journalOf(lines: readonly (Buffer | string)[], end = ''): string {
  const directory = tempDirectory();
  writeOurDirectory(directory, { 'one.jsonl': Buffer.concat([fileOf(lines), Buffer.from(end)]) });
  age(join(directory, 'one.jsonl'));
  return directory;
}

/** As {@link journalOf}, where the head knows that all of `written` was durable. */
function durableJournalOf(lines: readonly (Buffer | string)[], written: readonly Buffer[]): string {
  const directory = journalOf(lines);
  writeHead(directory, written.length, hashLine(written.at(-1)!), fileOf(written).length);
  return directory;
}

function writeHead(directory: string, seq: number, hash = 'x'.repeat(22), size = 9): void {
  mkdirSync(join(directory, '.holdfast/heads'), { recursive: true });
  writeFileSync(
    join(directory, '.holdfast/heads/one.head'),
    `${JSON.stringify({ seq, hash, first: 1, size, inode: 1, machine: 'm' }).padEnd(255)}\n`,
  );
}

function age(path: string): void {
  utimesSync(path, new Date(0), new Date(0));
}

/** What the real writer leaves: full checkpoints, and sealed and packed segments. */
async function write(directory: string, count: number, options: WriteOptions = {}): Promise<void> {
  const journal = openFileJournal(directory, { segmentBytes: 2_000, durability: 'os', ...options });
  for (let n = 1; n <= count; n += 1) {
    await journal.append(update('n', n));
    if (n % 5 === 0) await journal.checkpoint('one', FULL);
  }
  await journal.settled();
  await journal.close();
}

/** Of this process; where the system does not say, always the same. */
const openFiles = (): number => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0);

const sealed = (directory: string): string[] => readdirSync(join(directory, SEGMENTS)).sort();

test('a whole journal: what there is, no damage, no note, no trace, and no lock taken', async () => {
  const directory = tempDirectory();
  await write(directory, 40);
  const segments = sealed(directory).length + 1;
  expect(segments).toBeGreaterThan(3);
  const open = openFiles();
  const report = await verifyJournal(directory);
  expect(openFiles()).toBe(open);
  expect(report).toMatchObject({
    directory,
    format: 'holdfast',
    journalId: readFileJournal(directory).marker!.id,
    isWhole: true,
    totals: { processes: 1, segments, lines: 49, verified: 49, unverified: 0, damage: 0, notes: 0 },
  });
  const one = await verifyOne(directory);
  expect(one).toMatchObject({
    process: 'one',
    firstSeq: 1,
    lastSeq: 49,
    durableSeq: 49,
    damage: [],
    notes: [],
  });
  // Written on by the one who has it: the lock is his, and he is not disturbed.
  const writer = openFileJournal(directory);
  await writer.append(update('n', 41));
  expect((await verifyOne(directory)).damageCount).toBe(0);
  await writer.append(update('n', 42));
  await writer.close();
  const after = await verifyOne(directory);
  expect(after).toMatchObject({ lastSeq: 52, damage: [] });
  expect(after.head).not.toBe(one.head);
});

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

describe('[S9] somebody who writes is not taken for damage', () => {
  test('an incomplete end is being written until it has been left alone for five seconds', async () => {
    const directory = journalOf(ourLines([update('n', 1)]), '{"half');
    expect(await verifyOne(directory)).toMatchObject({
      damage: [],
      notes: [{ kind: 'torn-tail', seq: 2, sizeBytes: 6 }],
      lastSeq: 1,
    });
    appendFileSync(join(directory, 'one.jsonl'), ' a line');
    expect(await verifyOne(directory)).toMatchObject({ damage: [], notes: [{ kind: 'being-written' }] });
  });

  test('so is the checkpoint file', async () => {
    const directory = journalOf(ourLines([entry('checkpoint', { state: { context_state: {} } })]));
    const file = join(directory, 'one.checkpoint.json');
    writeFileSync(file, '{"context_sta');
    expect(kinds((await verifyOne(directory)).notes)).toEqual(['being-written']);
    age(file);
    expect(kinds((await verifyOne(directory)).notes)).toEqual(['checkpoint-file']);
  });

  test('a host at full speed that seals, packs and drops segments: no damage, whenever one looks', async () => {
    const directory = tempDirectory();
    const options: WriteOptions = {
      segmentBytes: 20_000,
      durability: 'os',
      retention: { maxAgeDays: null, maxBytes: 20_000 },
    };
    const child = startNode(APPEND, [directory, JSON.stringify(options)]);
    onTestFinished(() => {
      child.process.kill('SIGKILL');
    });
    let looks = 0;
    await waitFor(
      async () => {
        if (!existsSync(join(directory, 'journal.holdfast'))) return false;
        const { processes } = await verifyJournal(directory);
        expect(processes.flatMap(({ damage }) => damage)).toEqual([]);
        looks += 1;
        const isDropping = processes.some(({ notes }) => kinds(notes).includes('dropped-segments'));
        return looks >= 20 && isDropping;
      },
      { what: 'a look at a journal that drops segments', patienceMs: 40_000 },
    );
    child.process.kill('SIGKILL');
    await child.ended;
    expect((await verifyJournal(directory)).processes.flatMap(({ damage }) => damage)).toEqual([]);
  }, 60_000);
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
    await write(directory, 4);
    cut(directory, 3);
    const { damage } = await verifyOne(directory);
    expect(damage).toMatchObject([{ kind: 'lost-tail', seq: 4, segment: 'one.jsonl', sizeBytes: 0 }]);
    expect(damage[0]!.reason).toBe('the journal ends at entry 3, and entry 5 had been written and synced');
  });

  test('so has one that is another one, and one that is gone', async () => {
    const directory = tempDirectory();
    await write(directory, 4);
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
    await write(directory, 4);
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
    await write(directory, 4);
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

describe('[S15] segments', () => {
  const damaged = async (): Promise<{ directory: string; names: string[] }> => {
    const directory = tempDirectory();
    await write(directory, 40);
    return { directory, names: sealed(directory) };
  };

  test('a line in a packed one is named with its place there', async () => {
    const { directory, names } = await damaged();
    const path = join(directory, SEGMENTS, names[1]!);
    const bytes = gunzipSync(readFileSync(path));
    const at = bytes.indexOf('"n"', 300);
    bytes[at + 1]! ^= 1;
    writeFileSync(path, gzipSync(bytes));
    const [found] = (await verifyOne(directory)).damage;
    const offset = bytes.lastIndexOf(10, at) + 1;
    expect(found).toMatchObject({ kind: 'checksum', segment: `${SEGMENTS}/${names[1]}`, offset });
    expect(bytes[offset + found!.sizeBytes - 1]).toBe(10);
  });

  test('one that can not be unpacked is one place, and the others are still read', async () => {
    const { directory, names } = await damaged();
    const path = join(directory, SEGMENTS, names[1]!);
    const bytes = readFileSync(path);
    for (const change of [
      bytes.subarray(0, bytes.length / 2),
      Buffer.from('not packed at all'),
      Buffer.alloc(0),
    ]) {
      writeFileSync(path, change);
      const { damage, lastSeq, verified } = await verifyOne(directory);
      expect(damage).toMatchObject([
        { kind: 'segment-unreadable', segment: `${SEGMENTS}/${names[1]}`, sizeBytes: change.length },
      ]);
      const [, first, last] = /^0*(\d+)-0*(\d+)/.exec(names[1]!)!;
      expect([verified, lastSeq]).toEqual([49 - (Number(last) - Number(first) + 1), 49]);
    }
  });

  test('one that is not there leaves a hole, at the beginning as in the middle', async () => {
    for (const gone of [0, 1]) {
      const { directory, names } = await damaged();
      rmSync(join(directory, SEGMENTS, names[gone]!));
      const [, from, to] = /^0*(\d+)-0*(\d+)/.exec(names[gone]!)!;
      expect((await verifyOne(directory)).damage).toMatchObject([
        {
          kind: 'missing-segment',
          segment: `${SEGMENTS}/${names[gone + 1]}`,
          reason: `entries ${from} to ${to} are missing before it, and nothing says why`,
        },
      ]);
    }
  });

  test('one that ends before its name says is told where no line of ours behind it can', async () => {
    const { directory, names } = await damaged();
    rmSync(join(directory, '.holdfast/heads/one.head'));
    const path = join(directory, SEGMENTS, names.at(-1)!);
    const [first = 0, end = 0] = names
      .at(-1)!
      .match(/\d{12}/g)!
      .map(Number);
    const bytes = gunzipSync(readFileSync(path));
    writeFileSync(path, gzipSync(bytes.subarray(0, bytes.indexOf(10) + 1)));
    expect((await verifyOne(directory)).damage).toMatchObject([{ kind: 'link', seq: end + 1 }]);
    const missing = `entries ${first + 1} to ${end} are missing`;
    writeFileSync(join(directory, 'one.jsonl'), `garbage\n${foreignLine({})}\n`);
    expect((await verifyOne(directory)).damage).toMatchObject([
      { kind: 'missing-segment', seq: first + 1, reason: `${missing} at the end` },
    ]);
    rmSync(join(directory, 'one.jsonl'));
    expect((await verifyOne(directory)).damage).toMatchObject([
      { kind: 'missing-segment', seq: first + 1, reason: `${missing} at the end` },
    ]);
    writeHead(directory, end, 'x'.repeat(22));
    writeFileSync(join(directory, 'one.jsonl'), `${foreignLine({})}\n`);
    expect((await verifyOne(directory)).damage).toMatchObject([
      { kind: 'missing-segment', seq: end + 1, reason: `${missing} before it, and nothing says why` },
      { kind: 'lost-tail' },
    ]);
  });

  test('what retention dropped is a note, also where a crash came between saying and doing it', async () => {
    const directory = tempDirectory();
    await write(directory, 80);
    const names = sealed(directory);
    const kept = names.map((name) => [name, readFileSync(join(directory, SEGMENTS, name))] as const);
    await write(directory, 5, { retention: { maxAgeDays: null, maxBytes: 1_500 } });
    const dropped = kept.filter(([name]) => !sealed(directory).includes(name));
    expect(dropped.length).toBeGreaterThan(2);
    expect(await verifyOne(directory)).toMatchObject({ damage: [], notes: [{ kind: 'dropped-segments' }] });
    // Dropped in order, but for the last; and the other way round.
    const last = dropped.at(-1)!;
    writeFileSync(join(directory, SEGMENTS, last[0]), last[1]);
    expect(kinds((await verifyOne(directory)).notes)).toEqual(['dropped-segments']);
    expect((await verifyOne(directory)).damage).toEqual([]);
    rmSync(join(directory, SEGMENTS, last[0]));
    writeFileSync(join(directory, SEGMENTS, dropped[0]![0]), dropped[0]![1]);
    expect((await verifyOne(directory)).damage).toEqual([]);
    for (const [name, bytes] of dropped) writeFileSync(join(directory, SEGMENTS, name), bytes);
    expect(await verifyOne(directory)).toMatchObject({ damage: [], notes: [] });
  });

  test('dropping more than was said is damage', async () => {
    const directory = tempDirectory();
    await write(directory, 80);
    await write(directory, 5, { retention: { maxAgeDays: null, maxBytes: 1_500 } });
    rmSync(join(directory, SEGMENTS, sealed(directory)[0]!));
    expect(kinds((await verifyOne(directory)).damage)).toEqual(['missing-segment']);
  });

  test('one that lies there packed and unpacked, or as the active one too, counts once', async () => {
    const { directory, names } = await damaged();
    const path = join(directory, SEGMENTS, names[1]!);
    writeFileSync(path.slice(0, -'.gz'.length), gunzipSync(readFileSync(path)));
    expect(await verifyOne(directory)).toMatchObject({ damage: [], verified: 49 });
    // Sealing was taken back, and a crash came before the sealed one was removed.
    copyFileSync(join(directory, SEGMENTS, names.at(-1)!), join(directory, 'packed'));
    rmSync(join(directory, '.holdfast/heads'), { recursive: true });
    writeFileSync(join(directory, 'one.jsonl'), gunzipSync(readFileSync(join(directory, 'packed'))));
    const { damage, lastSeq } = await verifyOne(directory);
    expect(damage).toEqual([]);
    expect(lastSeq).toBe(Number(/-0*(\d+)/.exec(names.at(-1)!)![1]));
  });

  test('an active one from an older copy does not fit behind newer sealed ones', async () => {
    const { directory, names } = await damaged();
    rmSync(join(directory, '.holdfast/heads'), { recursive: true });
    writeFileSync(
      join(directory, 'one.jsonl'),
      gunzipSync(readFileSync(join(directory, SEGMENTS, names[0]!))),
    );
    expect((await verifyOne(directory)).damageCount).toBeGreaterThan(0);
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

describe('what the journal itself explains is a note', () => {
  test('[S14] exactly the breaks that a repair recorded', async () => {
    const lines = ourLines([1, 2, 3, 4, 5].map((n) => update('n', n)));
    const told = (gaps: readonly JsonObject[]): string => {
      const kept = [lines[0]!, lines[2]!, lines[4]!];
      const last = ourLines(
        [entry('journal_repaired', { kind: 'repair', gaps, held: false })],
        6,
        hashLine(lines[4]!),
      );
      return journalOf([...kept, ...last]);
    };
    const both = await verifyOne(
      told([
        { after: 1, next: 3 },
        { after: 3, next: 5 },
        { after: 5, next: null },
      ]),
    );
    expect({ damage: both.damage, notes: kinds(both.notes) }).toEqual({
      damage: [],
      notes: ['repaired-gap', 'repaired-gap', 'repaired-gap'],
    });
    const one = await verifyOne(
      told([
        { after: 1, next: 3 },
        { after: 3, next: 6 },
        { after: 2, next: 5 },
      ]),
    );
    expect(one.damage).toMatchObject([{ kind: 'link', seq: 5 }]);
  });

  test("[S8] somebody else's lines: known, at the end, and before all of ours", async () => {
    const directory = tempDirectory();
    const path = join(directory, 'one.jsonl');
    writeOurDirectory(directory, {
      'one.jsonl': fileOf([foreignLine({ entry_id: 'a' }), foreignLine({ entry_id: 'b' })]),
    });
    const notes = async (): Promise<string[]> => {
      const report = await verifyOne(directory);
      expect(report.damage).toEqual([]);
      return report.notes.map(({ kind, seq, reason }) => `${kind} ${seq} ${reason}`);
    };
    const first = 'foreign-lines 1 lines 1 to 2 were written by something else: nothing vouches for them';
    expect(await notes()).toEqual([first]);
    const append = async (): Promise<void> => {
      const journal = openFileJournal(directory);
      await journal.append(update('n', 1));
      await journal.close();
    };
    await append();
    expect(await notes()).toEqual([first]);
    appendFileSync(path, `${foreignLine({ entry_id: 'c' })}\n`);
    expect(await notes()).toEqual([first, 'foreign-lines 5 line 5 was written by something else at the end']);
    await append();
    expect(await notes()).toEqual([
      first,
      'foreign-lines 5 line 5 was written by something else: nothing vouches for them',
    ]);
  });

  test('an id that comes twice in lines that are not ours', async () => {
    const directory = tempDirectory();
    writeFileSync(
      join(directory, 'one.jsonl'),
      fileOf([foreignLine({}), foreignLine({}), foreignLine({ entry_id: '' })]),
    );
    const { damage, notes } = await verifyOne(directory);
    expect(damage).toEqual([]);
    expect(kinds(notes)).toContain('duplicate-id');
  });
});

test.each(promptiseCases())(
  '[P8, P6] a Promptise journal, %s: odd lines are damage, and nothing else is',
  async (name) => {
    const directory = join(PROMPTISE_JOURNALS, name, 'journal');
    const before = treeHash(directory);
    const { format, isWhole, processes } = await verifyJournal(directory);
    expect(treeHash(directory)).toBe(before);
    const odd: Readonly<Record<string, string>> = {
      'line-not-an-object': 'not-object',
      'line-not-json': 'not-json',
      'line-not-utf8': 'not-utf8',
      'line-with-bad-time': 'bad-time',
      'line-without-time': 'no-timestamp',
      'torn-tail-then-append': 'not-json',
    };
    const expected = odd[name] === undefined ? [] : [odd[name]];
    expect({ format, isWhole, kinds: kinds(processes.flatMap(({ damage }) => damage)) }).toEqual({
      format: 'promptise',
      isWhole: expected.length === 0,
      kinds: expected,
    });
    expect(processes.every(({ verified, head }) => verified === 0 && head !== undefined)).toBe(true);
  },
);

test('one process of many, and one that is not there', async () => {
  const directory = tempDirectory();
  writeOurDirectory(directory, {
    'one.jsonl': fileOf(ourLines([update('n', 1)])),
    'two.jsonl': fileOf(['garbage', ...ourLines([update('n', 1, 'two')])]),
  });
  expect((await verifyJournal(directory, { process: 'one' })).isWhole).toBe(true);
  expect((await verifyJournal(directory)).processes.map(({ process }) => process)).toEqual(['one', 'two']);
  await expect(verifyJournal(directory, { process: 'three' })).rejects.toMatchObject({
    code: 'process.not-found',
    message: expect.stringContaining('It has: one, two.') as string,
  });
  await expect(verifyJournal(join(directory, 'nowhere'))).rejects.toMatchObject({
    code: 'journal.not-found',
  });
});

test('others on this thread get their turn, and memory does not grow with the journal', async () => {
  const directory = tempDirectory();
  const lines = ourLines(Array.from({ length: 60_000 }, (_, n) => update('n', 'x'.repeat(400 + (n % 3)))));
  writeOurDirectory(directory, { 'one.jsonl': fileOf(lines) });
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const report = await verifyJournal(directory);
  clearInterval(timer);
  expect(report.totals).toMatchObject({ lines: 60_000, verified: 60_000, damage: 0 });
  expect(turns).toBeGreaterThan(20);
});

describe('ids that come twice', () => {
  test('are found among very many, exactly, and no other', () => {
    const suspects = new SuspectIds();
    const id = (n: number): string => `id-${n % 199_990}`;
    for (let n = 0; n < 200_000; n += 1) suspects.add(id(n));
    const found = new DuplicateIds(suspects.suspects);
    const seen: (readonly [number, number | null])[] = [];
    for (let n = 0; n < 200_000; n += 1) {
      const first = found.seenAt(id(n), n);
      if (first !== null) seen.push([n, first]);
    }
    expect(seen).toEqual(Array.from({ length: 10 }, (_, n) => [199_990 + n, n]));
  });

  test('beyond what is compared in full are counted all the same', () => {
    const suspects = new SuspectIds();
    const ids = Array.from({ length: 25_000 }, (_, n) => `id-${n}`);
    for (const id of [...ids, ...ids]) suspects.add(id);
    expect(suspects.suspects).toMatchObject({ isCut: true });
    const found = new DuplicateIds(suspects.suspects);
    const seen = [...ids, ...ids].filter((id, at) => found.seenAt(id, at) !== null);
    expect(seen).toEqual(ids);
  });
});
