// The writing end of one process's journal.
//
// J4  An entry is acknowledged when its line feed is as durable as the journal promises, never before.
// J7  Every write checks the length that was written: on a full disk write returns short and throws nothing. A full disk
//     cuts the file back to the last whole batch, refuses, and says so in a line for which room was kept; any other error
//     poisons this file for good, since nobody knows what the kernel still holds.
// S8  Writes are O_APPEND; before each batch the file must still be as we left it: own-file.ts.
// S11 Each line carries `ack`, the highest seq known durable at the moment it is written: whatever was acknowledged before
//     is named by every line behind it.
// S13 After each sync the heads say how far the journal is durable.
// S15 A full checkpoint that finds the file long begins a new segment instead.
//
// Group commit: entries are lined up while a sync is under way and go out in one write and one sync. A batch is taken
// only after two microtask turns, so that callers that were just acknowledged get their next entry into it: without
// that, batches alternate between one entry and the rest, at half the rate. A batch ends at a size, so that a process
// with much to say does not keep the others from theirs.

import type { JournalEntry, StoredEntry } from '../model/entry.ts';
import { AppError, codeOf, messageOf, RetryableError } from '../model/errors.ts';
import type { Durability } from '../model/ports.ts';
import { encodeText, sealBatch } from './codec.ts';
import { writeAll, type Disk } from './disk.ts';
import { OwnFile } from './own-file.ts';

const SYNC_INTERVAL_MS = 50;
/** What nobody waits for waits so long for company: two syncs in a row are most of what a step of an agent costs. */
const UNHURRIED_MS = 2;
const MAX_BATCH_BYTES = 1024 * 1024;

export interface FilePosition {
  readonly seq: number;
  /** The hash of the last line. */
  readonly prev: string;
  readonly sizeBytes: number;
  /** The number of the first line of the segment. */
  readonly first: number;
}

/** A journal that was taken for writing. */
export interface OpenedFile {
  readonly fd: number;
  /** All of it is durable. */
  readonly position: FilePosition;
  /** What has to be said before anything else. */
  readonly say: readonly JournalEntry[];
  /** Keeps the head wherever it is kept [S13]. */
  readonly heads: Heads;
}

export interface Heads extends Disposable {
  write(position: FilePosition, fd: number, isUnsynced: boolean): void;
}

export interface AppendFileOptions {
  readonly disk: Disk;
  readonly path: string;
  readonly durability: Durability;
  readonly segmentBytes: number;
  /** Takes the file; entries given meanwhile are lined up. */
  readonly open: () => Promise<OpenedFile>;
  /** Seals the file and gives the descriptor of the next segment, which holds this line, durable [S15]. */
  readonly startSegment: (line: Buffer, sealed: FilePosition) => Promise<number>;
  /** A segment could not be begun; the present one goes on. */
  readonly onUnsealed: (error: unknown) => void;
  /** @throws `journal.lock-lost` once somebody else may write here */
  readonly checkLock: () => void;
  /** The disk is full: does this with a little room that was kept, if there is any. */
  readonly withRoom: (write: () => void) => void;
  /** There was room again. */
  readonly onRoom: () => void;
  /** The entry that says that the disk was full. */
  readonly fullEntry: (refused: number) => JournalEntry;
}

export interface AppendOptions {
  /** Durable before it is acknowledged, whatever the journal promises [S29]. */
  readonly synced?: boolean;
  /** Nothing waits for it: its sync is that of what comes next, or comes a moment later. */
  readonly unhurried?: boolean;
  /** A full checkpoint: may begin a segment [S15]. */
  readonly mayBeginSegment?: boolean;
  /** Done right before it is written. */
  readonly before?: () => void;
}

const NO_OPTIONS: AppendOptions = {};
const SYNCED: AppendOptions = { synced: true };

interface Waiting {
  readonly options: AppendOptions;
  readonly entry: JournalEntry;
  /** The beginning of its line. */
  readonly body: string;
  readonly resolve: (entry: StoredEntry) => void;
  readonly reject: (error: Error) => void;
}

/** Written, and acknowledged once it is durable. */
interface Written {
  readonly batch: readonly Waiting[];
  readonly stored: readonly StoredEntry[];
}

