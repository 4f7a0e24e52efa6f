// A collection in SQLite.

import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import {
  listOf,
  memoryError,
  MEMORY_COLUMNS,
  openMemoryFile,
  type MemoryFile,
  type MemoryRow,
} from './memory-file.ts';
import type { MemoryPlace } from './memory-place.ts';
import { ownerWord, searched } from './memory-search.ts';
import type {
  Added,
  Deleted,
  MemoryChange,
  MemoryHit,
  MemoryList,
  MemoryQuery,
  MemoryRecord,
  MemorySource,
  MemoryStore,
  NewMemory,
} from './memory-store.ts';
import { packVector } from './memory-vectors.ts';
import { wordsOf } from './memory-words.ts';

/** For so long it is known that a record was forgotten: 30 days. */
const FORGOTTEN_FOR_MS = 30 * 24 * 60 * 60 * 1_000;

/** @throws what {@link openMemoryFile} throws */
export function openSqliteMemory(place: MemoryPlace, waitMs?: number): SqliteMemory {
  return new SqliteMemory(openMemoryFile(place, waitMs), place);
}

export class SqliteMemory implements MemoryStore {
  readonly #database: Database.Database;
  readonly #inode: number;
  readonly #place: MemoryPlace;

  constructor({ database, inode }: MemoryFile, place: MemoryPlace) {
    this.#database = database;
    this.#inode = inode;
    this.#place = place;
  }

