// What of a collection answers a search.
//
// * Text of a search is never read as the language of the index: words are taken out of it, and each is put into quotes.
// * The rarest words of a search choose what is looked at, up to so many records, the newest of more; what is in nearly every
//   record says little and costs the most, so it is looked up where the others find too few. The best of those are weighed.

import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import { AppError } from '../../model/errors.ts';
import { listOf, MEMORY_COLUMNS, type MemoryRow } from './memory-file.ts';
import { scoreOf, weightOf, wordScore, type Weighed } from './memory-score.ts';
import { MAX_HITS, type MemoryQuery } from './memory-store.ts';
import { cosine, unpackVector } from './memory-vectors.ts';
import { wordsOf } from './memory-words.ts';

/** Different words of one search that are looked up. */
const MAX_SEARCHED = 64;
/** Records that the index ranks for the rarest words of one search, and for the others. */
const MAX_RANKED = 10_000;
const CANDIDATES = 64;
/** Vectors between two looks at the clock. */
const VECTORS_AT_ONCE = 500;

export interface FoundRow {
  readonly row: MemoryRow;
  readonly score: number;
}

/** Best first. @throws `memory.too-slow` */
export function searched(database: Database.Database, path: string, query: MemoryQuery): readonly FoundRow[] {
  const { userIds, vector, minScore } = query;
  const max = Math.min(query.max, MAX_HITS);
  const until = performance.now() + (query.withinMs ?? Number.POSITIVE_INFINITY);
  const { search, averageLength } = weighed(database, query.text);
  const found = new Map<number, MemoryRow>();
  for (const row of candidates(database, search, userIds, max)) found.set(row.n, row);
  const alike = new Map<number, number>();
  if (vector != null) {
    const refuseLate = (count: number): void => {
      if (performance.now() > until) throw tooSlow(path, count);
    };
    for (const [n, likeness] of likenesses(database, vector, userIds, refuseLate)) alike.set(n, likeness);
    const nearest = [...alike].sort((a, b) => b[1] - a[1]).slice(0, Math.max(CANDIDATES, max));
    const rowOf = database.prepare<[number], MemoryRow>(
      `SELECT ${MEMORY_COLUMNS} FROM memory m WHERE m.n = ?`,
    );
    for (const [n] of nearest) if (!found.has(n)) found.set(n, rowOf.get(n)!);
  }
  return [...found.values()]
    .map((row) => ({
      row,
      score: scoreOf(wordScore(wordsOf(row.text), search, averageLength), alike.get(row.n) ?? null),
    }))
    .filter(({ score }) => score > 0 && score >= minScore)
    .sort((a, b) => b.score - a.score || compare(b.row.created_at, a.row.created_at) || b.row.n - a.row.n)
    .slice(0, max);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

interface Searched extends Weighed {
  /** In how many records it is, whoever's they are. */
  readonly having: number;
}

/** The different words of a search, rarest first. */
function weighed(
  database: Database.Database,
  text: string,
): { readonly search: readonly Searched[]; readonly averageLength: number } {
  const words = [...new Set(wordsOf(text))].slice(0, MAX_SEARCHED);
  if (words.length === 0) return { search: [], averageLength: 0 };
  const { records, length } = database
    .prepare<[], { records: number; length: number }>('SELECT records, length FROM total')
    .get()!;
  const having = database.prepare("SELECT doc FROM vocabulary WHERE term = ? AND col = 'body'").pluck();
  const search = words.map((word) => {
    const count = (having.get(word) as number | undefined) ?? 0;
    return { word, having: count, weight: weightOf(count, records) };
  });
  return {
    search: search.sort((a, b) => a.having - b.having),
    averageLength: length / Math.max(1, records),
  };
}

/** By the rarest words; where these find too few, as where they are rare among others' records alone, by the rest too. */
function candidates(
  database: Database.Database,
  search: readonly Searched[],
  userIds: readonly string[],
  max: number,
): readonly MemoryRow[] {
  const words = search.filter(({ having }) => having > 0);
  let [rare, room] = [0, MAX_RANKED];
  for (; rare < words.length; rare += 1) {
    const { having } = words[rare]!;
    if (rare > 0 && having > room) break;
    room -= having;
  }
  const most = Math.max(CANDIDATES, max);
  const found = ranked(database, words.slice(0, rare), userIds, most);
  return found.length >= max ? found : [...found, ...ranked(database, words.slice(rare), userIds, most)];
}

function ranked(
  database: Database.Database,
  words: readonly Searched[],
  userIds: readonly string[],
  max: number,
): readonly MemoryRow[] {
  if (words.length === 0) return [];
  const owners = userIds.map((userId) => quoted(ownerWord(userId)));
  const match = `owner : (${owners.join(' OR ')}) AND body : (${words.map(({ word }) => quoted(word)).join(' OR ')})`;
  return database
    .prepare<[string, number, number], MemoryRow>(
      `SELECT ${MEMORY_COLUMNS} FROM (
        SELECT n, rank FROM (
          SELECT rowid AS n, bm25(words, 0, 1) AS rank FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?
        ) ORDER BY rank, n DESC LIMIT ?
      ) JOIN memory m USING (n)`,
    )
    .all(match, MAX_RANKED, max);
}

/** Of those whose vectors can be compared with this one. */
function* likenesses(
  database: Database.Database,
  { model, values }: NonNullable<MemoryQuery['vector']>,
  userIds: readonly string[],
  refuseLate: (count: number) => void,
): Generator<[n: number, likeness: number]> {
  const rows = database
    .prepare<[string, string], { n: number; value: Uint8Array }>(
      'SELECT v.n, v.value FROM vector v JOIN memory m ON m.n = v.n WHERE v.model = ? AND m.user_id IN (SELECT value FROM json_each(?))',
    )
    .iterate(model, listOf(userIds));
  let count = 0;
  for (const { n, value } of rows) {
    count += 1;
    if (count % VECTORS_AT_ONCE === 0) refuseLate(count);
    const likeness = cosine(values, unpackVector(value));
    if (likeness !== null) yield [n, likeness];
  }
}

function tooSlow(path: string, count: number): AppError {
  return new AppError(
    'memory.too-slow',
    `The memory ${path} took too long: ${count} vectors were compared by then. Allow it more time, or forget what is not needed.`,
  );
}

/** As one word, whatever is in it. */
export function ownerWord(userId: string): string {
  return createHash('sha256').update(userId).digest('hex').slice(0, 24);
}

/** Between quotes nothing of the index's language is left; words hold none themselves. */
function quoted(word: string): string {
  return `"${word}"`;
}
