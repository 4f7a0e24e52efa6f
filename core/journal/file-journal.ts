// A directory of journals on a local disk. What holds in it is said where it is kept: J1 to J4 in codec.ts, J5 in
// lock.ts, J6 in repair-tail.ts, J7 in append-file.ts, J8 in checkpoint-file.ts, J9 in process-files.ts, J10 in layout.ts.

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { stateOf } from '../model/checkpoint.ts';
import type { NewEntry, StoredEntry } from '../model/entry.ts';
import { AppError } from '../model/errors.ts';
import { FOLD_VERSION } from '../model/fold.ts';
import type { JsonObject } from '../model/json.ts';
import type { CheckpointRecord, Cursor, EntryPage, JournalProvider, ReadOptions } from '../model/ports.ts';
import { AppendFile, type Durability } from './append-file.ts';
import { foreignCheckpoint, writeCheckpointFile } from './checkpoint-file.ts';
import { completeEntry, SYSTEM_SOURCES, type EntrySources } from './complete-entry.ts';
import { lastEpoch, ownerOf, positionOf } from './file-facts.ts';
import { hostIdentity, type HostIdentity } from './host-identity.ts';
import { PRIVATE_DIRECTORY, PRIVATE_FILE } from './layout.ts';
import { acquireLock, type DirectoryLock } from './lock.ts';
import { claimDirectory, mayWriteIn, readMarker, type Marker } from './marker.ts';
import {
  checkName,
  entriesFile,
  ENTRIES_SUFFIX,
  nameCollision,
  nameToRead,
  safeName,
} from './process-files.ts';
import { pageBackwards, selectForwards } from './read-entries.ts';
import { repairTail } from './repair-tail.ts';
import { unreadable } from './unreadable.ts';

export interface WriteOptions {
  /** Who signs; this process unless given. */
  readonly identity?: HostIdentity;
  readonly durability?: Durability;
  /** Of the workspace, relative to the journal's parent, for a directory that is made now [S1]. */
  readonly workspace?: string | null;
  readonly sources?: EntrySources;
}

