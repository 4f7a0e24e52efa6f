// S8: the file that we append to must still be the one at its path, with the size that we left it, and the lock ours.

import { fstatSync, readSync, statSync } from 'node:fs';
import { AppError } from '../model/errors.ts';

/**
 * Without a sync, looking at the path would cost more than writing: then the knowledge that the file there and the lock
 * are still ours may be this old. The file's own size is looked at before each batch.
 */
const PATH_CHECK_MS = 50;
const TWO_BYTES = Buffer.alloc(2);

export class OwnFile {
  readonly fd: number;
  readonly #path: string;
  readonly #inode: number;
  /** @throws `journal.lock-lost` once somebody else may write here */
  readonly #checkLock: () => void;
  #pathCheckedAt = 0;

  constructor(fd: number, path: string, checkLock: () => void) {
    this.fd = fd;
    this.#path = path;
    this.#inode = fstatSync(fd).ino;
    this.#checkLock = checkLock;
  }

  /** @throws `journal.foreign-writer` where somebody else has been at the file; what `checkLock` throws */
  check(sizeBytes: number, isPathDue: boolean): void {
    const path = this.#path;
    const now = performance.now();
    if (!isPathDue && now - this.#pathCheckedAt < PATH_CHECK_MS) {
      if (!this.#isAsLong(sizeBytes)) throw this.#changedSize(sizeBytes, fstatSync(this.fd).size);
      return;
    }
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || stats.ino !== this.#inode) {
      throw new AppError(
        'journal.foreign-writer',
        `${path} was deleted, moved or replaced by somebody else while it was being written. Writing stops; put it back or restore it, then start again.`,
        { path },
      );
    }
    if (stats.size !== sizeBytes) throw this.#changedSize(sizeBytes, stats.size);
    this.#checkLock();
    this.#pathCheckedAt = now;
  }

  /**
   * Whether the file ends where we left it: one byte there, and none behind it. Asking for its size would make the next
   * write slower, since systems give a file whose times were asked for a finer one.
   */
  #isAsLong(sizeBytes: number): boolean {
    return readSync(this.fd, TWO_BYTES, 0, 2, Math.max(0, sizeBytes - 1)) === Math.min(1, sizeBytes);
  }

  #changedSize(expected: number, found: number): AppError {
    const path = this.#path;
    return new AppError(
      'journal.foreign-writer',
      `${path} was changed by somebody else: it has ${found} bytes where ${expected} were left. Writing stops; find out who writes there, then start again.`,
      { path, expected, found },
    );
  }
}
