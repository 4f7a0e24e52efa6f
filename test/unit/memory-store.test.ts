import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lookAtMemory } from '../../core/agent/memory/look-at-memory.ts';
import {
  memoryPlace,
  readableBy,
  userOfFork,
  type MemoryPlace,
} from '../../core/agent/memory/memory-place.ts';
import { keepable, type MemoryStore } from '../../core/agent/memory/memory-store.ts';
import { cosine, packVector, unpackVector, vectorOf } from '../../core/agent/memory/memory-vectors.ts';
import { repairMemory } from '../../core/agent/memory/repair-memory.ts';
import { openSqliteMemory, type SqliteMemory } from '../../core/agent/memory/sqlite-memory.ts';
import { MAX_MEMORY_TEXT } from '../../core/model/limits.ts';
import { MEMORY_PLAN, memoryOf, placeIn } from '../support/memories.ts';
import { tempDirectory } from '../support/temp-directory.ts';

function opened(place: MemoryPlace = placeIn(), waitMs?: number): SqliteMemory {
  const memory = openSqliteMemory(place, waitMs);
  onTestFinished(() => memory.close());
  return memory;
}

const found = async (memory: MemoryStore, text: string, max = 10): Promise<string[]> =>
  (await memory.search({ userIds: ['anna'], text, max, minScore: 0 })).map(({ record }) => record.id);

async function filled(place: MemoryPlace, count: number): Promise<void> {
  const memory = openSqliteMemory({ ...place, isKept: false });
  for (let at = 0; at < count; at += 1) {
    await memory.add(
      memoryOf(`m${at}`, `Order ${at} of the customer number ${at % 7} ${'went out '.repeat(20)}`),
    );
  }
  await memory.close();
}

/** Every file below, with what is in it and when it was changed. */
function allOf(directory: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(directory).map((name) => {
      const path = join(directory, name);
      const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
      return [name, `${hash} ${statSync(path).mtimeMs}`];
    }),
  );
}

describe('what is written in a search or in a record', () => {
  test.each([
    ['the language of the index', 'tea AND NOT coffee OR NEAR("a" "b", 5) {body} : owner:* -tea ^tea'],
    ['quotes that are left open', `"tea ' "" " tea`],
    ['a NUL', 'te\u0000a tea'],
    ['signs that turn the writing around', '\u202etea\u2066 tea'],
    ['half of a character', 'tea \ud83c'],
    ['SQL', `'; DROP TABLE memory; -- tea`],
    ['a huge text', 'tea '.repeat(250_000)],
    ['a word without an end', `tea ${'x'.repeat(1_000_000)}`],
  ])('%s is read as words', async (_, text) => {
    const memory = opened();
    await memory.add(memoryOf('tea', keepable(text)));
    await memory.add(memoryOf('other', 'Something else altogether'));
    expect(await found(memory, text)).toEqual(['tea']);
    expect(await found(memory, 'tea')).toEqual(['tea']);
    expect(await memory.count(['anna'])).toBe(2);
  });

  test('words are found without their accents and capitals, in scripts without spaces, and signs too', async () => {
    const memory = opened();
    await memory.add(memoryOf('accent', 'Señor Müller, CAFÉ'));
    await memory.add(memoryOf('han', '他住在北京大学附近'));
    await memory.add(memoryOf('sign', 'A cup 🍵 a day'));
    expect(await found(memory, 'muller')).toEqual(['accent']);
    expect(await found(memory, '北京')).toEqual(['han']);
    expect(await found(memory, '🍵')).toEqual(['sign']);
    expect(await found(memory, '!!! … ---')).toEqual([]);
  });

  test('what is kept is whole characters, and not too many', () => {
    expect(keepable('a\u0000b\ud83c')).toBe('ab\ufffd');
    const long = keepable('🍵'.repeat(MAX_MEMORY_TEXT));
    expect(long.length).toBeLessThanOrEqual(MAX_MEMORY_TEXT);
    expect(long.isWellFormed()).toBe(true);
  });
});

