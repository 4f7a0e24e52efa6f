// What can be read of a damaged collection goes into a new one, which takes its place once it is whole; the damaged one is set
// aside as it is, byte for byte. Whoever is killed, or has no room, half way through leaves the damaged one where it was: it is
// never taken for one with less in it. Nothing is thrown away: where a record can't be read any more, the file that was set
// aside still has its bytes.

import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { AppError } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { memoryError, MEMORY_COLUMNS, type MemoryRow } from './memory-file.ts';
import type { MemoryPlace } from './memory-place.ts';
import type { MemorySource } from './memory-store.ts';
import { unpackVector } from './memory-vectors.ts';
import { openSqliteMemory, type SqliteMemory } from './sqlite-memory.ts';

export interface Repaired {
  /** Where the damaged file lies now; null where there was nothing wrong, and nothing was done. */
  readonly asidePath: string | null;
  readonly kept: number;
  /** Places in it where there was something that can't be read. */
  readonly lost: number;
}

/** @throws `memory.none`, `memory.newer`, `memory.busy`, `memory.unusable` */
export async function repairMemory(place: MemoryPlace, nowMs: number): Promise<Repaired> {
  const { path } = place;
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    throw new AppError('memory.none', `There is no memory ${path}, so there is nothing to repair.`, { path });
  }
  if (await isWhole(place)) return { asidePath: null, kept: 0, lost: 0 };
  const asidePath = freePath(`${path}.damaged-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '')}`);
  const newPath = `${path}.repaired`;
  const dropNew = (): void => {
    for (const end of FILES) rmSync(newPath + end, { force: true });
  };
  try {
    // Of somebody who came to no end.
    dropNew();
    try {
      const before = stampOf(path);
      const found = await salvaged(path, { ...place, path: newPath, isKept: false });
      if (stampOf(path) !== before) throw writtenMeanwhile(path);
      setInPlace(path, newPath, asidePath);
      return { asidePath, ...found };
    } finally {
      dropNew();
    }
  } catch (error) {
    throw memoryError(path, error);
  }
}

/** Of one collection: what was written last, who reads it, and all else. */
const FILES = ['-wal', '-shm', ''] as const;

/** Changes whenever somebody writes. */
function stampOf(path: string): string {
  return ['', '-wal']
    .map((end) => {
      const facts = statSync(path + end, { throwIfNoEntry: false });
      return facts === undefined || facts.size === 0 ? '' : `${facts.ino}:${facts.size}:${facts.mtimeMs}`;
    })
    .join();
}

function writtenMeanwhile(path: string): AppError {
  return new AppError(
    'memory.busy',
    `The memory ${path} was written to while it was repaired, so it was left as it was. Hold the processes that use it, and repair it again.`,
    { path },
  );
}

/** At every moment there is one in its place; the new one is on disk by then, as nothing of it was while it was made. */
function setInPlace(path: string, newPath: string, asidePath: string): void {
  const file = openSync(newPath, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(path, asidePath);
  } catch {
    // A disk without links. Where it can't be renamed either, that is told.
    renameSync(path, asidePath);
  }
  // The log of the one is nothing to the other.
  for (const end of ['-wal', '-shm']) {
    if (existsSync(path + end)) renameSync(path + end, asidePath + end);
  }
  renameSync(newPath, path);
}

async function isWhole(place: MemoryPlace): Promise<boolean> {
  let database: Database.Database | null = null;
  try {
    await openSqliteMemory(place).close();
    // All of it, whatever its size; and that the index fits the texts.
    database = new Database(place.path);
    const found = database.pragma('integrity_check(1)', { simple: true }) as string;
    if (found !== 'ok') return false;
    database.exec("INSERT INTO words (words) VALUES ('integrity-check')");
    return true;
  } catch (error) {
    const found = memoryError(place.path, error);
    if (found.code === 'memory.damaged') return false;
    throw found;
  } finally {
    database?.close();
  }
}

function freePath(path: string): string {
  let free = path;
  for (let count = 2; existsSync(free); count += 1) free = `${path}-${count}`;
  return free;
}

