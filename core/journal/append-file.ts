// The writing end of one journal file.
//
// J4  An entry is acknowledged when its line feed is as durable as the journal promises, never before.
// J7  Every write checks the length that was written: on a full disk write returns short and throws nothing. A full disk
//     cuts the file back to the last whole batch and refuses; any other error poisons this file for good, since nobody
//     knows what the kernel still holds.
// S8  Writes are O_APPEND; before each batch the file must still be the one at its path, with the size that we left it.
// S11 Each line carries `ack`, the highest seq known durable at the moment it is written: whatever was acknowledged before
//     is named by every line behind it.
//
// Group commit: entries are lined up while a sync is under way and go out in one write and one sync. A batch is taken
// only after two microtask turns, so that callers that were just acknowledged get their next entry into it: without
// that, batches alternate between one entry and the rest, at half the rate.

import { closeSync, fdatasync, fstatSync, ftruncateSync, statSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { JournalEntry, StoredEntry } from '../model/entry.ts';
import { AppError, codeOf, messageOf, RetryableError } from '../model/errors.ts';
import { encodeBody, hashLine, sealLine } from './codec.ts';

const sync = promisify(fdatasync);

/**
 * `always`: acknowledged after fdatasync. `interval`: acknowledged when written, synced every 50 ms. `os`: never
 * synced by us; survives the process, not the machine.
 */
export type Durability = 'always' | 'interval' | 'os';
const SYNC_INTERVAL_MS = 50;

export interface FilePosition {
  readonly seq: number;
  /** The hash of the last line. */
  readonly prev: string;
  readonly sizeBytes: number;
}

interface Waiting {
  readonly entry: JournalEntry;
  readonly body: Buffer;
  readonly resolve: (entry: StoredEntry) => void;
  readonly reject: (error: Error) => void;
}

export class AppendFile {
  readonly #fd: number;
  readonly #path: string;
  readonly #durability: Durability;
  /** What is written and whole. */
  #written: FilePosition;
  /** The highest seq known durable. */
  #ack: number;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | null = null;
  #poison: Error | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(fd: number, path: string, position: FilePosition, durability: Durability) {
    this.#fd = fd;
    this.#path = path;
    this.#durability = durability;
    this.#written = position;
    this.#ack = position.seq;
  }

  /** True once nothing can be written through this descriptor any more [J7]. */
  get isPoisoned(): boolean {
    return this.#poison !== null;
  }

  append(entry: JournalEntry): Promise<StoredEntry> {
    if (this.#poison !== null) return Promise.reject(this.#poison);
    let body: Buffer;
    try {
      body = encodeBody(entry);
    } catch (error) {
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, body, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** Resolves when everything lined up is acknowledged or refused, synced whatever the durability, and closed. */
  async close(): Promise<void> {
    await this.#flushing;
    if (this.#timer !== null) clearTimeout(this.#timer);
    try {
      if (this.#poison === null && this.#durability !== 'os') await sync(this.#fd);
    } finally {
      this.#poison ??= new AppError(
        'journal.closed',
        `${this.#path} is closed: nothing can be appended any more.`,
      );
      closeSync(this.#fd);
    }
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      await Promise.resolve();
      await Promise.resolve();
      const batch = this.#waiting;
      this.#waiting = [];
      let stored: readonly StoredEntry[];
      try {
        stored = this.#write(batch);
      } catch (error) {
        this.#refuse(batch, isDiskFull(error) ? this.#cutBack(error) : this.#poisoned(error));
        continue;
      }
      try {
        if (this.#durability === 'always') await sync(this.#fd);
        else if (this.#durability === 'interval') this.#syncSoon();
      } catch (error) {
        // Full or not: what a failed sync leaves in memory and on the disk is anybody's guess.
        this.#refuse(batch, this.#poisoned(error));
        continue;
      }
      if (this.#durability === 'always') this.#ack = stored.at(-1)!.seq;
      for (const [at, { resolve }] of batch.entries()) resolve(stored[at]!);
    }
    this.#flushing = null;
  }

  /** Forms the lines only now, so that each says what is durable at the moment it is written [S11]. */
  #write(batch: readonly Waiting[]): readonly StoredEntry[] {
    const { size, ino } = fstatSync(this.#fd);
    if (statSync(this.#path, { throwIfNoEntry: false })?.ino !== ino) {
      throw new AppError(
        'journal.foreign-writer',
        `${this.#path} was deleted, moved or replaced by somebody else while it was being written. Writing stops; put it back or restore it, then start again.`,
        { path: this.#path },
      );
    }
    if (size !== this.#written.sizeBytes) {
      throw new AppError(
        'journal.foreign-writer',
        `${this.#path} was changed by somebody else: it has ${size} bytes where ${this.#written.sizeBytes} were left. Writing stops; find out who writes there, then start again.`,
        { path: this.#path, expected: this.#written.sizeBytes, found: size },
      );
    }
    let { seq, prev } = this.#written;
    let offset = size;
    const lines: Buffer[] = [];
    const stored = batch.map(({ entry, body }): StoredEntry => {
      seq += 1;
      const line = sealLine(body, { seq, ack: this.#ack, prev });
      prev = hashLine(line);
      lines.push(line, LINE_FEED);
      const sizeBytes = line.length + 1;
      offset += sizeBytes;
      return { ...entry, seq, verification: 'verified', offset: offset - sizeBytes, sizeBytes };
    });
    const bytes = Buffer.concat(lines);
    // A short count throws nothing; the write of the rest says why.
    for (let done = 0; done < bytes.length;) done += writeSync(this.#fd, bytes, done);
    this.#written = { seq, prev, sizeBytes: offset };
    return stored;
  }

  #syncSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      const { seq } = this.#written;
      sync(this.#fd).then(
        () => (this.#ack = Math.max(this.#ack, seq)),
        (error: unknown) => (this.#poison ??= this.#poisoned(error)),
      );
    }, SYNC_INTERVAL_MS);
  }

  /** Refuses the batch and everything behind it: order is kept, or nothing is. */
  #refuse(batch: readonly Waiting[], failure: AppError): void {
    const refused = [...batch, ...this.#waiting];
    this.#waiting = [];
    if (!(failure instanceof RetryableError)) this.#poison = failure;
    for (const { reject } of refused) reject(failure);
  }

  #cutBack(cause: unknown): AppError {
    try {
      ftruncateSync(this.#fd, this.#written.sizeBytes);
    } catch (error) {
      return this.#poisoned(error);
    }
    return new RetryableError(
      'journal.disk-full',
      `The disk of ${this.#path} is full. Nothing was lost and nothing half written is left; make room, then force-recover the process.`,
      { path: this.#path },
      { cause },
    );
  }

  #poisoned(error: unknown): AppError {
    if (error instanceof AppError) return error;
    return new AppError(
      'journal.poisoned',
      `${this.#path} can't be written any more: ${messageOf(error)}. What was acknowledged before is safe; start again once the disk is well.`,
      { path: this.#path, code: codeOf(error) },
      { cause: error },
    );
  }
}

function isDiskFull(error: unknown): boolean {
  return codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT';
}

const LINE_FEED = Buffer.from('\n');
