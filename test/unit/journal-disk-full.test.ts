// J7 on a disk that is really full: nothing acknowledged is lost, nothing half written stays, and once there is room the
// same journal goes on. What is worse than full poisons the file.

import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import type * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi, type TestContext } from 'vitest';
import { AppendFile } from '../../core/journal/append-file.ts';
import { FIRST_PREV } from '../../core/journal/codec.ts';
import { openFileJournal } from '../../core/journal/index.ts';
import { entriesForwards, isBad } from '../../core/journal/read-entries.ts';
import { codeOf } from '../../core/model/errors.ts';
import { fixedEntry, update } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { tinyDisk, type TinyDisk } from '../support/tiny-disk.ts';

function diskOf(context: TestContext): TinyDisk {
  const disk = tinyDisk(512 * 1024);
  return typeof disk === 'string' ? context.skip(disk) : disk;
}

const full = { code: 'journal.disk-full', name: 'RetryableError' };
const large = (n: number, process_id = 'one') => update(`n${n}`, 'x'.repeat(3_000), process_id);

const verdicts = (path: string): string[] =>
  [...entriesForwards(path)].map((item) => (isBad(item) ? 'bad' : item.verification));

/** Appends until the disk is full; gives the numbers that were acknowledged. */
async function fillUp(append: (n: number) => Promise<{ seq: number }>): Promise<number[]> {
  const acknowledged: number[] = [];
  for (let n = 0; ; n += 1) {
    try {
      acknowledged.push((await append(n)).seq);
    } catch (error) {
      if (codeOf(error) !== full.code) throw error;
      return acknowledged;
    }
  }
}

describe('[J7] a full disk', () => {
  test('refuses, keeps whole lines only, and the same journal goes on when there is room', async (context) => {
    const { directory: root, fill } = diskOf(context);
    const directory = join(root, 'journal');
    const journal = openFileJournal(directory);
    const path = join(directory, 'one.jsonl');
    await journal.append(update('n', 0));
    const makeRoom = fill();

    const acknowledged = await fillUp((n) => journal.append(large(n)));
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(journal.append(large(attempt))).rejects.toMatchObject(full);
      const bytes = readFileSync(path);
      expect(bytes.at(-1)).toBe(10);
      expect(verdicts(path)).toEqual(Array.from({ length: acknowledged.length + 2 }, () => 'verified'));
    }

    makeRoom();
    const next = await journal.append(update('n', 1));
    expect(next.seq).toBe(acknowledged.length + 3);
    expect(new Set(verdicts(path))).toEqual(new Set(['verified']));
    expect((await journal.read('one')).map((entry) => entry.seq)).toEqual(
      Array.from({ length: next.seq }, (_, at) => at + 1),
    );
    await journal.close();
  });

  test('refuses a whole batch and every entry lined up behind it, in order, and none of them is in the file', async (context) => {
    const { directory: root, fill } = diskOf(context);
    const directory = join(root, 'journal');
    const journal = openFileJournal(directory);
    await journal.append(update('n', 0));
    const makeRoom = fill();
    const results = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => journal.append(large(n))));
    expect(new Set(results.map((result) => result.status))).toEqual(new Set(['rejected']));
    expect(verdicts(join(directory, 'one.jsonl'))).toEqual(['verified', 'verified']);
    makeRoom();
    const again = await Promise.all(Array.from({ length: 40 }, (_, n) => journal.append(large(n))));
    expect(again.map((entry) => entry.seq)).toEqual(again.map((_, at) => at + 3));
    expect(new Set(verdicts(join(directory, 'one.jsonl')))).toEqual(new Set(['verified']));
    await journal.close();
  });

  test('a checkpoint is refused like any entry, and leaves neither half a file nor a temporary one', async (context) => {
    const { directory: root, fill } = diskOf(context);
    const directory = join(root, 'journal');
    const journal = openFileJournal(directory);
    await journal.checkpoint('one', { context_state: { n: 1 } });
    const before = readFileSync(join(directory, 'one.checkpoint.json'));
    const makeRoom = fill();
    await fillUp((n) => journal.append(large(n)));
    await expect(
      journal.checkpoint('one', { context_state: { text: 'x'.repeat(9_000) } }),
    ).rejects.toMatchObject(full);
    expect(readFileSync(join(directory, 'one.checkpoint.json'))).toEqual(before);
    expect(readdirSync(directory).sort()).toEqual([
      '.holdfast',
      'journal.holdfast',
      'one.checkpoint.json',
      'one.jsonl',
    ]);
    expect(readdirSync(join(directory, '.holdfast')).sort()).toEqual(['holder.json', 'lock']);
    makeRoom();
    await journal.checkpoint('one', { context_state: { n: 2 } });
    expect(await journal.lastCheckpoint('one')).toMatchObject({ state: { context_state: { n: 2 } } });
    await journal.close();
  });

  test('[S7, J6] who could not sign in, or tell of a repair, does so first when there is room', async (context) => {
    const { directory: root, fill } = diskOf(context);
    const directory = join(root, 'journal');
    const first = openFileJournal(directory);
    // As much as its block holds, so that not even a short line has room when the disk is full.
    for (let size = 0; size < 4_096 - 300; size = statSync(join(directory, 'torn.jsonl')).size) {
      await first.append(update('n', 0, 'torn'));
    }
    await first.close();
    const path = join(directory, 'torn.jsonl');
    appendFileSync(path, '{"torn');
    const journal = openFileJournal(directory);
    // The epoch is raised and the end set aside while there is room; only the lines have none.
    const repaired = journal.append({ ...update('n', 1, 'torn'), data: { text: 'x'.repeat(9_000) } });
    const makeRoom = fill();
    await expect(repaired).rejects.toMatchObject(full);
    await expect(journal.claim('torn')).rejects.toMatchObject(full);
    makeRoom();
    await journal.append(update('n', 2, 'torn'));
    const types = (await journal.read('torn')).map((entry) => entry.entry_type).slice(-3);
    expect(types).toEqual(['journal_repaired', 'writer_opened', 'context_update']);
    expect(new Set(verdicts(path))).toEqual(new Set(['verified']));
    await journal.close();
  });

  test('a repair that finds no room leaves the torn end where it is, and no half copy of it', async (context) => {
    const { directory: root, fill } = diskOf(context);
    const directory = join(root, 'journal');
    const first = openFileJournal(directory);
    await first.append(update('n', 0));
    await first.close();
    const path = join(directory, 'one.jsonl');
    appendFileSync(path, 't'.repeat(20_000));
    const bytes = readFileSync(path);
    const journal = openFileJournal(directory);
    const makeRoom = fill();
    await expect(journal.append(update('n', 1))).rejects.toMatchObject({ code: 'journal.repair-failed' });
    expect(readFileSync(path)).toEqual(bytes);
    makeRoom();
    const quarantine = join(directory, '.holdfast/quarantine');
    expect(existsSync(quarantine) ? readdirSync(quarantine) : []).toEqual([]);
    await journal.append(update('n', 1));
    expect(readdirSync(quarantine)).toHaveLength(1);
    await journal.close();
  });

  test('opening on it says so, and the lock is free for the next attempt', async (context) => {
    const { directory: root, fill } = diskOf(context);
    const directory = join(root, 'journal');
    await openFileJournal(directory).close();
    const makeRoom = fill();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(() => openFileJournal(directory)).toThrow(
        expect.objectContaining({ code: 'journal.lock-unusable' }) as Error,
      );
    }
    makeRoom();
    const journal = openFileJournal(directory);
    await journal.append(update('n', 1));
    await journal.close();
  });
});

