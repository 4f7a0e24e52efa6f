import { appendFileSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openFileJournal, readFileJournal, type FileJournal } from '../../core/journal/index.ts';
import { inspectDirectory } from '../../core/journal/inspect-directory.ts';
import { isBad } from '../../core/model/entry.ts';
import type { EntryPart } from '../../core/model/ports.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import { FOLD_VERSION } from '../../core/model/fold.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { followJournal } from '../../core/tail/follow-journal.ts';
import { fileOf, foreignLine, ourLines, update, writeOurDirectory } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const FULL = snapshotToState(emptySnapshot(), FOLD_VERSION);

interface Follower {
  /** The numbers of what was heard. */
  readonly seqs: () => readonly number[];
  readonly replaced: () => number;
}

function follow(directory: string): Follower {
  const seqs: number[] = [];
  let replaced = 0;
  const following = followJournal(readFileJournal(directory), 'one', null, {
    onItems: (items) => {
      for (const item of items) seqs.push(isBad(item) ? -item.seq : item.seq);
    },
    onReplaced: () => {
      replaced += 1;
      seqs.length = 0;
    },
  });
  onTestFinished(() => following[Symbol.dispose]());
  return { seqs: () => seqs, replaced: () => replaced };
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

describe('a followed journal', () => {
  test('[J4] is read at once and as it grows, whole lines only, each once', async () => {
    const directory = tempDirectory();
    const lines = ourLines([update('n', 1), update('n', 2), update('n', 3)]);
    writeOurDirectory(directory, { 'one.jsonl': fileOf([lines[0]!]) });
    const path = join(directory, 'one.jsonl');
    const follower = follow(directory);
    await waitFor(() => follower.seqs().length === 1, { what: 'the first line' });
    for (const line of lines.slice(1)) {
      const count = follower.seqs().length;
      appendFileSync(path, line.subarray(0, 40));
      appendFileSync(path, Buffer.concat([line.subarray(40), Buffer.from('\n')]));
      await waitFor(() => follower.seqs().length === count + 1, { what: 'the next line' });
    }
    expect(follower.seqs()).toEqual([1, 2, 3]);
    expect(follower.replaced()).toBe(0);
  });

  test('[S15] goes on over sealed and packed segments: nothing is missed, and nothing is heard twice', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory, { segmentBytes: 2_000 });
    await journal.append(update('n', 0));
    const follower = follow(directory);
    for (let n = 1; n <= 60; n += 1) {
      await journal.append(update('n', n));
      if (n % 5 === 0) await journal.checkpoint('one', FULL);
    }
    const last = await journal.append(update('n', 61));
    await journal.settled();
    await waitFor(() => follower.seqs().at(-1) === last.seq, { what: 'the last entry' });
    expect(follower.seqs()).toEqual(upTo(last.seq));
    expect(follower.replaced()).toBe(0);
    await journal.close();
  });

  test('that is cut, replaced, or removed and made again begins anew, and says so', async () => {
    const directory = tempDirectory();
    const lines = ourLines(Array.from({ length: 6 }, (_, n) => update('n', n)));
    const path = join(directory, 'one.jsonl');
    writeOurDirectory(directory, { 'one.jsonl': fileOf(lines.slice(0, 4)) });
    const follower = follow(directory);
    await waitFor(() => follower.seqs().length === 4, { what: 'four lines' });
    truncateSync(path, fileOf(lines.slice(0, 2)).length);
    await waitFor(() => follower.replaced() === 1 && follower.seqs().length === 2, { what: 'the cut file' });
    writeFileSync(join(directory, 'other'), fileOf(lines.slice(0, 3)));
    renameSync(join(directory, 'other'), path);
    await waitFor(() => follower.replaced() === 2 && follower.seqs().length === 3, {
      what: 'the other file',
    });
    rmSync(path);
    appendFileSync(path, fileOf(lines));
    await waitFor(() => follower.seqs().length === 6, { what: 'the new file' });
    expect(follower.seqs()).toEqual(upTo(6));
  });

  describe.each<[string, (path: string, longer: Buffer) => void]>([
    ['emptied and filled again beyond where it was', (path, longer) => writeFileSync(path, longer)],
    [
      'replaced by a longer one',
      (path, longer) => {
        writeFileSync(`${path}.new`, longer);
        renameSync(`${path}.new`, path);
      },
    ],
    ['cut', (path) => truncateSync(path, 1)],
    ['removed', (path) => rmSync(path)],
  ])('[J4] that is %s', (_name, harm) => {
    const written = (from: number, count: number): Buffer =>
      fileOf(Array.from({ length: count }, (_, n) => foreignLine({ data: { key: 'n', value: from + n } })));
    const opened = (count: number): { readonly path: string; readonly journal: FileJournal } => {
      const directory = tempDirectory();
      const path = join(directory, 'one.jsonl');
      writeFileSync(path, written(1, count));
      return { path, journal: readFileJournal(directory) };
    };
    const isRefused = { code: 'journal.changed' };

    test('is not read on from a place of before', async () => {
      const { path, journal } = opened(3);
      const { value: part } = await journal.readFrom('one', null).next();
      harm(path, written(10_001, 6));
      await expect(journal.readFrom('one', (part as EntryPart).next).next()).rejects.toMatchObject(isRefused);
    });

    test.each(['readFrom', 'readSinceCheckpoint'] as const)(
      'while it is read (%s) gives nothing more',
      async (read) => {
        const { path, journal } = opened(2_000);
        const parts =
          read === 'readFrom' ? journal.readFrom('one', null) : journal.readSinceCheckpoint('one');
        let count = 0;
        const all = async (): Promise<void> => {
          for await (const { items } of parts) {
            if (count === 0) harm(path, written(10_001, 3_000));
            count += items.length;
          }
        };
        await expect(all()).rejects.toMatchObject(isRefused);
        expect(count).toBe(500);
      },
    );
  });

  test('that is not there yet is followed from when it is', async () => {
    const directory = tempDirectory();
    writeOurDirectory(directory);
    const follower = follow(directory);
    expect(follower.seqs()).toEqual([]);
    writeFileSync(join(directory, 'one.jsonl'), fileOf(ourLines([update('n', 1)])));
    await waitFor(() => follower.seqs().length === 1, { what: 'the file' });
  });
});

