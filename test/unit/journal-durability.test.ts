// What each durability level does, by the syncs that it asks for, and that many journals of one host share the disk fairly.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';
import { openFileJournal } from '../../core/journal/index.ts';
import { journalLines } from '../../core/journal/read-entries.ts';
import { decodeLine } from '../../core/journal/codec.ts';
import { readHead, headPath } from '../../core/journal/head-file.ts';
import { update } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

interface Counted {
  readonly disk: Disk;
  readonly syncs: () => number;
}

function counted(): Counted {
  let syncs = 0;
  const sync = (fd: number): Promise<void> => {
    syncs += 1;
    return LOCAL_DISK.sync(fd);
  };
  return { disk: { ...LOCAL_DISK, sync }, syncs: () => syncs };
}

const acks = (directory: string): number[] =>
  [...journalLines(directory, 'one')].map(({ line }) => {
    const decoded = decodeLine(line.bytes);
    return decoded.ok ? (decoded.keys?.ack ?? -1) : -1;
  });

describe('durability', () => {
  test('[P1] always: an entry is acknowledged when a sync behind it has ended, and the next line says so', async () => {
    const directory = tempDirectory();
    const { disk, syncs } = counted();
    const journal = openFileJournal(directory, { disk });
    await journal.claim('one');
    for (let n = 1; n <= 5; n += 1) {
      const before = syncs();
      const { seq } = await journal.append(update('n', n));
      expect(syncs()).toBe(before + 1);
      expect(readHead(headPath(directory, 'one'))).toMatchObject({ seq });
    }
    expect(acks(directory)).toEqual([0, 1, 2, 3, 4, 5]);
    await journal.close();
  });

  test('[P1] always: entries given together share one write and one sync, in call order', async () => {
    const directory = tempDirectory();
    const { disk, syncs } = counted();
    const journal = openFileJournal(directory, { disk });
    await journal.claim('one');
    const before = syncs();
    const stored = await Promise.all(Array.from({ length: 100 }, (_, n) => journal.append(update('n', n))));
    expect(syncs()).toBe(before + 1);
    expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 100 }, (_, n) => n + 2));
    await journal.close();
  });

  test('[P1] always: what nothing waits for is in the file at once, and shares the sync of what comes next', async () => {
    const directory = tempDirectory();
    const { disk, syncs } = counted();
    const journal = openFileJournal(directory, { disk });
    await journal.claim('one');
    const before = syncs();
    const acknowledged: number[] = [];
    const noted = [1, 2, 3].map(async (n) => {
      const { seq } = await journal.append(update('n', n), { unhurried: true });
      acknowledged.push(seq);
    });
    const last = await journal.append(update('n', 4));
    acknowledged.push(last.seq);
    await Promise.all(noted);
    expect(acknowledged).toEqual([2, 3, 4, 5]);
    expect(syncs()).toBe(before + 1);
    await journal.close();
  });

  test('[P1] always: what nothing waits for is durable a moment later, also when nothing comes behind it', async () => {
    const directory = tempDirectory();
    const { disk, syncs } = counted();
    const journal = openFileJournal(directory, { disk });
    await journal.claim('one');
    const before = syncs();
    const { seq } = await journal.append(update('n', 1), { unhurried: true });
    expect(syncs()).toBe(before + 1);
    expect(readHead(headPath(directory, 'one'))).toMatchObject({ seq });
    const left = journal.append(update('n', 2), { unhurried: true });
    await journal.close();
    expect(await left).toMatchObject({ seq: seq + 1 });
  });

  test.each(['what comes next', 'nothing behind it', 'closing'])(
    '[J7] what nothing waits for is refused when its sync fails, that of %s',
    async (next) => {
      const directory = tempDirectory();
      let isBroken = false;
      const sync = (fd: number): Promise<void> =>
        isBroken ? Promise.reject(new Error('the cable came loose')) : LOCAL_DISK.sync(fd);
      const journal = openFileJournal(directory, { disk: { ...LOCAL_DISK, sync } });
      await journal.claim('one');
      isBroken = true;
      const appended = [journal.append(update('n', 1), { unhurried: true })];
      if (next === 'what comes next') appended.push(journal.append(update('n', 2)));
      const closed = next === 'closing' ? journal.close().catch(() => {}) : null;
      for (const entry of appended) await expect(entry).rejects.toMatchObject({ code: 'journal.poisoned' });
      await closed;
      await journal.close().catch(() => {});
    },
  );

  test('interval: acknowledged when written, synced soon after, and the head follows the sync', async () => {
    const directory = tempDirectory();
    const { disk, syncs } = counted();
    const journal = openFileJournal(directory, { disk, durability: 'interval' });
    await journal.claim('one');
    const before = syncs();
    const stored = await Promise.all(Array.from({ length: 20 }, (_, n) => journal.append(update('n', n))));
    const last = stored.at(-1)!.seq;
    await waitFor(() => readHead(headPath(directory, 'one'))?.seq === last, { what: 'the sync' });
    expect(syncs() - before).toBeLessThan(20);
    await journal.close();
  });

  test('os: no sync for what is appended, but for what asks for one [S29]; and closing syncs what is left', async () => {
    const directory = tempDirectory();
    const { disk, syncs } = counted();
    const journal = openFileJournal(directory, { disk, durability: 'os' });
    await journal.claim('one');
    const before = syncs();
    for (let n = 0; n < 10; n += 1) await journal.append(update('n', n));
    expect(syncs()).toBe(before);
    await journal.append(update('n', 10), { synced: true });
    expect(syncs()).toBe(before + 1);
    expect(readHead(headPath(directory, 'one'))).toMatchObject({ seq: 12 });
    await journal.append(update('n', 11));
    await journal.close();
    expect(readHead(headPath(directory, 'one'))).toMatchObject({ seq: 13 });
  });

  test('a process may be kept otherwise than its journal', async () => {
    const directory = tempDirectory();
    const { disk, syncs } = counted();
    const journal = openFileJournal(directory, { disk });
    await journal.claim('one', { durability: 'os' });
    const before = syncs();
    await journal.append(update('n', 1));
    expect(syncs()).toBe(before);
    await journal.append(update('n', 1, 'two'));
    expect(syncs()).toBeGreaterThan(before);
    await journal.close();
  });

  test('close leaves nothing unacknowledged, however much is lined up', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    const appended = Array.from({ length: 500 }, (_, n) => journal.append(update('n', n)));
    let settled = 0;
    for (const promise of appended) void promise.then(() => (settled += 1));
    await journal.close();
    expect(settled).toBe(500);
    expect(readFileSync(join(directory, 'one.jsonl'), 'utf8').split('\n')).toHaveLength(502);
    await expect(journal.append(update('n', 1))).rejects.toMatchObject({ code: 'journal.closed' });
  });
});

test('a process with much to say does not keep the others of its host from theirs', async () => {
  const directory = tempDirectory();
  const journal = openFileJournal(directory);
  const names = Array.from({ length: 20 }, (_, n) => `quiet-${n}`);
  for (const name of ['loud', ...names]) await journal.claim(name);
  let loud = 0;
  const flood = Array.from({ length: 60_000 }, (_, n) =>
    journal.append(update('n', n, 'loud')).then(() => (loud += 1)),
  );
  await Promise.all(
    names.map(async (name) => {
      for (let n = 0; n < 3; n += 1) await journal.append(update('n', n, name));
    }),
  );
  expect(loud).toBeLessThan(flood.length);
  await Promise.all(flood);
  await journal.close();
});
