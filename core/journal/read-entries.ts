// Entries of one journal file. Reading never writes and never takes a lock [J4].

import { closeSync, fstatSync, openSync } from 'node:fs';
import type { BadLine, StoredEntry } from '../model/entry.ts';
import type { Cursor, EntryPage, ReadOptions } from '../model/ports.ts';
import { parseTimestamp } from '../model/time.ts';
import { decodeLine, FIRST_PREV, hashLine } from './codec.ts';
import { committedEnd, countLines, linesBackwards, linesForwards, withFile, type Line } from './lines.ts';

/** A page ends early when its lines add up to this. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

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
    let seq = startSeq;
    let prevHash = startOffset === 0 ? FIRST_PREV : undefined;
    for (const line of linesForwards(fd, startOffset, committedEnd(fd, fstatSync(fd).size))) {
      const item = toItem(line, seq, prevHash);
      if (item !== null) yield item;
      prevHash = hashLine(line.bytes);
      seq += 1;
    }
  } finally {
    closeSync(fd);
  }
}

/** Oldest first, with Promptise's meaning of the options: `limit` gives the first n that match. */
export function selectForwards(path: string, options: ReadOptions): StoredEntry[] {
  const since = options.since === undefined ? null : parseTimestamp(options.since);
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
    const end =
      before === undefined ? committedEnd(fd, size) : Math.min(offsetOf(before), committedEnd(fd, size));
    const lines: Line[] = [];
    let bytes = 0;
    // One more than asked for: its hash is what the page's first line has to name.
    for (const line of linesBackwards(fd, end)) {
      lines.push(line);
      bytes += line.sizeBytes;
      if (lines.length > limit || bytes > MAX_PAGE_BYTES) break;
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
  let seq = first === undefined ? 1 : firstSeq(fd, lines);
  let prevHash =
    previous === undefined ? (first?.offset === 0 ? FIRST_PREV : undefined) : hashLine(previous.bytes);
  for (const line of lines) {
    const item = toItem(line, seq, prevHash);
    if (item !== null) (isBad(item) ? badLines : entries).push(item as StoredEntry & BadLine);
    prevHash = hashLine(line.bytes);
    seq += 1;
  }
  return {
    entries,
    badLines,
    before: first === undefined || first.offset === 0 ? null : cursorOf(first.offset),
  };
}

/** The number of the page's first line: from a line of ours that says it, else by counting the lines before. */
function firstSeq(fd: number, lines: readonly Line[]): number {
  for (const [at, line] of lines.entries()) {
    const decoded = decodeLine(line.bytes);
    if (!decoded.ok || decoded.keys === null) break;
    if (decoded.verification === 'verified') return decoded.keys.seq - at;
  }
  return countLines(fd, lines[0]!.offset) + 1;
}

/** Null for a blank line, which means nothing and is no damage. */
function toItem(line: Line, seq: number, prevHash: string | undefined): StoredEntry | BadLine | null {
  const { offset, sizeBytes } = line;
  if (line.bytes.length === 0) return null;
  const decoded = decodeLine(line.bytes, prevHash);
  if (!decoded.ok) return { seq, offset, sizeBytes, reason: decoded.reason };
  const outOfStep = decoded.keys !== null && decoded.keys.seq !== seq;
  return {
    ...decoded.entry,
    seq,
    verification: outOfStep ? 'broken' : decoded.verification,
    offset,
    sizeBytes,
  };
}

export function isBad(item: StoredEntry | BadLine): item is BadLine {
  return 'reason' in item;
}

function cursorOf(offset: number): Cursor {
  return `b${offset}` as Cursor;
}

function offsetOf(cursor: Cursor): number {
  return Number(cursor.slice(1));
}
