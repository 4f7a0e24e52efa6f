// The writing side of a journal directory: one file for each process, opened when it is first written, and what is done
// to sealed segments behind the scenes.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isFullCheckpoint } from '../model/checkpoint.ts';
import type { JournalEntry, NewEntry, StoredEntry } from '../model/entry.ts';
import { AppError, asAppError, codeOf, messageOf, RetryableError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { AppendOptions, KeepingOptions, Retention, SpillReference } from '../model/ports.ts';
import { AppendFile, type OpenedFile } from './append-file.ts';
import { writeCheckpointFile } from './checkpoint-file.ts';
import { completeEntry, SYSTEM_SOURCES, type EntrySources } from './complete-entry.ts';
import { LOCAL_DISK, type Disk } from './disk.ts';
import { ownerOf } from './file-facts.ts';
import { hostIdentity, type HostIdentity } from './host-identity.ts';
import type { DirectoryLock } from './lock.ts';
import type { Marker } from './marker.ts';
import { packSegments } from './pack-segments.ts';
import { checkName, entriesFile, nameCollision, safeName } from './process-files.ts';
import { reserve, type Reserve } from './reserve.ts';
import { retain } from './retention.ts';
import { startSegment } from './seal-segment.ts';
import { removeSpill, writeSpill } from './spills.ts';
import { takeFile } from './take-file.ts';
import { farHeadPath } from './whereabouts.ts';

/** A segment that is this long is sealed at the next full checkpoint. */
const SEGMENT_BYTES = 64 * 1024 * 1024;
const KEEP_ALL: Retention = { maxAgeDays: null, maxBytes: null };

/** How journals are kept, unless a process is claimed with something else; nothing is dropped by itself [S15]. */
export interface Writing extends KeepingOptions {
  readonly lock: DirectoryLock;
  /** What went wrong before it was opened, and stops nothing. */
  readonly trouble?: AppError | null;
  /** Directories that are synced before anything else is [S15]. */
  readonly foundations?: readonly string[];
  /** Who signs; this process unless given. */
  readonly identity?: HostIdentity;
  readonly sources?: EntrySources;
  readonly segmentBytes?: number;
  /** A folder of this user's where it is remembered where journals are, and how far they go [S10, S13]. */
  readonly knownJournals?: string | null;
  /** What is written through; the local disk unless given. */
  readonly disk?: Disk;
  /** Goes on behind damage: only for the copy that a repair makes [S14]. */
  readonly isRepair?: boolean;
}

const LISTED_MS = 500;

export class JournalWriter {
  readonly #directory: string;
  readonly #marker: Marker;
  readonly #writing: Writing;
  readonly #disk: Disk;
  readonly #sources: EntrySources;
  readonly #reserve: Reserve;
  readonly #files = new Map<string, AppendFile>();
  /** The processes of the files that were opened, by file name without regard to case [J9]. */
  #listed: { readonly names: ReadonlyMap<string, readonly string[]>; readonly until: number } | null = null;
  readonly #owners = new Map<string, string>();
  /** Repairs that are done and that no entry tells of yet, since the disk was full [J6]. */
  readonly #untold = new Map<string, readonly JsonObject[]>();
  readonly #keeping = new Map<string, KeepingOptions>();
  #founded: Promise<void> | null = null;
  /** Packing and dropping, one after the other. */
  #housekeeping: Promise<void> = Promise.resolve();
  /** By process. */
  readonly #troubles = new Map<string, AppError>();
  #isClosed = false;
  #closing: Promise<void> | null = null;

  constructor(directory: string, marker: Marker, writing: Writing) {
    if (writing.trouble) this.#troubles.set('', writing.trouble);
    this.#directory = directory;
    this.#marker = marker;
    this.#writing = writing;
    this.#disk = writing.disk ?? LOCAL_DISK;
    this.#sources = writing.sources ?? SYSTEM_SOURCES;
    this.#reserve = reserve(this.#disk, directory);
    this.#reserve.fill();
  }

  get trouble(): AppError | null {
    const [trouble] = this.#troubles.values();
    return trouble ?? null;
  }

  append(entry: NewEntry, options?: AppendOptions): Promise<StoredEntry> {
    return this.#file(entry.process_id).append(completeEntry(entry, this.#sources), options);
  }

  checkpoint(
    processId: string,
    state: JsonObject,
    line: Pick<NewEntry, 'entry_id' | 'timestamp'>,
  ): Promise<StoredEntry> {
    const data = { state };
    const entry = { ...line, process_id: processId, entry_type: 'checkpoint', data };
    return this.#file(processId).append(completeEntry(entry, this.#sources), {
      mayBeginSegment: isFullCheckpoint(data),
      // For other readers, and first: theirs is the file [J8].
      before: () => writeCheckpointFile(this.#disk, this.#directory, processId, state),
    });
  }

  async claim(processId: string, keeping: KeepingOptions): Promise<void> {
    const { durability: before = 'always' } = this.#keepingOf(processId);
    this.#keeping.set(processId, keeping);
    const { durability = 'always' } = this.#keepingOf(processId);
    const known = this.#files.get(processId);
    if (known !== undefined && (known.isPoisoned || durability !== before)) {
      this.#files.delete(processId);
      // What it could not write was refused; what it did write is read again from the file.
      await known.close();
    }
    await this.#file(processId).signed;
  }

  async spill(processId: string, bytes: Uint8Array): Promise<SpillReference> {
    this.#refuseClosed();
    try {
      return await writeSpill(this.#disk, this.#directory, safeName(processId), bytes);
    } catch (error) {
      throw unspilled(this.#directory, processId, bytes.length, error);
    }
  }

  unspill(processId: string, reference: SpillReference): void {
    this.#refuseClosed();
    removeSpill(this.#disk, this.#directory, safeName(processId), reference);
  }

  /** Resolves when what is open is open, and nothing is being packed or dropped. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#files.values()].map((file) => file.signed));
    await this.#housekeeping;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    await this.#housekeeping;
    const files = [...this.#files.values()];
    this.#files.clear();
    const results = await Promise.allSettled(files.map((file) => file.close()));
    this.#writing.lock[Symbol.dispose]();
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  #refuseClosed(): void {
    if (!this.#isClosed) return;
    throw new AppError('journal.closed', `${this.#directory} is closed: nothing can be appended any more.`, {
      directory: this.#directory,
    });
  }

  #file(processId: string): AppendFile {
    this.#refuseClosed();
    const known = this.#files.get(processId);
    if (known !== undefined) return known;
    const name = this.#nameFor(processId);
    const place = { disk: this.#disk, directory: this.#directory, name };
    const { segmentBytes = SEGMENT_BYTES, lock } = this.#writing;
    const { durability = 'always' } = this.#keepingOf(processId);
    const entryOf = (entry_type: string, data: JsonObject): JournalEntry =>
      completeEntry({ process_id: processId, entry_type, data }, this.#sources);
    const file: AppendFile = new AppendFile({
      disk: this.#disk,
      path: join(this.#directory, entriesFile(processId)),
      durability,
      segmentBytes,
      open: () => this.#take(processId, name, entryOf),
      startSegment: async (line, sealed) => {
        const fd = await startSegment(place, line, sealed);
        this.#keepHouse(processId, name);
        return fd;
      },
      onUnsealed: (error) =>
        void this.#troubles.set(processId, neglected(processId, this.#directory, asAppError(error))),
      checkLock: () => lock.check(),
      withRoom: (write) => this.#reserve.lend(write),
      onRoom: () => this.#reserve.fill(),
      fullEntry: (refused) => entryOf('journal_full', { refused_entries: refused }),
    });
    this.#files.set(processId, file);
    this.#owners.set(entriesFile(processId).toLowerCase(), processId);
    file.signed.then(
      () => {
        this.#untold.delete(processId);
        // What a crash or a failure left undone.
        this.#keepHouse(processId, name);
      },
      () => this.#forget(processId, file),
    );
    return file;
  }

  async #take(
    processId: string,
    name: string,
    entryOf: (type: string, data: JsonObject) => JournalEntry,
  ): Promise<OpenedFile> {
    const { identity = hostIdentity(), lock, knownJournals = null, isRepair = false } = this.#writing;
    await this.#found();
    const { say, ...opened } = await takeFile({
      disk: this.#disk,
      directory: this.#directory,
      process: processId,
      name,
      marker: this.#marker,
      identity,
      lock,
      farHead: knownJournals === null ? null : farHeadPath(knownJournals, this.#marker.id, name),
      isRepair,
      onTrouble: (trouble) => void this.#troubles.set(processId, trouble),
      onRepaired: (repair) =>
        void this.#untold.set(processId, [...(this.#untold.get(processId) ?? []), repair]),
    });
    const repairs = (this.#untold.get(processId) ?? []).map((repair) => entryOf('journal_repaired', repair));
    return { ...opened, say: [...repairs, ...say.map(([type, data]) => entryOf(type, data))] };
  }

  /** Once; what failed is tried again by the next who needs it. */
  async #found(): Promise<void> {
    this.#founded ??= this.#syncFoundations();
    try {
      await this.#founded;
    } catch (error) {
      this.#founded = null;
      throw error;
    }
  }

  /** A journal is as durable as the names that lead to it. */
  async #syncFoundations(): Promise<void> {
    for (const directory of this.#writing.foundations ?? [this.#directory]) {
      try {
        await this.#disk.syncDirectory(directory);
      } catch (error) {
        // A directory above that this user may not even read was not made by us, and is not ours to sync.
        const isOurs = directory === this.#directory;
        if (isOurs || (codeOf(error) !== 'EACCES' && codeOf(error) !== 'EPERM')) throw error;
      }
    }
  }

  #keepingOf(processId: string): KeepingOptions {
    return { ...this.#writing, ...this.#keeping.get(processId) };
  }

  /** What could not be opened or sign in writes nothing: the next append opens the file again, and signs first [S7]. */
  #forget(processId: string, file: AppendFile): void {
    if (this.#files.get(processId) === file) this.#files.delete(processId);
    // All it has is refused already, and nothing else would come of closing it.
    file.close().catch(() => {});
  }

  /** Those that a disk which knows no case would take for this one. Names are listed once for all that are opened together. */
  #namesLike(file: string): readonly string[] {
    const now = performance.now();
    if (this.#listed === null || now > this.#listed.until) {
      const names = Map.groupBy(readdirSync(this.#directory), (name) => name.toLowerCase());
      this.#listed = { names, until: now + LISTED_MS };
    }
    return this.#listed.names.get(file.toLowerCase()) ?? [];
  }

  /** @throws `journal.name-unsupported`, `journal.name-collision` */
  #nameFor(processId: string): string {
    checkName(processId);
    const file = entriesFile(processId);
    const path = join(this.#directory, file);
    // A file that was just opened has no line yet.
    const opened = this.#owners.get(file.toLowerCase());
    const owner = opened ?? (existsSync(path) ? ownerOf(path) : null);
    if (owner !== null && owner !== processId) throw nameCollision(processId, file, owner);
    const twin = this.#namesLike(file).find((other) => other !== file);
    if (twin !== undefined)
      throw nameCollision(processId, twin, ownerOf(join(this.#directory, twin)) ?? twin);
    return safeName(processId);
  }

  /** Packs what is sealed, and drops what is to be kept no longer. Whoever appends does not wait for it. */
  #keepHouse(processId: string, name: string): void {
    const { retention = KEEP_ALL } = this.#keepingOf(processId);
    const bury = (tombstone: JsonObject): Promise<unknown> => {
      const file = this.#files.get(processId);
      const entry = { process_id: processId, entry_type: 'segments_dropped', data: tombstone };
      return (
        file?.append(completeEntry(entry, this.#sources), { synced: true }) ?? Promise.reject(gone(name))
      );
    };
    const place = { disk: this.#disk, directory: this.#directory, name };
    this.#housekeeping = this.#housekeeping.then(async () => {
      if (this.#isClosed) return;
      const pack = await failureOf(packSegments(this.#disk, this.#directory, name, () => this.#isClosed));
      // Not less so where packing found no room.
      const keep = await failureOf(retain({ ...place, retention, nowMs: this.#sources.now(), bury }));
      const failure = pack ?? keep;
      // Nothing is lost by it, and the next seal or start tries again.
      if (failure === null) this.#troubles.delete(processId);
      else this.#troubles.set(processId, neglected(processId, this.#directory, failure));
    });
  }
}

function unspilled(directory: string, process: string, bytes: number, cause: unknown): AppError {
  const isFull = codeOf(cause) === 'ENOSPC' || codeOf(cause) === 'EDQUOT';
  const detail = { directory, process, bytes };
  const text = `A value of ${bytes} bytes of ${process} can't be kept in ${directory}: ${messageOf(cause)}.`;
  return isFull
    ? new RetryableError('journal.disk-full', `${text} Make room, then force-recover the process.`, detail, {
        cause,
      })
    : new AppError('journal.poisoned', `${text} Look at the disk, then force-recover the process.`, detail, {
        cause,
      });
}

async function failureOf(work: Promise<void>): Promise<Error | null> {
  try {
    await work;
    return null;
  } catch (error) {
    return asAppError(error);
  }
}

function neglected(process: string, directory: string, cause: Error): AppError {
  return new AppError(
    'journal.neglected',
    `Sealed segments of ${process} in ${directory} can't be sealed, packed or dropped: ${cause.message}. Nothing is lost, and it is tried again at the next seal; see to room on the disk.`,
    { process, directory },
    { cause },
  );
}

function gone(name: string): AppError {
  return new AppError(
    'journal.closed',
    `The journal of ${name} is not open any more, so nothing is dropped.`,
  );
}
