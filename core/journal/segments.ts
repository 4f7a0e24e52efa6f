// S15 A journal is a row of segments: the active one, which is always the file that other readers know, and sealed ones
//     under .holdfast/segments, packed or not. Which there are is told by their names alone, so there is no index that
//     could disagree with them. Every segment but the first begins with a full checkpoint.

import { closeSync, fstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { hashLine, recordedSeq } from './codec.ts';
import { STATE_DIRECTORY } from './layout.ts';
import {
  bufferSource,
  committedEnd,
  fileSource,
  linesBackwards,
  linesForwards,
  withFile,
  type ByteSource,
} from './lines.ts';
import { ENTRIES_SUFFIX } from './process-files.ts';

export interface SealedSegment {
  /** The number of its first line. */
  readonly first: number;
  /** The number of its last line. */
  readonly last: number;
  readonly path: string;
  readonly isPacked: boolean;
}

/** A segment that can be read. */
export interface OpenSegment {
  /** The number of its first line. */
  readonly first: number;
  /** Whether it is the oldest that is there. */
  readonly isFirst: boolean;
  readonly isActive: boolean;
  readonly path: string;
  readonly inode: number;
  readonly source: ByteSource;
  /** What is behind this is not committed [J4]. */
  readonly end: number;
}

const NAME = /^(\d{12})-(\d{12})\.jsonl(\.gz)?$/;
export const PACKED_SUFFIX = '.gz';

export function segmentsDirectory(directory: string, name: string): string {
  return join(directory, STATE_DIRECTORY, 'segments', name);
}

/** The segment to come, before it gets its name. */
export function nextSegmentPath(directory: string, name: string): string {
  return join(segmentsDirectory(directory, name), 'next.tmp');
}

export function sealedPath(directory: string, name: string, first: number, last: number): string {
  return join(segmentsDirectory(directory, name), `${padded(first)}-${padded(last)}${ENTRIES_SUFFIX}`);
}

function padded(seq: number): string {
  return String(seq).padStart(12, '0');
}

/** Oldest first. One that lies there packed and unpacked is given once: a crash came between the two. */
export function sealedSegments(directory: string, name: string): readonly SealedSegment[] {
  const folder = segmentsDirectory(directory, name);
  const found = new Map<number, SealedSegment>();
  // Sorted, so that of two with the same first line the longer one counts, and of two of the same name the one that is
  // not packed.
  for (const file of [...filesIn(folder)].sort().toReversed()) {
    const match = NAME.exec(file);
    if (match === null) continue;
    const first = Number(match[1]);
    const segment = {
      first,
      last: Number(match[2]),
      path: join(folder, file),
      isPacked: match[3] !== undefined,
    };
    const other = found.get(first);
    if (other === undefined || (other.last === segment.last && other.isPacked)) found.set(first, segment);
  }
  return [...found.values()].sort((a, b) => a.first - b.first);
}

/** The names of all processes that have sealed segments. */
export function namesWithSegments(directory: string): readonly string[] {
  return filesIn(join(directory, STATE_DIRECTORY, 'segments')).filter(
    (name) => sealedSegments(directory, name).length > 0,
  );
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** How often a seal may come between opening the active segment and looking for the sealed ones. */
const LOOKS = 5;

/**
 * The segments of one process, oldest first, as they were when they were opened. Sealed ones are read when asked for,
 * so that a long journal costs no more to open than a short one.
 */
export class Segments implements Disposable {
  readonly #sealed: readonly SealedSegment[];
  readonly #active: OpenSegment | null;
  readonly #fd: number | null;
  #files: number[] = [];

  private constructor(sealed: readonly SealedSegment[], active: OpenSegment | null, fd: number | null) {
    this.#sealed = sealed;
    this.#active = active;
    this.#fd = fd;
  }

  /** Null where the process has no journal. */
  static open(directory: string, name: string): Segments | null {
    const activePath = join(directory, name + ENTRIES_SUFFIX);
    for (let look = 1; ; look += 1) {
      const fd = openIfThere(activePath);
      try {
        const sealed = sealedSegments(directory, name);
        if (fd === null && sealed.length === 0) return null;
        const newest = sealed.at(-1);
        const active = fd === null ? null : activeSegment(fd, activePath, newest);
        // Sealed since it was opened, it is in both places, and in between it is in neither: look again.
        const isChanging = active === null || (newest !== undefined && active.first <= newest.last);
        if (!isChanging || look === LOOKS) return new Segments(sealed, active, fd);
      } catch (error) {
        if (fd !== null) closeSync(fd);
        throw error;
      }
      if (fd !== null) closeSync(fd);
    }
  }

  get count(): number {
    return this.#sealed.length + (this.#active === null ? 0 : 1);
  }

  get sealed(): readonly SealedSegment[] {
    return this.#sealed;
  }

  /**
   * The index of the segment whose first line has this number, or -1. What was active may be sealed by now; what was put
   * back from an older copy may begin where a sealed one does.
   */
  find({ first, isActive }: { readonly first: number; readonly isActive: boolean }): number {
    if (isActive && this.#active?.first === first) return this.#sealed.length;
    const at = this.#sealed.findIndex((segment) => segment.first === first);
    return at < 0 && this.#active?.first === first ? this.#sealed.length : at;
  }

  /**
   * Null for one that retention has removed meanwhile.
   * @throws `journal.segment-unreadable` for a packed one that can't be unpacked
   */
  at(index: number): OpenSegment | null {
    if (index === this.#sealed.length) return this.#active;
    const segment = this.#sealed[index];
    if (segment === undefined) return null;
    const { first, path, isPacked } = segment;
    const source = isPacked ? unpacked(path) : (this.#opened(path) ?? unpacked(path + PACKED_SUFFIX));
    const isFirst = index === 0;
    // Nobody writes it any more, so nobody asks whether it is still the same file.
    return source === null
      ? null
      : { first, isFirst, isActive: false, path, inode: 0, source, end: committedEnd(source) };
  }

  /** Null where it has been packed or removed. */
  #opened(path: string): ByteSource | null {
    const fd = openIfThere(path);
    if (fd === null) return null;
    this.#files.push(fd);
    return fileSource(fd);
  }

  [Symbol.dispose](): void {
    if (this.#fd !== null) closeSync(this.#fd);
    for (const fd of this.#files) closeSync(fd);
    this.#files = [];
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function activeSegment(fd: number, path: string, before: SealedSegment | undefined): OpenSegment {
  const source = fileSource(fd);
  const end = committedEnd(source);
  const first = ownFirstSeq(source, end) ?? (before === undefined ? 1 : before.last + 1);
  return {
    first,
    isFirst: before === undefined,
    isActive: true,
    path,
    inode: fstatSync(fd).ino,
    source,
    end,
  };
}

/** The number that the first line gives itself; null where it gives none that can be trusted. */
export function ownFirstSeq(source: ByteSource, end: number): number | null {
  for (const { bytes } of linesForwards(source, 0, end)) return recordedSeq(bytes);
  return null;
}

/** The hash of a sealed segment's last line; null where it has none, or none that can be read. */
export function lastHashOf({ path, isPacked }: SealedSegment): string | null {
  if (isPacked) {
    const source = unpacked(path);
    return source === null ? null : lastHashIn(source);
  }
  return withFile(path, lastHashIn);
}

function lastHashIn(source: ByteSource): string | null {
  for (const { bytes } of linesBackwards(source, committedEnd(source)))
    return recordedSeq(bytes) === null ? null : hashLine(bytes);
  return null;
}

/** The segment unpacked last: whoever pages through it asks again at once. */
let cached: { readonly key: string; readonly source: ByteSource } | null = null;
const CACHED_MS = 10_000;

function unpacked(path: string): ByteSource | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  const key = `${path}:${stats.ino}:${stats.size}:${stats.mtimeMs}`;
  if (cached?.key === key) return cached.source;
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  let source: ByteSource;
  try {
    source = bufferSource(gunzipSync(bytes));
  } catch (error) {
    throw new AppError(
      'journal.segment-unreadable',
      `${path} can't be unpacked: ${messageOf(error)}. Restore that file from a backup; what is recorded after it can be read.`,
      { path },
      { cause: error },
    );
  }
  const entry = { key, source };
  cached = entry;
  setTimeout(() => {
    if (cached === entry) cached = null;
  }, CACHED_MS).unref();
  return source;
}
