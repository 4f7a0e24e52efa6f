// Entries of one journal file. Reading never writes and never takes a lock [J4].

import { closeSync, fstatSync, openSync } from 'node:fs';
import type { BadLine, StoredEntry } from '../model/entry.ts';
import { AppError } from '../model/errors.ts';
import type { Cursor, EntryPage, ReadOptions } from '../model/ports.ts';
import { parseTimestamp } from '../model/time.ts';
import { decodeLine, FIRST_PREV, hashLine, recordedSeq } from './codec.ts';
import { sinceOf } from './complete-entry.ts';
import { committedEnd, countLines, linesBackwards, linesForwards, withFile, type Line } from './lines.ts';

/** A page ends early when its lines add up to this. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** What the line before says about the next one. */
interface Before {
  /** Undefined where the line before was not read. */
  readonly hash: string | undefined;
  /** The number that it gives itself; null where it gives none that can be trusted. */
  readonly seq: number | null;
}

const AT_BEGINNING: Before = { hash: FIRST_PREV, seq: null };
const NOT_READ: Before = { hash: undefined, seq: null };

/**
 * The committed entries and bad lines of a file, oldest first, from the line that begins at `startOffset` and has the
 * number `startSeq`. Memory is bounded by the longest line.
 */
export function* entriesForwards(
  path: string,
  startOffset = 0,
  startSeq = 1,
): Generator<StoredEntry | BadLine> {
  const fd = openSync(path, 'r');
  try {
    let physical = startSeq;
    let before = startOffset === 0 ? AT_BEGINNING : NOT_READ;
    for (const line of linesForwards(fd, startOffset, committedEnd(fd, fstatSync(fd).size))) {
      const item = toItem(line, () => physical, before);
      if (item !== null) yield item;
      before = behind(line, item);
      physical += 1;
    }
  } finally {
    closeSync(fd);
  }
}

/** Oldest first, with Promptise's meaning of the options: `limit` gives the first n that match. */
export function selectForwards(path: string, options: ReadOptions): StoredEntry[] {
  const since = sinceOf(options.since);
  const selected: StoredEntry[] = [];
  for (const item of entriesForwards(path)) {
    if (options.limit !== undefined && selected.length >= options.limit) break;
    if (isBad(item)) continue;
    if (options.entryType !== undefined && item.entry_type !== options.entryType) continue;
    if (since !== null && (parseTimestamp(item.timestamp) ?? 0) < since) continue;
    selected.push(item);
  }
  return selected;
}

/** The newest `limit` lines before `before`, or before the last line feed. */
export function pageBackwards(path: string, limit: number, before?: Cursor): EntryPage {
  return withFile(path, (fd, size) => {
    const committed = committedEnd(fd, size);
    const end = before === undefined ? committed : Math.min(offsetOf(before), committed);
    if (committedEnd(fd, end) !== end) throw badCursor();
    const lines: Line[] = [];
    let bytes = 0;
    // One more than asked for: its hash is what the page's first line has to name.
    for (const line of linesBackwards(fd, end)) {
      lines.push(line);
      bytes += line.sizeBytes;
      if (lines.length > limit || (lines.length > 1 && bytes > MAX_PAGE_BYTES)) break;
    }
    const previous =
      lines.length > limit || (lines.length > 1 && lines.at(-1)!.offset > 0) ? lines.pop() : undefined;
    lines.reverse();
    return toPage(fd, lines, previous);
  });
}

function toPage(fd: number, lines: readonly Line[], previous: Line | undefined): EntryPage {
  const entries: StoredEntry[] = [];
  const badLines: BadLine[] = [];
  const first = lines[0];
  // Only a line without a number of its own has to be counted.
  let counted: number | null = null;
  const linesBefore = (): number => (counted ??= countLines(fd, first!.offset));
  let before = first?.offset === 0 ? AT_BEGINNING : NOT_READ;
  if (previous !== undefined) {
    before = { hash: hashLine(previous.bytes), seq: recordedSeq(previous.bytes) };
  }
  for (const [at, line] of lines.entries()) {
    const item = toItem(line, () => linesBefore() + 1 + at, before);
    if (item !== null) (isBad(item) ? badLines : entries).push(item as StoredEntry & BadLine);
    before = behind(line, item);
  }
  return {
    entries,
    badLines,
    before: first === undefined || first.offset === 0 ? null : cursorOf(first.offset),
  };
}

function behind(line: Line, item: StoredEntry | BadLine | null): Before {
  const vouches =
    item !== null && !isBad(item) && item.verification !== 'unverified' && item.fault !== 'checksum';
  return { hash: hashLine(line.bytes), seq: vouches ? item.seq : null };
}

/** Null for a blank line, which means nothing and is no damage. */
function toItem(line: Line, physical: () => number, before: Before): StoredEntry | BadLine | null {
  const { offset, sizeBytes, bytes } = line;
  if (bytes.every(isBlank)) return null;
  const decoded = decodeLine(bytes, before.hash);
  if (!decoded.ok) return { seq: physical(), offset, sizeBytes, reason: decoded.reason };
  const { entry, keys, verification } = decoded;
  if (keys === null || decoded.fault === 'checksum') {
    const fault = decoded.fault === null ? {} : { fault: decoded.fault };
    return { ...entry, seq: physical(), verification, ...fault, offset, sizeBytes };
  }
  // A number is checked against the line right before: after a gap, which is said once, counting goes on behind it.
  const isOutOfStep = before.seq !== null && keys.seq !== before.seq + 1;
  const fault = decoded.fault ?? (isOutOfStep ? ('sequence' as const) : null);
  return fault === null
    ? { ...entry, seq: keys.seq, verification, offset, sizeBytes }
    : { ...entry, seq: keys.seq, verification: 'broken', fault, offset, sizeBytes };
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

export function isBad(item: StoredEntry | BadLine): item is BadLine {
  return 'reason' in item;
}

function cursorOf(offset: number): Cursor {
  return `b${offset}` as Cursor;
}

function offsetOf(cursor: Cursor): number {
  if (!/^b\d{1,15}$/.test(cursor)) throw badCursor();
  return Number(cursor.slice(1));
}

function badCursor(): AppError {
  return new AppError(
    'journal.bad-cursor',
    'The place to go on from is none in this journal. Read it again from its end.',
  );
}