  /** Whether what it has open is what lies at its place: it may have been set aside since. */
  get isCurrent(): boolean {
    return statSync(this.#place.path, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  async add(record: NewMemory): Promise<Added> {
    return this.#write(() => {
      const { id } = record;
      if (this.#pluck('SELECT 1 FROM memory WHERE id = ?', id) !== undefined) return 'known';
      if (this.#wasForgotten(id)) return 'forgotten';
      const words = wordsOf(record.text);
      const { lastInsertRowid } = this.#database
        .prepare(
          'INSERT INTO memory (id, user_id, text, length, created_at, updated_at, source, metadata, pinned) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
        )
        .run(
          id,
          record.userId,
          record.text,
          words.length,
          record.createdAt,
          record.updatedAt ?? null,
          JSON.stringify(record.source),
          JSON.stringify(record.metadata),
          record.isPinned ? 1 : 0,
        );
      this.#index(Number(lastInsertRowid), record.userId, words);
      const { vector } = record;
      if (vector != null) {
        this.#database
          .prepare('INSERT INTO vector (n, model, value) VALUES (?, ?, ?)')
          .run(lastInsertRowid, vector.model, packVector(vector.values));
      }
      return 'added';
    });
  }

  async search(query: MemoryQuery): Promise<readonly MemoryHit[]> {
    return this.#read(() =>
      searched(this.#database, this.#place.path, query).map(({ row, score }) => ({
        record: this.#record(row),
        score,
      })),
    );
  }

  async get(id: string, userIds: readonly string[]): Promise<MemoryRecord | null> {
    return this.#read(() => {
      const row = this.#all(
        'm.id = ? AND m.user_id IN (SELECT value FROM json_each(?))',
        id,
        listOf(userIds),
      )[0];
      return row === undefined ? null : this.#record(row);
    });
  }

  async update(id: string, userId: string, change: MemoryChange): Promise<MemoryRecord | null> {
    return this.#write(() => {
      const row = this.#all('m.id = ? AND m.user_id = ?', id, userId)[0];
      if (row === undefined) return null;
      const text = change.text ?? row.text;
      const pinned = change.isPinned === undefined ? row.pinned : Number(change.isPinned);
      const words = wordsOf(text);
      this.#database
        .prepare('UPDATE memory SET text = ?, length = ?, pinned = ?, updated_at = ? WHERE n = ?')
        .run(text, words.length, pinned, change.updatedAt, row.n);
      if (text !== row.text) {
        this.#unindex(row.n);
        this.#index(row.n, userId, words);
      }
      return this.#record({ ...row, text, pinned, updated_at: change.updatedAt });
    });
  }

  async delete(id: string, userId: string): Promise<Deleted> {
    return this.#write(() => {
      const n = this.#pluck('SELECT n FROM memory WHERE id = ? AND user_id = ?', id, userId);
      if (n === undefined) return this.#wasForgotten(id) ? 'before' : 'none';
      this.#dropOldMarks();
      this.#forget(n as number, id);
      return 'deleted';
    });
  }

  /** Of a collection in whose place this one is. */
  async keepForgotten(marks: readonly { readonly id: string; readonly at: number }[]): Promise<void> {
    this.#write(() => {
      for (const { id, at } of marks) this.#mark(id, at);
    });
  }

  async clear(userId: string): Promise<number> {
    return this.#write(() => {
      this.#dropOldMarks();
      const rows = this.#database
        .prepare<[string], { n: number; id: string }>('SELECT n, id FROM memory WHERE user_id = ?')
        .all(userId);
      for (const { n, id } of rows) this.#forget(n, id);
      return rows.length;
    });
  }

  async list({ userIds, max, skip = 0, onlyPinned = false }: MemoryList): Promise<readonly MemoryRecord[]> {
    return this.#read(() =>
      this.#database
        .prepare<[string, number, number], MemoryRow>(
          `SELECT ${MEMORY_COLUMNS} FROM memory m WHERE m.user_id IN (SELECT value FROM json_each(?)) ${onlyPinned ? 'AND m.pinned = 1' : ''} ORDER BY m.created_at DESC, m.n DESC LIMIT ? OFFSET ?`,
        )
        .all(listOf(userIds), max, skip)
        .map((row) => this.#record(row)),
    );
  }

  async count(userIds: readonly string[]): Promise<number> {
    return this.#read(
      () =>
        this.#pluck(
          'SELECT count(*) FROM memory WHERE user_id IN (SELECT value FROM json_each(?))',
          listOf(userIds),
        ) as number,
    );
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  // --- words

  #index(n: number, userId: string, words: readonly string[]): void {
    this.#database
      .prepare('INSERT INTO words (rowid, owner, body) VALUES (?, ?, ?)')
      .run(n, ownerWord(userId), words.join(' '));
  }

  /** Of a text that is another one, or none any more. */
  #unindex(n: number): void {
    this.#database.prepare('DELETE FROM words WHERE rowid = ?').run(n);
    this.#database.prepare('DELETE FROM vector WHERE n = ?').run(n);
  }

  #forget(n: number, id: string): void {
    this.#unindex(n);
    this.#database.prepare('DELETE FROM memory WHERE n = ?').run(n);
    this.#mark(id, Date.now());
  }

  #mark(id: string, at: number): void {
    this.#database.prepare('INSERT INTO forgotten (id, at) VALUES (?, ?) ON CONFLICT DO NOTHING').run(id, at);
  }

  #wasForgotten(id: string): boolean {
    return this.#pluck('SELECT 1 FROM forgotten WHERE id = ?', id) !== undefined;
  }

  /** By then no write is repeated that might bring one back [S31]. */
  #dropOldMarks(): void {
    this.#database.prepare('DELETE FROM forgotten WHERE at < ?').run(Date.now() - FORGOTTEN_FOR_MS);
  }

  // --- rows

  #all(where: string, ...values: readonly (string | number)[]): MemoryRow[] {
    return this.#database
      .prepare<unknown[], MemoryRow>(`SELECT ${MEMORY_COLUMNS} FROM memory m WHERE ${where}`)
      .all(...values);
  }

  #pluck(sql: string, ...values: readonly string[]): unknown {
    return this.#database
      .prepare(sql)
      .pluck()
      .get(...values);
  }

  #record(row: MemoryRow): MemoryRecord {
    return {
      id: row.id,
      text: row.text,
      collection: this.#place.collection,
      userId: row.user_id,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      source: sourceOf(row.source),
      metadata: objectOf(row.metadata),
      isPinned: row.pinned === 1,
    };
  }

  #read<T>(look: () => T): T {
    try {
      return look();
    } catch (error) {
      throw memoryError(this.#place.path, error);
    }
  }

  #write<T>(change: () => T): T {
    return this.#read(() => this.#database.transaction(change).immediate());
  }
}

function objectOf(text: string): JsonObject {
  const value = JSON.parse(text) as Json;
  return isObject(value) ? value : {};
}

function sourceOf(text: string): MemorySource {
  return objectOf(text) as unknown as MemorySource;
}
