// J5, S6, S7: one writer, by a lock that the kernel takes back; everybody else may read and changes nothing.

import {
  renameSync,
  rmSync,
  readFileSync,
  appendFileSync,
  writeFileSync,
  mkdirSync,
  statSync,
  readdirSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import { readHolder } from '../../core/journal/lock.ts';
import { osProcessStartTime } from '../../core/journal/process-start-time.ts';
import { startNode } from '../support/child.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { treeHash } from '../support/fixtures.ts';
import { HOLD_JOURNAL, heldJournal } from '../support/held-journal.ts';
import { fileOf, foreignLine, ourLines, update, writeOurDirectory } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

test('[J5] a second writer is refused with the pid and start time of the first; readers work and change nothing', async () => {
  const directory = tempDirectory();
  const child = await heldJournal(directory);
  const { pid } = child.process;
  const before = treeHash(directory);

  expect(() => openFileJournal(directory)).toThrow(
    expect.objectContaining({
      code: 'journal.locked',
      name: 'RetryableError',
      detail: { directory, pid, startTime: osProcessStartTime(pid!) },
      message: expect.stringContaining(`process ${pid}`) as string,
    }) as Error,
  );
  const reader = readFileJournal(directory);
  expect((await reader.read('held')).map((entry) => entry.entry_type)).toEqual(['writer_opened', 'log']);
  expect(await reader.processes()).toEqual(['held']);
  await expect(reader.append(update('n', 1))).rejects.toMatchObject({ code: 'journal.read-only' });
  await expect(reader.checkpoint('held', {})).rejects.toMatchObject({ code: 'journal.read-only' });
  await expect(reader.claim('held')).rejects.toMatchObject({ code: 'journal.read-only' });
  expect(treeHash(directory)).toBe(before);
});

test('[J5] [S7] whoever has just taken the lock and not said so yet is not taken for the dead one that had it before', async () => {
  const directory = tempDirectory();
  const dead = await heldJournal(directory);
  const holderFile = join(directory, '.holdfast', 'holder.json');
  const said = readFileSync(holderFile);
  dead.process.kill('SIGKILL');
  await dead.ended;
  await heldJournal(directory);
  writeFileSync(holderFile, said);
  expect(() => openFileJournal(directory)).toThrow(
    expect.objectContaining({
      code: 'journal.locked',
      detail: { directory },
      message: expect.stringContaining('by another process') as string,
    }) as Error,
  );
});

test('[S7] the lock of a holder that was killed is free at once, and every holder has a higher epoch', async () => {
  const directory = tempDirectory();
  const epochs: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const child = await heldJournal(directory);
    epochs.push(readHolder(directory)!.epoch);
    child.process.kill('SIGKILL');
    await child.ended;
    const journal = openFileJournal(directory);
    await journal.append(update('n', round, 'held'));
    epochs.push(readHolder(directory)!.epoch);
    await journal.close();
  }
  expect(epochs).toEqual([...epochs].sort((a, b) => a - b));
  expect(new Set(epochs).size).toBe(epochs.length);
  const signed = await readFileJournal(directory).read('held', { entryType: 'writer_opened' });
  expect(signed.map((entry) => entry.data['epoch'])).toEqual(epochs);
  expect(signed.every((entry) => entry.verification === 'verified')).toBe(true);
});

test('[S7] a journal that has seen more epochs than its lock file raises the lock above them', async () => {
  const directory = tempDirectory();
  writeOurDirectory(directory, {
    'one.jsonl': fileOf(
      ourLines([{ process_id: 'one', entry_type: 'writer_opened', data: { epoch: 41 } }, update('n', 1)]),
    ),
  });
  const journal = openFileJournal(directory);
  await journal.append(update('n', 2));
  const [, last] = await journal.read('one', { entryType: 'writer_opened' });
  expect(last!.data['epoch']).toBe(42);
  expect(readHolder(directory)!.epoch).toBe(42);
  await journal.close();
});

test('the same program can not open it twice, and trying takes nothing from the one that has it', async () => {
  const directory = tempDirectory();
  const journal = openFileJournal(directory);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    expect(() => openFileJournal(directory)).toThrow(
      expect.objectContaining({ code: 'journal.locked' }) as Error,
    );
  }
  const child = startNode(HOLD_JOURNAL, [directory]);
  expect((await child.ended).stdout).toBe('journal.locked\n');
  await journal.append(update('n', 1));
  await journal.close();
  await openFileJournal(directory).close();
});

test('of many that open a new directory at the same moment one gets it, and nobody finds half a marker', async () => {
  const directory = join(tempDirectory(), 'new');
  const children = Array.from({ length: 5 }, () => startNode(HOLD_JOURNAL, [directory]));
  children.forEach(endsWithTest);
  await waitFor(() => children.every((child) => child.stdout().endsWith('\n')), { what: 'all five' });
  const said = children.map((child) => child.stdout().trim()).sort();
  expect(said).toEqual(['held', ...Array.from({ length: 4 }, () => 'journal.locked')]);
});

