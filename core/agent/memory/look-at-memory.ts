// A collection as it is, without a byte of it changed and no file made beside it [P6]: SQLite itself, opening one only for
// reading, would make its own there. So a private copy is what is opened.

import { constants, mkdtempSync, rmSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError, codeOf } from '../../model/errors.ts';
import { memoryError, newer, SCHEMA_VERSION, versionOf } from './memory-file.ts';
import type { MemoryPlace } from './memory-place.ts';
import { SqliteMemory } from './sqlite-memory.ts';
import type { MemoryStore } from './memory-store.ts';

/** A writer may be in the middle of moving its log into the file: the copy is of no one moment then. */
const MAX_TRIES = 5;

/**
 * Looks, and lets go of what was opened. Null where there is nothing yet.
 * @throws `memory.damaged`, `memory.newer`, `memory.busy`, `memory.unusable`
 */
export async function lookAtMemory<T>(
  place: MemoryPlace,
  look: (memory: MemoryStore) => Promise<T>,
): Promise<T | null> {
  if (stateOf(place.path) === null) return null;
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-memory-'));
  try {
    const database = opened(await copied(place.path, directory), place.path);
    if (database === null) return null;
    const memory = new SqliteMemory({ database, inode: 0 }, place);
    try {
      return await look(memory);
    } finally {
      await memory.close();
    }
  } catch (error) {
    throw memoryError(place.path, error);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

interface State {
  readonly size: number;
  readonly changedMs: number;
  /** Bytes of what was written and is not in the file yet. */
  readonly log: number;
}

/** Null where there is none, or nothing in it. */
function stateOf(path: string): State | null {
  const file = statSync(path, { throwIfNoEntry: false });
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (file === undefined || (file.size === 0 && log === 0)) return null;
  return { size: file.size, changedMs: file.mtimeMs, log };
}

/** While it is copied others go on: it may be large. */
async function copied(path: string, directory: string): Promise<string> {
  const copy = join(directory, 'memory.sqlite');
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const before = stateOf(path);
    await copyFile(path, copy, constants.COPYFILE_FICLONE);
    await copyIfThere(`${path}-wal`, `${copy}-wal`);
    const after = stateOf(path);
    // What came to the log meanwhile is behind what was copied, and belongs to nobody yet.
    if (before?.size === after?.size && before?.changedMs === after?.changedMs) return copy;
  }
  // A copy of no one moment would look damaged.
  throw new AppError(
    'memory.busy',
    `The memory ${path} is written to all the time, so it could not be looked at. Look again in a moment.`,
    { path },
  );
}

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    // It has just been moved into the file.
    rmSync(to, { force: true });
  }
}

/** Null for one that nobody has got to making yet. */
function opened(copy: string, path: string): Database.Database | null {
  const database = new Database(copy);
  try {
    const version = versionOf(database);
    if (version > SCHEMA_VERSION) throw newer(path, version);
    if (version === SCHEMA_VERSION) return database;
    database.close();
    return null;
  } catch (error) {
    database.close();
    throw error;
  }
}
