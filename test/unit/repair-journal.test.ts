// `holdfast repair` [S14]: the damaged journal stays as it is to the byte and to its times, the copy has all that was good in
// it, what was left out is kept, and afterwards nothing is damaged any more, for us and for Promptise.

import fc from 'fast-check';
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { FIRST_PREV, hashLine } from '../../core/journal/codec.ts';
import type { Recover } from '../../core/journal/copy-target.ts';
import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';
import { openFileJournal, readFileJournal, type WriteOptions } from '../../core/journal/index.ts';
import { parseLossless } from '../../core/journal/lossless.ts';
import { repairJournal, type RepairReport } from '../../core/journal/repair-journal.ts';
import { heaviestRow, type Run } from '../../core/journal/repair-runs.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import { applyEntry, FOLD_VERSION } from '../../core/model/fold.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { promptisePython, runPython } from '../interop/promptise.ts';
import { startNode } from '../support/child.ts';
import { REPOSITORY, treeHash } from '../support/fixtures.ts';
import { fileOf, foreignLine, ourLines, update, writeOurDirectory } from '../support/journal-bytes.ts';
import { fourOf } from '../support/promptise-answers.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { tinyDisk } from '../support/tiny-disk.ts';
import { waitFor } from '../support/wait-for.ts';
import { linesOf } from './random-damage.ts';

const recover: Recover = async (journal, process, options) =>
  (await new ReplayEngine(journal).recover(process, options)).snapshot;

/** Repairs, with what every repair has to keep. */
async function repair(
  directory: string,
  to = join(tempDirectory(), 'copy'),
): Promise<RepairReport & { copy: string }> {
  const before = treeHash(directory);
  const report = await repairJournal(directory, to, { recover });
  expect(treeHash(directory), 'the original').toBe(before);
  expect(report.copy).toBe(to);
  const after = await verifyJournal(to);
  expect(after.processes.flatMap(({ damage }) => damage)).toEqual([]);
  for (const { process } of after.processes) await recover(readFileJournal(to), process, { lenient: false });
  return { ...report, copy: to };
}

/** A journal of processes whose n counts up, with a full checkpoint after every tenth entry. */
async function write(
  directory: string,
  counts: Readonly<Record<string, number>>,
  options: WriteOptions = {},
): Promise<void> {
  const journal = openFileJournal(directory, { durability: 'os', ...options });
  for (const [process, count] of Object.entries(counts)) {
    let snapshot = emptySnapshot();
    for (let n = 1; n <= count; n += 1) {
      snapshot = applyEntry(snapshot, await journal.append(update('n', n, process)));
      if (n % 10 === 0) await journal.checkpoint(process, snapshotToState(snapshot, FOLD_VERSION));
    }
  }
  await journal.settled();
  await journal.close();
}

/** Changes one character of the value n in a process's active segment. */
function damage(directory: string, n: number, process = 'one'): void {
  const path = join(directory, `${process}.jsonl`);
  const bytes = readFileSync(path);
  const at = bytes.indexOf(`"value":${n}}`);
  expect(at).toBeGreaterThan(0);
  bytes[at + 1] = 0x56;
  writeFileSync(path, bytes);
}

const last = async (
  directory: string,
  process: string,
  limit = 1,
): Promise<readonly { entry_type: string; data: JsonObject }[]> =>
  (await readFileJournal(directory).readLast(process, limit)).entries;