describe('the score', () => {
  test('says how much of a search a record has, in a small memory as in a large one', async () => {
    for (const others of [0, 300]) {
      const memory = opened(placeIn(tempDirectory(), false));
      for (let at = 0; at < others; at += 1)
        await memory.add(memoryOf(`o${at}`, `Another thing, number ${at}`));
      await memory.add(memoryOf('all', 'Anna drinks tea'));
      await memory.add(memoryOf('half', 'Anna went home'));
      const scores = (await memory.search({ userIds: ['anna'], text: 'Anna tea', max: 2, minScore: 0 })).map(
        ({ record, score }) => [record.id, score] as const,
      );
      expect(scores.map(([id]) => id)).toEqual(['all', 'half']);
      expect(scores[0]![1]).toBeGreaterThan(0.55);
      expect(scores[1]![1]).toBeLessThan(0.5);
      const strict = { userIds: ['anna'], text: 'Anna tea', max: 2, minScore: 0.55 };
      expect((await memory.search(strict)).map(({ record }) => record.id)).toEqual(['all']);
    }
  });

  test('takes in vectors of the same model, where a record has one', async () => {
    const memory = opened();
    const vector = (...values: number[]) => ({ model: 'm', values: vectorOf(values) });
    await memory.add(memoryOf('near', 'hot leaves in water', { vector: vector(1, 0.1) }));
    await memory.add(memoryOf('far', 'a bicycle', { vector: vector(-1, 0) }));
    await memory.add(memoryOf('elsewhere', 'a lamp', { vector: { model: 'n', values: vectorOf([1, 0]) } }));
    await memory.add(memoryOf('words', 'tea'));
    const query = { userIds: ['anna'], text: 'tea', vector: vector(1, 0), max: 9, minScore: 0 };
    const hits = await memory.search(query);
    expect(hits.map(({ record }) => record.id)).toEqual(['words', 'near']);
    expect(hits[1]!.score).toBeCloseTo(0.7 * cosine(vectorOf([1, 0]), vectorOf([1, 0.1]))!, 6);
    // Another text is not what its vector was made of.
    await memory.update('near', 'anna', { text: 'cold stones', updatedAt: '2026-01-02T00:00:00Z' });
    expect((await memory.search(query)).map(({ record }) => record.id)).toEqual(['words']);
    expect(() => vectorOf([])).toThrow('no vector');
    expect(() => vectorOf([Number.NaN])).toThrow('no vector');
  });

  test('of a record whose vector has another length is that of its words', async () => {
    const memory = opened();
    const vector = (...values: number[]) => ({ model: 'm', values: vectorOf(values) });
    await memory.add(memoryOf('longer', 'a cup of tea', { vector: vector(1, 0, 0) }));
    await memory.add(memoryOf('none', 'a cup of tea'));
    const query = { userIds: ['anna'], text: 'tea', vector: vector(1, 0), max: 9, minScore: 0 };
    const [one, other] = await memory.search(query);
    expect(one!.score).toBe(other!.score);
  });

  test('what is rare among the records of others is found in one’s own', async () => {
    const memory = opened(placeIn(tempDirectory(), false));
    const words = Array.from({ length: 10 }, (_, at) => `word${at}`);
    for (let at = 0; at < 1_100; at += 1)
      await memory.add(memoryOf(`b${at}`, words.join(' '), { userId: 'ben' }));
    // In one record more than the others, so it is looked up last.
    await memory.add(memoryOf('own', 'word9'));
    expect(await found(memory, words.join(' '))).toEqual(['own']);
  });

  test('a vector comes back as it was kept, wherever in memory its bytes are', () => {
    const vector = vectorOf([1, -0.5, 3e-20, 7]);
    const bytes = Buffer.concat([Buffer.from('x'), packVector(vector)]).subarray(1);
    expect(unpackVector(bytes)).toEqual(vector);
    const pooled = Buffer.from(packVector(vector).toString('base64'), 'base64');
    expect(unpackVector(pooled)).toEqual(vector);
  });

  test('vectors that take too long to compare are given up', async () => {
    const memory = opened(placeIn(undefined, false));
    const vector = { model: 'm', values: vectorOf([1, 2, 3]) };
    for (let at = 0; at < 600; at += 1) await memory.add(memoryOf(`m${at}`, 'tea', { vector }));
    const query = { userIds: ['anna'], text: 'tea', vector, max: 5, minScore: 0 };
    await expect(memory.search({ ...query, withinMs: -1 })).rejects.toMatchObject({
      code: 'memory.too-slow',
    });
    expect(await memory.search({ ...query, withinMs: 60_000 })).toHaveLength(5);
  });
});

