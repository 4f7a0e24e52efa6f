// A memory that is a list: the same protocol, as plainly as it can be said, and forgotten with the test.

import { scoreOf, weightOf, wordScore } from '../../core/agent/memory/memory-score.ts';
import type {
  MemoryHit,
  MemoryQuery,
  MemoryRecord,
  MemoryStore,
  NewMemory,
} from '../../core/agent/memory/memory-store.ts';
import { cosine } from '../../core/agent/memory/memory-vectors.ts';
import { wordsOf } from '../../core/agent/memory/memory-words.ts';

interface Kept {
  readonly record: MemoryRecord;
  readonly vector: NewMemory['vector'];
}

export function naiveMemory(collection: string): MemoryStore {
  /** Oldest first. */
  let all: Kept[] = [];
  const forgotten = new Set<string>();
  const newestFirst = (userIds: readonly string[]): Kept[] =>
    all
      .filter(({ record }) => userIds.includes(record.userId))
      .map((kept, at) => ({ kept, at }))
      .sort((a, b) => order(b.kept.record.createdAt, a.kept.record.createdAt) || b.at - a.at)
      .map(({ kept }) => kept);
  const forget = (isGone: (record: MemoryRecord) => boolean): number => {
    const gone = all.filter(({ record }) => isGone(record));
    for (const { record } of gone) forgotten.add(record.id);
    all = all.filter(({ record }) => !isGone(record));
    return gone.length;
  };
  return {
    add: async ({ vector, ...record }) => {
      if (all.some((kept) => kept.record.id === record.id)) return 'known';
      if (forgotten.has(record.id)) return 'forgotten';
      all.push({ record: { ...record, collection, updatedAt: record.updatedAt ?? null }, vector });
      return 'added';
    },
    search: async ({ userIds, text, vector, max, minScore }: MemoryQuery): Promise<MemoryHit[]> => {
      const bodies = all.map(({ record }) => wordsOf(record.text));
      const search = [...new Set(wordsOf(text))].map((word) => ({
        word,
        weight: weightOf(bodies.filter((words) => words.includes(word)).length, all.length),
      }));
      const average = bodies.reduce((sum, words) => sum + words.length, 0) / Math.max(1, all.length);
      return newestFirst(userIds)
        .map(({ record, vector: own }) => {
          const alike =
            vector == null || own == null || own.model !== vector.model
              ? null
              : cosine(vector.values, own.values);
          return { record, score: scoreOf(wordScore(wordsOf(record.text), search, average), alike) };
        })
        .filter(({ score }) => score > 0 && score >= minScore)
        .sort((a, b) => b.score - a.score)
        .slice(0, max);
    },
    get: async (id, userIds) =>
      all.find(({ record }) => record.id === id && userIds.includes(record.userId))?.record ?? null,
    update: async (id, userId, change) => {
      const at = all.findIndex(({ record }) => record.id === id && record.userId === userId);
      if (at < 0) return null;
      const { record, vector } = all[at]!;
      const next = { ...record, ...change };
      all[at] = { record: next, vector: next.text === record.text ? vector : null };
      return next;
    },
    delete: async (id, userId) => {
      if (forget((record) => record.id === id && record.userId === userId) > 0) return 'deleted';
      return forgotten.has(id) ? 'before' : 'none';
    },
    clear: async (userId) => forget((record) => record.userId === userId),
    list: async ({ userIds, max, skip = 0, onlyPinned = false }) =>
      newestFirst(userIds)
        .map(({ record }) => record)
        .filter(({ isPinned }) => isPinned || !onlyPinned)
        .slice(skip, skip + max),
    count: async (userIds) => newestFirst(userIds).length,
    close: async () => {},
  };
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