describe('a journal', () => {
  test('with one damaged line: the rest is copied byte for byte, and the copy says what is missing', async () => {
    const directory = tempDirectory();
    await write(directory, { one: 15 });
    damage(directory, 13);
    const { repaired, copy, unchanged } = await repair(directory);
    const [one] = repaired;
    expect({ repaired: repaired.length, unchanged }).toEqual({ repaired: 1, unchanged: [] });
    expect(one).toMatchObject({ process: 'one', keptLines: 16, held: true, lostSpills: [] });
    const original = readFileSync(join(directory, 'one.jsonl'));
    const { offset, bytes, file } = one!.gaps[0]!;
    expect(one!.gaps).toMatchObject([
      { after: 14, next: 16, segment: 'one.jsonl', reason: 'checksum', isLoss: true },
    ]);
    expect(readFileSync(join(copy, file!))).toEqual(original.subarray(offset, offset + bytes));
    const kept = Buffer.concat([original.subarray(0, offset), original.subarray(offset + bytes)]);
    expect(readFileSync(join(copy, 'one.jsonl')).subarray(0, kept.length)).toEqual(kept);
    const [opened, told, checkpoint] = await last(copy, 'one', 3);
    expect([opened!.entry_type, told!.entry_type, checkpoint!.entry_type]).toEqual([
      'writer_opened',
      'journal_repaired',
      'checkpoint',
    ]);
    const { isLoss: _, ...gap } = one!.gaps[0]!;
    expect(told!.data).toEqual({ kind: 'repair', gaps: [gap], held: true, reason: one!.reason });
    expect(one!.reason).toBe(
      'Entries are missing between 14 and 16: the journal was damaged and repaired. Find out what they may have told of, then resume.',
    );
    expect(lstatSync(join(copy, file!)).mode & 0o777).toBe(0o600);
    expect(lstatSync(copy).mode & 0o777).toBe(0o700);
  });

  test('that is whole is not copied', async () => {
    const directory = tempDirectory();
    await write(directory, { one: 3, two: 3 });
    appendFileSync(join(directory, 'one.jsonl'), '{"torn');
    const to = join(tempDirectory(), 'copy');
    expect(await repairJournal(directory, to, { recover })).toEqual({
      directory,
      copy: null,
      repaired: [],
      unchanged: ['one', 'two'],
      gone: [],
    });
    expect(existsSync(to)).toBe(false);
  });

  test('of several processes: those without damage are copied as they are, and nothing is written to them', async () => {
    const directory = tempDirectory();
    await write(directory, { one: 15, two: 30 }, { segmentBytes: 3_000 });
    damage(directory, 13);
    appendFileSync(join(directory, 'two.jsonl'), '{"torn');
    const { copy, repaired, unchanged } = await repair(directory);
    expect([repaired.map(({ process }) => process), unchanged]).toEqual([['one'], ['two']]);
    const segments = '.holdfast/segments/two';
    expect(readdirSync(join(directory, segments)).length).toBeGreaterThan(0);
    for (const file of [
      'two.jsonl',
      'two.checkpoint.json',
      ...readdirSync(join(directory, segments)).map((name) => join(segments, name)),
    ])
      expect(readFileSync(join(copy, file))).toEqual(readFileSync(join(directory, file)));
  });

  test('in a copy is a journal of its own [S10]: another id, no lock, and only the heads of what was repaired', async () => {
    const directory = tempDirectory();
    await write(directory, { one: 15, two: 3 });
    damage(directory, 13);
    const { copy } = await repair(directory);
    const [from, to] = [readFileJournal(directory).marker!, readFileJournal(copy).marker!];
    expect(to).toMatchObject({ copiedFrom: from.id, format: from.format });
    expect(to.id).not.toBe(from.id);
    expect(readdirSync(join(copy, '.holdfast/heads'))).toEqual(['one.head']);
    const journal = openFileJournal(copy);
    await journal.append(update('n', 99));
    await journal.append(update('n', 99, 'two'));
    await journal.close();
    expect((await verifyJournal(copy)).isWhole).toBe(true);
  });

  test('whose first line is lost, and one of which no line can be read', async () => {
    const directory = tempDirectory();
    const lines = ourLines([update('n', 1), update('n', 2)]);
    writeOurDirectory(directory, {
      'one.jsonl': fileOf(['garbage', lines[1]!]),
      'two.jsonl': fileOf(['garbage', '{"half']),
    });
    mkdirSync(join(directory, '.holdfast/heads'), { recursive: true });
    for (const name of ['one', 'two'])
      writeFileSync(
        join(directory, `.holdfast/heads/${name}.head`),
        JSON.stringify({ seq: 2, hash: 'x'.repeat(22), first: 1, size: 1, inode: 1, machine: 'm' }),
      );
    const { repaired, copy } = await repair(directory);
    expect(repaired.map(({ gaps }) => gaps[0])).toMatchObject([
      { after: 0, next: 2, offset: 0, bytes: 8, reason: 'not-json' },
      { after: 0, next: null, offset: 0, bytes: 15, reason: 'not-json' },
    ]);
    expect(repaired.every(({ held }) => held)).toBe(true);
    expect((await recover(readFileJournal(copy), 'one', { lenient: false })).context).toEqual({ n: 2 });
  });

  test('that is gone, so that only its head tells of it, begins anew in the copy, and that is said', async () => {
    const directory = tempDirectory();
    await write(directory, { one: 3, two: 3 });
    rmSync(join(directory, 'one.jsonl'));
    const { gone, unchanged, repaired, copy } = await repair(directory);
    expect({ gone, unchanged, repaired }).toEqual({ gone: ['one'], unchanged: ['two'], repaired: [] });
    expect(await readFileJournal(copy).processes()).toEqual(['two']);
  });

  test('repaired twice keeps what the first repair told', async () => {
    const directory = tempDirectory();
    await write(directory, { one: 15 });
    damage(directory, 3);
    const { copy } = await repair(directory);
    const journal = openFileJournal(copy);
    for (let n = 16; n < 20; n += 1) await journal.append(update('n', n));
    await journal.close();
    damage(copy, 17);
    const { repaired, copy: again } = await repair(copy);
    expect(repaired[0]!.gaps).toHaveLength(1);
    const { notes } = (await verifyJournal(again)).processes[0]!;
    expect(notes.filter(({ kind }) => kind === 'repaired-gap')).toHaveLength(2);
    const kept = readdirSync(join(again, '.holdfast/quarantine'));
    expect(kept).toHaveLength(2);
  });
});