/** @throws `memory.*` for the new one; whatever the old one has is kept or lost */
async function salvaged(from: string, place: MemoryPlace): Promise<Omit<Repaired, 'asidePath'>> {
  const memory = openSqliteMemory(place);
  let [kept, lost] = [0, 0];
  let database: Database.Database | null = null;
  try {
    database = new Database(from, { readonly: true });
    for (const row of readableRows(database)) {
      if (row === null) lost += 1;
      else {
        const added = await memory.add({ ...recordOf(row), vector: vectorAt(database, row.n) });
        if (added === 'added') kept += 1;
      }
    }
    await keepMarks(database, memory);
  } finally {
    database?.close();
    await memory.close();
  }
  return { kept, lost };
}

/** What was forgotten stays so, as far as that can be read. */
async function keepMarks(database: Database.Database, memory: SqliteMemory): Promise<void> {
  const marks = attempt(() =>
    database.prepare<[], { id: string; at: number }>('SELECT id, at FROM forgotten').all(),
  );
  if (marks !== FAILED) await memory.keepForgotten(marks);
}

/** One by one by their number: a damaged page hides those that it holds, and no others. Null: there may be one, and it is lost. */
function* readableRows(database: Database.Database): Generator<MemoryRow | null> {
  const statements = attempt(() => ({
    next: database.prepare<[number], number>('SELECT min(n) FROM memory WHERE n > ?').pluck(),
    read: database.prepare<[number], MemoryRow>(`SELECT ${MEMORY_COLUMNS} FROM memory m WHERE m.n = ?`),
  }));
  if (statements === FAILED) {
    // Not even its beginning can be read: nothing of it is kept but the file itself, which is told of.
    yield null;
    return;
  }
  const { next, read } = statements;
  const last = boundOf(database);
  for (let n = 0; n < last;) {
    const found = attempt(() => next.get(n));
    const at = found === FAILED ? n + 1 : found;
    if (at == null) return;
    n = at;
    const row = attempt(() => read.get(n));
    if (row === FAILED) yield null;
    else if (row !== undefined) yield isRow(row) ? row : null;
  }
}

/** As far as there may be numbers. */
function boundOf(database: Database.Database): number {
  const highest = attempt(() => database.prepare<[], number>('SELECT max(n) FROM memory').pluck().get());
  if (typeof highest === 'number') return highest;
  const records = attempt(() => database.prepare<[], number>('SELECT records FROM total').pluck().get());
  return typeof records === 'number' ? 2 * records + 1_000 : 100_000;
}

const FAILED = Symbol('failed');

function attempt<T>(read: () => T): T | typeof FAILED {
  try {
    return read();
  } catch {
    return FAILED; // Whoever asked counts it as lost.
  }
}

function isRow(row: MemoryRow): boolean {
  return (
    typeof row.id === 'string' &&
    typeof row.user_id === 'string' &&
    typeof row.text === 'string' &&
    typeof row.created_at === 'string'
  );
}

function recordOf({ id, user_id, text, created_at, updated_at, source, metadata, pinned }: MemoryRow) {
  const from = objectOf(source) as Partial<MemorySource>;
  return {
    id,
    userId: user_id,
    text,
    createdAt: created_at,
    updatedAt: typeof updated_at === 'string' ? updated_at : null,
    source: { by: 'operator', process: '', eventId: null, key: '', ...from } as MemorySource,
    metadata: objectOf(metadata),
    isPinned: pinned === 1,
  };
}

function objectOf(text: unknown): JsonObject {
  const value = attempt(() => JSON.parse(String(text)) as Json);
  return value !== FAILED && isObject(value) ? value : {};
}

function vectorAt(database: Database.Database, n: number) {
  const found = attempt(() =>
    database
      .prepare<[number], { model: string; value: Uint8Array }>('SELECT model, value FROM vector WHERE n = ?')
      .get(n),
  );
  if (found === FAILED || found === undefined) return null;
  return { model: found.model, values: unpackVector(found.value) };
}
