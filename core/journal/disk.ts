// Every change that the writer makes to a disk, in one place: what can fail, what can be lost, and what has to be synced
// is decided above, and tests put a disk below that records, tears and fails. Reading needs no port: it changes nothing.

import {
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { PRIVATE_DIRECTORY, PRIVATE_FILE } from './layout.ts';

export interface Disk {
  /** Created with mode 0600 where `flags` create [J10]. */
  open(path: string, flags: number | string): number;
  close(fd: number): void;
  /** Gives how many bytes were written, which on a full disk are fewer, and nothing is thrown [J7]. */
  write(fd: number, bytes: Uint8Array, offset: number, length: number, position: number | null): number;
  /** `path` leads to the same file: one that is open for appending can't be cut by its descriptor everywhere. */
  truncate(fd: number, sizeBytes: number, path: string): void;
  /** Resolves when data and size are on the disk, as far as it tells the truth. In a thread. */
  sync(fd: number): Promise<void>;
  /** The same while everything waits: for what happens once, before there is anything that could wait. */
  syncNow(fd: number): void;
  /** A new name is durable when its directory is. */
  syncDirectory(path: string): Promise<void>;
  rename(from: string, to: string): void;
  /** An absent file is as good as removed. */
  remove(path: string): void;
  /** With its parents, with mode 0700 [J10]. */
  makeDirectory(path: string): void;
}

export const LOCAL_DISK: Disk = {
  open: (path, flags) => openSync(path, flags, PRIVATE_FILE),
  close: closeSync,
  write: writeSync,
  truncate: (fd, sizeBytes, path) => {
    // https://github.com/nodejs/node/issues/3177
    if (process.platform === 'win32') truncateSync(path, sizeBytes);
    else ftruncateSync(fd, sizeBytes);
  },
  sync: promisify(fdatasync),
  syncNow: fsyncSync,
  syncDirectory: async (path) => {
    // Windows has no such call and needs none.
    if (process.platform === 'win32') return;
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
  makeDirectory: (path) => void mkdirSync(path, { recursive: true, mode: PRIVATE_DIRECTORY }),
};

/** Writes all of it: a short count throws nothing, and the write of the rest says why [J7]. */
export function writeAll(disk: Disk, fd: number, bytes: Uint8Array, position: number | null = null): void {
  for (let done = 0; done < bytes.length;) {
    const at = position === null ? null : position + done;
    done += disk.write(fd, bytes, done, bytes.length - done, at);
  }
}

/** A whole new file, durable under its name once its directory is synced. */
export async function writeFile(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  const fd = disk.open(path, 'w');
  try {
    writeAll(disk, fd, bytes);
    await disk.sync(fd);
  } finally {
    disk.close(fd);
  }
}

/** Copies a file, or the part of it from `start` on, into a new one that is durable as {@link writeFile} makes it. */
export async function copyFile(disk: Disk, from: string | number, to: string, start = 0): Promise<void> {
  const source = typeof from === 'number' ? from : openSync(from, 'r');
  try {
    const target = disk.open(to, 'w');
    try {
      const buffer = Buffer.allocUnsafe(64 * 1024);
      for (let at = start; ;) {
        const count = readSync(source, buffer, 0, buffer.length, at);
        if (count === 0) break;
        writeAll(disk, target, buffer.subarray(0, count));
        at += count;
      }
      await disk.sync(target);
    } finally {
      disk.close(target);
    }
  } finally {
    if (typeof from === 'string') closeSync(source);
  }
}
