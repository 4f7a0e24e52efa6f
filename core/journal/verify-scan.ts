// All bytes of one process's journal, line by line, over all its segments [S15]. Memory is bounded by the longest line, and
// others on this thread get their turn.

import { open, type FileHandle } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { codeOf, messageOf, RetryableError } from '../model/errors.ts';
import { hashLine } from './codec.ts';
import { linesBackwards, type ByteSource, type Line } from './lines.ts';
import { lastHashOf, Segments, type OpenSegment, type SealedSegment } from './segments.ts';

export interface ScannedSegment {
  /** Relative to the journal's directory, with slashes. */
  readonly file: string;
  readonly path: string;
  /** The number of its first line, and what its name says of the last one; null for the active segment. */
  readonly first: number;
  readonly last: number | null;
  readonly isPacked: boolean;
  /** Of the file as it lies there. */
  readonly sizeBytes: number;
  /** Why it can't be unpacked; null where it can be read. */
  readonly trouble: string | null;
}

/** `offset` is a place in the segment as it is unpacked. */
export interface ScannedLine extends Line {
  /** All its bytes, line feed included. */
  readonly raw: Buffer;
  /** False for what stands behind the last line feed. */
  readonly isWhole: boolean;
}

export interface ScannedPart {
  /** The same object for all parts of a segment. */
  readonly segment: ScannedSegment;
  readonly lines: readonly ScannedLine[];
}

/**
 * Oldest first. Each segment comes at least once, also where it has no lines.
 * @throws RetryableError `journal.changed` when a segment is taken away meanwhile
 */
export async function* scanJournal(directory: string, name: string): AsyncGenerator<ScannedPart> {
  using segments = Segments.open(directory, name);
  if (segments === null) return;
  const fileOf = (path: string): string => relative(directory, path).replaceAll(sep, '/');
  const active = segments.at(segments.sealed.length);
  for (const [at, sealed] of segments.sealed.entries()) {
    if (active !== null && isTakenBack(active, sealed)) continue;
    const { first, last, path, isPacked } = sealed;
    const segment = { file: fileOf(path), path, first, last, isPacked, sizeBytes: 0, trouble: null };
    if (isPacked) {
      yield* packedLines(segment);
      continue;
    }
    const source = segments.at(at)?.source;
    if (source === undefined) throw changed(path);
    const whole = { ...segment, sizeBytes: source.sizeBytes };
    yield { segment: whole, lines: [] };
    yield* linesOf(whole, chunksOf(source));
  }
  if (active === null) return;
  const { first, path, source } = active;
  const { sizeBytes } = source;
  const segment = { file: fileOf(path), path, first, last: null, isPacked: false, sizeBytes, trouble: null };
  yield { segment, lines: [] };
  yield* linesOf(segment, chunksOf(source));
}

/** Whether a sealed segment is the active one still under its other name: a crash came before that was removed. */
function isTakenBack({ first, source, end }: OpenSegment, sealed: SealedSegment): boolean {
  if (first !== sealed.first) return false;
  const [last] = linesBackwards(source, end);
  try {
    return last !== undefined && hashLine(last.bytes) === lastHashOf(sealed);
  } catch (error) {
    if (codeOf(error) === 'journal.segment-unreadable') return false;
    throw error;
  }
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

async function* linesOf(segment: ScannedSegment, chunks: AsyncIterable<Buffer>): AsyncGenerator<ScannedPart> {
  let pending: Buffer[] = [];
  let offset = 0;
  for await (const chunk of chunks) {
    const lines: ScannedLine[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      const end = chunk.subarray(from, at + 1);
      const raw = pending.length === 0 ? end : Buffer.concat([...pending, end]);
      pending = [];
      lines.push(lineAt(raw, offset, true));
      offset += raw.length;
      from = at + 1;
    }
    if (from < chunk.length) pending.push(chunk.subarray(from));
    if (lines.length > 0) yield { segment, lines };
  }
  if (pending.length > 0) yield { segment, lines: [lineAt(Buffer.concat(pending), offset, false)] };
}

/** As core/journal/lines.ts has it: without the carriage return that Python writes on Windows. */
function lineAt(raw: Buffer, offset: number, isWhole: boolean): ScannedLine {
  const end = isWhole ? raw.length - 1 : raw.length;
  const bytes = raw.subarray(0, isWhole && raw[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
  return { offset, sizeBytes: raw.length, bytes, raw, isWhole };
}

const CHUNK_BYTES = 128 * 1024;

async function* chunksOf(source: ByteSource): AsyncGenerator<Buffer> {
  for (let at = 0; at < source.sizeBytes;) {
    const chunk = source.read(at, Math.min(CHUNK_BYTES, source.sizeBytes - at));
    if (chunk.length === 0) return;
    at += chunk.length;
    yield chunk;
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

/** Unpacks all of it before a line of it is believed: what is packed wrongly ends anywhere. */
async function* packedLines(found: ScannedSegment): AsyncGenerator<ScannedPart> {
  const { path } = found;
  const file = await openPacked(path);
  try {
    const { size: sizeBytes } = await file.stat();
    const segment = { ...found, sizeBytes, trouble: await whyUnreadable(file) };
    yield { segment, lines: [] };
    if (segment.trouble === null) yield* linesOf(segment, unpackedChunks(file));
  } finally {
    await file.close();
  }
}

async function openPacked(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw codeOf(error) === 'ENOENT' ? changed(path) : error;
  }
}

async function* unpackedChunks(file: FileHandle): AsyncGenerator<Buffer> {
  const packed = Readable.from(packedChunks(file));
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  packed.on('error', (error) => gunzip.destroy(error));
  packed.pipe(gunzip);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}

async function* packedChunks(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function whyUnreadable(file: FileHandle): Promise<string | null> {
  try {
    for await (const _chunk of unpackedChunks(file));
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function changed(path: string): RetryableError {
  return new RetryableError(
    'journal.changed',
    `${path} was packed or removed while the journal was read. Try again.`,
    { path },
  );
}