export class AppendFile {
  /** Resolves when what opening said is durable, and rejects with why the file could not be taken [S7]. */
  readonly signed: Promise<void>;
  readonly #options: AppendFileOptions;
  #opened: OpenedFile | null = null;
  #file: OwnFile | null = null;
  /** What is written and whole. */
  #written: FilePosition = { seq: 0, prev: '', sizeBytes: 0, first: 1 };
  /** What is known durable of it. */
  #durable = this.#written;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | null = null;
  #poison: Error | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Nobody waits for these, and no sync has begun for them alone. */
  #unhurried: Written[] = [];
  /** The last sync that was asked for; never rejects. */
  #syncing: Promise<void> = Promise.resolve();
  #isSigned = false;
  #isFull = false;

  constructor(options: AppendFileOptions) {
    this.#options = options;
    this.signed = this.#open();
    // Whoever does not wait for it is told by the next append: the lines behind these are refused with them.
    this.signed.catch(() => {});
  }

  /** True once nothing can be written here any more [J7]. */
  get isPoisoned(): boolean {
    return this.#poison !== null;
  }

  append(entry: JournalEntry, options: AppendOptions = NO_OPTIONS): Promise<StoredEntry> {
    if (this.#poison !== null) return Promise.reject(this.#poison);
    let body: string;
    try {
      body = encodeText(entry);
    } catch (error) {
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, body, options, resolve, reject });
      // Opening begins it when it has put its own entries first.
      if (this.#opened !== null) this.#flushing ??= this.#flush();
    });
  }

  /** Resolves when everything lined up is acknowledged or refused, synced whatever the durability, and closed. */
  async close(): Promise<void> {
    await this.signed.catch(() => {}); // who waits for it knows
    await this.#flushing;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#syncing;
    const opened = this.#opened;
    try {
      if (this.#poison === null) await this.#syncWritten();
    } catch (error) {
      this.#refuse([], this.#poisoned(error));
      throw error;
    } finally {
      this.#poison ??= closedError(this.#options.path);
      this.#opened = null;
      if (opened !== null) {
        opened.heads[Symbol.dispose]();
        this.#options.disk.close(this.#fd);
      }
    }
  }

  async #open(): Promise<void> {
    try {
      const opened = await this.#options.open();
      this.#opened = opened;
      this.#use(opened.fd);
      this.#written = opened.position;
      this.#durable = opened.position;
      this.#isFull = false;
      const said = opened.say.map(
        (entry) =>
          new Promise<StoredEntry>((resolve, reject) => {
            const body = encodeText(entry);
            this.#waiting.push({ entry, body, options: SYNCED, resolve, reject });
          }),
      );
      // What was lined up meanwhile comes behind.
      this.#waiting = [...this.#waiting.splice(-said.length), ...this.#waiting];
      const all = Promise.all(said);
      this.#flushing ??= this.#flush();
      await all;
      this.#isSigned = true;
    } catch (error) {
      const failure = this.#poisoned(error);
      if (!this.isPoisoned) this.#refuse([], failure);
      this.#poison ??= failure;
      throw failure;
    }
  }

  get #fd(): number {
    return this.#file!.fd;
  }

  #use(fd: number): void {
    const { path, checkLock } = this.#options;
    this.#file = new OwnFile(fd, path, checkLock);
  }

  async #flush(): Promise<void> {
    try {
      await this.#flushAll();
    } catch (error) {
      this.#flushing = null;
      this.#refuse([], this.#poisoned(error));
    }
  }

  async #flushAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await Promise.resolve();
      await Promise.resolve();
      if (this.#poison !== null) throw this.#poison;
      const batch = this.#take();
      const [first] = batch;
      if (first?.options.mayBeginSegment === true) {
        await this.#flushCheckpoint(first);
      } else {
        // Where nothing is synced there is nothing to wait for, and waiting would cost as much as the write.
        const synced = this.#flushBatch(batch);
        if (synced !== null) await synced;
      }
    }
    // In the same turn as the last look at what waits: whoever comes next begins anew.
    this.#flushing = null;
  }

  /** As many as go out together: a checkpoint that begins a segment goes alone. */
  #take(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const item of this.#waiting) {
      const goesAlone = item.options.mayBeginSegment === true;
      if (count > 0 && (bytes + item.body.length > MAX_BATCH_BYTES || goesAlone)) break;
      bytes += item.body.length;
      count += 1;
      if (goesAlone) break;
    }
    if (count === this.#waiting.length) {
      const all = this.#waiting;
      this.#waiting = [];
      return all;
    }
    return this.#waiting.splice(0, count);
  }

  /** Null where it is done at once. */
  #flushBatch(batch: readonly Waiting[]): Promise<void> | null {
    const { durability } = this.#options;
    const isSynced = durability === 'always' || batch.some(({ options }) => options.synced === true);
    let stored: readonly StoredEntry[];
    try {
      stored = this.#write(batch, isSynced);
    } catch (error) {
      this.#refuse(batch, isDiskFull(error) ? this.#cutBack(error, batch.length) : this.#poisoned(error));
      return null;
    }
    if (isSynced && batch.every(({ options }) => options.unhurried === true)) {
      this.#unhurried.push({ batch, stored });
      this.#syncSoon(UNHURRIED_MS);
      return null;
    }
    if (isSynced) return this.#syncBatch(batch, stored);
    if (durability === 'interval') this.#syncSoon(SYNC_INTERVAL_MS);
    this.#acknowledge(batch, stored);
    return null;
  }

  async #syncBatch(batch: readonly Waiting[], stored: readonly StoredEntry[]): Promise<void> {
    try {
      await this.#syncWritten();
    } catch (error) {
      this.#refuse(batch, this.#poisoned(error));
      return;
    }
    this.#acknowledge(batch, stored);
  }

  #acknowledge(batch: readonly Waiting[], stored: readonly StoredEntry[]): void {
    for (let at = 0; at < batch.length; at += 1) batch[at]!.resolve(stored[at]!);
    if (!this.#isFull) return;
    this.#isFull = false;
    try {
      this.#options.onRoom();
    } catch {
      // A reserve that can't be filled costs the journal nothing: the next failure is told to whoever asks, and to nobody else.
    }
  }

  /** What it stands for is durable before it is written: a hole before it would never be looked at again [S11]. */
  async #flushCheckpoint(item: Waiting): Promise<void> {
    try {
      await this.#syncWritten();
    } catch (error) {
      this.#refuse([item], this.#poisoned(error));
      return;
    }
    if (this.#written.sizeBytes >= this.#options.segmentBytes) await this.#flushSegment(item);
    else await this.#flushBatch([item]);
  }

  async #flushSegment(item: Waiting): Promise<void> {
    const { seq: before, prev: last } = this.#written;
    const seq = before + 1;
    try {
      await this.#syncing;
      if (this.#poison !== null) throw this.#poison;
      this.#file!.check(this.#written.sizeBytes, true);
      item.options.before?.();
      const { bytes, prev } = sealBatch([item.body], { seq, ack: before, prev: last });
      const sealed = this.#fd;
      this.#use(await this.#options.startSegment(bytes, this.#written));
      this.#options.disk.close(sealed);
      this.#written = { seq, prev, sizeBytes: bytes.length, first: seq };
      this.#durableTo(this.#written);
      item.resolve(storedEntry(item.entry, seq, 0, bytes.length));
    } catch (error) {
      if (error instanceof AppError) {
        this.#refuse([item], error);
        return;
      }
      // Nothing was changed: the next segment begins at a later checkpoint, and this one goes where there is room for it.
      this.#options.onUnsealed(error);
      await this.#flushBatch([item]);
    }
  }

  /** Forms the lines only now, so that each says what is durable at the moment it is written [S11]. */
  #write(batch: readonly Waiting[], isSynced: boolean): readonly StoredEntry[] {
    this.#file!.check(this.#written.sizeBytes, isSynced);
    for (const { options } of batch) options.before?.();
    const { seq, prev, sizeBytes, first } = this.#written;
    const bodies = batch.map(({ body }) => body);
    const sealed = sealBatch(bodies, { seq: seq + 1, ack: this.#durable.seq, prev });
    writeAll(this.#options.disk, this.#fd, sealed.bytes);
    let offset = sizeBytes;
    const stored = batch.map(({ entry }, at): StoredEntry => {
      const begin = offset;
      offset += sealed.sizes[at]!;
      return storedEntry(entry, seq + 1 + at, begin, sealed.sizes[at]!);
    });
    this.#written = { seq: seq + batch.length, prev: sealed.prev, sizeBytes: offset, first };
    return stored;
  }

  /** One sync at a time: a system tells what went wrong to one of them only, and the other would believe that all is well. */
  #syncWritten(): Promise<void> {
    const synced = this.#syncing.then(() => this.#sync());
    this.#syncing = synced.catch(() => {}); // who waits for it knows
    return synced;
  }

  async #sync(): Promise<void> {
    if (this.#poison !== null) throw this.#poison;
    const position = this.#written;
    if (position.seq === this.#durable.seq) return;
    try {
      await this.#options.disk.sync(this.#fd);
    } catch (error) {
      // Full or not: what a failed sync leaves in memory and on the disk is anybody's guess, whoever asked for it.
      throw (this.#poison = this.#poisoned(error));
    }
    if (this.#poison !== null) throw this.#poison;
    this.#durableTo(position);
  }

  #durableTo(position: FilePosition): void {
    if (position.seq <= this.#durable.seq) return;
    this.#durable = position;
    this.#writeHeads(false);
    // Each of them was written before the position that is durable now, or is newer than all that is.
    const isDurable = ({ stored }: Written): boolean => stored.at(-1)!.seq <= position.seq;
    while (this.#unhurried.length > 0 && isDurable(this.#unhurried[0]!)) {
      const { batch, stored } = this.#unhurried.shift()!;
      this.#acknowledge(batch, stored);
    }
  }

  /** A head may lag behind, so one that has no room or no disk costs the journal nothing [S13]. */
  #writeHeads(isUnsynced: boolean): void {
    try {
      this.#opened?.heads.write(this.#durable, this.#fd, isUnsynced);
    } catch {
      // What it would have said is in the journal.
    }
  }

  #syncSoon(withinMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#syncWritten().catch((error: unknown) => this.#refuse([], this.#poisoned(error)));
    }, withinMs);
  }

  /** Refuses the batch and everything behind it: order is kept, or nothing is. */
  #refuse(batch: readonly Waiting[], failure: AppError): void {
    const refused = [...batch, ...this.#waiting];
    this.#waiting = [];
    if (!(failure instanceof RetryableError)) {
      this.#poison = failure;
      // What is written and durable was acknowledged; of the rest nobody knows.
      refused.unshift(...this.#unhurried.splice(0).flatMap((written) => written.batch));
    }
    for (const { reject } of refused) reject(failure);
  }

  #cutBack(cause: unknown, refused: number): AppError {
    const { disk, path } = this.#options;
    try {
      disk.truncate(this.#fd, this.#written.sizeBytes, path);
      this.#sayFull(refused + this.#waiting.length);
    } catch (error) {
      return this.#poisoned(error);
    }
    return new RetryableError(
      'journal.disk-full',
      `The disk of ${path} is full. Nothing was lost and nothing half written is left; make room, then force-recover the process.`,
      { path },
      { cause },
    );
  }

  /** Once for each time that the disk is full, and never before the writer has signed in [S7]. */
  #sayFull(refused: number): void {
    if (this.#isFull || !this.#isSigned) return;
    this.#isFull = true;
    const { disk, path, withRoom, fullEntry } = this.#options;
    withRoom(() => {
      const { sizeBytes } = this.#written;
      const entry = fullEntry(refused);
      try {
        const body = encodeText(entry);
        this.#write([{ entry, body, options: NO_OPTIONS, resolve: () => {}, reject: () => {} }], false);
        this.#syncSoon(SYNC_INTERVAL_MS);
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        // Somebody else was faster. The refusal is told to whoever asked, and that is all that can be done.
        disk.truncate(this.#fd, sizeBytes, path);
      }
    });
  }

  #poisoned(error: unknown): AppError {
    const { path } = this.#options;
    if (error instanceof AppError) return error;
    // So that whoever takes the file next trusts the disk only with what is written anew.
    this.#writeHeads(true);
    return new AppError(
      'journal.poisoned',
      `${path} can't be written any more: ${messageOf(error)}. What was acknowledged before is safe; look at the disk, then force-recover the process.`,
      { path, code: codeOf(error) },
      { cause: error },
    );
  }
}

function storedEntry(
  { entry_id, process_id, timestamp, entry_type, data }: JournalEntry,
  seq: number,
  offset: number,
  sizeBytes: number,
): StoredEntry {
  return {
    entry_id,
    process_id,
    timestamp,
    entry_type,
    data,
    seq,
    verification: 'verified',
    offset,
    sizeBytes,
  };
}

function closedError(path: string): AppError {
  return new AppError('journal.closed', `${path} is closed: nothing can be appended any more.`);
}

function isDiskFull(error: unknown): boolean {
  return codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT';
}
