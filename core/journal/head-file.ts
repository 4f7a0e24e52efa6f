// S13 The head of each journal, what is known durable of it, is also kept outside of it: beside the lock, and in the
//     user's data folder. So a journal that was cut at a line feed, or put back from an older copy, is noticed.
//
// A head is written after each sync, in place and without a sync of its own: it may lag behind the journal after a power
// cut, and is never ahead of it.

import { constants, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject, numberAt, textAt, type Json } from '../model/json.ts';
import { writeAll, type Disk } from './disk.ts';
import { STATE_DIRECTORY } from './layout.ts';

export interface Head {
  /** The last line known durable, and its hash as the next line's `prev` has it. */
  readonly seq: number;
  readonly hash: string;
  /** Of the segment it is in: the first line's number, the bytes up to this line's end, and the file's inode. */
  readonly first: number;
  readonly sizeBytes: number;
  /** 0 where it is about to change. */
  readonly inode: number;
  /** The machine that wrote it. */
  readonly machine: string;
  /** A sync failed: what the system shows of the file since may be on no disk [J7]. */
  readonly isUnsynced: boolean;
}

/** Always one write inside one sector, so that it is there as it was or as it is, never half. */
const SIZE_BYTES = 256;

export function headPath(directory: string, name: string): string {
  return join(directory, STATE_DIRECTORY, 'heads', `${name}.head`);
}

/** Null where there is none, or none that can be understood: then nothing is known. */
export function readHead(path: string): Head | null {
  let parsed: Json;
  try {
    parsed = JSON.parse(readFileSync(path, 'latin1')) as Json;
  } catch {
    return null;
  }
  if (!isObject(parsed) || textAt(parsed, 'hash').length !== 22) return null;
  return {
    seq: numberAt(parsed, 'seq'),
    hash: textAt(parsed, 'hash'),
    first: numberAt(parsed, 'first'),
    sizeBytes: numberAt(parsed, 'size'),
    inode: numberAt(parsed, 'inode'),
    machine: textAt(parsed, 'machine'),
    isUnsynced: parsed['unsynced'] === true,
  };
}

export class HeadFile implements Disposable {
  readonly #disk: Disk;
  readonly #fd: number;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    disk.makeDirectory(dirname(path));
    this.#fd = disk.open(path, constants.O_RDWR | constants.O_CREAT);
  }

  write({ seq, hash, first, sizeBytes, inode, machine, isUnsynced }: Head): void {
    const text = `{"seq":${seq},"hash":"${hash}","first":${first},"size":${sizeBytes},"inode":${inode},"machine":"${machine}"${isUnsynced ? ',"unsynced":true' : ''}}`;
    writeAll(this.#disk, this.#fd, Buffer.from(`${text.padEnd(SIZE_BYTES - 1)}\n`, 'latin1'), 0);
  }

  /** The same, durable, for what must not be forgotten. */
  async writeSynced(head: Head): Promise<void> {
    this.write(head);
    await this.#disk.sync(this.#fd);
  }

  [Symbol.dispose](): void {
    this.#disk.close(this.#fd);
  }
}
