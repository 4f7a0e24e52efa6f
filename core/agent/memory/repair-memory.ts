// A damaged collection is set aside as it is, byte for byte, and what can be read of it goes into a new one. Nothing is
// thrown away: where a record can't be read any more, the file that was set aside still has its bytes.

import { existsSync, renameSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { AppError } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { memoryError } from './memory-file.ts';
import type { MemoryPlace } from './memory-place.ts';
import type { MemorySource } from './memory-store.ts';
import { unpackVector } from './memory-vectors.ts';
import { openSqliteMemory } from './sqlite-memory.ts';

export interface Repaired {
  /** Where the damaged file lies now; null where there was nothing wrong, and nothing was done. */
  readonly asidePath: string | null;
  readonly kept: number;
  /** Places in it where there was something that can't be read. */
  readonly lost: number;
}

interface Row {
  readonly n: number;
  readonly id: string;
  readonly user_id: string;
  readonly text: string;
  readonly created_at: string;
  readonly source: string;
  readonly metadata: string;
  readonly pinned: number;
}

/** @throws `memory.none`, `memory.newer`, `memory.busy`, `memory.unusable` */
export async function repairMemory(place: MemoryPlace, nowMs: number): Promise<Repaired> {
  const { path } = place;
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    throw new AppError('memory.none', `There is no memory ${path}, so there is nothing to repair.`, { path });
  }
  if (await isWhole(place)) return { asidePath: null, kept: 0, lost: 0 };
  const asidePath = freePath(`${path}.damaged-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '')}`);
  try {
    // The log first: a file without its log is older, and a log without its file is nothing.
    for (const end of ['-wal', '-shm', '']) {
      if (existsSync(path + end)) renameSync(path + end, asidePath + end);
    }
  } catch (error) {
    throw memoryError(path, error);
  }
  return { asidePath, ...(await salvaged(asidePath, place)) };
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
  } catch {
    // Not even its beginning can be read: nothing of it is kept but the file itself, which is told of.
    lost += 1;
  } finally {
    database?.close();
    await memory.close();
  }
  return { kept, lost };
}

/** One by one by their number: a damaged page hides those that it holds, and no others. Null: there may be one, and it is lost. */
function* readableRows(database: Database.Database): Generator<Row | null> {
  const next = database.prepare<[number], number>('SELECT min(n) FROM memory WHERE n > ?').pluck();
  const last = boundOf(database);
  const read = database.prepare<[number], Row>(
    'SELECT n, id, user_id, text, created_at, source, metadata, pinned FROM memory WHERE n = ?',
  );
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

function isRow(row: Row): boolean {
  return (
    typeof row.id === 'string' &&
    typeof row.user_id === 'string' &&
    typeof row.text === 'string' &&
    typeof row.created_at === 'string'
  );
}

function recordOf({ id, user_id, text, created_at, source, metadata, pinned }: Row) {
  const from = objectOf(source) as Partial<MemorySource>;
  return {
    id,
    userId: user_id,
    text,
    createdAt: created_at,
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
