// The simulator on trial: writers that are known to be wrong must be caught, and one that is right must never be.

import { constants } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeAll } from '../../core/journal/disk.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { cachedTree, kills, powerCuts, type CrashState } from './crash-states.ts';
import type { Tree } from './operations.ts';
import { RecordingDisk } from './recording-disk.ts';
import { compareTrees, readTree } from './trees.ts';

const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;

/** What was said to be durable, in order, is what the file begins with. */
type Script = (disk: RecordingDisk, path: (name: string) => string) => Promise<void> | void;

async function record(script: Script, prepare?: Script): Promise<RecordingDisk> {
  const root = tempDirectory();
  if (prepare !== undefined) await prepare(new RecordingDisk(root), (name) => join(root, name));
  const disk = new RecordingDisk(root);
  await script(disk, (name) => join(root, name));
  expect(compareTrees(cachedTree(disk), readTree(root))).toEqual([]);
  return disk;
}

const textOf = (tree: Tree, path: string): string | null => tree.get(path)?.toString('latin1') ?? null;

/** Every way in which `file` may look, as short texts. */
function looks(states: Iterable<CrashState>, file: string): Set<string | null> {
  return new Set([...states].map(({ tree }) => textOf(tree, file)));
}

const atTheEndOf = ({ operations }: RecordingDisk) => ({
  isChosen: (point: number) => point === operations.length,
});

const acknowledgedBy = (disk: RecordingDisk, { point }: CrashState): number =>
  disk.operations.slice(0, point).filter((operation) => operation.kind === 'acknowledged').length;

/** The states in which fewer lines are there than were acknowledged. */
function losses(disk: RecordingDisk, file = 'log'): readonly string[] {
  return [...powerCuts(disk)]
    .filter((state) => {
      const lines = (textOf(state.tree, file) ?? '').split('\n');
      return Array.from({ length: acknowledgedBy(disk, state) }, (_, n) => `line ${n + 1}`).some(
        (line, n) => lines[n] !== line,
      );
    })
    .map(({ point, how }) => `${point}: ${how}`);
}

async function append(disk: RecordingDisk, fd: number, n: number, synced = true): Promise<void> {
  writeAll(disk, fd, Buffer.from(`line ${n}\n`));
  if (synced) await disk.sync(fd);
  disk.acknowledged('p', String(n));
}

describe('a writer that is right loses nothing in any state:', () => {
  test('one that syncs the new name, then every line', async () => {
    const disk = await record(async (disk, path) => {
      const fd = disk.open(path('log'), APPEND);
      await disk.syncDirectory(path(''));
      for (let n = 1; n <= 4; n += 1) await append(disk, fd, n);
      disk.close(fd);
    });
    expect(losses(disk)).toEqual([]);
    // And what it had not said may be there in part: cut anywhere, or as zeros.
    const seen = looks(powerCuts(disk), 'log');
    for (const end of [1, 3, 6, 7, 8]) expect(seen).toContain('line 1\nline 2\n'.slice(0, end));
    expect(seen).toContain(`line 1\n${'\0'.repeat(7)}`);
    expect(seen).toContain(null);
  });

  test('one that replaces a file by another that is synced first', async () => {
    const disk = await record(
      async (disk, path) => {
        const fd = disk.open(path('next'), 'w');
        writeAll(disk, fd, Buffer.from('new'));
        await disk.sync(fd);
        disk.close(fd);
        disk.rename(path('next'), path('file'));
        await disk.syncDirectory(path(''));
      },
      (disk, path) => {
        const fd = disk.open(path('file'), 'w');
        writeAll(disk, fd, Buffer.from('old'));
        disk.close(fd);
      },
    );
    expect(looks(powerCuts(disk), 'file')).toEqual(new Set(['old', 'new']));
    expect([...powerCuts(disk)].at(-1)!.tree).toEqual(new Map([['file', Buffer.from('new')]]));
  });
});

