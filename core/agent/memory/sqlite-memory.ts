// A collection in SQLite.
//
// * Text of a search is never read as the language of the index: words are taken out of it, and each is put into quotes.
// * The rarest words of a search choose what is looked at, up to so many records, the newest of more; what is in nearly every
//   record says nothing and would cost the most. The best of those are weighed.

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { AppError } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { memoryError, openMemoryFile, type MemoryFile } from './memory-file.ts';
import type { MemoryPlace } from './memory-place.ts';
import { scoreOf, weightOf, wordScore, type Weighed } from './memory-score.ts';
import {
  MAX_HITS,
  type Added,
  type MemoryChange,
  type MemoryHit,
  type MemoryList,
  type MemoryQuery,
  type MemoryRecord,
  type MemorySource,
  type MemoryStore,
  type NewMemory,
} from './memory-store.ts';
import { cosine, packVector, unpackVector } from './memory-vectors.ts';
import { wordsOf } from './memory-words.ts';

/** Different words of one search that are looked up. */
const MAX_SEARCHED = 64;
/** Records that the index ranks for one search. */
const MAX_RANKED = 10_000;
const CANDIDATES = 64;
/** For so long it is known that a record was forgotten: 30 days. */
const FORGOTTEN_FOR_MS = 30 * 24 * 60 * 60 * 1_000;
/** Vectors between two looks at the clock. */
const VECTORS_AT_ONCE = 500;
const COLUMNS = 'm.n, m.id, m.user_id, m.text, m.created_at, m.updated_at, m.source, m.metadata, m.pinned';

