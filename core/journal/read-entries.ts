// Entries of one process's journal. Reading never writes and never takes a lock [J4].

import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { isFullCheckpoint } from '../model/checkpoint.ts';
import { isBad, type BadLine, type StoredEntry } from '../model/entry.ts';
import { AppError, RetryableError } from '../model/errors.ts';
import type { Cursor, EntryPage, EntryPart, ReadOptions } from '../model/ports.ts';
import { parseTimestamp } from '../model/time.ts';
import { decodeLine, FIRST_PREV, hashLine, recordedSeq } from './codec.ts';
import { sinceOf } from './complete-entry.ts';
import {
  committedEnd,
  fileSource,
  linesBackwards,
  linesForwards,
  type ByteSource,
  type Line,
} from './lines.ts';
import { ENTRIES_SUFFIX } from './process-files.ts';
import { Segments, type OpenSegment } from './segments.ts';

export { isBad };

/** A page ends early when its lines add up to this. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** The beginning of a line, or the end of the last one. */
export interface Place {
  /** The number of its segment's first line, and whether that was the active one. */
  readonly first: number;
  readonly isActive: boolean;
  readonly offset: number;
  /** The number of the line that begins there, where it is known. */
  readonly line?: number;
}

/** Where somebody who follows a journal has read to. */
interface FollowedPlace extends Place {
  readonly line: number;
  /** Of the segment's file; 0 once that is sealed, and written no more. */
  readonly inode: number;
  /** Of the line before. */
  readonly hash: string;
}

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
 * The committed entries and bad lines of one file, oldest first, from the line that begins at `startOffset` and has the
 * number `startSeq`. Memory is bounded by the longest line.
 */
export function* entriesForwards(
  path: string,
  startOffset = 0,
  startSeq?: number,
): Generator<StoredEntry | BadLine> {
  const fd = openSync(path, 'r');
  try {
    const source = fileSource(fd);
    let next = startSeq ?? 0;
    let before = NOT_READ;
    let isFirst = true;
    for (const line of linesForwards(source, startOffset, committedEnd(source))) {
      // The first line of a later segment follows one that is in another file.
      if (isFirst && startSeq === undefined) next = recordedSeq(line.bytes) ?? 1;
      if (isFirst && startOffset === 0) before = beforeFirst(next, line);
      isFirst = false;
      const item = toItem(line, () => next, before);
      if (item !== null) yield item;
      before = behind(line, item);
      next = (item?.seq ?? next) + 1;
    }
  } finally {
    closeSync(fd);
  }
}

/** The entries and bad lines of a whole journal, oldest first, from a place on. Memory is bounded by a segment. */
export function* journalForwards(
  directory: string,
  name: string,
  from: Place | null = null,
): Generator<StoredEntry | BadLine> {
  for (const { item } of journalLines(directory, name, from)) yield item;
}

const PART_LINES = 500;
const PART_BYTES = 1024 * 1024;

/**
 * As {@link journalForwards}, in parts, between which others on this thread get a turn.
 * @throws RetryableError `journal.changed` where the journal was cut or replaced: what stands behind the place, or behind
 * what was given before, is of another one
 */
export async function* partsForwards(
  directory: string,
  name: string,
  from: Place | FollowedPlace | null,
): AsyncGenerator<EntryPart> {
  let items: (StoredEntry | BadLine)[] = [];
  let bytes = 0;
  let next: FollowedPlace | null = null;
  /** What was read since follows this, as long as it stands there. */
  let known = from !== null && 'hash' in from ? from : null;
  // Asked after reading and not before, or it might be replaced between the two.
  const mustFollow = (): void => {
    if (known !== null && !isStillThere(directory, name, known)) throw changed(directory, name);
  };
  for (const { segment, isActive, inode, hash, item } of journalLines(directory, name, from)) {
    items.push(item);
    bytes += item.sizeBytes;
    const offset = item.offset + item.sizeBytes;
    next = { first: segment, isActive, offset, line: item.seq + 1, inode, hash };
    known ??= next;
    if (items.length < PART_LINES && bytes < PART_BYTES) continue;
    mustFollow();
    yield { items, next: followCursor(next) };
    known = next;
    items = [];
    bytes = 0;
    await new Promise((resolve) => void setImmediate(resolve));
  }
  mustFollow();
  if (next !== null && items.length > 0) yield { items, next: followCursor(next) };
}