describe('who is held [S12, S14]', () => {
  test('damage before the last full checkpoint costs history, and holds nobody', async () => {
    const directory = tempDirectory();
    await write(directory, { one: 15 });
    damage(directory, 3);
    const { repaired, copy } = await repair(directory);
    expect(repaired).toMatchObject([{ held: false, gaps: [{ isLoss: true }] }]);
    const { context, holds } = await recover(readFileJournal(copy), 'one', { lenient: false });
    expect({ context, holds }).toEqual({ context: { n: 15 }, holds: [] });
  });

  test('damage behind it holds, and makes whatever is unfinished ask', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    const append = (entry_type: string, data: JsonObject) =>
      journal.append({ process_id: 'one', entry_type, data });
    await append('trigger_event', { event_id: 'e', trigger_id: 't', trigger_type: 'cron' });
    await append('invocation_start', { event_id: 'e', invocation: 1 });
    await append('effect_started', { event_id: 'e', effect_id: 'x', name: 'pay', class: 'retry' });
    await append('context_update', { key: 'n', value: 77 });
    await append('log', {});
    await journal.close();
    damage(directory, 77);
    const { repaired, copy } = await repair(directory);
    expect(repaired[0]!.held).toBe(true);
    const snapshot = await recover(readFileJournal(copy), 'one', { lenient: false });
    expect(snapshot.holds).toMatchObject([{ kind: 'gap', actor: 'holdfast', reason: repaired[0]!.reason }]);
    expect(snapshot.open[0]!.effects).toMatchObject([{ effectId: 'x', effectClass: 'ask' }]);
  });

  test('a lost checkpoint is behind the one before it', async () => {
    const directory = tempDirectory();
    await write(directory, { one: 20 });
    const path = join(directory, 'one.jsonl');
    const text = readFileSync(path, 'latin1');
    const at = text.lastIndexOf('"entry_type":"checkpoint"');
    writeFileSync(path, `${text.slice(0, at)}"entry_type":"checkpoinT"${text.slice(at + 25)}`, 'latin1');
    const { repaired, copy } = await repair(directory);
    expect(repaired[0]).toMatchObject({ held: true });
    expect((await recover(readFileJournal(copy), 'one', { lenient: false })).context).toEqual({ n: 20 });
  });

  test('[S13] an end that is lost holds, wherever the checkpoint is', async () => {
    const directory = tempDirectory();
    await write(directory, { one: 20 });
    const path = join(directory, 'one.jsonl');
    const bytes = readFileSync(path);
    truncateSync(path, bytes.lastIndexOf(10, bytes.length - 2) + 1);
    const { repaired, copy } = await repair(directory);
    expect(repaired).toMatchObject([
      {
        held: true,
        droppedBytes: 0,
        gaps: [{ after: 22, next: null, bytes: 0, file: null, reason: 'lost-tail' }],
      },
    ]);
    expect((await recover(readFileJournal(copy), 'one', { lenient: false })).holds).toMatchObject([
      { kind: 'gap' },
    ]);
  });

  test('[S11] an end that nobody was told of goes with the repair and holds nobody', async () => {
    const directory = tempDirectory();
    await write(directory, { one: 15 });
    damage(directory, 3);
    rmSync(join(directory, '.holdfast/heads'), { recursive: true });
    const batch = 'never finished\n{"torn';
    appendFileSync(join(directory, 'one.jsonl'), batch);
    const { repaired, copy } = await repair(directory);
    expect(repaired).toMatchObject([
      {
        held: false,
        gaps: [
          { reason: 'checksum' },
          { after: 17, next: null, reason: 'unfinished-batch', bytes: batch.length, isLoss: false },
        ],
      },
    ]);
    expect(readFileSync(join(copy, repaired[0]!.gaps[1]!.file!), 'utf8')).toBe(batch);
  });

  test('what was put in leaves nothing behind that would be missing', async () => {
    const directory = tempDirectory();
    await write(directory, { one: 9 });
    const path = join(directory, 'one.jsonl');
    const lines = linesOf(readFileSync(path));
    const doubled = lines.slice(2, 5);
    writeFileSync(
      path,
      Buffer.concat([
        ...lines.slice(0, 6),
        Buffer.from('garbage\n'),
        ...doubled,
        ...lines.slice(6, 8),
        Buffer.from(`${foreignLine({})}\n`),
        ...lines.slice(8),
      ]),
    );
    const { repaired, copy } = await repair(directory);
    expect(repaired).toMatchObject([{ held: false, keptLines: 10 }]);
    expect(repaired[0]!.gaps.every(({ isLoss }) => !isLoss)).toBe(true);
    expect((await readFileJournal(copy).read('one')).slice(0, 10).map(({ seq }) => seq)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
  });

  test("[S8] somebody else's lines that nobody told of are kept, and told of", async () => {
    const directory = tempDirectory();
    const foreign = foreignLine({ data: { key: 'from', value: 'elsewhere' } });
    const lines = ourLines([update('n', 1), update('n', 2)]);
    const behind = ourLines(
      [update('n', 4), update('n', 5), update('n', 6)],
      4,
      hashLine(Buffer.from(foreign)),
    );
    writeOurDirectory(directory, {
      'one.jsonl': fileOf([...lines, foreign, behind[0]!, 'garbage', behind[2]!]),
    });
    const { repaired, copy } = await repair(directory);
    expect(repaired[0]!.gaps.map(({ after, next, reason }) => [after, next, reason])).toEqual([
      [4, 6, 'not-json'],
    ]);
    const entries = await readFileJournal(copy).read('one');
    expect(entries.find(({ entry_type }) => entry_type === 'foreign_lines')?.data).toEqual({
      from: 3,
      to: 3,
    });
    expect(entries.some(({ data }) => data['value'] === 'elsewhere')).toBe(true);
  });

  test('what an earlier entry told is told again where that entry itself is lost', async () => {
    const directory = tempDirectory();
    await write(directory, { one: 5 });
    damage(directory, 3);
    appendFileSync(join(directory, 'one.jsonl'), `${foreignLine({})}\n`);
    const { copy } = await repair(directory);
    const path = join(copy, 'one.jsonl');
    const spoilt = readFileSync(path, 'latin1')
      .replace('"foreign_lines"', '"foreign_linez"')
      .replace('"repair"', '"repaiR"');
    writeFileSync(path, spoilt, 'latin1');
    const { repaired, copy: again } = await repair(copy);
    expect(
      repaired[0]!.gaps.map(({ after, next, bytes, reason }) => [after, next, bytes > 0, reason]),
    ).toEqual([
      [3, 5, false, 'link'],
      [8, 11, true, 'checksum'],
    ]);
    const told = (await readFileJournal(again).read('one')).filter(
      ({ entry_type }) => entry_type === 'foreign_lines',
    );
    expect(told.map(({ data }) => data)).toEqual([{ from: 7, to: 7 }]);
  });

  test("entries that are lost before somebody else's line are told by the numbers", async () => {
    const directory = tempDirectory();
    const foreign = foreignLine({});
    const behind = ourLines([update('n', 9)], 9, hashLine(Buffer.from(foreign)));
    writeOurDirectory(directory, {
      'one.jsonl': fileOf([...ourLines([update('n', 1)]), foreign, ...behind]),
    });
    const { repaired } = await repair(directory);
    expect(repaired).toMatchObject([{ held: true, gaps: [{ after: 2, next: 9, bytes: 0, isLoss: true }] }]);
  });
});

