import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { codeOf, messageOf } from '../../core/model/errors.ts';
import { tempDirectory } from './temp-directory.ts';

export interface TinyDisk {
  readonly directory: string;
  /** Takes all the room that is left; the result gives it back. */
  readonly fill: () => () => void;
}

/** A file system of its own that fills up for real; a text says why there can be none. */
export function tinyDisk(sizeBytes: number): TinyDisk | string {
  const directory = tempDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', directory], { stdio: 'pipe' });
  } catch (error) {
    return `a small disk can't be mounted here (run as root on Linux): ${messageOf(error).split('\n')[0]}`;
  }
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', directory]);
  });
  const filler = join(directory, 'filler');
  return {
    directory,
    fill: () => {
      const fd = openSync(filler, 'w');
      try {
        for (const block of [65_536, 4_096, 1]) fillWith(fd, Buffer.alloc(block));
      } finally {
        closeSync(fd);
      }
      return () => rmSync(filler);
    },
  };
}

function fillWith(fd: number, block: Buffer): void {
  try {
    for (;;) if (writeSync(fd, block) < block.length) return;
  } catch (error) {
    if (codeOf(error) !== 'ENOSPC') throw error;
  }
}