/** Opens for writing: makes the directory and its marker where they are missing, and takes the lock. */
export function openFileJournal(directory: string, options: WriteOptions = {}): FileJournal {
  const path = resolve(directory);
  mayWriteIn(path);
  mkdirSync(path, { recursive: true, mode: PRIVATE_DIRECTORY });
  const lock = acquireLock(path, options.identity ?? hostIdentity());
  try {
    return new FileJournal(path, claimDirectory(path, options.workspace ?? null), { ...options, lock });
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

/** Opens for looking: takes no lock, makes nothing, changes nothing [P6]. */
export function readFileJournal(directory: string): FileJournal {
  const path = resolve(directory);
  return new FileJournal(path, readMarker(path), null);
}

interface OpenFile {
  readonly file: AppendFile;
  /** Resolves when what opening said is durable [S7]. */
  readonly signed: Promise<void>;
}

type Writing = WriteOptions & { readonly lock: DirectoryLock };

export class FileJournal implements JournalProvider {
  readonly directory: string;
  /** Null for a journal that is not ours. */
  readonly marker: Marker | null;
  readonly #writing: Writing | null;
  readonly #files = new Map<string, OpenFile>();
  /** The processes of the files that were opened, by file name without regard to case [J9]. */
  readonly #owners = new Map<string, string>();
  /** Repairs that are done and that no entry tells of yet, since the disk was full [J6]. */
  readonly #untold = new Map<string, readonly JsonObject[]>();
  #isClosed = false;

  constructor(directory: string, marker: Marker | null, writing: Writing | null) {
    this.directory = directory;
    this.marker = marker;
    this.#writing = writing;
  }

  async append(entry: NewEntry): Promise<StoredEntry> {
    const { sources = SYSTEM_SOURCES } = this.#mayWrite();
    return this.#open(entry.process_id).file.append(completeEntry(entry, sources));
  }

  async claim(processId: string): Promise<void> {
    const known = this.#files.get(processId);
    if (known?.file.isPoisoned === true) {
      this.#files.delete(processId);
      // What it could not write was refused; what it did write is read again from the file.
      await known.file.close();
    }
    await this.#open(processId).signed;
  }

  async read(processId: string, options: ReadOptions = {}): Promise<readonly StoredEntry[]> {
    const path = this.#existing(processId);
    return path === null ? [] : selectForwards(path, options);
  }

  async readLast(processId: string, limit: number, before?: Cursor): Promise<EntryPage> {
    const path = this.#existing(processId);
    return path === null ? { entries: [], badLines: [], before: null } : pageBackwards(path, limit, before);
  }

  async processes(): Promise<readonly string[]> {
    return readdirSync(this.directory, { withFileTypes: true })
      .filter((file) => file.isFile() && file.name.endsWith(ENTRIES_SUFFIX))
      .map(({ name }) => this.#nameOf(name))
      .sort();
  }

  async checkpoint(
    processId: string,
    state: JsonObject,
    line: Pick<NewEntry, 'entry_id' | 'timestamp'> = {},
  ): Promise<StoredEntry> {
    this.#open(processId);
    writeCheckpointFile(this.directory, processId, state);
    return this.append({ ...line, process_id: processId, entry_type: 'checkpoint', data: { state } });
  }

  async lastCheckpoint(processId: string): Promise<CheckpointRecord | null> {
    const path = this.#existing(processId);
    if (path === null) return null;
    if (this.marker === null) return foreignCheckpoint(this.directory, processId, path);
    let cursor: Cursor | null | undefined;
    while (cursor !== null) {
      const page = pageBackwards(path, 100, cursor);
      const entry = page.entries.findLast((candidate) => candidate.entry_type === 'checkpoint');
      if (entry !== undefined) return { state: stateOf(entry.data), seq: entry.seq };
      cursor = page.before;
    }
    return null;
  }

  /** The path of a process's entries, whether it exists or not. */
  pathOf(processId: string): string {
    return join(this.directory, entriesFile(processId));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const files = [...this.#files.values()].map(({ file }) => file);
    this.#files.clear();
    const results = await Promise.allSettled(files.map((file) => file.close()));
    this.#writing?.lock[Symbol.dispose]();
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  #mayWrite(): Writing {
    const { directory } = this;
    if (this.#isClosed) {
      throw new AppError('journal.closed', `${directory} is closed: nothing can be appended any more.`, {
        directory,
      });
    }
    if (this.#writing !== null) return this.#writing;
    throw new AppError(
      'journal.read-only',
      `${directory} was opened to be looked at: nothing can be appended.`,
      {
        directory,
      },
    );
  }

  /**
   * The file to read; null where there is none. In a journal of ours a file belongs to one name; elsewhere several
   * may lead to it, as they do for Promptise.
   */
  #existing(processId: string): string | null {
    const path = join(this.directory, nameToRead(processId) + ENTRIES_SUFFIX);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
    try {
      accessSync(path, constants.R_OK);
    } catch (error) {
      throw unreadable(path, error);
    }
    const owner = this.marker === null ? null : ownerOf(path);
    if (owner !== null && owner !== processId && entriesFile(owner) === entriesFile(processId)) {
      throw nameCollision(processId, entriesFile(processId), owner);
    }
    return path;
  }

  /** What the lines say, unless that name leads to another file: then this one was renamed or copied. */
  #nameOf(file: string): string {
    const owner = ownerOf(join(this.directory, file));
    return owner !== null && entriesFile(owner) === file ? owner : file.slice(0, -ENTRIES_SUFFIX.length);
  }

  #open(processId: string): OpenFile {
    const writing = this.#mayWrite();
    const known = this.#files.get(processId);
    if (known !== undefined) return known;
    const opened = this.#take(processId, writing);
    this.#files.set(processId, opened);
    return opened;
  }

  /** Opens a process's file for appending: checks whose it is, repairs its tail, signs in [S7]. */
  #take(
    processId: string,
    { identity = hostIdentity(), lock, durability = 'always', sources = SYSTEM_SOURCES }: Writing,
  ): OpenFile {
    checkName(processId);
    const path = this.pathOf(processId);
    this.#refuseCollision(processId, path);
    const isNew = !existsSync(path);
    const fd = openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, PRIVATE_FILE);
    let file: AppendFile;
    let epoch: number;
    try {
      if (isNew) syncDirectory(this.directory);
      const repaired = repairTail(this.directory, safeName(processId), fd);
      if (repaired !== null) {
        const { offset, sizeBytes, file: quarantine } = repaired;
        const repair = { kind: 'torn_tail', offset, bytes: sizeBytes, file: quarantine };
        this.#untold.set(processId, [...(this.#untold.get(processId) ?? []), repair]);
      }
      epoch = lock.raiseAbove(lastEpoch(path));
      file = new AppendFile(fd, path, positionOf(fd), durability);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    this.#owners.set(entriesFile(processId).toLowerCase(), processId);
    const signing: Promise<unknown>[] = [];
    const say = (entry_type: string, data: JsonObject): void => {
      const said = file.append(completeEntry({ process_id: processId, entry_type, data }, sources));
      said.catch(() => this.#forget(processId, file));
      signing.push(said);
    };
    for (const repair of this.#untold.get(processId) ?? []) say('journal_repaired', repair);
    const { hostId, pid, startTime, build } = identity;
    say('writer_opened', {
      epoch,
      host_id: hostId,
      pid,
      start_time: startTime,
      build,
      fold_version: FOLD_VERSION,
    });
    const signed = Promise.all(signing).then(() => void this.#untold.delete(processId));
    // Whoever does not wait for it is told by the next append: the lines behind these are refused with them.
    signed.catch(() => {});
    return { file, signed };
  }

  /** What could not sign in writes nothing: the next append opens the file again, and signs first [S7]. */
  #forget(processId: string, file: AppendFile): void {
    if (file.isPoisoned || this.#files.get(processId)?.file !== file) return;
    this.#files.delete(processId);
    // All it has is refused already, and nothing else would come of closing it.
    file.close().catch(() => {});
  }

  #refuseCollision(processId: string, path: string): void {
    // A file that was just opened has no line yet.
    const opened = this.#owners.get(entriesFile(processId).toLowerCase());
    const owner = opened ?? (existsSync(path) ? ownerOf(path) : null);
    if (owner !== null && owner !== processId) throw nameCollision(processId, entriesFile(processId), owner);
    const name = entriesFile(processId);
    const twin = readdirSync(this.directory).find(
      (other) => other !== name && other.toLowerCase() === name.toLowerCase(),
    );
    if (twin !== undefined) throw nameCollision(processId, twin, ownerOf(join(this.directory, twin)) ?? twin);
  }
}

/** A new name is durable when its directory is. Windows has no such call and needs none. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(directory, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
