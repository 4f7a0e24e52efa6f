// Journals that the `holdfast` command is asked about, whom it is asked by, and how what it answers is read.

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { fileOf, ourLines, update, writeOurDirectory } from './journal-bytes.ts';
import { tempDirectory } from './temp-directory.ts';

/** Permissions don't bind root, so root asks as somebody else. */
export const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** status and show look at all of a journal, tail and recover at one process of it. */
export const LOOKING: readonly (readonly [string, (directory: string) => string[]])[] = [
  ['status', (directory) => ['status', directory]],
  ['show', (directory) => ['show', directory, 'one']],
  ['tail', (directory) => ['tail', directory, 'one', '-f', '-n', '3']],
  ['recover', (directory) => ['recover', directory, 'one', '--json']],
];

export const jsonLines = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

/** Of two processes: `one` with three entries, `two` with one. */
export function goodJournal(directory: string = join(tempDirectory(), 'good')): string {
  writeOurDirectory(directory, {
    'one.jsonl': fileOf(ourLines([update('n', 1), update('n', 2), update('n', 3)])),
    'two.jsonl': fileOf(ourLines([update('m', 1, 'two')])),
  });
  return directory;
}

/** The entries of `one` may be read by nobody but their owner, those of `two` by everybody. */
export function halfHiddenJournal(): string {
  const root = tempDirectory();
  chmodSync(root, 0o755);
  const directory = join(root, 'half-hidden');
  writeOurDirectory(directory, {
    'one.jsonl': fileOf(ourLines([update('n', 1)])),
    'two.jsonl': fileOf(ourLines([update('n', 1, 'two')])),
  });
  chmodSync(join(directory, 'one.jsonl'), 0);
  return directory;
}