interface Row {
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
      if (this.#pluck('SELECT 1 FROM forgotten WHERE id = ?', id) !== undefined) return 'forgotten';
      const words = wordsOf(record.text);
      const { lastInsertRowid } = this.#database
        .prepare(
          'INSERT INTO memory (id, user_id, text, length, created_at, source, metadata, pinned) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        )
        .run(
          id,
          record.userId,
          record.text,
          words.length,
          record.createdAt,
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
    return this.#read(() => {
      const { userIds, vector, minScore } = query;
      const max = Math.min(query.max, MAX_HITS);
      const until = performance.now() + (query.withinMs ?? Number.POSITIVE_INFINITY);
      const { search, averageLength } = this.#weighed(query.text);
      const found = new Map<number, Row>();
      for (const row of this.#ranked(search, userIds, Math.max(CANDIDATES, max))) found.set(row.n, row);
      const alike = new Map<number, number>();
      if (vector != null) {
        for (const [n, likeness] of this.#alike(vector, userIds, until)) alike.set(n, likeness);
        const nearest = [...alike].sort((a, b) => b[1] - a[1]).slice(0, Math.max(CANDIDATES, max));
        for (const [n] of nearest) if (!found.has(n)) found.set(n, this.#row(n)!);
      }
      return [...found.values()]
        .map((row) => ({
          row,
          score: scoreOf(wordScore(wordsOf(row.text), search, averageLength), alike.get(row.n) ?? null),
        }))
        .filter(({ score }) => score > 0 && score >= minScore)
        .sort((a, b) => b.score - a.score || compare(b.row.created_at, a.row.created_at) || b.row.n - a.row.n)
        .slice(0, max)
        .map(({ row, score }) => ({ record: this.#record(row), score }));
    });
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

  async delete(id: string, userId: string): Promise<boolean> {
    return this.#write(() => {
      const n = this.#pluck('SELECT n FROM memory WHERE id = ? AND user_id = ?', id, userId);
      if (n === undefined) return false;
      this.#dropOldMarks();
      this.#forget(n as number, id);
      return true;
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
        .prepare<[string, number, number], Row>(
          `SELECT ${COLUMNS} FROM memory m WHERE m.user_id IN (SELECT value FROM json_each(?)) ${onlyPinned ? 'AND m.pinned = 1' : ''} ORDER BY m.created_at DESC, m.n DESC LIMIT ? OFFSET ?`,
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
    this.#database
      .prepare('INSERT INTO forgotten (id, at) VALUES (?, ?) ON CONFLICT DO NOTHING')
      .run(id, Date.now());
  }

  /** By then no write is repeated that might bring one back [S31]. */
  #dropOldMarks(): void {
    this.#database.prepare('DELETE FROM forgotten WHERE at < ?').run(Date.now() - FORGOTTEN_FOR_MS);
  }

  /** The different words of a search, rarest first. */
  #weighed(text: string): { readonly search: readonly Searched[]; readonly averageLength: number } {
    const words = [...new Set(wordsOf(text))].slice(0, MAX_SEARCHED);
    if (words.length === 0) return { search: [], averageLength: 0 };
    const { records, length } = this.#database
      .prepare<[], { records: number; length: number }>('SELECT records, length FROM total')
      .get()!;
    const having = this.#database
      .prepare("SELECT doc FROM vocabulary WHERE term = ? AND col = 'body'")
      .pluck();
    const search = words.map((word) => {
      const count = (having.get(word) as number | undefined) ?? 0;
      return { word, having: count, weight: weightOf(count, records) };
    });
    return {
      search: search.sort((a, b) => a.having - b.having),
      averageLength: length / Math.max(1, records),
    };
  }

  #ranked(search: readonly Searched[], userIds: readonly string[], max: number): readonly Row[] {
    const chosen: string[] = [];
    let room = MAX_RANKED;
    for (const { word, having } of search) {
      if (having === 0) continue;
      if (chosen.length > 0 && having > room) break;
      chosen.push(quoted(word));
      room -= having;
    }
    if (chosen.length === 0) return [];
    const owners = userIds.map((userId) => quoted(ownerWord(userId)));
    const match = `owner : (${owners.join(' OR ')}) AND body : (${chosen.join(' OR ')})`;
    return this.#database
      .prepare<[string, number, number], Row>(
        `SELECT ${COLUMNS} FROM (
          SELECT n, rank FROM (
            SELECT rowid AS n, bm25(words, 0, 1) AS rank FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?
          ) ORDER BY rank, n DESC LIMIT ?
        ) JOIN memory m USING (n)`,
      )
      .all(match, MAX_RANKED, max);
  }

  // --- vectors

  *#alike(
    { model, values }: NonNullable<MemoryQuery['vector']>,
    userIds: readonly string[],
    until: number,
  ): Generator<[number, number]> {
    const rows = this.#database
      .prepare<[string, string], { n: number; value: Uint8Array }>(
        'SELECT v.n, v.value FROM vector v JOIN memory m ON m.n = v.n WHERE v.model = ? AND m.user_id IN (SELECT value FROM json_each(?))',
      )
      .iterate(model, listOf(userIds));
    let count = 0;
    for (const { n, value } of rows) {
      count += 1;
      if (count % VECTORS_AT_ONCE === 0 && performance.now() > until) throw this.#tooSlow(count);
      yield [n, cosine(values, unpackVector(value))];
    }
  }

  #tooSlow(count: number): AppError {
    return new AppError(
      'memory.too-slow',
      `The memory ${this.#place.path} took too long: ${count} vectors were compared by then. Allow it more time, or forget what is not needed.`,
    );
  }

  // --- rows

  #row(n: number): Row | undefined {
    return this.#all('m.n = ?', n)[0];
  }

  #all(where: string, ...values: readonly (string | number)[]): Row[] {
    return this.#database
      .prepare<unknown[], Row>(`SELECT ${COLUMNS} FROM memory m WHERE ${where}`)
      .all(...values);
  }

  #pluck(sql: string, ...values: readonly string[]): unknown {
    return this.#database
      .prepare(sql)
      .pluck()
      .get(...values);
  }

  #record(row: Row): MemoryRecord {
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

interface Searched extends Weighed {
  /** In how many records it is. */
  readonly having: number;
}

/** As one word, whatever is in it. */
function ownerWord(userId: string): string {
  return createHash('sha256').update(userId).digest('hex').slice(0, 24);
}

/** Between quotes nothing of the index's language is left; words hold none themselves. */
function quoted(word: string): string {
  return `"${word}"`;
}

function listOf(userIds: readonly string[]): string {
  return JSON.stringify(userIds);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function objectOf(text: string): JsonObject {
  const value = JSON.parse(text) as Json;
  return isObject(value) ? value : {};
}

function sourceOf(text: string): MemorySource {
  return objectOf(text) as unknown as MemorySource;
}
