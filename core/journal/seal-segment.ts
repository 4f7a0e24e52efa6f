// S15 Sealing: the next segment is whole and durable under a temporary name before the active one gives its name up, and
//     at every moment in between what is there can be put together again.

import { constants, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { decodeLine, hashLine } from './codec.ts';
import { writeAll, writeFile, type Disk } from './disk.ts';
import { committedEnd, linesBackwards, withFile } from './lines.ts';
import { ENTRIES_SUFFIX } from './process-files.ts';
import {
  lastHashOf,
  nextSegmentPath,
  ownFirstSeq,
  sealedPath,
  sealedSegments,
  segmentsDirectory,
  type SealedSegment,
} from './segments.ts';

export interface SegmentPlace {
  readonly disk: Disk;
  readonly directory: string;
  /** The process's file name without suffix. */
  readonly name: string;
}

export const APPEND_FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;

/**
 * Seals the active segment, which is durable, and gives the descriptor of the next, which begins with `line`, line feed
 * included.
 */
export async function startSegment(
  { disk, directory, name }: SegmentPlace,
  line: Buffer,
  sealed: { readonly first: number; readonly seq: number },
): Promise<number> {
  const folder = segmentsDirectory(directory, name);
  const active = join(directory, name + ENTRIES_SUFFIX);
  const next = nextSegmentPath(directory, name);
  disk.makeDirectory(folder);
  // The folders themselves may be new.
  await disk.syncDirectory(directory);
  await disk.syncDirectory(dirname(dirname(folder)));
  await disk.syncDirectory(dirname(folder));
  disk.remove(next);
  const fd = disk.open(next, APPEND_FLAGS);
  let hasGivenName = false;
  try {
    writeAll(disk, fd, line);
    await disk.sync(fd);
    await disk.syncDirectory(folder);
    disk.rename(active, sealedPath(directory, name, sealed.first, sealed.seq));
    hasGivenName = true;
    await disk.syncDirectory(folder);
    await disk.syncDirectory(directory);
    disk.rename(next, active);
    await disk.syncDirectory(directory);
    return fd;
  } catch (error) {
    disk.close(fd);
    if (hasGivenName) throw halfSealed(active, error);
    disk.remove(next);
    throw error;
  }
}

/** Whatever the reason: what was the active file is sealed, and nothing may be written to it any more. */
function halfSealed(path: string, cause: unknown): AppError {
  return new AppError(
    'journal.poisoned',
    `${path} was sealed, and its next segment could not be put in its place: ${messageOf(cause)}. Nothing is lost; look at the disk, then force-recover the process.`,
    { path, code: codeOf(cause) },
    { cause },
  );
}

/**
 * Finishes or takes back a sealing that a crash interrupted, so that there is an active segment again, if there ever was
 * one. It never starts fresh where sealed segments are.
 */
export async function restoreActive(place: SegmentPlace): Promise<void> {
  const { disk, directory, name } = place;
  const sealed = sealedSegments(directory, name).at(-1);
  const active = join(directory, name + ENTRIES_SUFFIX);
  const next = nextSegmentPath(directory, name);
  if (sealed === undefined || exists(active)) {
    if (exists(next)) disk.remove(next);
    if (sealed !== undefined && isTakenBack(active, sealed)) disk.remove(sealed.path);
    return;
  }
  // Taking the old name must be durable before the name is given again, or both could be gone.
  await disk.syncDirectory(segmentsDirectory(directory, name));
  await disk.syncDirectory(directory);
  if (follows(next, sealed)) {
    disk.rename(next, active);
  } else if (sealed.isPacked) {
    await writeFile(disk, next, unpackedBytes(sealed.path));
    disk.rename(next, active);
    await disk.syncDirectory(directory);
    disk.remove(sealed.path);
  } else {
    disk.rename(sealed.path, active);
  }
  await disk.syncDirectory(directory);
  await disk.syncDirectory(segmentsDirectory(directory, name));
}

/** Whether the segment to come is whole, and goes on where the sealed one ends. */
function follows(next: string, sealed: SealedSegment): boolean {
  if (!exists(next) || sealed.isPacked) return false;
  return withFile(next, (source, size) => {
    const end = committedEnd(source);
    if (end === 0 || end !== size) return false;
    const [line] = linesBackwards(source, end);
    if (line === undefined || line.offset !== 0) return false;
    const decoded = decodeLine(line.bytes, lastHashOf(sealed) ?? undefined);
    return decoded.ok && decoded.verification === 'verified' && decoded.keys?.seq === sealed.last + 1;
  });
}

/** Whether the active segment is the sealed one itself, taken back: a crash came before its other name was removed. */
function isTakenBack(active: string, sealed: SealedSegment): boolean {
  return withFile(active, (source) => {
    const end = committedEnd(source);
    if (ownFirstSeq(source, end) !== sealed.first) return false;
    const [last] = linesBackwards(source, end);
    return last !== undefined && hashLine(last.bytes) === lastHashOf(sealed);
  });
}

/** An empty file is none: a segment begins with a line. */
function exists(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function unpackedBytes(path: string): Buffer {
  try {
    return gunzipSync(readFileSync(path));
  } catch (error) {
    throw new AppError(
      'journal.segment-unreadable',
      `${path}, the newest part of its journal, can't be unpacked: ${messageOf(error)}. Restore that file from a backup.`,
      { path },
      { cause: error },
    );
  }
}
