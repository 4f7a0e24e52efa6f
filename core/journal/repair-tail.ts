// J6  Before the first append an incomplete tail, the bytes behind the last line feed, goes to .holdfast/quarantine byte
//     for byte, and the file is cut at that line feed. The caller then says so in an entry.

import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError, messageOf } from '../model/errors.ts';
import { PRIVATE_DIRECTORY, PRIVATE_FILE, STATE_DIRECTORY } from './layout.ts';
import { committedEnd } from './lines.ts';

export interface RepairedTail {
  readonly offset: number;
  readonly sizeBytes: number;
  /** Where the bytes are now, relative to the journal directory. */
  readonly file: string;
}

/** Repairs the file behind `fd`, open for reading and writing; null where its last line is whole. */
export function repairTail(directory: string, name: string, fd: number): RepairedTail | null {
  const size = fstatSync(fd).size;
  const end = committedEnd(fd, size);
  if (end === size) return null;
  // The beginning of a name is enough to find it by, and leaves room for the rest.
  const start = Array.from(name).slice(0, 40).join('');
  const file = join(STATE_DIRECTORY, 'quarantine', `${start}.${end}-${size}.${Date.now()}.bin`);
  const path = join(directory, file);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIRECTORY });
    copyRange(fd, end, size, path);
  } catch (error) {
    throw notSaved(path, error);
  }
  ftruncateSync(fd, end);
  fsyncSync(fd);
  return { offset: end, sizeBytes: size - end, file };
}

function notSaved(path: string, cause: unknown): AppError {
  return new AppError(
    'journal.repair-failed',
    `The incomplete end of a journal could not be saved to ${path}: ${messageOf(cause)}. The journal is left as it is; make room on the disk and start again.`,
    { path },
    { cause },
  );
}

function copyRange(from: number, start: number, end: number, path: string): void {
  const to = openSync(path, 'wx', PRIVATE_FILE);
  try {
    const buffer = Buffer.allocUnsafe(64 * 1024);
    for (let at = start; at < end;) {
      const count = readSync(from, buffer, 0, Math.min(buffer.length, end - at), at);
      if (count === 0) throw new Error('the journal was cut meanwhile');
      // A short count throws nothing; the write of the rest says why.
      for (let done = 0; done < count;) done += writeSync(to, buffer, done, count - done);
      at += count;
    }
    fsyncSync(to);
  } catch (error) {
    rmSync(path);
    throw error;
  } finally {
    closeSync(to);
  }
}
