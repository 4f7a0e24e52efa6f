// A directory of journals on a local disk. What holds in it is said where it is kept: J1 to J4 in codec.ts, J5 in
// lock.ts, J6 in repair-tail.ts, J7 in append-file.ts, J8 in checkpoint-file.ts, J9 in process-files.ts, J10 in layout.ts.

import { closeSync, constants, existsSync, fstatSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isFullCheckpoint, stateOf } from '../model/checkpoint.ts';
import type { NewEntry, StoredEntry } from '../model/entry.ts';
import { AppError } from '../model/errors.ts';
import { FOLD_VERSION } from '../model/fold.ts';
import { numberAt, objectAt, type JsonObject } from '../model/json.ts';
import type { CheckpointRecord, Cursor, EntryPage, JournalProvider, ReadOptions } from '../model/ports.ts';
import { AppendFile, type Durability, type FilePosition } from './append-file.ts';
import { foreignCheckpoint, writeCheckpointFile } from './checkpoint-file.ts';
import { FIRST_PREV, hashLine } from './codec.ts';
import { completeEntry, SYSTEM_SOURCES, type EntrySources } from './complete-entry.ts';
import { hostIdentity, type HostIdentity } from './host-identity.ts';
import { PRIVATE_FILE } from './layout.ts';
import { countLines, linesBackwards, withFile } from './lines.ts';
import { acquireLock, type DirectoryLock } from './lock.ts';
import { claimDirectory, readMarker, type Marker } from './marker.ts';
import { checkName, entriesFile, ENTRIES_SUFFIX, nameCollision, safeName } from './process-files.ts';
import { entriesForwards, isBad, pageBackwards, selectForwards } from './read-entries.ts';
import { repairTail } from './repair-tail.ts';

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
  const marker = claimDirectory(path, options.workspace ?? null);
  return new FileJournal(path, marker, {
    ...options,
    lock: acquireLock(path, options.identity ?? hostIdentity()),
  });
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
      .map((file) => ownerOf(join(this.directory, file.name)) ?? file.name.slice(0, -ENTRIES_SUFFIX.length))
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

  #existing(processId: string): string | null {
    checkName(processId);
    const path = this.pathOf(processId);
    return existsSync(path) ? path : null;
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
    if (isNew) syncDirectory(this.directory);
    const repaired = repairTail(this.directory, safeName(processId), fd);
    const epoch = lock.raiseAbove(lastEpoch(path));
    const file = new AppendFile(fd, path, positionOf(fd), durability);
    const signing: Promise<unknown>[] = [];
    const say = (entry_type: string, data: JsonObject): void => {
      signing.push(file.append(completeEntry({ process_id: processId, entry_type, data }, sources)));
    };
    if (repaired !== null) {
      const { offset, sizeBytes, file: quarantine } = repaired;
      say('journal_repaired', { kind: 'torn_tail', offset, bytes: sizeBytes, file: quarantine });
    }
    const { hostId, pid, startTime, build } = identity;
    say('writer_opened', {
      epoch,
      host_id: hostId,
      pid,
      start_time: startTime,
      build,
      fold_version: FOLD_VERSION,
    });
    const signed = Promise.all(signing).then(() => {});
    // Whoever does not wait for it is told by the next append: the lines behind these are refused with them.
    signed.catch(() => {});
    return { file, signed };
  }

  #refuseCollision(processId: string, path: string): void {
    const owner = existsSync(path) ? ownerOf(path) : null;
    if (owner !== null && owner !== processId) throw nameCollision(processId, entriesFile(processId), owner);
    const name = entriesFile(processId);
    const twin = readdirSync(this.directory).find(
      (other) => other !== name && other.toLowerCase() === name.toLowerCase(),
    );
    if (twin !== undefined) throw nameCollision(processId, twin, ownerOf(join(this.directory, twin)) ?? twin);
  }
}

/** The process that the first readable line names; null in a file without one. */
function ownerOf(path: string): string | null {
  for (const item of entriesForwards(path)) {
    if (!isBad(item) && item.process_id !== '') return item.process_id;
  }
  return null;
}

function positionOf(fd: number): FilePosition {
  const sizeBytes = fstatSync(fd).size;
  for (const line of linesBackwards(fd, sizeBytes)) {
    return { seq: countLines(fd, sizeBytes), prev: hashLine(line.bytes), sizeBytes };
  }
  return { seq: 0, prev: FIRST_PREV, sizeBytes };
}

/** The epoch of the journal's last writer; at most as far back as the last full checkpoint, which carries it. */
function lastEpoch(path: string): number {
  let cursor: Cursor | null | undefined;
  while (cursor !== null) {
    const page = withFile(path, () => pageBackwards(path, 200, cursor ?? undefined));
    for (const { entry_type, data } of page.entries.toReversed()) {
      if (entry_type === 'writer_opened') return numberAt(data, 'epoch');
      if (entry_type === 'checkpoint' && isFullCheckpoint(data)) {
        const writer = objectAt(objectAt(stateOf(data), 'holdfast') ?? {}, 'writer');
        return writer === null ? 0 : numberAt(writer, 'epoch');
      }
    }
    cursor = page.before;
  }
  return 0;
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
