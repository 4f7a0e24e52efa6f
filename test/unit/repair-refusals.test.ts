// [S14] Where `holdfast repair` refuses or fails: the original is as it was, and nothing is left where the copy was to be.

import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';
import { repairJournal } from '../../core/journal/repair-journal.ts';
import { treeHash } from '../support/fixtures.ts';
import { heldJournal } from '../support/held-journal.ts';
import { fileOf, foreignLine } from '../support/journal-bytes.ts';
import { recover } from '../support/recover.ts';
import { damage, repair, writeCounting } from '../support/repairs.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { tinyDisk } from '../support/tiny-disk.ts';

describe('refused, with the original and the target as they were', () => {
  const damaged = async (): Promise<string> => {
    const directory = tempDirectory();
    await writeCounting(directory, { one: 15 });
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
    const holder = await heldJournal(directory);
    const to = join(tempDirectory(), 'copy');
    const error = await refusal(directory, to);
    expect(error).toMatchObject({ code: 'repair.being-written' });
    expect(error.message).toContain(`process ${holder.process.pid}`);
    holder.process.kill('SIGKILL');
    await holder.ended;
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
    await writeCounting(directory, { one: 15, two: 3 }, { segmentBytes: 1_500 });
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
  });

  test('[J7] on a disk that is full says so, and leaves nothing behind', async (context) => {
    const tiny = tinyDisk(1024 * 1024);
    if (typeof tiny === 'string') return context.skip(tiny);
    const directory = tempDirectory();
    await writeCounting(directory, { one: 5_000 });
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
