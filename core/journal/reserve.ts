// J7  Room that is kept for one purpose: when the disk is full, a part of it is given back, so that the journal can still
//     say in a line of its own that it could not take what it was given.

import { constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../model/errors.ts';
import { writeAll, type Disk } from './disk.ts';
import { STATE_DIRECTORY } from './layout.ts';

const SIZE_BYTES = 256 * 1024;
/** More than the line and the blocks that file systems round up to. */
const PORTION_BYTES = 16 * 1024;

export interface Reserve {
  /** Takes what is missing of it, where there is room: a disk without any has nothing to keep. */
  fill(): void;
  /** Does something with a portion given back, and takes again what that left of it. */
  lend(use: () => void): void;
}

export function reserve(disk: Disk, directory: string): Reserve {
  const path = join(directory, STATE_DIRECTORY, 'reserve');
  const sizeBytes = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const withReserve = (use: (fd: number) => void): void => {
    const fd = disk.open(path, constants.O_RDWR | constants.O_CREAT);
    try {
      use(fd);
    } finally {
      disk.close(fd);
    }
  };
  /** False where the disk is full: what there was room for is taken. */
  const grow = (fd: number, from: number, to: number): boolean => {
    try {
      // Not zeros: a file system that keeps holes for them would keep no room.
      writeAll(disk, fd, Buffer.alloc(to - from, '.'), from);
      return true;
    } catch (error) {
      if (codeOf(error) !== 'ENOSPC' && codeOf(error) !== 'EDQUOT') throw error;
      return false;
    }
  };
  return {
    fill: () => {
      const size = sizeBytes();
      if (size >= SIZE_BYTES) return;
      withReserve((fd) => {
        // Room that somebody else needs now is not kept from them.
        if (!grow(fd, size, SIZE_BYTES)) disk.truncate(fd, size, path);
      });
    },
    lend: (use) => {
      const size = sizeBytes();
      if (size === 0) return;
      withReserve((fd) => {
        const lent = Math.max(0, size - PORTION_BYTES);
        disk.truncate(fd, lent, path);
        use();
        grow(fd, lent, size);
      });
    },
  };
}