describe('a marker', () => {
  test('[S1] is made whole or not at all: what a crash left of one is in nobody’s way', async () => {
    const directory = tempDirectory();
    mkdirSync(join(directory, '.holdfast'));
    writeFileSync(join(directory, '.holdfast/marker.tmp'), '{"form');
    const journal = openFileJournal(directory, { workspace: '..' });
    expect(JSON.parse(readFileSync(join(directory, 'journal.holdfast'), 'utf8'))).toEqual({
      format: 1,
      id: journal.marker!.id,
      workspace: '..',
    });
    await journal.close();
    const again = openFileJournal(directory);
    expect(again.marker).toEqual({ format: 1, id: journal.marker!.id, workspace: '..', copiedFrom: null });
    await again.close();
  });

  test.each([
    ['empty', ''],
    ['half written', '{"format":1,"i'],
    ['not ours', '{"some":"thing"}'],
    ['a list', '[]'],
    ['binary', '\u0000\u0001'],
  ])('that is %s is refused for writing and for reading, and nothing is touched', (_name, text) => {
    const directory = tempDirectory();
    writeFileSync(join(directory, 'journal.holdfast'), text);
    const before = treeHash(directory);
    for (const open of [openFileJournal, readFileJournal]) {
      expect(() => open(directory)).toThrow(expect.objectContaining({ code: 'journal.bad-marker' }) as Error);
    }
    expect(treeHash(directory)).toBe(before);
  });

  test('that is a directory is refused like any other that is none', () => {
    const directory = tempDirectory();
    mkdirSync(join(directory, 'journal.holdfast'));
    expect(() => readFileJournal(directory)).toThrow(
      expect.objectContaining({ code: 'journal.bad-marker' }) as Error,
    );
  });

  test('[S4] of a newer format: it can be read, and is not written', async () => {
    const directory = tempDirectory();
    writeOurDirectory(directory, { 'one.jsonl': fileOf(ourLines([update('n', 1)])) });
    writeFileSync(join(directory, 'journal.holdfast'), '{"format":2,"id":"x"}\n');
    const before = treeHash(directory);
    expect(() => openFileJournal(directory)).toThrow(
      expect.objectContaining({ code: 'journal.newer-format' }) as Error,
    );
    expect(await readFileJournal(directory).read('one')).toHaveLength(1);
    expect(treeHash(directory)).toBe(before);
  });

  test('[S8] is not put into a directory that somebody else writes', () => {
    const directory = tempDirectory();
    writeFileSync(join(directory, 'one.jsonl'), fileOf([foreignLine({})]));
    const before = treeHash(directory);
    expect(() => openFileJournal(directory)).toThrow(
      expect.objectContaining({ code: 'journal.foreign' }) as Error,
    );
    expect(treeHash(directory)).toBe(before);
  });
});

describe('[S8] a writer that is not alone', () => {
  test('is told of lines of somebody else also where an unfinished batch behind them is cut [S11]', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    await journal.append(update('n', 1));
    await journal.close();
    const path = join(directory, 'one.jsonl');
    appendFileSync(path, `${foreignLine({})}\n\0\0\0\0\n`);
    const again = openFileJournal(directory);
    await again.append(update('n', 2));
    await again.close();
    const told = (await readFileJournal(directory).read('one', { entryType: 'foreign_lines' })).at(0);
    expect(told?.data).toEqual({ from: 3, to: 3 });
    expect((await verifyJournal(directory)).isWhole).toBe(true);
  });

  test('stops for good when a line of somebody else appears, and writes nothing behind it', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    await journal.append(update('n', 1));
    const path = join(directory, 'one.jsonl');
    appendFileSync(path, `${foreignLine({})}\n`);
    const bytes = readFileSync(path);
    await expect(journal.append(update('n', 2))).rejects.toMatchObject({
      code: 'journal.foreign-writer',
      detail: { expected: bytes.lastIndexOf(10, -2) + 1, found: bytes.length },
    });
    await expect(journal.append(update('n', 3))).rejects.toMatchObject({ code: 'journal.foreign-writer' });
    expect(readFileSync(path)).toEqual(bytes);

    // Other processes of the same journal are not concerned, and a new claim goes on behind what is there.
    await journal.append(update('n', 1, 'two'));
    await journal.claim('one');
    await journal.append(update('n', 4));
    const items = await journal.read('one');
    expect(items.map((entry) => [entry.entry_type, entry.verification])).toEqual([
      ['writer_opened', 'verified'],
      ['context_update', 'verified'],
      ['context_update', 'unverified'],
      ['foreign_lines', 'verified'],
      ['writer_opened', 'verified'],
      ['context_update', 'verified'],
    ]);
    expect(items[3]!.data).toEqual({ from: 3, to: 3 });
    await journal.close();
  });

  test('stops when the file is cut under it', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    await journal.append(update('n', 1));
    writeFileSync(join(directory, 'one.jsonl'), '');
    await expect(journal.append(update('n', 2))).rejects.toMatchObject({ code: 'journal.foreign-writer' });
    expect(statSync(join(directory, 'one.jsonl')).size).toBe(0);
    await journal.close();
  });

  test.each(['deleted', 'moved away', 'replaced'])(
    '[P1] acknowledges nothing into a file that was %s',
    async (how) => {
      const directory = tempDirectory();
      const journal = openFileJournal(directory);
      await journal.append(update('n', 1));
      const path = join(directory, 'one.jsonl');
      const bytes = readFileSync(path);
      if (how === 'deleted') rmSync(path);
      else renameSync(path, join(directory, 'elsewhere'));
      if (how === 'replaced') writeFileSync(path, bytes);
      await expect(journal.append(update('n', 2))).rejects.toMatchObject({ code: 'journal.foreign-writer' });
      await journal.close();
      expect(readdirSync(directory).includes('one.jsonl')).toBe(how === 'replaced');
    },
  );
});
