// The SQLite file of one collection: made, opened, and found to be whole.
//
// * It belongs to this user alone: 0600, in a directory of 0700.
// * WAL, so that several processes read while one writes; a writer waits for another as long as it may.
// * One that is damaged is never emptied or taken for an empty one: nothing is done with it until somebody has it mended.

import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { AppError, codeOf, messageOf } from '../../model/errors.ts';
import type { MemoryPlace } from './memory-place.ts';

/** What this version writes; a later one may be read by nobody but itself. */
export const SCHEMA_VERSION = 1;
const PRIVATE_FILE = 0o600;
const PRIVATE_DIRECTORY = 0o700;
const WAIT_MS = 2_000;
/** Checking whether all of a larger one is whole would take longer than whoever waits would. */
const MAX_CHECKED_BYTES = 16 * 1024 * 1024;

/** `words` has the words of each text and not the text, and whose it is; it is made anew from the texts whenever that is needed. */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS memory (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL,
  text TEXT NOT NULL,
  length INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT,
  source TEXT NOT NULL,
  metadata TEXT NOT NULL,
  pinned INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS memory_of_user ON memory (user_id, created_at, n);
CREATE INDEX IF NOT EXISTS memory_pinned ON memory (user_id) WHERE pinned = 1;
CREATE TABLE IF NOT EXISTS vector (n INTEGER PRIMARY KEY, model TEXT NOT NULL, value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS forgotten (id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS forgotten_at ON forgotten (at);
CREATE TABLE IF NOT EXISTS total (only INTEGER PRIMARY KEY CHECK (only = 1), records INTEGER NOT NULL, length INTEGER NOT NULL);
INSERT OR IGNORE INTO total VALUES (1, 0, 0);
CREATE TRIGGER IF NOT EXISTS total_more AFTER INSERT ON memory BEGIN
  UPDATE total SET records = records + 1, length = length + new.length;
END;
CREATE TRIGGER IF NOT EXISTS total_other AFTER UPDATE OF length ON memory BEGIN
  UPDATE total SET length = length + new.length - old.length;
END;
CREATE TRIGGER IF NOT EXISTS total_less AFTER DELETE ON memory BEGIN
  UPDATE total SET records = records - 1, length = length - old.length;
END;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (owner, body, content = '', contentless_delete = 1, tokenize = 'ascii');
CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab (words, 'col');
`;

/** Of a table `memory m`. */
export const MEMORY_COLUMNS =
  'm.n, m.id, m.user_id, m.text, m.created_at, m.updated_at, m.source, m.metadata, m.pinned';

export interface MemoryRow {
  readonly n: number;
  readonly id: string;
  readonly user_id: string;
  readonly text: string;
  readonly created_at: string;
  readonly updated_at: string | null;
  readonly source: string;
  readonly metadata: string;
  readonly pinned: number;
}

/** For `IN (SELECT value FROM json_each(?))`. */
export function listOf(texts: readonly string[]): string {
  return JSON.stringify(texts);
}

export interface MemoryFile {
  readonly database: Database.Database;
  /** Tells it from another that takes its place. */
  readonly inode: number;
}

/**
 * Makes it where there is none. `waitMs`: for somebody else who writes.
 * @throws `memory.damaged`, `memory.newer`, `memory.unusable`
 */
export function openMemoryFile({ path, isKept }: MemoryPlace, waitMs = WAIT_MS): MemoryFile {
  let database: Database.Database | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIRECTORY });
    makePrivate(path);
    database = new Database(path, { timeout: Math.max(1, Math.round(waitMs)) });
    database.pragma('journal_mode = WAL');
    // What was said to be remembered is so after a power cut as well.
    database.pragma(`synchronous = ${isKept ? 'FULL' : 'OFF'}`);
    prepare(database, path);
    return { database, inode: statSync(path).ino };
  } catch (error) {
    database?.close();
    throw memoryError(path, error);
  }
}

/** Before SQLite makes it: the files beside it get the mode of this one. */
function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE_FILE));
  if (process.platform !== 'win32') chmodSync(path, PRIVATE_FILE);
}

function prepare(database: Database.Database, path: string): void {
  const version = versionOf(database);
  if (version === SCHEMA_VERSION) checkWhole(database, path);
  else if (version === 0) makeSchema(database, path);
  else throw newer(path, version);
}

function makeSchema(database: Database.Database, path: string): void {
  const make = database.transaction(() => {
    // Somebody else may have made it meanwhile.
    if (versionOf(database) !== 0) return;
    if (tableCount(database) > 0) {
      throw new AppError(
        'memory.not-ours',
        `${path} is a database of something else. Name another collection, or take that file away.`,
        { path },
      );
    }
    database.exec(SCHEMA);
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
  });
  make.immediate();
}

export function versionOf(database: Database.Database): number {
  return database.pragma('user_version', { simple: true }) as number;
}

function tableCount(database: Database.Database): number {
  return database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() as number;
}

function checkWhole(database: Database.Database, path: string): void {
  if (statSync(path).size > MAX_CHECKED_BYTES) return;
  const found = database.pragma('quick_check(1)', { simple: true }) as string;
  if (found !== 'ok') throw damaged(path, found);
}

export function newer(path: string, version: number): AppError {
  return new AppError(
    'memory.newer',
    `${path} was written by a later version (schema ${version}; this one knows ${SCHEMA_VERSION}). Use that version, or name another collection.`,
    { path, version },
  );
}

export function damaged(path: string, found: string, cause?: unknown): AppError {
  return new AppError(
    'memory.damaged',
    `The memory ${path} is damaged: ${found.split('\n')[0]}. Nothing is read from it or written to it. Repair it, which sets the damaged file aside and keeps every record that can be read: holdfast memory <workspace> <process> repair --reason <why>.`,
    { path },
    { cause },
  );
}

/** In the words of whoever wants to remember. */
export function memoryError(path: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return damaged(path, messageOf(error), error);
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new AppError(
      'memory.busy',
      `The memory ${path} is being written by somebody else, who does not come to an end.`,
      { path },
      { cause: error },
    );
  }
  return new AppError(
    'memory.unusable',
    `The memory ${path} can't be used: ${messageOf(error)}. Look at the disk and at who may write there.`,
    { path, code },
    { cause: error },
  );
}
