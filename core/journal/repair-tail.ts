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
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../model/errors.ts';
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
  const file = join(STATE_DIRECTORY, 'quarantine', `${name}.${end}-${size}.${Date.now()}.bin`);
  mkdirSync(join(directory, STATE_DIRECTORY, 'quarantine'), { recursive: true, mode: PRIVATE_DIRECTORY });
  copyRange(fd, end, size, join(directory, file));
  ftruncateSync(fd, end);
  fsyncSync(fd);
  return { offset: end, sizeBytes: size - end, file };
}

function copyRange(from: number, start: number, end: number, path: string): void {
  const to = openSync(path, 'wx', PRIVATE_FILE);
  try {
    const buffer = Buffer.allocUnsafe(64 * 1024);
    for (let at = start; at < end;) {
      const count = readSync(from, buffer, 0, Math.min(buffer.length, end - at), at);
      if (count === 0 || writeSync(to, buffer, 0, count) !== count) {
        throw new AppError(
          'journal.repair-failed',
          `The incomplete end of a journal could not be saved to ${path}, so the journal is left as it is. Make room on the disk and start again.`,
          { path },
        );
      }
      at += count;
    }
    fsyncSync(to);
  } finally {
    closeSync(to);
  }
}
