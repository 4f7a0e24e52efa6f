// J7 on a disk that is really full: nothing acknowledged is lost, nothing half written stays, and once there is room the
// same journal goes on. What is worse than full poisons the file.

import { appendFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, type TestContext } from 'vitest';
import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';
import { openFileJournal } from '../../core/journal/index.ts';
import { entriesForwards, isBad } from '../../core/journal/read-entries.ts';
import { codeOf } from '../../core/model/errors.ts';
import { update } from '../support/journal-bytes.ts';
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
      expect(verdicts(path)).toEqual(Array.from({ length: acknowledged.length + 3 }, () => 'verified'));
    }

    makeRoom();
    const next = await journal.append(update('n', 1));
    expect(next.seq).toBe(acknowledged.length + 4);
    // Said once, in room that was kept for it.
    expect(await journal.read('one', { entryType: 'journal_full' })).toMatchObject([
      { seq: acknowledged.length + 3, data: { refused_entries: 1 } },
    ]);
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
    expect((await journal.read('one')).map((entry) => entry.entry_type)).toEqual([
      'writer_opened',
      'context_update',
      'journal_full',
    ]);
    makeRoom();
    const again = await Promise.all(Array.from({ length: 40 }, (_, n) => journal.append(large(n))));
    expect(again.map((entry) => entry.seq)).toEqual(again.map((_, at) => at + 4));
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
    expect(readdirSync(join(directory, '.holdfast')).sort()).toEqual([
      'heads',
      'holder.json',
      'lock',
      'reserve',
    ]);
    makeRoom();
    await journal.checkpoint('one', { context_state: { n: 2 } });
    expect(await journal.lastCheckpoint('one')).toMatchObject({ state: { context_state: { n: 2 } } });
    await journal.close();
  });

  test('[S7, J6] who could not sign in, or tell of a repair, does so first when there is room', async () => {
    const directory = tempDirectory();
    const first = openFileJournal(directory);
    await first.append(update('n', 0, 'torn'));
    await first.close();
    const path = join(directory, 'torn.jsonl');
    appendFileSync(path, '{"torn');
    // The epoch is raised and the end set aside while there is room; only the lines have none.
    let isFull = true;
    const disk: Disk = {
      ...LOCAL_DISK,
      write: (...args) => {
        if (isFull && Buffer.from(args[1]).includes('"entry_id"'))
          throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        return LOCAL_DISK.write(...args);
      },
    };
    const journal = openFileJournal(directory, { disk });
    await expect(journal.append(update('n', 1, 'torn'))).rejects.toMatchObject(full);
    await expect(journal.claim('torn')).rejects.toMatchObject(full);
    isFull = false;
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
  /** A disk whose syncs fail from now on. */
  function failing(code: string): { readonly disk: Disk; fail: boolean; readonly syncs: () => number } {
    let syncs = 0;
    const state = {
      fail: false,
      syncs: () => syncs,
      disk: {
        ...LOCAL_DISK,
        sync: async (fd: number) => {
          syncs += 1;
          if (state.fail) throw Object.assign(new Error('the disk said no'), { code });
          await LOCAL_DISK.sync(fd);
        },
      },
    };
    return state;
  }

  test.each(['EIO', 'ENOSPC'])(
    'that comes from the sync, %s, poisons the file: nothing more goes through that descriptor, and nothing is tried again',
    async (code) => {
      const directory = tempDirectory();
      const state = failing(code);
      const journal = openFileJournal(directory, { disk: state.disk });
      await journal.append(update('n', 1));
      state.fail = true;
      await expect(journal.append(update('n', 2))).rejects.toMatchObject({ code: 'journal.poisoned' });
      const syncs = state.syncs();
      state.fail = false;
      await expect(journal.append(update('n', 3))).rejects.toMatchObject({ code: 'journal.poisoned' });
      expect(state.syncs()).toBe(syncs);
      await journal.close();
    },
  );

  test('[S11] leaves a journal that is written anew before anything in it is called durable', async () => {
    const directory = tempDirectory();
    const path = join(directory, 'one.jsonl');
    const state = failing('EIO');
    const journal = openFileJournal(directory, { disk: state.disk });
    await journal.append(update('n', 1));
    const inode = statSync(path).ino;
    state.fail = true;
    await expect(journal.append(update('n', 2))).rejects.toMatchObject({ code: 'journal.poisoned' });
    state.fail = false;
    await journal.claim('one');
    expect(statSync(path).ino).not.toBe(inode);
    const { seq } = await journal.append(update('n', 3));
    await journal.close();
    // What was refused may be there all the same: nobody was told that it is not.
    expect(seq).toBe(5);
    expect(new Set(verdicts(path))).toEqual(new Set(['verified']));
  });
});
