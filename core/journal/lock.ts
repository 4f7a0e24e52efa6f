// J5/S6  One writer per directory. The lock is the kernel's, on an SQLite file opened with locking_mode=EXCLUSIVE, so it
//        is gone with the process however that ends. It lies in a folder of its own, which nothing else opens: closing
//        any other descriptor of a locked file in the same process would drop the lock (POSIX).
// S7     The epoch grows at every acquisition and is committed while the lock is held.
// Who holds it stands beside it in holder.json, since a locked file can't be read.

import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError, codeOf, messageOf, RetryableError } from '../model/errors.ts';
import { isObject, numberAt, textAt, type Json } from '../model/json.ts';
import { PRIVATE_DIRECTORY, PRIVATE_FILE, STATE_DIRECTORY } from './layout.ts';
import type { HostIdentity } from './host-identity.ts';
import { osProcessStartTime } from './process-start-time.ts';

export interface Holder {
  readonly pid: number;
  readonly startTime: string;
  readonly hostId: string;
  readonly epoch: number;
}

export interface DirectoryLock extends Disposable {
  readonly epoch: number;
  /** Makes the epoch higher than `other`, for a journal that has seen more epochs than its lock file. */
  raiseAbove(other: number): number;
  /** @throws `journal.lock-lost` when its file was taken away, so that another writer may come [S8] */
  check(): void;
}

/**
 * Takes the lock of a journal directory.
 * @throws RetryableError `journal.locked` while another process holds it, with who that is
 */
export function acquireLock(directory: string, identity: HostIdentity): DirectoryLock {
  const database = open(directory);
  const inode = inodeOf(directory);
  let epoch = 0;
  const raise = (above: number): number => {
    epoch = Math.max(epoch, above) + 1;
    database
      .prepare(
        'INSERT INTO epoch (id, value) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET value = excluded.value',
      )
      .run(epoch);
    writeHolder(directory, identity, epoch);
    return epoch;
  };
  try {
    const row = database.prepare('SELECT value FROM epoch WHERE id = 1').get() as
      | { value: number }
      | undefined;
    raise(row?.value ?? 0);
  } catch (error) {
    // Nobody would ever give it back.
    database.close();
    throw unusable(directory, error);
  }
  return {
    get epoch() {
      return epoch;
    },
    raiseAbove: (other) => (other < epoch ? epoch : raise(other)),
    check: () => {
      if (inodeOf(directory) !== inode) throw lockLost(directory);
    },
    [Symbol.dispose]: () => database.close(),
  };
}

function lockPath(directory: string): string {
  return join(directory, STATE_DIRECTORY, 'lock', 'lock.sqlite');
}

function inodeOf(directory: string): number | null {
  return statSync(lockPath(directory), { throwIfNoEntry: false })?.ino ?? null;
}

function lockLost(directory: string): AppError {
  return new AppError(
    'journal.lock-lost',
    `The lock of ${directory} was deleted or replaced while it was held, so somebody else may write there now. Writing stops; leave .holdfast alone, and start again.`,
    { directory },
  );
}

function open(directory: string): Database.Database {
  const path = lockPath(directory);
  const folder = dirname(path);
  let database: Database.Database | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_DIRECTORY });
    makePrivate(path);
    database = new Database(path, { timeout: 0 });
    database.pragma('locking_mode = EXCLUSIVE');
    // The first write takes the lock, and this mode keeps it until the file is closed.
    database.exec('CREATE TABLE IF NOT EXISTS epoch (id INTEGER PRIMARY KEY, value INTEGER NOT NULL)');
    database.exec('BEGIN IMMEDIATE; COMMIT');
    return database;
  } catch (error) {
    database?.close();
    if (codeOf(error).startsWith('SQLITE_BUSY') || codeOf(error).startsWith('SQLITE_LOCKED'))
      throw lockedBy(directory, error);
    throw unusable(directory, error);
  }
}

/** SQLite would make it readable for others [J10]. An existing file is not even opened: see the head of this file. */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function unusable(directory: string, cause: unknown): AppError {
  return new AppError(
    'journal.lock-unusable',
    `The lock of ${directory} can't be used: ${messageOf(cause)}. Check that the directory is on a local disk that has room and may be written.`,
    { directory },
    { cause },
  );
}

function lockedBy(directory: string, cause: unknown): RetryableError {
  const holder = livingHolder(directory);
  const who = holder === null ? 'another process' : `process ${holder.pid}`;
  return new RetryableError(
    'journal.locked',
    `${directory} is being written by ${who}, so it can only be looked at from here. Use that process's console, or end it first.`,
    holder === null ? { directory } : { directory, pid: holder.pid, startTime: holder.startTime },
    { cause },
  );
}

/**
 * Who holds the lock, as far as that is said: whoever has just taken it may not have said so yet, and what stands there then
 * is of one that is gone.
 */
export function livingHolder(directory: string): Holder | null {
  const said = readHolder(directory);
  const startTime = said === null ? null : osProcessStartTime(said.pid);
  if (said === null || startTime === null) return null;
  return said.startTime === '' || said.startTime === startTime ? said : null;
}

/** Who holds the lock or held it last; null where nobody ever did. The process may be gone. */
export function readHolder(directory: string): Holder | null {
  let parsed: Json;
  try {
    parsed = JSON.parse(readFileSync(holderPath(directory), 'utf8')) as Json;
  } catch {
    return null; // Absent, or being replaced: nobody is known.
  }
  if (!isObject(parsed)) return null;
  return {
    pid: numberAt(parsed, 'pid'),
    startTime: textAt(parsed, 'startTime'),
    hostId: textAt(parsed, 'hostId'),
    epoch: numberAt(parsed, 'epoch'),
  };
}

function writeHolder(directory: string, identity: HostIdentity, epoch: number): void {
  const path = holderPath(directory);
  writeFileSync(`${path}.tmp`, `${JSON.stringify({ ...identity, epoch })}\n`, { mode: PRIVATE_FILE });
  renameSync(`${path}.tmp`, path);
}

function holderPath(directory: string): string {
  return join(directory, STATE_DIRECTORY, 'holder.json');
}