/** Whether what was read up to there is still what stands there: a journal may have been cut or replaced. */
function isStillThere(directory: string, name: string, place: FollowedPlace): boolean {
  // A sealed segment is written no more; retention may have removed it, which makes what was read of it no less true.
  if (!place.isActive) return true;
  using segments = Segments.open(directory, name);
  const at = segments?.find(place) ?? -1;
  // Sealed since, renamed or packed.
  if (segments === null || at < segments.sealed.length) return at >= 0;
  const { offset, inode, hash } = place;
  const active = segments.at(at);
  if (active === null || active.inode !== inode || active.end < offset) return false;
  // Emptied and filled again it is the same file, and may be longer.
  for (const { bytes } of linesBackwards(active.source, offset)) return hashLine(bytes) === hash;
  return false;
}

function changed(directory: string, name: string): RetryableError {
  const path = join(directory, name + ENTRIES_SUFFIX);
  return new RetryableError(
    'journal.changed',
    `${path} was cut or replaced while it was read. Read it again.`,
    { path },
  );
}

export interface JournalLine {
  /** The number of its segment's first line, and that segment's file. */
  readonly segment: number;
  readonly isActive: boolean;
  readonly path: string;
  readonly inode: number;
  readonly hash: string;
  readonly line: Line;
  readonly item: StoredEntry | BadLine;
}

/**
 * As {@link journalForwards}, with the lines themselves.
 * @throws RetryableError `journal.changed` where the place is in no segment any more
 */
export function* journalLines(
  directory: string,
  name: string,
  from: Place | null = null,
): Generator<JournalLine> {
  using segments = Segments.open(directory, name);
  const startAt = from === null ? 0 : (segments?.find(from) ?? -1);
  if (startAt < 0) throw changed(directory, name);
  if (segments === null) return;
  let before = NOT_READ;
  let expected = 1;
  for (let at = startAt; at < segments.count; at += 1) {
    const segment = segments.at(at);
    if (segment === null) continue;
    const { first, isActive, path, inode, source, end } = segment;
    // Reading backwards meets no line in it either: what stands behind it follows what stands before it.
    if (end === 0) continue;
    const start = from !== null && at === startAt ? from.offset : 0;
    const isBeginning = at === 0 && start === 0;
    if (start > 0 || first !== expected) before = NOT_READ;
    // Looked for only where a line does not say its number itself.
    let last = start === 0 ? first - 1 : from?.line === undefined ? null : from.line - 1;
    for (const line of linesForwards(source, start, end)) {
      const next = (): number => (last ?? numberBefore(source, start, first)) + 1;
      if (isBeginning && line.offset === 0) before = beforeFirst(first, line);
      const item = toItem(line, next, before);
      const hash = hashLine(line.bytes);
      if (item !== null) yield { segment: first, isActive, path, inode, hash, line, item };
      before = { hash, seq: seqOf(item) };
      last = item?.seq ?? next();
    }
    if (last !== null) expected = last + 1;
  }
}

/**
 * The number of the line before an offset: its own, or the next after the one before it. Counting from the beginning
 * would give numbers out twice in a journal that has lost lines.
 */
export function numberBefore(source: ByteSource, offset: number, first: number): number {
  let behind = 0;
  for (const { bytes } of linesBackwards(source, offset)) {
    const decoded = mayHaveNumber(bytes) ? decodeLine(bytes) : null;
    if (decoded?.ok === true && decoded.keys !== null && decoded.fault === null)
      return decoded.keys.seq + behind;
    behind += 1;
  }
  return first - 1 + behind;
}

/** Cheap enough for every line of a long journal that is not ours: whether it ends as ours do. */
function mayHaveNumber(bytes: Buffer): boolean {
  const at = bytes.length - CRC_TAIL_BYTES;
  return bytes[at] === 0x2c && bytes[at + 2] === 0x63 && bytes[at + 4] === 0x63;
}
const CRC_TAIL_BYTES = ',"crc":"01234567"}'.length;