describe('[S1] the journal behind a path', () => {
  const ours = { 'one.jsonl': fileOf(ourLines([update('n', 1)])) };

  test('is the directory, its marker’s parent, or where a workspace keeps it', () => {
    const root = tempDirectory();
    writeOurDirectory(join(root, 'ours'), ours);
    expect(inspectDirectory(join(root, 'ours'))).toMatchObject({ format: 'holdfast' });
    expect(inspectDirectory(join(root, 'ours/journal.holdfast')).directory).toBe(join(root, 'ours'));

    mkdirSync(join(root, 'workspace'));
    writeFileSync(join(root, 'workspace/clerk.agent'), '');
    writeOurDirectory(join(root, 'workspace/.holdfast-journal'), ours);
    expect(inspectDirectory(join(root, 'workspace')).directory).toBe(
      join(root, 'workspace/.holdfast-journal'),
    );

    mkdirSync(join(root, 'project/.promptise/journal'), { recursive: true });
    writeFileSync(join(root, 'project/.promptise/journal/one.jsonl'), `${foreignLine({})}\n`);
    expect(inspectDirectory(join(root, 'project'))).toEqual({
      directory: join(root, 'project/.promptise/journal'),
      format: 'promptise',
      marker: null,
    });
  });

  test('is ours by its marker alone, even before anything is written', () => {
    const directory = tempDirectory();
    writeOurDirectory(directory);
    expect(inspectDirectory(directory)).toMatchObject({
      format: 'holdfast',
      marker: { format: 1, id: 'journal-of-the-test', workspace: null },
    });
  });

  test('[P8] is foreign as soon as one line of one file is an entry, however odd the others are', () => {
    const directory = tempDirectory();
    writeFileSync(join(directory, 'a.jsonl'), 'nonsense\n');
    writeFileSync(join(directory, 'b.jsonl'), `\n{"half\n${foreignLine({})}\n`);
    expect(inspectDirectory(directory).format).toBe('promptise');
  });
});
