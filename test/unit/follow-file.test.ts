import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inspectDirectory } from '../../core/journal/inspect-directory.ts';
import { followFile } from '../../core/tail/follow-file.ts';
import { fileOf, foreignLine, ourLines, update, writeOurDirectory } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

interface Follower {
  readonly text: () => string;
  readonly replaced: () => number;
  readonly stop: () => void;
}

/** Reads what is new each time it is told of something. */
function follow(path: string, onFirst: () => void = () => {}): Follower {
  let text = '';
  let position = 0;
  let replaced = 0;
  let first = onFirst;
  const following = followFile(
    path,
    () => position,
    () => {
      const bytes = readFileSync(path);
      text += bytes.subarray(position).toString();
      position = bytes.length;
      const call = first;
      first = () => {};
      call();
    },
    () => {
      replaced += 1;
      position = 0;
    },
  );
  const stop = (): void => following[Symbol.dispose]();
  onTestFinished(stop);
  return { text: () => text, replaced: () => replaced, stop };
}

describe('a followed file', () => {
  test('is read at once and whenever it grows', async () => {
    const path = join(tempDirectory(), 'one.jsonl');
    writeFileSync(path, 'a');
    const follower = follow(path);
    expect(follower.text()).toBe('a');
    for (const more of ['b', 'cd', 'e']) {
      appendFileSync(path, more);
      await waitFor(() => follower.text().endsWith(more), { what: more });
    }
    expect(follower.text()).toBe('abcde');
    expect(follower.replaced()).toBe(0);
  });

  test('that grows between the first look and the watch is not missed', async () => {
    const path = join(tempDirectory(), 'one.jsonl');
    writeFileSync(path, 'a');
    const follower = follow(path, () => appendFileSync(path, 'b'));
    await waitFor(() => follower.text() === 'ab', { what: 'the second half' });
  });

  test('that is cut, replaced, or removed and made again begins anew', async () => {
    const directory = tempDirectory();
    const path = join(directory, 'one.jsonl');
    writeFileSync(path, 'long');
    const follower = follow(path);
    writeFileSync(path, 'b');
    await waitFor(() => follower.text() === 'longb', { what: 'the cut file' });
    writeFileSync(join(directory, 'other'), 'replaced');
    renameSync(join(directory, 'other'), path);
    await waitFor(() => follower.text() === 'longbreplaced', { what: 'the other file' });
    expect(follower.replaced()).toBe(2);
    rmSync(path);
    appendFileSync(path, 'again, and longer than before');
    await waitFor(() => follower.text().endsWith('before'), { what: 'the new file' });
  });

  test('that is not there yet is followed from when it is', async () => {
    const path = join(tempDirectory(), 'one.jsonl');
    const follower = follow(path);
    expect(follower.text()).toBe('');
    writeFileSync(path, 'here');
    await waitFor(() => follower.text() === 'here', { what: 'the file' });
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