describe('[S15] segments', () => {
  const SEGMENTS = '.holdfast/segments/one';
  const segmented = async (): Promise<{ directory: string; names: string[] }> => {
    const directory = tempDirectory();
    await write(directory, { one: 60 }, { segmentBytes: 3_000 });
    return { directory, names: readdirSync(join(directory, SEGMENTS)).sort() };
  };

  test('a damaged one is copied without its bad lines, under the same name; the others byte for byte, packed', async () => {
    const { directory, names } = await segmented();
    const path = join(directory, SEGMENTS, names[1]!);
    const bytes = gunzipSync(readFileSync(path));
    bytes[bytes.indexOf('"value"', 900) + 1]! ^= 1;
    writeFileSync(path, gzipSync(bytes));
    const { repaired, copy } = await repair(directory);
    const [gap] = repaired[0]!.gaps;
    expect(gap).toMatchObject({ segment: `${SEGMENTS}/${names[1]}`, reason: 'checksum' });
    expect(repaired[0]).toMatchObject({ held: false });
    expect(readdirSync(join(copy, SEGMENTS)).sort()).toEqual(names);
    const { offset, bytes: length } = gap!;
    const mended = Buffer.concat([bytes.subarray(0, offset), bytes.subarray(offset + length)]);
    expect(gunzipSync(readFileSync(join(copy, SEGMENTS, names[1]!)))).toEqual(mended);
    for (const name of names.toSpliced(1, 1)) {
      const [from, to] = [directory, copy].map((root) => readFileSync(join(root, SEGMENTS, name)));
      expect(to).toEqual(from);
    }
  });

  test('one that can not be unpacked is kept as it is, and one that is gone is a gap', async () => {
    const { directory, names } = await segmented();
    const path = join(directory, SEGMENTS, names[1]!);
    const bytes = readFileSync(path).subarray(0, 200);
    writeFileSync(path, bytes);
    rmSync(join(directory, SEGMENTS, names[3]!));
    const { repaired, copy } = await repair(directory);
    const { gaps } = repaired[0]!;
    expect(gaps).toMatchObject([
      { segment: `${SEGMENTS}/${names[1]}`, offset: 0, bytes: 200, reason: 'segment-unreadable' },
      { segment: `${SEGMENTS}/${names[4]}`, offset: 0, bytes: 0, file: null, reason: 'missing-segment' },
    ]);
    expect(readFileSync(join(copy, gaps[0]!.file!))).toEqual(bytes);
    expect(repaired[0]).toMatchObject({ held: false });
  });

  test('[S15] one whose end is cut off, with all that is behind it, is told, held, and can be written again', async () => {
    const { directory, names } = await segmented();
    rmSync(join(directory, '.holdfast/heads/one.head'));
    const path = join(directory, SEGMENTS, names.at(-1)!);
    const bytes = gunzipSync(readFileSync(path));
    writeFileSync(path, gzipSync(bytes.subarray(0, bytes.indexOf(10) + 1)));
    writeFileSync(join(directory, 'one.jsonl'), 'garbage\n');
    const { repaired, copy } = await repair(directory);
    expect(repaired).toMatchObject([
      {
        held: true,
        gaps: [{ reason: 'unfinished-batch' }, { next: null, reason: 'lost-tail', isLoss: true }],
      },
    ]);
    const journal = openFileJournal(copy);
    await journal.append(update('n', 61));
    await journal.close();
    expect((await verifyJournal(copy)).isWhole).toBe(true);
  });

  test('what is no file and has the name of one is named', async () => {
    const { directory, names } = await segmented();
    const path = join(directory, SEGMENTS, names[0]!);
    rmSync(path);
    mkdirSync(path);
    const to = join(tempDirectory(), 'copy');
    await expect(repairJournal(directory, to, { recover })).rejects.toMatchObject({
      code: 'repair.failed',
      message: expect.stringContaining(`${path} is no file`) as string,
    });
    expect(existsSync(to)).toBe(false);
  });

  test('an active one that lost its beginning stands apart, and is sealed before anybody else writes there', async () => {
    const { directory } = await segmented();
    const path = join(directory, 'one.jsonl');
    const lines = linesOf(readFileSync(path));
    writeFileSync(path, Buffer.concat([Buffer.from('gone\n'), ...lines.slice(1)]));
    const { repaired, copy } = await repair(directory);
    expect(repaired[0]).toMatchObject({ held: true });
    const journal = openFileJournal(copy);
    await journal.append(update('n', 61));
    await journal.close();
    expect((await verifyJournal(copy)).isWhole).toBe(true);
  });
});

