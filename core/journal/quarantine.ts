// What a copy leaves out of a journal is kept in it all the same, byte for byte, in files of their own.

import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Disk } from './disk.ts';
import { STATE_DIRECTORY } from './layout.ts';
import { PartFile } from './part-file.ts';
import { quarantineName } from './repair-tail.ts';

/** Bytes that stood together. */
export interface LeftOut<Reason extends string> {
  /** Their file, relative to the journal that was copied, and where they began in it. */
  readonly segment: string;
  readonly offset: number;
  readonly bytes: number;
  /** Where they are now, relative to the copy. */
  readonly file: string;
  readonly reason: Reason;
}

export class Quarantine<Reason extends string> implements Disposable {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #name: string;
  #open: {
    readonly part: PartFile;
    readonly what: Pick<LeftOut<Reason>, 'segment' | 'offset' | 'reason'>;
  } | null = null;

  /** Of one process, by its file name without suffix, in the copy `directory`. */
  constructor(disk: Disk, directory: string, name: string) {
    this.#disk = disk;
    this.#directory = directory;
    this.#name = name;
  }

  /** Why the bytes that were put last are left out; null where none are open. */
  get reason(): Reason | null {
    return this.#open?.what.reason ?? null;
  }

  /** Adds bytes to those before, whose reason counts. */
  put(raw: Buffer, what: Pick<LeftOut<Reason>, 'segment' | 'offset' | 'reason'>): void {
    if (this.#open === null) {
      const folder = join(this.#directory, STATE_DIRECTORY, 'quarantine');
      this.#disk.makeDirectory(folder);
      this.#open = { part: new PartFile(this.#disk, join(folder, 'part.tmp')), what };
    }
    this.#open.part.write(raw);
  }

  /** Durable when this resolves, but for the name; null where there was nothing. */
  async end(): Promise<LeftOut<Reason> | null> {
    const open = this.#open;
    this.#open = null;
    if (open === null) return null;
    const { part, what } = open;
    await part.finish();
    const file = this.newFile(what.offset, part.sizeBytes);
    this.#disk.rename(part.path, join(this.#directory, file));
    return { ...what, bytes: part.sizeBytes, file };
  }

  /** A name that nothing has yet, relative to the copy. */
  newFile(offset: number, bytes: number): string {
    const first = `${STATE_DIRECTORY}/quarantine/${quarantineName(this.#name, offset, offset + bytes)}`;
    const isTaken = (file: string): boolean =>
      statSync(join(this.#directory, file), { throwIfNoEntry: false }) !== undefined;
    let file = first;
    for (let n = 2; isTaken(file); n += 1) file = first.replace(/\.bin$/, `-${n}.bin`);
    this.#disk.makeDirectory(dirname(join(this.#directory, file)));
    return file;
  }

  [Symbol.dispose](): void {
    this.#open?.part[Symbol.dispose]();
  }
}
