// J6  Before the first append an incomplete tail, the bytes behind the last line feed, goes to .holdfast/quarantine byte
//     for byte, and the file is cut at that line feed. The caller then says so in an entry. So does an unfinished batch
//     [S11]. Nothing is cut before its copy is durable.

import { fstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError, messageOf } from '../model/errors.ts';
import { copyFile, type Disk } from './disk.ts';
import { STATE_DIRECTORY } from './layout.ts';
import { committedEnd, fileSource } from './lines.ts';
import { ENTRIES_SUFFIX } from './process-files.ts';

export interface RepairedTail {
  readonly offset: number;
  readonly sizeBytes: number;
  /** Where the bytes are now, relative to the journal directory. */
  readonly file: string;
}

/** Repairs the file behind `fd`, open for reading and writing; null where its last line is whole. */
export async function repairTail(
  disk: Disk,
  directory: string,
  name: string,
  fd: number,
): Promise<RepairedTail | null> {
  const source = fileSource(fd);
  const end = committedEnd(source);
  return end === source.sizeBytes ? null : quarantineTail(disk, directory, name, fd, end);
}

/** Moves everything from `start` on into quarantine. */
export async function quarantineTail(
  disk: Disk,
  directory: string,
  name: string,
  fd: number,
  start: number,
): Promise<RepairedTail> {
  const size = fstatSync(fd).size;
  const file = join(STATE_DIRECTORY, 'quarantine', quarantineName(name, start, size));
  const path = join(directory, file);
  try {
    disk.makeDirectory(dirname(path));
    await saveTail(disk, fd, path, start);
    await disk.syncDirectory(dirname(path));
    await disk.syncDirectory(dirname(dirname(path)));
  } catch (error) {
    throw notSaved(path, error);
  }
  disk.truncate(fd, start, join(directory, name + ENTRIES_SUFFIX));
  await disk.sync(fd);
  return { offset: start, sizeBytes: size - start, file };
}

/** The beginning of a name is enough to find it by, and leaves room for the rest. */
export function quarantineName(name: string, start: number, end: number): string {
  return `${Array.from(name).slice(0, 40).join('')}.${start}-${end}.${Date.now()}.bin`;
}

async function saveTail(disk: Disk, fd: number, path: string, start: number): Promise<void> {
  try {
    await copyFile(disk, fd, path, start);
  } catch (error) {
    disk.remove(path);
    throw error;
  }
}

function notSaved(path: string, cause: unknown): AppError {
  return new AppError(
    'journal.repair-failed',
    `The incomplete end of a journal could not be saved to ${path}: ${messageOf(cause)}. The journal is left as it is; make room on the disk and start again.`,
    { path },
    { cause },
  );
}
