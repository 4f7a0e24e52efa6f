// Lines of a journal file, read by position and never past the last line feed [J4]. Memory is bounded by the longest
// line, whatever the file's length.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes that are read by position: a file, or what a packed one holds. */
export interface ByteSource {
  /** At the moment of opening. */
  readonly sizeBytes: number;
  /** Fewer bytes than asked for where the source ends. */
  read(offset: number, length: number): Buffer;
}

const CHUNK_BYTES = 64 * 1024;
/** Whoever goes on reading forwards wants more of it. */
const MAX_CHUNK_BYTES = 512 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

export interface Line {
  readonly offset: number;
  /** With the line feed. */
  readonly sizeBytes: number;
  /** Without the line feed, and without the carriage return that Python writes on Windows. */
  readonly bytes: Buffer;
}

/** An open file, as long as it is at this moment. Whoever opened it closes it. */
export function fileSource(fd: number): ByteSource {
  return {
    sizeBytes: fstatSync(fd).size,
    read: (offset, length) => {
      const buffer = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const count = readSync(fd, buffer, filled, length - filled, offset + filled);
        // The file was cut while we read: what is gone is treated as never written.
        if (count === 0) return buffer.subarray(0, filled);
        filled += count;
      }
      return buffer;
    },
  };
}

export function bufferSource(bytes: Buffer): ByteSource {
  return { sizeBytes: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
}

/** Opens for reading, and closes however the callback ends. */
export function withFile<T>(path: string, use: (source: ByteSource, sizeBytes: number) => T): T {
  const fd = openSync(path, 'r');
  try {
    const source = fileSource(fd);
    return use(source, source.sizeBytes);
  } finally {
    closeSync(fd);
  }
}

function lineAt(bytes: Buffer, offset: number): Line {
  const sizeBytes = bytes.length + 1;
  const hasReturn = bytes[bytes.length - 1] === CARRIAGE_RETURN;
  return { offset, sizeBytes, bytes: hasReturn ? bytes.subarray(0, -1) : bytes };
}

/** Where the last line feed before `endOffset` ends: everything before it is committed. */
export function committedEnd(source: ByteSource, endOffset = source.sizeBytes): number {
  let end = endOffset;
  while (end > 0) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const at = source.read(start, end - start).lastIndexOf(LINE_FEED);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}

/** The committed lines before `endOffset`, last first. `endOffset` must be just behind a line feed, or 0. */
export function* linesBackwards(source: ByteSource, endOffset: number): Generator<Line> {
  let end = endOffset; // just behind the line feed of the next line to give
  let chunkStart = endOffset;
  let pending: Buffer[] = []; // bytes of that line that lie behind chunkStart, in order
  while (end > 0) {
    const start = Math.max(0, chunkStart - CHUNK_BYTES);
    let chunk = source.read(start, chunkStart - start);
    if (chunkStart === end) chunk = chunk.subarray(0, -1);
    chunkStart = start;
    for (;;) {
      const at = chunk.lastIndexOf(LINE_FEED);
      if (at < 0) break;
      let bytes = chunk.subarray(at + 1);
      if (pending.length > 0) {
        bytes = Buffer.concat([bytes, ...pending]);
        pending = [];
      }
      yield lineAt(bytes, start + at + 1);
      end = start + at + 1;
      chunk = chunk.subarray(0, at);
    }
    pending.unshift(chunk);
    if (start === 0) {
      yield lineAt(Buffer.concat(pending), 0);
      return;
    }
  }
}

/** The committed lines from `startOffset` (the beginning of a line) on, up to the last line feed before `endOffset`. */
export function* linesForwards(source: ByteSource, startOffset: number, endOffset: number): Generator<Line> {
  let offset = startOffset;
  let position = startOffset;
  let chunkBytes = CHUNK_BYTES;
  let pending: Buffer[] = [];
  while (position < endOffset) {
    const chunk = source.read(position, Math.min(chunkBytes, endOffset - position));
    chunkBytes = Math.min(2 * chunkBytes, MAX_CHUNK_BYTES);
    if (chunk.length === 0) return;
    position += chunk.length;
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(LINE_FEED, from);
      if (at < 0) break;
      let bytes = chunk.subarray(from, at);
      if (pending.length > 0) {
        bytes = Buffer.concat([...pending, bytes]);
        pending = [];
      }
      yield lineAt(bytes, offset);
      offset += bytes.length + 1;
      from = at + 1;
    }
    if (from < chunk.length) pending.push(chunk.subarray(from));
  }
}