/** Oldest first, with Promptise's meaning of the options: `limit` gives the first n that match. */
export function selectForwards(directory: string, name: string, options: ReadOptions): StoredEntry[] {
  const since = sinceOf(options.since);
  const selected: StoredEntry[] = [];
  if (options.limit !== undefined && options.limit <= 0) return selected;
  for (const item of journalForwards(directory, name)) {
    if (isBad(item)) continue;
    if (options.entryType !== undefined && item.entry_type !== options.entryType) continue;
    if (since !== null && (parseTimestamp(item.timestamp) ?? 0) < since) continue;
    selected.push(item);
    if (options.limit !== undefined && selected.length >= options.limit) break;
  }
  return selected;
}

interface Located {
  readonly segment: OpenSegment;
  readonly line: Line;
}

/** The committed lines before a place, or before the end, last first, over all segments that are there. */
function* backwards(segments: Segments, before: Place | null): Generator<Located> {
  const startAt = before === null ? segments.count - 1 : segments.find(before);
  if (startAt < 0 && segments.count > 0) throw badCursor();
  for (let at = startAt; at >= 0; at -= 1) {
    const segment = segments.at(at);
    if (segment === null) return;
    let { end } = segment;
    if (before !== null && at === startAt) {
      end = Math.min(before.offset, end);
      if (committedEnd(segment.source, end) !== end) throw badCursor();
    }
    for (const line of linesBackwards(segment.source, end)) yield { segment, line };
  }
}

/** The newest `limit` lines before `before`, or before the last line feed. */
export function pageBackwards(directory: string, name: string, limit: number, before?: Cursor): EntryPage {
  using segments = Segments.open(directory, name);
  if (segments === null) return { entries: [], badLines: [], before: null };
  const lines: Located[] = [];
  let bytes = 0;
  // One more than asked for: its hash is what the page's first line has to name.
  for (const located of backwards(segments, before === undefined ? null : placeOf(before))) {
    lines.push(located);
    bytes += located.line.sizeBytes;
    if (lines.length > limit || (lines.length > 1 && bytes > MAX_PAGE_BYTES)) break;
  }
  const isMore = lines.length > limit || (lines.length > 1 && bytes > MAX_PAGE_BYTES);
  const previous = isMore ? lines.pop() : undefined;
  lines.reverse();
  return toPage(lines, previous);
}

function toPage(lines: readonly Located[], previous: Located | undefined): EntryPage {
  const entries: StoredEntry[] = [];
  const badLines: BadLine[] = [];
  let before = NOT_READ;
  let last: number | null = null;
  let segmentBefore = previous?.segment;
  if (previous !== undefined) {
    const item = toItem(previous.line, () => numberOf(previous), NOT_READ);
    before = behind(previous.line, item);
    last = item?.seq ?? numberOf(previous);
  }
  for (const located of lines) {
    const { segment, line } = located;
    if (line.offset === 0 && segment.isFirst) before = beforeFirst(segment.first, line);
    // A segment may be missing between.
    else if (segment !== segmentBefore && last !== null && last + 1 !== segment.first) before = NOT_READ;
    if (segment !== segmentBefore) last = null;
    segmentBefore = segment;
    // Looked for only where a line does not say its number itself.
    const next = (): number => (last === null ? numberOf(located) : last + 1);
    const item = toItem(line, next, before);
    if (item !== null) (isBad(item) ? badLines : entries).push(item as StoredEntry & BadLine);
    before = behind(line, item);
    last = item?.seq ?? next();
  }
  const [first] = lines;
  return {
    entries,
    badLines,
    before: first === undefined || previous === undefined ? null : cursorAt(first.segment, first.line.offset),
  };
}

function numberOf({ segment, line }: Located): number {
  return numberBefore(segment.source, line.offset, segment.first) + 1;
}

const CHECKPOINT = '"checkpoint"';
const MARK = '"holdfast"';

