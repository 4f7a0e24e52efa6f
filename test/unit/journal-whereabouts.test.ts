// S10 and S13: a journal that is not where it was, or not as it was, is noticed before anything goes on from it.

import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hostIdentity } from '../../core/journal/host-identity.ts';
import { openFileJournal, readFileJournal, type FileJournal } from '../../core/journal/index.ts';
import { whyShared } from '../../core/journal/shared-disk.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { treeHash } from '../support/fixtures.ts';
import { update } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';

interface Place {
  readonly root: string;
  readonly directory: string;
  readonly known: string;
}

function place(): Place {
  const root = tempDirectory();
  return { root, directory: join(root, 'journal'), known: join(root, 'data/journals') };
}

/** Opens, appends as often as asked, and closes. */
async function run({ known }: Place, directory: string, count: number): Promise<FileJournal> {
  const journal = openFileJournal(directory, { knownJournals: known });
  for (let n = 0; n < count; n += 1) await journal.append(update('n', n));
  await journal.claim('one');
  await journal.close();
  return journal;
}

/** The reason of the hold that the last taking over placed; null where there was none. */
async function held(directory: string): Promise<string | null> {
  const { snapshot } = await new ReplayEngine(readFileJournal(directory)).recover('one');
  return snapshot.holds.find(({ kind }) => kind === 'gap')?.reason ?? null;
}

describe('[S10] a journal', () => {
  test('that stays where it is is never held, however often it is opened', async () => {
    const at = place();
    for (let round = 0; round < 5; round += 1) await run(at, at.directory, 3);
    expect(await held(at.directory)).toBeNull();
  });

  test('that is renamed on its disk goes on: it is the same one', async () => {
    const at = place();
    const { marker } = await run(at, at.directory, 3);
    renameSync(at.directory, join(at.root, 'elsewhere'));
    const again = await run(at, join(at.root, 'elsewhere'), 1);
    expect(await held(join(at.root, 'elsewhere'))).toBeNull();
    expect(again.marker!.id).toBe(marker!.id);
  });

  test('that is copied gets a name of its own, and what runs from it is held', async () => {
    const at = place();
    const { marker } = await run(at, at.directory, 3);
    const copy = join(at.root, 'copy');
    cpSync(at.directory, copy, { recursive: true });
    const copied = await run(at, copy, 0);
    expect(copied.marker).toMatchObject({ copiedFrom: marker!.id });
    expect(copied.marker!.id).not.toBe(marker!.id);
    expect(await held(copy)).toContain('copy of one that is still there');
    // The original is not concerned, and neither asks twice.
    expect((await run(at, at.directory, 1)).marker!.id).toBe(marker!.id);
    expect(await held(at.directory)).toBeNull();
    expect((await run(at, copy, 1)).marker!.id).toBe(copied.marker!.id);
    const holds = await readFileJournal(copy).read('one', { entryType: 'hold_placed' });
    expect(holds).toHaveLength(1);
  });

  test('that was moved to another disk, or copied before this user ever saw it, is held', async () => {
    const at = place();
    await run(at, at.directory, 3);
    cpSync(at.directory, join(at.root, 'moved'), { recursive: true });
    rmSync(at.directory, { recursive: true });
    await run(at, join(at.root, 'moved'), 0);
    expect(await held(join(at.root, 'moved'))).toContain('moved, copied or restored');
  });

  test('that another machine wrote last is held', async () => {
    const at = place();
    const other = openFileJournal(at.directory, { identity: { ...hostIdentity(), machine: 'another' } });
    await other.append(update('n', 1));
    await other.close();
    await run(at, at.directory, 0);
    expect(await held(at.directory)).toContain('moved, copied or restored');
  });

  test('that was put back from an older copy is held, with how far it had gone', async () => {
    const at = place();
    await run(at, at.directory, 3);
    cpSync(at.directory, join(at.root, 'backup'), { recursive: true });
    await run(at, at.directory, 4);
    const last = (await readFileJournal(at.directory).read('one')).at(-1)!.seq;
    rmSync(at.directory, { recursive: true });
    cpSync(join(at.root, 'backup'), at.directory, { recursive: true });
    await run(at, at.directory, 0);
    expect(await held(at.directory)).toContain(`up to entry ${last}: it was restored from an older copy`);
  });

  test('whose .holdfast was deleted goes on where its lines end', async () => {
    const at = place();
    await run(at, at.directory, 3);
    rmSync(join(at.directory, '.holdfast'), { recursive: true });
    await run(at, at.directory, 1);
    expect(await held(at.directory)).toBeNull();
    const entries = await readFileJournal(at.directory).read('one');
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
    const epochs = entries.flatMap(({ entry_type, data }) =>
      entry_type === 'writer_opened' ? [data['epoch'] as number] : [],
    );
    expect(epochs).toEqual([...epochs].sort((a, b) => a - b));
    expect(new Set(epochs).size).toBe(epochs.length);
  });
});

