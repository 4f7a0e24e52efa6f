// Whether a journal is where it was and as it was.
//
// S10 Moved, copied, or put back from an older copy, it may tell of a world that has moved on. Its processes are held until
//     somebody who knows has resumed them. This is told by the machine and the file's inode, not by the device, whose
//     number changes from one boot to the next.
// S13 A journal that is shorter than what its head knows durable has lost its end.

import { fstatSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, messageOf } from '../model/errors.ts';
import { isObject, textAt, type Json } from '../model/json.ts';
import type { FilePosition } from './append-file.ts';
import { hashLine } from './codec.ts';
import { writeAll, type Disk } from './disk.ts';
import type { Head } from './head-file.ts';
import { committedEnd, fileSource, linesBackwards } from './lines.ts';
import { nameCopy, readMarker, type Marker } from './marker.ts';
import type { SealedSegment } from './segments.ts';

/** How what a head knows fits the file. */
export type Fit = 'fits' | 'short' | 'different';

export function fitOf(head: Head, fd: number, { seq, first }: FilePosition): Fit {
  if (head.seq > seq) return 'short';
  // In a segment that is sealed by now, or was taken back: the numbers go on, and what is sealed is not written.
  if (head.first !== first) return 'fits';
  const source = fileSource(fd);
  if (source.sizeBytes < head.sizeBytes) return 'short';
  if (head.sizeBytes === 0) return 'fits';
  if (committedEnd(source, head.sizeBytes) !== head.sizeBytes) return 'different';
  for (const { bytes } of linesBackwards(source, head.sizeBytes))
    return hashLine(bytes) === head.hash ? 'fits' : 'different';
  return 'different';
}

export interface Found {
  readonly fd: number;
  readonly position: FilePosition;
  /** Beside the journal. */
  readonly near: Head | null;
  /** In the user's data folder. */
  readonly far: Head | null;
  readonly machine: string;
  readonly marker: Marker;
}

/** @throws `journal.lost-tail` where the journal's own head knows more than it */
export function refuseLostTail(
  process: string,
  path: string,
  near: Head,
  fd: number,
  position: FilePosition,
): void {
  if (fitOf(near, fd, position) !== 'fits') throw lostTail(process, path, near, position);
}

/** @throws `journal.lost-tail` for an active segment that does not stand where the sealed ones end */
export function refuseOlder(
  process: string,
  path: string,
  { seq, first }: FilePosition,
  sealed: SealedSegment | null,
): void {
  if (sealed === null || first === sealed.last + 1) return;
  throw new AppError(
    'journal.lost-tail',
    `The journal of ${process} does not fit together: ${path} begins at entry ${first}, and its sealed segments end at entry ${sealed.last}. It was put back from another copy. Restore all of it from one backup, or repair what is there into a copy: holdfast repair <directory> --to <copy>`,
    { process, path, found: seq, expected: sealed.last + 1 },
  );
}

/** @throws `journal.lost-tail` for a journal that has a head and no lines */
export function refuseMissing(process: string, path: string, near: Head): void {
  if (near.seq > 0) throw lostTail(process, path, near, { seq: 0 });
}

/** Why the process has to be held before it goes on; null where all is as it was left. */
export function concernOf(path: string, found: Found): string | null {
  const { fd, position, near, far, machine, marker } = found;
  if (far !== null && fitOf(far, fd, position) !== 'fits') {
    return `This journal ends at entry ${position.seq} or differs from what was recorded here up to entry ${far.seq}: it was restored from an older copy, and what was done since is not known. Check the outside world, then resume.`;
  }
  if (near === null) return null;
  const isSameFile =
    near.first !== position.first ||
    near.inode === 0 ||
    near.inode === fstatSync(fd).ino ||
    hasNoInodes(path);
  const isSameMachine = near.machine === machine || near.machine === '' || machine === '';
  if (isSameFile && isSameMachine) return null;
  return marker.copiedFrom === null
    ? 'This journal was moved, copied or restored since it was last written. Make sure that nobody runs another copy of it and that it is the newest, then resume.'
    : 'This journal is a copy of one that is still there, and what is unfinished in it may be done by the other. Decide which of the two goes on, then resume.';
}

function lostTail(process: string, path: string, head: Head, { seq }: Pick<FilePosition, 'seq'>): AppError {
  const what =
    seq < head.seq
      ? `${path} ends at entry ${seq}, and entry ${head.seq} had been written and synced`
      : `${path} is not what was written up to entry ${head.seq}`;
  return new AppError(
    'journal.lost-tail',
    `The journal of ${process} has lost its end: ${what}. Restore it from a backup, or repair what is left into a copy: holdfast repair <directory> --to <copy>`,
    { process, path, found: seq, expected: head.seq },
  );
}

/** FAT, exFAT, FUSE and overlays give a file another inode whenever they like. */
const WITHOUT_INODES: ReadonlySet<number> = new Set([0x4d44, 0x2011bab0, 0x65735546, 0x794c7630]);

function hasNoInodes(path: string): boolean {
  return WITHOUT_INODES.has(statfsSync(path).type);
}

export function farHeadPath(knownJournals: string, journalId: string, name: string): string {
  return join(knownJournals, journalId, `${name}.head`);
}

/**
 * The marker of a directory that is to be written, with a name of its own if it is a copy of a journal that is still
 * there: two with one name would be taken for each other. Remembers where it is.
 */
export function nameIfCopied(
  disk: Disk,
  directory: string,
  marker: Marker,
  knownJournals: string | null,
): { readonly marker: Marker; readonly trouble: AppError | null } {
  if (knownJournals === null) return { marker, trouble: null };
  const known = readPlace(join(knownJournals, marker.id, PLACE_FILE));
  const isCopy = known !== null && !isSamePlace(known, directory) && idAt(known) === marker.id;
  const named = isCopy ? nameCopy(disk, directory, marker) : marker;
  if (!isCopy && known === directory) return { marker, trouble: null };
  try {
    rememberPlace(disk, join(knownJournals, named.id), directory);
    return { marker: named, trouble: null };
  } catch (error) {
    return { marker: named, trouble: unremembered(directory, knownJournals, error) };
  }
}

function unremembered(directory: string, knownJournals: string, cause: unknown): AppError {
  return new AppError(
    'journal.forgetful',
    `Where ${directory} lies can't be remembered in ${knownJournals}: ${messageOf(cause)}. It is run all the same, but a copy of it would not be noticed; make that folder writable and start again.`,
    { directory, knownJournals },
    { cause },
  );
}

const PLACE_FILE = 'place.json';

/** Null where nothing is known: then nothing is claimed. */
function readPlace(path: string): string | null {
  try {
    const parsed = JSON.parse(readFileSync(path, 'utf8')) as Json;
    return isObject(parsed) ? textAt(parsed, 'directory') || null : null;
  } catch {
    return null;
  }
}

function rememberPlace(disk: Disk, folder: string, directory: string): void {
  disk.makeDirectory(folder);
  const path = join(folder, PLACE_FILE);
  const fd = disk.open(`${path}.tmp`, 'w');
  try {
    writeAll(disk, fd, Buffer.from(`${JSON.stringify({ directory })}\n`));
  } finally {
    disk.close(fd);
  }
  disk.rename(`${path}.tmp`, path);
}

function idAt(directory: string): string | null {
  try {
    return readMarker(directory)?.id ?? null;
  } catch {
    return null; // Not there, or not readable: no journal that anybody could mix this one up with.
  }
}

/** Whether two paths lead to one directory. */
function isSamePlace(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}