describe('[J7] an error that is worse than a full disk', () => {
  test('poisons the file: what can not be synced is refused, and so is everything after it', async (context) => {
    if (process.platform !== 'linux') context.skip('needs a device that takes writes and no syncs: Linux');
    // Takes writes, and refuses to be synced.
    const fd = openSync('/dev/null', 'r+');
    const file = new AppendFile(fd, '/dev/null', { seq: 0, prev: FIRST_PREV, sizeBytes: 0 }, 'always');
    const entry = fixedEntry(update('n', 1));
    await expect(file.append(entry)).rejects.toMatchObject({ code: 'journal.poisoned' });
    expect(file.isPoisoned).toBe(true);
    await expect(file.append(entry)).rejects.toMatchObject({ code: 'journal.poisoned' });
    await file.close();
  });

  test('that comes from the sync, “disk full” included, is never taken for one that can be cut back', async () => {
    const directory = tempDirectory();
    const path = join(directory, 'one.jsonl');
    vi.resetModules();
    // No disk here can be made to answer a sync with ENOSPC, as network disks and quotas do.
    vi.doMock('node:fs', async (original) => ({
      ...(await original<typeof fs>()),
      fdatasync: (_fd: number, done: (error: Error) => void) =>
        done(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })),
    }));
    const { AppendFile: Appending } = await import('../../core/journal/append-file.ts');
    vi.doUnmock('node:fs');
    const fd = openSync(path, 'a+');
    const file = new Appending(fd, path, { seq: 0, prev: FIRST_PREV, sizeBytes: 0 }, 'always');
    await expect(file.append(fixedEntry(update('n', 1)))).rejects.toMatchObject({ code: 'journal.poisoned' });
    expect(file.isPoisoned).toBe(true);
    closeSync(fd);
  });
});