describe('a writer that is wrong is caught:', () => {
  const wrong: readonly [string, Script][] = [
    [
      'it forgets to sync',
      async (disk, path) => {
        const fd = disk.open(path('log'), APPEND);
        await disk.syncDirectory(path(''));
        for (let n = 1; n <= 3; n += 1) await append(disk, fd, n, n !== 2);
        disk.close(fd);
      },
    ],
    [
      'it forgets to sync the directory of a new file',
      async (disk, path) => {
        const fd = disk.open(path('log'), APPEND);
        await append(disk, fd, 1);
        disk.close(fd);
      },
    ],
    [
      'it says so before the sync is through',
      async (disk, path) => {
        const fd = disk.open(path('log'), APPEND);
        await disk.syncDirectory(path(''));
        writeAll(disk, fd, Buffer.from('line 1\n'));
        const syncing = disk.sync(fd);
        disk.acknowledged('p', '1');
        await syncing;
        disk.close(fd);
      },
    ],
    [
      'it takes a sync for one that also covers what was written after it began',
      async (disk, path) => {
        const fd = disk.open(path('log'), APPEND);
        await disk.syncDirectory(path(''));
        const syncing = disk.sync(fd);
        writeAll(disk, fd, Buffer.from('line 1\n'));
        await syncing;
        disk.acknowledged('p', '1');
        disk.close(fd);
      },
    ],
    [
      'it tries a failed sync again and believes the second answer',
      async (disk, path) => {
        const fd = disk.open(path('log'), APPEND);
        await disk.syncDirectory(path(''));
        writeAll(disk, fd, Buffer.from('line 1\n'));
        disk.failSyncNow(fd);
        await disk.sync(fd);
        disk.acknowledged('p', '1');
        disk.close(fd);
      },
    ],
    [
      'it replaces the file without syncing the new one',
      async (disk, path) => {
        const fd = disk.open(path('log'), APPEND);
        await disk.syncDirectory(path(''));
        await append(disk, fd, 1);
        disk.close(fd);
        const next = disk.open(path('next'), 'w');
        writeAll(disk, next, Buffer.from('line 1\nline 2\n'));
        disk.close(next);
        disk.rename(path('next'), path('log'));
        await disk.syncDirectory(path(''));
      },
    ],
    [
      'it moves the file away and another one in its place, and syncs the directories at the end',
      async (disk, path) => {
        disk.makeDirectory(path('old'));
        const fd = disk.open(path('log'), APPEND);
        await disk.syncDirectory(path(''));
        await append(disk, fd, 1);
        disk.close(fd);
        const next = disk.open(path('next'), APPEND);
        writeAll(disk, next, Buffer.from('line 1\n'));
        await disk.sync(next);
        disk.close(next);
        disk.rename(path('log'), path('old/log'));
        disk.rename(path('next'), path('log'));
        await disk.syncDirectory(path(''));
        await disk.syncDirectory(path('old'));
      },
    ],
    [
      'it puts a file into a directory that is not durable itself',
      async (disk, path) => {
        disk.makeDirectory(path('new'));
        const fd = disk.open(path('new/log'), APPEND);
        await disk.syncDirectory(path('new'));
        await append(disk, fd, 1);
        disk.close(fd);
      },
    ],
  ];
  test.each(wrong)('%s', async (name, script) => {
    const disk = await record(script);
    expect(losses(disk, name.includes('itself') ? 'new/log' : 'log')).not.toEqual([]);
  });
});