describe('whose it is', () => {
  test('nobody sees, changes or forgets what is another user’s, and an id is one record', async () => {
    const memory = opened();
    await memory.add(memoryOf('a', 'tea of Anna'));
    await memory.add(memoryOf('b', 'tea of Ben', { userId: 'ben' }));
    expect(await found(memory, 'tea')).toEqual(['a']);
    expect(await memory.get('b', ['anna'])).toBeNull();
    expect(await memory.update('b', 'anna', { text: 'mine', updatedAt: '' })).toBeNull();
    expect(await memory.delete('b', 'anna')).toBe('none');
    expect(await memory.add(memoryOf('b', 'again'))).toBe('known');
    expect(await memory.clear('anna')).toBe(1);
    expect((await memory.get('b', ['ben']))?.text).toBe('tea of Ben');
  });

  test('[S40] a fork reads what its original knows, and writes under a name of its own', () => {
    const fork = userOfFork('anna', 'a (new) one');
    expect(readableBy(userOfFork(fork, 'c'))).toEqual([userOfFork(fork, 'c'), fork, 'anna']);
    expect(readableBy('ann+tag@example.org')).toEqual(['ann+tag@example.org']);
  });

  test('[S28] what was forgotten does not come back by a write that is repeated', async () => {
    const memory = opened();
    expect(await memory.add(memoryOf('a', 'tea'))).toBe('added');
    expect(await memory.add(memoryOf('a', 'tea'))).toBe('known');
    expect(await memory.delete('a', 'anna')).toBe('deleted');
    // Nor does the forgetting, begun again, find that there is nothing.
    expect(await memory.delete('a', 'anna')).toBe('before');
    expect(await memory.add(memoryOf('a', 'tea'))).toBe('forgotten');
    expect(await found(memory, 'tea')).toEqual([]);
  });
});

describe('the file', () => {
  test('[J10] is for this user alone, as is its directory', () => {
    const place = placeIn();
    opened(place);
    expect(statSync(place.path).mode & 0o777).toBe(0o600);
    expect(statSync(`${place.path}-wal`).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(place.path)).mode & 0o777).toBe(0o700);
  });

  test('lies where the plan says; no name leads elsewhere, and no two share one', () => {
    const at = (collection: string, more = {}) =>
      memoryPlace('/w', { ...MEMORY_PLAN, collection, ...more }).path.replaceAll('\\', '/');
    expect(at('agent_memory')).toBe('/w/.holdfast-memory/agent_memory.sqlite');
    expect(at('a', { directory: 'kept' })).toBe('/w/kept/a.sqlite');
    expect(at('a', { provider: 'in_memory', directory: 'kept' })).toBe(
      '/w/.holdfast-memory/until-the-host-ends/a.sqlite',
    );
    const names = ['../../etc/x', '..', '', 'A', 'a', 'a/b', 'a_b', 'ä', 'x'.repeat(5_000), 'con\u0000'];
    const paths = names.map((name) => at(name));
    expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(names.length);
    for (const path of paths) expect(path).toMatch(/^\/w\/\.holdfast-memory\/[\w.-]{1,80}\.sqlite$/);
  });

  test('several have it open at once, and each sees what the others wrote', async () => {
    const place = placeIn();
    const [one, other] = [opened(place), opened(place)];
    for (let at = 0; at < 50; at += 1) {
      await (at % 2 === 0 ? one : other).add(memoryOf(`m${at}`, `tea ${at}`));
    }
    expect(await one.count(['anna'])).toBe(50);
    expect(await found(other, 'tea', 100)).toHaveLength(50);
  });

  test('a writer that comes to no end is not waited for', async () => {
    const place = placeIn();
    const memory = opened(place, 50);
    const other = new Database(place.path);
    onTestFinished(() => void other.close());
    other.exec('BEGIN IMMEDIATE');
    await expect(memory.add(memoryOf('a', 'tea'))).rejects.toMatchObject({ code: 'memory.busy' });
    expect(await found(memory, 'tea')).toEqual([]);
    other.exec('ROLLBACK');
    expect(await memory.add(memoryOf('a', 'tea'))).toBe('added');
  });

  test('of a later version, or of something else, it is refused and left alone', async () => {
    const place = placeIn();
    mkdirSync(dirname(place.path), { recursive: true });
    const theirs = new Database(place.path);
    theirs.exec('CREATE TABLE other (x)');
    expect(() => openSqliteMemory(place)).toThrow('something else');
    theirs.pragma('user_version = 99');
    theirs.close();
    expect(() => openSqliteMemory(place)).toThrow('later version');
    await expect(lookAtMemory(place, (memory) => memory.count(['anna']))).rejects.toMatchObject({
      code: 'memory.newer',
    });
  });

  test('[P6] looking at it makes no file and changes no byte: at rest, while somebody writes, and where there is none', async () => {
    const place = placeIn();
    const look = () => lookAtMemory(place, (memory) => memory.count(['anna']));
    expect(await look()).toBeNull();
    await filled(place, 20);
    const folder = dirname(place.path);
    const atRest = allOf(folder);
    expect(Object.keys(atRest)).toEqual(['notes.sqlite']);
    expect(await look()).toBe(20);
    expect(allOf(folder)).toEqual(atRest);
    chmodSync(folder, 0o500);
    expect(await look()).toBe(20);
    chmodSync(folder, 0o700);
    const memory = opened(place);
    await memory.add(memoryOf('new', 'written just now'));
    const meanwhile = allOf(folder);
    expect(await look()).toBe(21);
    expect(await lookAtMemory(place, (copy) => found(copy, 'just now'))).toEqual(['new']);
    expect(allOf(folder)).toEqual(meanwhile);
  });
});

