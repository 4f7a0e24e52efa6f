// A directory of journals on a local disk. What holds in it is said where it is kept: J1 to J4 in codec.ts, J5 in
// lock.ts, J6 and S11 in repair-tail.ts and judge-tail.ts, J7 in append-file.ts, J8 in checkpoint-file.ts, J9 in
// process-files.ts, J10 in layout.ts, S10 and S13 in whereabouts.ts, S15 in segments.ts, S16 in spills.ts.

import { accessSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { stateOf } from '../model/checkpoint.ts';
import type { NewEntry, StoredEntry } from '../model/entry.ts';
import { AppError, asAppError, codeOf, messageOf } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type {
  AppendOptions,
  CheckpointRecord,
  Cursor,
  EntryPage,
  EntryPart,
  JournalProvider,
  KeepingOptions,
  ReadOptions,
  SpillReference,
} from '../model/ports.ts';
import { foreignCheckpoint, namesWithCheckpoint } from './checkpoint-file.ts';
import { LOCAL_DISK } from './disk.ts';
import { ownerOf } from './file-facts.ts';
import { hostIdentity } from './host-identity.ts';
import { JournalWriter, type Writing } from './journal-writer.ts';
import { PRIVATE_DIRECTORY } from './layout.ts';
import { acquireLock } from './lock.ts';
import { claimDirectory, mayWriteIn, readMarker, type Marker } from './marker.ts';
import { entriesFile, ENTRIES_SUFFIX, nameCollision, nameToRead } from './process-files.ts';
import {
  followedPlaceOf,
  lastFullCheckpoint,
  pageBackwards,
  partsForwards,
  selectForwards,
} from './read-entries.ts';
import { namesWithSegments, sealedSegments } from './segments.ts';
import { refuseSharedDisk } from './shared-disk.ts';
import { widenThreadPool } from './thread-pool.ts';
import { readSpill } from './spills.ts';
import { unreadable } from './unreadable.ts';
import { nameIfCopied } from './whereabouts.ts';

export type WriteOptions = Omit<Writing, 'lock' | 'trouble' | 'foundations'> & {
  /** Of the workspace, relative to the journal's parent, for a directory that is made now [S1]. */
  readonly workspace?: string | null;
  /** Writes on network disks and in synced folders too [S10]. */
  readonly allowSharedDisk?: boolean;
};

/** Opens for writing: makes the directory and its marker where they are missing, and takes the lock. */
export function openFileJournal(directory: string, options: WriteOptions = {}): FileJournal {
  const path = resolve(directory);
  widenThreadPool();
  mayWriteIn(path);
  if (options.allowSharedDisk !== true) refuseSharedDisk(path);
  const made = mkdirSync(path, { recursive: true, mode: PRIVATE_DIRECTORY });
  const lock = acquireLock(path, options.identity ?? hostIdentity());
  try {
    const { disk = LOCAL_DISK, workspace = null, knownJournals = null } = options;
    const claimed = claimDirectory(disk, path, workspace);
    const { marker, trouble } = nameIfCopied(disk, path, claimed, knownJournals);
    const foundations = foundationsOf(path, made);
    return new FileJournal(path, marker, { ...options, lock, trouble, foundations });
  } catch (error) {
    lock[Symbol.dispose]();
    throw error instanceof AppError ? error : unwritable(path, error);
  }
}

function unwritable(directory: string, cause: unknown): AppError {
  return new AppError(
    'journal.unwritable',
    `${directory} can't be written: ${messageOf(cause)}. Nothing in it was changed that anybody relies on; look at the disk, then start again.`,
    { directory, code: codeOf(cause) },
    { cause },
  );
}

/**
 * The directories whose names have to be durable before anything in the journal is: its own and its parent's always, since
 * nobody knows whether a crash came before they were; and the parents of those that were made now.
 */
function foundationsOf(path: string, made: string | undefined): readonly string[] {
  const directories = [path, dirname(path)];
  if (made === undefined) return directories;
  for (let at = dirname(path); at.length >= made.length && dirname(at) !== at;) {
    at = dirname(at);
    directories.push(at);
  }
  return directories;
}

/** Opens for looking: takes no lock, makes nothing, changes nothing [P6]. */
export function readFileJournal(directory: string): FileJournal {
  const path = resolve(directory);
  return new FileJournal(path, readMarker(path), null);
}

export class FileJournal implements JournalProvider {
  readonly directory: string;
  /** Null for a journal that is not ours. */
  readonly marker: Marker | null;
  readonly #writer: JournalWriter | null;

  constructor(directory: string, marker: Marker | null, writing: Writing | null) {
    this.directory = directory;
    this.marker = marker;
    this.#writer = writing === null ? null : new JournalWriter(directory, marker!, writing);
  }

  append(entry: NewEntry, options?: AppendOptions): Promise<StoredEntry> {
    // Not async: a second promise for each entry is a tenth of what an append costs.
    try {
      return this.#mayWrite().append(entry, options);
    } catch (error) {
      return Promise.reject(asAppError(error));
    }
  }

  async claim(processId: string, keeping: KeepingOptions = {}): Promise<void> {
    await this.#mayWrite().claim(processId, keeping);
  }

  async checkpoint(
    processId: string,
    state: JsonObject,
    line: Pick<NewEntry, 'entry_id' | 'timestamp'> = {},
  ): Promise<StoredEntry> {
    return this.#mayWrite().checkpoint(processId, state, line);
  }

  /** Writes a large value beside the journal; durable before the entry that names it can be [S16]. */
  async spill(processId: string, bytes: Uint8Array): Promise<SpillReference> {
    return this.#mayWrite().spill(processId, bytes);
  }

  /** Of a value that no entry names. */
  async unspill(processId: string, reference: SpillReference): Promise<void> {
    this.#mayWrite().unspill(processId, reference);
  }

  /** Null where the value is lost. */
  async spilled(processId: string, reference: SpillReference): Promise<Uint8Array | null> {
    return readSpill(this.directory, nameToRead(processId), reference);
  }

  async read(processId: string, options: ReadOptions = {}): Promise<readonly StoredEntry[]> {
    const name = this.#existing(processId);
    return name === null ? [] : selectForwards(this.directory, name, options);
  }

  async readLast(processId: string, limit: number, before?: Cursor): Promise<EntryPage> {
    const name = this.#existing(processId);
    return name === null
      ? { entries: [], badLines: [], before: null }
      : pageBackwards(this.directory, name, limit, before);
  }

  async *readSinceCheckpoint(processId: string): AsyncGenerator<EntryPart> {
    const name = this.#existing(processId);
    if (name !== null) yield* partsForwards(this.directory, name, lastFullCheckpoint(this.directory, name));
  }

  /**
   * What stands behind a place that an earlier part gave; everything where none is given.
   * @throws RetryableError `journal.changed` once the journal was cut or replaced, so that the place means nothing any more
   */
  async *readFrom(processId: string, place: Cursor | null): AsyncGenerator<EntryPart> {
    const name = this.#existing(processId) ?? (place === null ? null : nameToRead(processId));
    if (name === null) return;
    yield* partsForwards(this.directory, name, place === null ? null : followedPlaceOf(place));
  }

  /** Of all its segments, in bytes; 0 where there is none. */
  sizeOf(processId: string): number {
    const name = nameToRead(processId);
    const paths = [this.pathOf(processId), ...sealedSegments(this.directory, name).map(({ path }) => path)];
    return paths.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
  }

  /** All but those whose files are known to be theirs. */
  async processes({ but = [] }: { readonly but?: readonly string[] } = {}): Promise<readonly string[]> {
    const known = new Set(but.map((name) => entriesFile(name).slice(0, -ENTRIES_SUFFIX.length)));
    const names = readdirSync(this.directory, { withFileTypes: true })
      .filter((file) => file.isFile() && file.name.endsWith(ENTRIES_SUFFIX))
      .map((file) => file.name.slice(0, -ENTRIES_SUFFIX.length));
    // A crash while sealing can leave a process without its active segment for a moment [S15], and one of Promptise's before
    // its first entry, a checkpoint file alone [S19].
    const more =
      this.marker === null ? namesWithCheckpoint(this.directory) : namesWithSegments(this.directory);
    const all = new Set([...names, ...more]).difference(known);
    return [...all].map((name) => this.#nameOf(name)).sort();
  }

  async lastCheckpoint(processId: string): Promise<CheckpointRecord | null> {
    const name = this.#existing(processId);
    if (this.marker === null) return foreignCheckpoint(this.directory, processId, this.pathOf(processId));
    if (name === null) return null;
    let cursor: Cursor | null | undefined;
    while (cursor !== null) {
      const page = pageBackwards(this.directory, name, 100, cursor);
      const entry = page.entries.findLast((candidate) => candidate.entry_type === 'checkpoint');
      if (entry !== undefined) return { state: stateOf(entry.data), seq: entry.seq };
      cursor = page.before;
    }
    return null;
  }

  /** The path of a process's active segment, whether it exists or not. */
  pathOf(processId: string): string {
    return join(this.directory, entriesFile(processId));
  }

  /** What went wrong behind the scenes, where nobody waits for it: packing and dropping sealed segments. */
  get trouble(): AppError | null {
    return this.#writer?.trouble ?? null;
  }

  /** Resolves when nothing is being packed or dropped any more. */
  async settled(): Promise<void> {
    await this.#writer?.settled();
  }

  async close(): Promise<void> {
    await this.#writer?.close();
  }

  #mayWrite(): JournalWriter {
    if (this.#writer !== null) return this.#writer;
    throw new AppError(
      'journal.read-only',
      `${this.directory} was opened to be looked at: nothing can be appended.`,
      { directory: this.directory },
    );
  }

  /**
   * The name of the files to read; null where there is none. In a journal of ours a file belongs to one name; elsewhere
   * several may lead to it, as they do for Promptise.
   */
  #existing(processId: string): string | null {
    const name = nameToRead(processId);
    const path = join(this.directory, name + ENTRIES_SUFFIX);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
      return sealedSegments(this.directory, name).length === 0 ? null : name;
    try {
      accessSync(path, constants.R_OK);
    } catch (error) {
      // Between the two looks it gave its name up to the next segment [S15].
      if (codeOf(error) !== 'ENOENT') throw unreadable(path, error);
    }
    const owner = this.marker === null ? null : ownerOf(path);
    if (owner !== null && owner !== processId && entriesFile(owner) === entriesFile(processId)) {
      throw nameCollision(processId, entriesFile(processId), owner);
    }
    return name;
  }

  /** What the lines say, unless that name leads to another file: then this one was renamed or copied. */
  #nameOf(name: string): string {
    const owner = ownerOf(join(this.directory, name + ENTRIES_SUFFIX));
    return owner !== null && entriesFile(owner) === name + ENTRIES_SUFFIX ? owner : name;
  }
}