describe('what may be on the disk', () => {
  const PAGE = 4096;
  const written = (letter: string, pages: number): Buffer => Buffer.alloc(pages * PAGE, letter);

  test('a later page may be there and an earlier one not, a page may be torn at a sector, the size may be ahead', async () => {
    const disk = await record(async (disk, path) => {
      const fd = disk.open(path('log'), APPEND);
      await disk.syncDirectory(path(''));
      writeAll(disk, fd, written('x', 3));
      await disk.sync(fd);
      disk.close(fd);
    });
    const seen = looks(powerCuts(disk), 'log');
    const [no, yes] = ['\0'.repeat(PAGE), 'x'.repeat(PAGE)];
    for (const pages of [no + yes + yes, yes + no + yes, yes + yes + no, no + no + yes, no + no + no]) {
      expect(seen).toContain(pages);
    }
    expect(seen).toContain(`${yes + yes}${'x'.repeat(512)}${'\0'.repeat(PAGE - 512)}`);
    expect(seen).toContain(`${yes + yes}${'\0'.repeat(512)}${'x'.repeat(PAGE - 512)}`);
    expect(seen).toContain(yes + 'x'.repeat(1024));
  });

  test('a cut that was not synced may not have happened, and what is written behind it may be there first', async () => {
    const disk = await record(
      async (disk, path) => {
        const fd = disk.open(path('log'), APPEND);
        disk.truncate(fd, 4, path('log'));
        writeAll(disk, fd, Buffer.from('new'));
        await disk.sync(fd);
        disk.close(fd);
      },
      (disk, path) => {
        const fd = disk.open(path('log'), 'w');
        writeAll(disk, fd, Buffer.from('goodtorntorn'));
        disk.close(fd);
      },
    );
    const seen = looks(powerCuts(disk), 'log');
    expect(seen).toEqual(
      new Set([
        'goodtorntorn',
        'good',
        'goodn',
        'goodne',
        'goodnew',
        // Only the size got there, with the old bytes or with zeros under it.
        'goodtor',
        'good\0\0\0',
        // Only the page did, under the old size.
        'goodnew\0\0\0\0\0',
        'good\0\0\0\0\0\0\0\0',
      ]),
    );
    expect(textOf([...powerCuts(disk)].at(-1)!.tree, 'log')).toBe('goodnew');
  });

  test('pages whose sync failed stay open, until their page is written again and synced', async () => {
    const disk = await record(async (disk, path) => {
      const fd = disk.open(path('log'), APPEND);
      await disk.syncDirectory(path(''));
      writeAll(disk, fd, written('a', 1));
      disk.failSyncNow(fd);
      writeAll(disk, fd, written('b', 1));
      await disk.sync(fd);
      disk.close(fd);
    });
    const atTheEnd = [...powerCuts(disk, atTheEndOf(disk))];
    const [a, b] = [written('a', 1).toString(), written('b', 1).toString()];
    expect(looks(atTheEnd, 'log')).toContain(`${'\0'.repeat(PAGE)}${b}`);
    expect(looks(atTheEnd, 'log')).toContain(a + b);

    const healed = await record(async (disk, path) => {
      const fd = disk.open(path('log'), APPEND);
      await disk.syncDirectory(path(''));
      writeAll(disk, fd, Buffer.from('a'));
      disk.failSyncNow(fd);
      writeAll(disk, fd, Buffer.from('b'));
      await disk.sync(fd);
      disk.close(fd);
    });
    expect(looks(powerCuts(healed, atTheEndOf(healed)), 'log')).toEqual(new Set(['ab']));
  });

  test('a kill leaves what was done before it, and of a write in the middle any beginning', async () => {
    const disk = await record(async (disk, path) => {
      const fd = disk.open(path('log'), APPEND);
      writeAll(disk, fd, Buffer.from('one\n'));
      disk.rename(path('log'), path('done'));
      disk.close(fd);
    });
    expect(looks(kills(disk), 'log')).toEqual(new Set([null, '', 'o', 'on', 'one', 'one\n']));
    expect(looks(kills(disk), 'done')).toEqual(new Set([null, 'one\n']));
  });

  test('the same seed gives the same states, in the same order', async () => {
    const disk = await record(async (disk, path) => {
      const fd = disk.open(path('log'), APPEND);
      for (let n = 0; n < 5; n += 1) writeAll(disk, fd, written(String(n), 2));
      await disk.sync(fd);
      disk.close(fd);
    });
    const options = { perPoint: 20, randomPerPoint: 5, seed: 7 };
    const once = [...powerCuts(disk, options)];
    expect([...powerCuts(disk, options)]).toEqual(once);
    expect(once.length).toBeLessThanOrEqual(25 * (disk.operations.length + 1));
    expect([...powerCuts(disk, { ...options, seed: 8 })]).not.toEqual(once);
  });
});