describe('[S16] values beside the journal', () => {
  test('are copied; those that are lost are told of, and the outcomes that name them stay', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    const [kept, changed] = await Promise.all(
      ['kept', 'changed'].map((text) => journal.spill('one', Buffer.from(text))),
    );
    for (const spilled of [kept!, changed!])
      await journal.append({
        process_id: 'one',
        entry_type: 'effect_finished',
        data: { effect_id: spilled.id, end: 'done', spilled: { ...spilled } },
      });
    await journal.close();
    const folder = '.holdfast/spills/one';
    writeFileSync(join(directory, folder, changed!.id), 'chained');
    const { repaired, copy } = await repair(directory);
    expect(repaired).toMatchObject([{ keptLines: 3, gaps: [], held: false, lostSpills: [changed!.id] }]);
    for (const [id, text] of [
      [kept!.id, 'kept'],
      [changed!.id, 'chained'],
    ])
      expect(readFileSync(join(copy, folder, id!), 'utf8')).toBe(text);
    const [told] = (await last(copy, 'one', 3)).filter(({ entry_type }) => entry_type === 'journal_repaired');
    expect(told!.data).toMatchObject({ gaps: [], held: false, lost_spills: [changed!.id] });
    const { notes } = (await verifyJournal(copy)).processes[0]!;
    expect(notes).toMatchObject([{ kind: 'lost-spill' }]);
  });
});

