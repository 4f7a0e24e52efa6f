// The memory in SQLite against one that is a list: the same answers to whatever is asked in whatever order, also after it was
// closed and opened again.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keepable, type MemoryStore } from '../../core/agent/memory/memory-store.ts';
import { vectorOf } from '../../core/agent/memory/memory-vectors.ts';
import { openSqliteMemory } from '../../core/agent/memory/sqlite-memory.ts';
import { anyText } from '../support/json-arbitraries.ts';
import { memoryOf, placeIn } from '../support/memories.ts';
import { naiveMemory } from '../support/naive-memory.ts';

const WORDS = [
  'tea',
  'Tee',
  'AND',
  'NOT',
  'café',
  'cafe',
  '北京大学',
  '🍵',
  '"',
  '*',
  'body:',
  'a',
  '(',
  'tea-pot',
  '\u202e',
];
const anySentence = fc.oneof(
  fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join(' ')),
  anyText.map(keepable),
);
const anyId = fc.constantFrom('m1', 'm2', 'm3', 'm4', 'm5', 'm6');
const anyUser = fc.constantFrom('anna', "o'brien", 'anna (fork b)');
const anyUsers = fc.uniqueArray(anyUser, { minLength: 1 });
const anyVector = fc.option(
  fc.record({
    model: fc.constantFrom('a', 'b'),
    values: fc
      .array(fc.integer({ min: -3, max: 3 }), { minLength: 2, maxLength: 3 })
      .filter((numbers) => numbers.some((number) => number !== 0))
      .map(vectorOf),
  }),
);
const anyMoment = fc.integer({ min: 1, max: 5 }).map((day) => `2026-01-0${day}T00:00:00.000Z`);
const anyMax = fc.integer({ min: 1, max: 6 });

type Step = { readonly name: string; readonly on: (memory: MemoryStore) => Promise<unknown> };
const step = (name: string, on: Step['on']): Step => ({ name, on });

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(anyId, anyUser, anySentence, anyMoment, anyVector, fc.boolean())
      .map(([id, userId, text, createdAt, vector, isPinned]) =>
        step(`add ${id}`, (memory) =>
          memory.add(memoryOf(id, text, { userId, createdAt, vector, isPinned })),
        ),
      ),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(anyUsers, anySentence, anyVector, anyMax, fc.constantFrom(0, 0.2, 0.9))
      .map(([userIds, text, vector, max, minScore]) =>
        step(`search ${text}`, async (memory) =>
          (await memory.search({ userIds, text, vector, max, minScore })).map(({ record, score }) => ({
            record,
            score: Math.round(score * 1e9),
          })),
        ),
      ),
  },
  fc
    .tuple(anyId, anyUser, fc.option(anySentence), fc.option(fc.boolean()))
    .map(([id, userId, text, isPinned]) =>
      step(`update ${id}`, (memory) =>
        memory.update(id, userId, {
          updatedAt: '2026-02-01T00:00:00.000Z',
          ...(text === null ? {} : { text }),
          ...(isPinned === null ? {} : { isPinned }),
        }),
      ),
    ),
  fc.tuple(anyId, anyUser).map(([id, userId]) => step(`delete ${id}`, (memory) => memory.delete(id, userId))),
  fc.tuple(anyId, anyUsers).map(([id, users]) => step(`get ${id}`, (memory) => memory.get(id, users))),
  anyUser.map((userId) => step(`clear ${userId}`, (memory) => memory.clear(userId))),
  anyUsers.map((users) => step('count', (memory) => memory.count(users))),
  fc
    .tuple(anyUsers, anyMax, fc.nat(3), fc.boolean())
    .map(([userIds, max, skip, onlyPinned]) =>
      step('list', (memory) => memory.list({ userIds, max, skip, onlyPinned })),
    ),
);

test('whatever is asked of it, it answers as a list would', async () => {
  const directory = placeIn();
  let life = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), fc.nat(25), async (steps, reopenedAt) => {
      life += 1;
      const place = {
        ...directory,
        path: directory.path.replace('.sqlite', `-${life}.sqlite`),
        isKept: false,
      };
      const naive = naiveMemory(place.collection);
      let real = openSqliteMemory(place);
      try {
        for (const [at, { name, on }] of steps.entries()) {
          if (at === reopenedAt) {
            await real.close();
            real = openSqliteMemory(place);
          }
          expect({ name, gave: await on(real) }).toEqual({ name, gave: await on(naive) });
        }
      } finally {
        await real.close();
      }
    }),
    { numRuns: 250 },
  );
});