describe('a damaged file', () => {
  const damage: readonly (readonly [string, (path: string) => void])[] = [
    ['that is no database any more', (path) => writeFileSync(path, 'nothing of the kind '.repeat(500))],
    ['whose end is missing', (path) => truncateSync(path, Math.floor(statSync(path).size / 8192) * 4096)],
    [
      'with a page of zeros in it',
      (path) => {
        const bytes = readFileSync(path);
        bytes.fill(0, 3 * 4096, 4 * 4096);
        writeFileSync(path, bytes);
      },
    ],
  ];

  test.each(damage)(
    '%s is said to be so, and set aside whole by a repair, which keeps what can be read',
    async (_, harm) => {
      const place = placeIn();
      await filled(place, 300);
      harm(place.path);
      const bytes = readFileSync(place.path);
      await expect(async () => openSqliteMemory(place)).rejects.toMatchObject({ code: 'memory.damaged' });
      expect(readFileSync(place.path).equals(bytes)).toBe(true);
      const { asidePath, kept, lost } = await repairMemory(place, Date.UTC(2026, 0, 1));
      expect(readFileSync(asidePath!).equals(bytes)).toBe(true);
      const memory = opened(place);
      expect(await memory.count(['anna'])).toBe(kept);
      expect(await found(memory, 'customer', 200)).toHaveLength(Math.min(200, kept));
      expect(kept + lost).toBeGreaterThan(0);
    },
  );

  test('a repair keeps all of each record, and what was forgotten stays so [S28]', async () => {
    const place = placeIn();
    const written = openSqliteMemory(place);
    const vector = { model: 'm', values: vectorOf([1, 2]) };
    const more = { vector, isPinned: true, metadata: { a: 1 } };
    await written.add(memoryOf('whole', 'tea', { ...more, updatedAt: '2026-02-02T00:00:00.000Z' }));
    const before = await written.get('whole', ['anna']);
    await written.add(memoryOf('gone', 'coffee'));
    await written.delete('gone', 'anna');
    await written.close();
    // The index alone is damaged: all records are there.
    const index = new Database(place.path);
    index.unsafeMode(true);
    index.exec("UPDATE words_data SET block = x'ff' WHERE id > 10");
    index.close();
    expect(await repairMemory(place, 0)).toMatchObject({ kept: 1, lost: 0 });
    const memory = opened(place);
    expect(await memory.get('whole', ['anna'])).toEqual(before);
    const [hit] = await memory.search({ userIds: ['anna'], text: '', vector, max: 1, minScore: 0 });
    expect(hit?.record.id).toBe('whole');
    expect(await memory.add(memoryOf('gone', 'coffee'))).toBe('forgotten');
  });

  test('a repair for which there is no room says so, and leaves it as it is', async () => {
    const place = placeIn();
    await filled(place, 30);
    truncateSync(place.path, Math.floor(statSync(place.path).size / 8192) * 4096);
    const bytes = readFileSync(place.path);
    const names = readdirSync(dirname(place.path));
    // Nothing can be written there.
    mkdirSync(`${place.path}.repaired/x`, { recursive: true });
    await expect(repairMemory(place, 0)).rejects.toMatchObject({ code: 'memory.unusable' });
    rmSync(`${place.path}.repaired`, { recursive: true });
    expect(readdirSync(dirname(place.path))).toEqual(names);
    expect(readFileSync(place.path).equals(bytes)).toBe(true);
    expect((await repairMemory(place, 0)).asidePath).not.toBeNull();
  });

  test('[P1] a repair that is killed half way through leaves the damaged one in its place, and is done again', async () => {
    const place = placeIn();
    await filled(place, 300);
    const bytes = readFileSync(place.path);
    bytes.fill(0, 3 * 4096, 4 * 4096);
    writeFileSync(place.path, bytes);
    const repairs = new URL('../support/repairing.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [repairs, JSON.stringify(place), '100'], { stdio: 'inherit' });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    const half = `${place.path}.repaired`;
    expect(existsSync(half)).toBe(true);
    expect(readFileSync(place.path).equals(bytes)).toBe(true);
    await expect(async () => openSqliteMemory(place)).rejects.toMatchObject({ code: 'memory.damaged' });
    const { asidePath, kept } = await repairMemory(place, 0);
    expect(readFileSync(asidePath!).equals(bytes)).toBe(true);
    expect(kept).toBeGreaterThan(100);
    expect(await opened(place).count(['anna'])).toBe(kept);
    expect(existsSync(half)).toBe(false);
  });

  test('whoever had it open finds that another has taken its place', async () => {
    const place = placeIn();
    await filled(place, 30);
    const memory = opened(place);
    expect(memory.isCurrent).toBe(true);
    const bytes = readFileSync(place.path);
    bytes.fill(0, 3 * 4096, 4 * 4096);
    writeFileSync(place.path, bytes);
    const { asidePath, kept } = await repairMemory(place, 0);
    expect(asidePath).not.toBeNull();
    expect(memory.isCurrent).toBe(false);
    expect(await opened(place).count(['anna'])).toBe(kept);
  });

  test('one that is whole is left as it is, and one that is not there can’t be repaired', async () => {
    const place = placeIn();
    await expect(repairMemory(place, 0)).rejects.toMatchObject({ code: 'memory.none' });
    await filled(place, 5);
    expect(await repairMemory(place, 0)).toEqual({ asidePath: null, kept: 0, lost: 0 });
    expect(readdirSync(dirname(place.path))).toEqual(['notes.sqlite']);
  });
});

test('a search with words that are nearly everywhere finds the best all the same', async () => {
  const memory = opened(placeIn(tempDirectory(), false));
  let seed = 1;
  const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff;
  // A few words are nearly everywhere, most are rare.
  const word = (): string => `w${Math.floor(random() ** 4 * 20_000)}`;
  const sentence = (words: number): string => Array.from({ length: words }, word).join(' ');
  for (let at = 0; at < 1_000; at += 1) await memory.add(memoryOf(`m${at}`, sentence(20)));
  for (const text of ['w0', 'w0 w1 w2', sentence(60)]) {
    const hits = await memory.search({ userIds: ['anna'], text, max: 5, minScore: 0 });
    expect(hits).toHaveLength(5);
    for (const { score } of hits) expect(score).toBeGreaterThan(0);
  }
});