describe('refused, with the original and the target as they were', () => {
  const damaged = async (): Promise<string> => {
    const directory = tempDirectory();
    await write(directory, { one: 15 });
    damage(directory, 13);
    return directory;
  };
  const refusal = async (directory: string, to: string): Promise<{ code: string; message: string }> => {
    const before = treeHash(directory);
    const error = await repairJournal(directory, to, { recover }).then(
      () => ({ code: '', message: '' }),
      (thrown: unknown) => thrown as { code: string; message: string },
    );
    expect(treeHash(directory)).toBe(before);
    return error;
  };

  test('where the target is there already, unless it is an empty directory', async () => {
    const directory = await damaged();
    const file = join(tempDirectory(), 'file');
    writeFileSync(file, 'x');
    expect(await refusal(directory, file)).toMatchObject({ code: 'repair.target-exists' });
    expect(await refusal(directory, join(file, '..'))).toMatchObject({
      code: 'repair.target-exists',
      message: expect.stringContaining('not empty') as string,
    });
    expect(readFileSync(file, 'utf8')).toBe('x');
    const link = join(file, '..', 'link');
    symlinkSync(join(link, 'nowhere'), link);
    expect(await refusal(directory, link)).toMatchObject({
      code: 'repair.target-exists',
      message: expect.stringContaining('a link that leads nowhere') as string,
    });
    expect(await refusal(directory, join(file, 'below/it'))).toMatchObject({
      code: 'repair.target-exists',
      message: expect.stringContaining(`${file} is there already, and no directory`) as string,
    });
    await repair(directory, tempDirectory());
  });

  test('where one lies inside the other, also through a link', async () => {
    const directory = await damaged();
    const link = join(tempDirectory(), 'link');
    symlinkSync(directory, link);
    for (const to of [directory, join(directory, 'copy'), join(link, 'a/b'), join(directory, '..')])
      expect(await refusal(directory, to)).toMatchObject({ code: 'repair.target-inside' });
  });

  test('a journal that is not ours, one of a later version, and one that lost its marker', async () => {
    const foreign = tempDirectory();
    writeFileSync(join(foreign, 'one.jsonl'), fileOf([foreignLine({}), 'garbage']));
    const to = join(tempDirectory(), 'copy');
    expect(await refusal(foreign, to)).toMatchObject({
      code: 'repair.not-ours',
      message: expect.stringContaining('holdfast adopt') as string,
    });
    const later = await damaged();
    writeFileSync(join(later, 'journal.holdfast'), '{"format":99,"id":"x"}');
    expect(await refusal(later, to)).toMatchObject({ code: 'journal.newer-format' });
    rmSync(join(later, 'journal.holdfast'));
    const { code, message } = await refusal(later, to);
    expect(code).toBe('repair.not-ours');
    expect(message).toMatch(/Put journal\.holdfast back there.+\{"format":1,"id":"[0-9a-f-]{36}"\}$/);
    expect(existsSync(to)).toBe(false);
  });

  test('[J5] a journal that a host is writing; once that is gone, it is repaired', async () => {
    const directory = await damaged();
    const child = startNode(join(REPOSITORY, 'test/support/hold-journal.ts'), [directory]);
    onTestFinished(() => {
      child.process.kill('SIGKILL');
    });
    await waitFor(() => child.stdout().includes('held'), { what: 'the holder' });
    const to = join(tempDirectory(), 'copy');
    const error = await refusal(directory, to);
    expect(error).toMatchObject({ code: 'repair.being-written' });
    expect(error.message).toContain(`process ${child.process.pid}`);
    child.process.kill('SIGKILL');
    await child.ended;
    await repair(directory, to);
  });

  test('a journal that is written while it is copied', async () => {
    const directory = await damaged();
    const to = join(tempDirectory(), 'new/copy');
    const disk: Disk = {
      ...LOCAL_DISK,
      syncDirectory: async (path) => {
        if (!existsSync(join(directory, 'two.jsonl'))) writeFileSync(join(directory, 'two.jsonl'), '\n');
        await LOCAL_DISK.syncDirectory(path);
      },
    };
    await expect(repairJournal(directory, to, { recover, disk })).rejects.toMatchObject({
      code: 'repair.source-changed',
    });
    expect(existsSync(join(to, '..'))).toBe(false);
  });
});