/** Where the last full checkpoint begins; null where there is none [S18]. */
export function lastFullCheckpoint(directory: string, name: string): Place | null {
  using segments = Segments.open(directory, name);
  if (segments === null) return null;
  for (const { segment, line } of backwards(segments, null))
    if (isFullCheckpointLine(line))
      return { first: segment.first, isActive: segment.isActive, offset: line.offset };
  return null;
}

function behind(line: Line, item: StoredEntry | BadLine | null): Before {
  return { hash: hashLine(line.bytes), seq: seqOf(item) };
}

/** The number that a line vouches for. */
function seqOf(item: StoredEntry | BadLine | null): number | null {
  const vouches =
    item !== null && !isBad(item) && item.verification !== 'unverified' && item.fault !== 'checksum';
  return vouches ? item.seq : null;
}

/**
 * A journal begins with the line 1. Where retention dropped that, it begins with a full checkpoint, which stands for what
 * was dropped [S15]; anything else has lost its beginning.
 */
function beforeFirst(seq: number, line: Line): Before {
  return seq !== 1 && isFullCheckpointLine(line) ? NOT_READ : AT_BEGINNING;
}

/** Lines are looked at as bytes, and only one that may be such a checkpoint is parsed, to be sure: the text can occur inside data. */
function isFullCheckpointLine({ bytes }: Line): boolean {
  if (!bytes.includes(CHECKPOINT) || !bytes.includes(MARK)) return false;
  const decoded = decodeLine(bytes);
  if (!decoded.ok || decoded.fault === 'checksum') return false;
  return decoded.entry.entry_type === 'checkpoint' && isFullCheckpoint(decoded.entry.data);
}

/** Null for a blank line, which means nothing and is no damage. */
function toItem(line: Line, next: () => number, before: Before): StoredEntry | BadLine | null {
  const { offset, sizeBytes, bytes } = line;
  if (isBlank(bytes)) return null;
  const decoded = decodeLine(bytes, before.hash);
  if (!decoded.ok) return { seq: next(), offset, sizeBytes, reason: decoded.reason };
  const { entry, keys } = decoded;
  let { verification, fault } = decoded;
  let seq: number;
  if (keys === null || fault === 'checksum') {
    seq = next();
  } else {
    ({ seq } = keys);
    // A number is checked against the line right before: after a gap, which is said once, counting goes on behind it.
    if (fault === null && before.seq !== null && seq !== before.seq + 1) {
      fault = 'sequence';
      verification = 'broken';
    }
  }
  const { entry_id, process_id, timestamp, entry_type, data } = entry;
  return fault === null
    ? { entry_id, process_id, timestamp, entry_type, data, seq, verification, offset, sizeBytes }
    : { entry_id, process_id, timestamp, entry_type, data, seq, verification, fault, offset, sizeBytes };
}

function isBlank(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) return false;
  }
  return true;
}

function cursorAt({ first, isActive }: Omit<Place, 'offset'>, offset: number): Cursor {
  return `${isActive ? 'a' : ''}${first}.${offset}` as Cursor;
}

/** @throws `journal.bad-cursor` for what no journal gave out */
function placeOf(cursor: Cursor): Place {
  const match = /^(a?)(\d{1,15})\.(\d{1,15})$/.exec(cursor);
  if (match === null) throw badCursor();
  return { first: Number(match[2]), isActive: match[1] === 'a', offset: Number(match[3]) };
}

function followCursor({ first, isActive, offset, line, inode, hash }: FollowedPlace): Cursor {
  return `${isActive ? 'a' : ''}${first}.${offset}.${line}.${inode}.${hash}` as Cursor;
}

/** @throws `journal.bad-cursor` for what no journal gave out */
export function followedPlaceOf(cursor: Cursor): FollowedPlace {
  const match = /^(a?)(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(\d{1,20})\.([\w-]{22})$/.exec(cursor);
  if (match === null) throw badCursor();
  const [first, offset, line, inode] = match.slice(2, 6).map(Number) as [number, number, number, number];
  return { first, isActive: match[1] === 'a', offset, line, inode, hash: match[6]! };
}

function badCursor(): AppError {
  return new AppError(
    'journal.bad-cursor',
    'The place to go on from is none in this journal. Read it again from its end.',
  );
}
