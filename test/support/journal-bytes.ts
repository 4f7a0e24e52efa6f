// Journals made byte by byte, ours and foreign, without the writer that is on trial.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeLine, FIRST_PREV, hashLine } from '../../core/journal/codec.ts';
import type { JournalEntry, NewEntry } from '../../core/model/entry.ts';

const LINE_FEED = Buffer.from('\n');

/** Entries with an id and a time that say nothing and never change. */
export function fixedEntry(entry: NewEntry, at = 0): JournalEntry {
  return {
    entry_id: entry.entry_id ?? `entry-${at}`,
    process_id: entry.process_id,
    timestamp: entry.timestamp ?? '2026-01-05T09:00:00.000+00:00',
    entry_type: entry.entry_type,
    data: entry.data,
  };
}

/** Our lines without their line feeds, chained from the beginning of a file. */
export function ourLines(
  entries: readonly NewEntry[],
  firstSeq = 1,
  firstPrev = FIRST_PREV,
  /** What each says to be durable: all before it unless given. */
  acknowledged?: number,
): Buffer[] {
  const lines: Buffer[] = [];
  let prev = firstPrev;
  for (const [at, entry] of entries.entries()) {
    const seq = firstSeq + at;
    const line = encodeLine(fixedEntry(entry, seq), { seq, ack: acknowledged ?? seq - 1, prev });
    prev = hashLine(line);
    lines.push(line);
  }
  return lines;
}

export function foreignLine(entry: Partial<JournalEntry>): string {
  return JSON.stringify({
    entry_id: 'x',
    process_id: 'one',
    timestamp: '2026-01-05T09:00:00+00:00',
    entry_type: 'context_update',
    data: {},
    ...entry,
  });
}

/** A line feed behind each line. */
export function fileOf(lines: readonly (Buffer | string)[]): Buffer {
  return Buffer.concat(lines.flatMap((line) => [Buffer.from(line), LINE_FEED]));
}

export function update(key: string, value: NewEntry['data'][string], process_id = 'one'): NewEntry {
  return { process_id, entry_type: 'context_update', data: { key, value } };
}

/** A directory with our marker and these files, as a host that is gone left it. */
export function writeOurDirectory(
  directory: string,
  files: Readonly<Record<string, Buffer | string>> = {},
): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'journal.holdfast'), '{"format":1,"id":"journal-of-the-test"}\n');
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(directory, name), bytes);
}
