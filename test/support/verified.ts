// Journals to be verified, and what `holdfast verify` finds in the one process that each has.

import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { hashLine } from '../../core/journal/codec.ts';
import { openFileJournal, type WriteOptions } from '../../core/journal/index.ts';
import { verifyJournal, type ProcessReport } from '../../core/journal/verify-journal.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import type { NewEntry } from '../../core/model/entry.ts';
import { FOLD_VERSION } from '../../core/model/fold.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { treeHash } from './fixtures.ts';
import { fileOf, update, writeOurDirectory } from './journal-bytes.ts';
import { tempDirectory } from './temp-directory.ts';

export const SEGMENTS = '.holdfast/segments/one';
export const FULL = snapshotToState(emptySnapshot(), FOLD_VERSION);

export const entry = (entry_type: string, data: JsonObject = {}): NewEntry => ({
  process_id: 'one',
  entry_type,
  data,
});

/** The one process of a directory. */
export async function verifyOne(directory: string): Promise<ProcessReport> {
  const before = treeHash(directory);
  const { processes } = await verifyJournal(directory);
  expect(treeHash(directory), 'looking changes nothing [P6]').toBe(before);
  expect(processes).toHaveLength(1);
  return processes[0]!;
}

export const kinds = (found: readonly { readonly kind: string }[]): string[] => found.map(({ kind }) => kind);

/** A directory of ours with these lines in one file that nobody has touched for long. */
export function journalOf(lines: readonly (Buffer | string)[], end = ''): string {
  const directory = tempDirectory();
  writeOurDirectory(directory, { 'one.jsonl': Buffer.concat([fileOf(lines), Buffer.from(end)]) });
  age(join(directory, 'one.jsonl'));
  return directory;
}

/** As {@link journalOf}, where the head knows that all of `written` was durable. */
export function durableJournalOf(lines: readonly (Buffer | string)[], written: readonly Buffer[]): string {
  const directory = journalOf(lines);
  writeHead(directory, written.length, hashLine(written.at(-1)!), fileOf(written).length);
  return directory;
}

export function writeHead(directory: string, seq: number, hash = 'x'.repeat(22), size = 9): void {
  mkdirSync(join(directory, '.holdfast/heads'), { recursive: true });
  writeFileSync(
    join(directory, '.holdfast/heads/one.head'),
    `${JSON.stringify({ seq, hash, first: 1, size, inode: 1, machine: 'm' }).padEnd(255)}\n`,
  );
}

export function age(path: string): void {
  utimesSync(path, new Date(0), new Date(0));
}

/** What the real writer leaves: full checkpoints, and sealed and packed segments. */
export async function writeSegments(
  directory: string,
  count: number,
  options: WriteOptions = {},
): Promise<void> {
  const journal = openFileJournal(directory, { segmentBytes: 2_000, durability: 'os', ...options });
  for (let n = 1; n <= count; n += 1) {
    await journal.append(update('n', n));
    if (n % 5 === 0) await journal.checkpoint('one', FULL);
  }
  await journal.settled();
  await journal.close();
}

export const sealed = (directory: string): string[] => readdirSync(join(directory, SEGMENTS)).sort();