/** A disk that is full when it is asked to change anything for the `failAt`th time. */
function failingDisk(failAt: number): Disk & { readonly operations: () => number } {
  let operations = 0;
  const count = (): void => {
    operations += 1;
    if (operations === failAt)
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  };
  return {
    ...LOCAL_DISK,
    operations: () => operations,
    open: (path, flags) => {
      count();
      return LOCAL_DISK.open(path, flags);
    },
    write: (...args) => {
      count();
      return LOCAL_DISK.write(...args);
    },
    sync: async (fd) => {
      count();
      await LOCAL_DISK.sync(fd);
    },
    rename: (from, to) => {
      count();
      LOCAL_DISK.rename(from, to);
    },
    makeDirectory: (path) => {
      count();
      LOCAL_DISK.makeDirectory(path);
    },
  };
}

describe('a repair that fails', () => {
  test('at whatever change to the disk leaves nothing behind and the original as it was', async () => {
    const directory = tempDirectory();
    await write(directory, { one: 15, two: 3 }, { segmentBytes: 1_500 });
    damage(directory, 13);
    const before = treeHash(directory);
    const parent = tempDirectory();
    const to = join(parent, 'new', 'copy');
    const failures: { readonly code: string; readonly message: string }[] = [];
    for (let failAt = 1; ; failAt += failAt < 40 ? 1 : 7) {
      const disk = failingDisk(failAt);
      const error = await repairJournal(directory, to, { recover, disk }).then(
        () => null,
        (thrown: unknown) => thrown as { code: string; message: string },
      );
      expect(treeHash(directory)).toBe(before);
      // What fails behind the scenes, as packing does, is tried again later.
      if (error === null) rmSync(join(parent, 'new'), { recursive: true });
      else failures.push(error);
      expect(readdirSync(parent), `failed at ${failAt}`).toEqual([]);
      if (error === null && disk.operations() < failAt) break;
    }
    expect(failures.length).toBeGreaterThan(30);
    for (const { code, message } of failures) {
      expect(code).toBe('repair.failed');
      expect(message).toContain(`removed, and ${directory} is as it was.`);
    }
  }, 60_000);

  test('[J7] on a disk that is full says so, and leaves nothing behind', async (context) => {
    const tiny = tinyDisk(1024 * 1024);
    if (typeof tiny === 'string') return context.skip(tiny);
    const directory = tempDirectory();
    await write(directory, { one: 5_000 });
    damage(directory, 4_999);
    const before = treeHash(directory);
    await expect(repairJournal(directory, join(tiny.directory, 'copy'), { recover })).rejects.toMatchObject({
      code: 'repair.failed',
      message: expect.stringMatching(/was not made\. ENOSPC.+ removed, and .+ is as it was\.$/) as string,
    });
    expect(readdirSync(tiny.directory)).toEqual([]);
    expect(treeHash(directory)).toBe(before);
  });
});