describe('[S13] an end that was acknowledged and is gone', () => {
  test.each<[string, (path: string, bytes: Buffer) => void]>([
    ['cut at a line feed', (path, bytes) => truncateSync(path, bytes.lastIndexOf(10, -2) + 1)],
    ['cut inside a line', (path, bytes) => truncateSync(path, bytes.length - 20)],
    ['cut to nothing', (path) => truncateSync(path, 0)],
    ['deleted', (path) => rmSync(path)],
  ])('%s: refused, named, and nothing is written or cut', async (_, harm) => {
    const at = place();
    await run(at, at.directory, 3);
    const path = join(at.directory, 'one.jsonl');
    harm(path, readFileSync(path));
    const left = existsSync(path) ? readFileSync(path) : null;
    const journal = openFileJournal(at.directory);
    await expect(journal.append(update('n', 9))).rejects.toMatchObject({
      code: 'journal.lost-tail',
      detail: { process: 'one', expected: 4 },
    });
    await journal.close();
    expect(existsSync(path) ? readFileSync(path) : null).toEqual(left);
    expect(existsSync(join(at.directory, '.holdfast/quarantine'))).toBe(false);
  });

  test('replaced by another line of the same length is refused too', async () => {
    const at = place();
    await run(at, at.directory, 3);
    const path = join(at.directory, 'one.jsonl');
    const bytes = readFileSync(path);
    const end = bytes.lastIndexOf(10, -2) + 1;
    writeFileSync(
      path,
      Buffer.concat([bytes.subarray(0, end), bytes.subarray(end)]).fill('x', end + 5, end + 6),
    );
    const journal = openFileJournal(at.directory);
    await expect(journal.claim('one')).rejects.toMatchObject({ code: 'journal.lost-tail' });
    await journal.close();
  });

  test('is not missed where a head can not be read: nothing is claimed that nobody knows', async () => {
    const at = place();
    await run(at, at.directory, 3);
    const path = join(at.directory, 'one.jsonl');
    const bytes = readFileSync(path);
    truncateSync(path, bytes.lastIndexOf(10, -2) + 1);
    writeFileSync(join(at.directory, '.holdfast/heads/one.head'), Buffer.alloc(256));
    await run({ ...at, known: join(at.root, 'other') }, at.directory, 1);
    expect(await held(at.directory)).toBeNull();
  });
});

describe('[S8] lines of somebody else', () => {
  test('behind ours are told of before anything else, and the chain goes on from them', async () => {
    const at = place();
    await run(at, at.directory, 1);
    const foreign: JsonObject = {
      entry_id: 'x',
      process_id: 'one',
      timestamp: '2026-01-05T09:00:00+00:00',
      entry_type: 'context_update',
      data: { key: 'theirs', value: 1 },
    };
    for (let n = 0; n < 2; n += 1)
      appendFileSync(join(at.directory, 'one.jsonl'), `${JSON.stringify(foreign)}\n`);
    await run(at, at.directory, 1);
    const entries = await readFileJournal(at.directory).read('one');
    const told = entries.findIndex(({ entry_type }) => entry_type === 'foreign_lines');
    expect(entries[told]!.data).toEqual({ from: 3, to: 4 });
    expect(entries.slice(told - 2).map(({ verification }) => verification)).toEqual([
      'unverified',
      'unverified',
      'verified',
      'verified',
      'verified',
    ]);
    expect(await new ReplayEngine(readFileJournal(at.directory)).recover('one')).toMatchObject({
      context_state: { theirs: 1 },
      damage: [],
    });
  });

  test('[S6] a lock that was taken away stops the writer before somebody else can be the second', async () => {
    const at = place();
    const journal = openFileJournal(at.directory);
    await journal.append(update('n', 1));
    rmSync(join(at.directory, '.holdfast/lock'), { recursive: true });
    await expect(journal.append(update('n', 2))).rejects.toMatchObject({ code: 'journal.lock-lost' });
    await journal.close();
  });
});

describe('[S10] a place where locks mean nothing', () => {
  test.each(['Dropbox', 'OneDrive - Acme', 'Google Drive', 'Nextcloud'])(
    'a folder called %s is refused, with what to do, and nothing is made in it',
    (name) => {
      const root = tempDirectory();
      const folder = join(root, name, 'work');
      mkdirSync(folder, { recursive: true });
      const before = treeHash(root);
      expect(() => openFileJournal(join(folder, 'journal'))).toThrow(
        expect.objectContaining({ code: 'journal.shared-disk' }) as Error,
      );
      expect(treeHash(root)).toBe(before);
      const journal = openFileJournal(join(folder, 'journal'), { allowSharedDisk: true });
      expect(journal.marker).not.toBeNull();
      return journal.close();
    },
  );

  test('but not a home directory in which a client keeps its settings', () => {
    const home = tempDirectory();
    mkdirSync(join(home, '.dropbox'));
    expect(whyShared(join(home, 'code'))).toBeNull();
  });

  test('so is one that a service left its mark in, however it is called', () => {
    const root = tempDirectory();
    mkdirSync(join(root, 'shared/.stfolder'), { recursive: true });
    mkdirSync(join(root, 'shared/deep/er'), { recursive: true });
    expect(whyShared(join(root, 'shared/deep/er'))).toContain('.stfolder');
    expect(whyShared(join(root, 'other'))).toBeNull();
  });

  test('and a network share of Windows', () => {
    expect(whyShared('//server/share/journal', 'win32')).toBe('is on a network share');
  });
});
