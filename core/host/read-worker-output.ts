// Reading what was kept of a process's output. Reading never writes [P6], and reads whole lines only [J4].

import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { AppError, codeOf } from '../model/errors.ts';
import { LOG_LEVELS, type LogLevel } from '../model/worker-protocol.ts';
import { watchDirectory } from '../tail/watch-directory.ts';
import {
  outputDirectory,
  outputFile,
  outputFiles,
  type OutputLine,
  type OutputStream,
} from './output-files.ts';

const LINE_FEED = 0x0a;
const FOLDER_POLL_MS = 1_000;
const MAX_LINES = 1_000;
/** A file is rotated long before; one that is larger is not ours, and only so much of it is read at once. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const STREAMS: readonly string[] = ['out', 'err', 'log'] satisfies readonly OutputStream[];

export interface OutputPage {
  /** Oldest first. */
  readonly lines: readonly OutputLine[];
  /** Lines of this part that are no output of a worker. */
  readonly unreadable: number;
  /** Where older ones are; null when these are the oldest that are kept. */
  readonly before: string | null;
  /** Where to go on towards the end. */
  readonly next: string;
}

export interface PageRequest {
  /** At most 1000. */
  readonly limit: number;
  /** Of an earlier page; null for the newest lines. */
  readonly before: string | null;
}

/** A place between two lines: in this file, so many bytes from its beginning. */
interface Place {
  readonly file: number;
  readonly at: number;
}

/** The newest lines, or those before a place. @throws `output.bad-cursor`, `journal.name-unsupported` */
export function readWorkerOutput(
  directory: string,
  process: string,
  { limit, before }: PageRequest,
): OutputPage {
  const folder = outputDirectory(directory, process);
  const end = before === null ? null : parsePlace(before);
  const wanted = Math.max(1, Math.min(MAX_LINES, Math.floor(limit)));
  const files = outputFiles(folder).filter((file) => end === null || file <= end.file);
  const lines: OutputLine[] = [];
  let unreadable = 0;
  let first: Place | null = null;
  let last: Place | null = end;
  for (const file of files.toReversed()) {
    const bytes = wholeLines(folder, file, 0, end?.file === file ? end.at : null);
    last ??= { file, at: bytes.length };
    for (let to = bytes.length; to > 0 && lines.length < wanted;) {
      const from = to < 2 ? 0 : bytes.lastIndexOf(LINE_FEED, to - 2) + 1;
      const line = parseLine(bytes.subarray(from, to - 1));
      if (line === null) unreadable += 1;
      else lines.push(line);
      first = { file, at: from };
      to = from;
    }
    if (lines.length >= wanted) break;
  }
  const isOldest = first === null || (first.at === 0 && first.file === files[0]);
  return {
    lines: lines.reverse(),
    unreadable,
    before: isOldest || first === null ? null : placeText(first),
    next: placeText(last ?? { file: 0, at: 0 }),
  };
}

export interface OutputFollower {
  /** Oldest first; `next` is where to go on. */
  readonly onLines: (lines: readonly OutputLine[], next: string) => void;
  /** Some were removed before they could be read. */
  readonly onGap: () => void;
  readonly onTrouble: (error: unknown) => void;
}

/** Calls with what stands behind `from`, at once and as it comes. Disposing stops it. */
export function followWorkerOutput(
  directory: string,
  process: string,
  from: string,
  { onLines, onGap, onTrouble }: OutputFollower,
): Disposable {
  const folder = outputDirectory(directory, process);
  let place = parsePlace(from);
  let isStopped = false;
  const look = (): void => {
    try {
      const files = outputFiles(folder).filter((file) => file >= place.file);
      if (files[0] !== undefined && place.file > 0 && files[0] > place.file) onGap();
      for (const file of files) {
        const at = file === place.file ? place.at : 0;
        const bytes = wholeLines(folder, file, at, null);
        place = { file, at: at + bytes.length };
        const lines = linesOf(bytes);
        if (lines.length > 0 && !isStopped) onLines(lines, placeText(place));
      }
    } catch (error) {
      onTrouble(error);
    }
  };
  // Watching begins first, or what is written between the two would be noticed by neither.
  const watching = watchWhenThere(folder, () => {
    if (!isStopped) look();
  });
  look();
  return {
    [Symbol.dispose]: () => {
      isStopped = true;
      watching[Symbol.dispose]();
    },
  };
}

/** A process that has never written anything has no folder, which nothing announces; its first line makes one. */
function watchWhenThere(folder: string, onChange: () => void): Disposable {
  if (existsSync(folder)) return watchDirectory(folder, onChange);
  let watching: Disposable | null = null;
  const timer = setInterval(() => {
    if (!existsSync(folder)) return;
    clearInterval(timer);
    watching = watchDirectory(folder, onChange);
    onChange();
  }, FOLDER_POLL_MS);
  timer.unref();
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      watching?.[Symbol.dispose]();
    },
  };
}

function linesOf(bytes: Buffer): readonly OutputLine[] {
  const lines: OutputLine[] = [];
  for (let from = 0; from < bytes.length;) {
    const to = bytes.indexOf(LINE_FEED, from);
    const line = parseLine(bytes.subarray(from, to));
    if (line !== null) lines.push(line);
    from = to + 1;
  }
  return lines;
}

/** The bytes from `from` to the last line feed before `to` or the end; none of a file that has just been removed. */
function wholeLines(folder: string, file: number, from: number, to: number | null): Buffer {
  let fd: number;
  try {
    fd = openSync(outputFile(folder, file), 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
  try {
    const size = Math.min(fstatSync(fd).size, from + MAX_FILE_BYTES, to ?? Infinity);
    const bytes = Buffer.alloc(Math.max(0, size - from));
    let count = 0;
    while (count < bytes.length) {
      const read = readSync(fd, bytes, count, bytes.length - count, from + count);
      if (read === 0) break;
      count += read;
    }
    return bytes.subarray(0, bytes.subarray(0, count).lastIndexOf(LINE_FEED) + 1);
  } finally {
    closeSync(fd);
  }
}

/** Null for what no worker's host has written. */
function parseLine(bytes: Buffer): OutputLine | null {
  let found: Partial<Record<keyof OutputLine, unknown>>;
  try {
    found = JSON.parse(bytes.toString('utf8')) as typeof found;
  } catch {
    return null;
  }
  if (typeof found !== 'object' || found === null) return null;
  const { at, generation, stream, level, eventId, text } = found;
  const isOurs =
    typeof at === 'string' &&
    typeof generation === 'number' &&
    typeof text === 'string' &&
    typeof stream === 'string' &&
    STREAMS.includes(stream);
  if (!isOurs) return null;
  return {
    at,
    generation,
    stream: stream as OutputStream,
    ...(LOG_LEVELS.includes(level as LogLevel) ? { level: level as LogLevel } : {}),
    ...(typeof eventId === 'string' ? { eventId } : {}),
    text,
  };
}

function placeText({ file, at }: Place): string {
  return `${file}:${at}`;
}

function parsePlace(cursor: string): Place {
  const found = /^(\d{1,12}):(\d{1,12})$/.exec(cursor);
  if (found === null) {
    throw new AppError(
      'output.bad-cursor',
      `${JSON.stringify(cursor.slice(0, 100))} is no place in a process's output. Use what an earlier page gave.`,
    );
  }
  return { file: Number(found[1]), at: Number(found[2]) };
}