describe('which pieces are kept', () => {
  const run = (firstSeq: number, lines: number, follows: Run | null = null, start = 0): Run => ({
    start,
    end: start + lines - 1,
    lines,
    prev: firstSeq === 1 ? FIRST_PREV : (follows?.lastHash ?? `before ${start}:${firstSeq}`),
    firstSeq,
    lastSeq: firstSeq + lines - 1,
    lastHash: `hash ${start}:${firstSeq + lines - 1}`,
  });
  const kept = (runs: readonly Run[]): number[] => {
    const row = heaviestRow(runs);
    return runs.flatMap((each, at) => (row.has(each) ? [at] : []));
  };
  const beginning = run(1, 5);

  test.each<[string, Run[], number[]]>([
    ['none', [], []],
    ['one', [run(7, 1)], [0]],
    ['what comes behind a loss', [beginning, run(9, 3, null, 5)], [0, 1]],
    ['not what comes a second time', [beginning, run(2, 3, null, 5), run(6, 2, beginning, 8)], [0, 2]],
    [
      'not what was put in from far ahead',
      [beginning, run(900, 20, null, 5), run(6, 2, beginning, 25)],
      [0, 2],
    ],
    [
      'the greater part of what was put together in the wrong order',
      [run(900, 1_000), run(1, 5, null, 1_000)],
      [0],
    ],
    ['the longer one of two histories', [beginning, run(3, 99, null, 5)], [1]],
  ])('%s', (_what, runs, expected) => {
    expect(kept(runs)).toEqual(expected);
  });

  test('numbers only grow, whatever is there, and no row is heavier', () => {
    const anyRuns = fc
      .array(fc.record({ first: fc.integer({ min: 1, max: 12 }), lines: fc.integer({ min: 1, max: 5 }) }), {
        maxLength: 9,
      })
      .map((list) =>
        list.map(({ first, lines }, at) => ({ ...run(first, lines, null, at * 10), prev: `none ${at}` })),
      );
    fc.assert(
      fc.property(anyRuns, (runs) => {
        const row = runs.filter((each) => heaviestRow(runs).has(each));
        expect(row.every((each, at) => at === 0 || row[at - 1]!.lastSeq < each.firstSeq)).toBe(true);
        const weight = (list: readonly Run[]): number => list.reduce((sum, { lines }) => sum + lines, 0);
        let best = 0;
        for (let mask = 0; mask < 2 ** runs.length; mask += 1) {
          const some = runs.filter((_, at) => (mask >> at) & 1);
          if (some.every((each, at) => at === 0 || some[at - 1]!.lastSeq < each.firstSeq))
            best = Math.max(best, weight(some));
        }
        expect(weight(row)).toBe(best);
      }),
    );
  });
});

describe('[P8] Promptise', () => {
  beforeEach((context) => {
    if (promptisePython() === null)
      context.skip('Promptise 1.10.1 is not here. Install it: npx node test/interop/promptise.ts install');
  });

  test('recovers from the copy what ours does', async () => {
    const directory = tempDirectory();
    await write(directory, { one: 15, two: 25 }, { segmentBytes: 3_000 });
    damage(directory, 13);
    const text = linesOf(readFileSync(join(directory, 'two.jsonl')));
    writeFileSync(join(directory, 'two.jsonl'), Buffer.concat([Buffer.from('\0\0\0\n'), ...text.slice(1)]));
    const { copy } = await repair(directory);
    const input = ['one', 'two'].map((name) => `${copy}\t${name}\n`).join('');
    const answers = (await runPython('recover.py', ['--batch'], { input }))
      .trimEnd()
      .split('\n')
      .map(parseLossless);
    for (const [at, name] of ['one', 'two'].entries()) {
      const ours = await new ReplayEngine(readFileJournal(copy)).recover(name);
      expect(fourOf(answers[at] as JsonObject)).toEqual(fourOf(ours as unknown as JsonObject));
    }
  });
});
