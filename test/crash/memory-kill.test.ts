// kill -9 in the middle of remembering, at no chosen moment, over and over in one file that several write at once: nothing
// that was said to be remembered is lost, nothing is there twice, and the file is whole [P1, S28].

import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openSqliteMemory } from '../../core/agent/memory/sqlite-memory.ts';
import { startNode } from '../support/child.ts';
import { memoryOf, placeIn } from '../support/memories.ts';
import { waitFor } from '../support/wait-for.ts';

const WRITER = fileURLToPath(new URL('./memory-writer.ts', import.meta.url));
const ROUNDS = 12;
const SIDE_BY_SIDE = 3;
const MOST_MS = 120;

/** Whole lines: one that was being said was not heard. */
const said = (text: string): string[] => text.split('\n').slice(0, -1);

test(
  '[P1] nothing that was remembered is lost, and nothing is there twice',
  { timeout: 240_000 },
  async () => {
    const place = placeIn();
    const acknowledged = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const writers = Array.from({ length: SIDE_BY_SIDE }, (_, at) =>
        startNode(WRITER, [place.path, `r${round}-${at}`]),
      );
      await waitFor(() => writers.some(({ stdout }) => stdout() !== ''), { what: 'the first record' });
      for (const { process } of writers) {
        await delay(Math.random() * MOST_MS);
        process.kill('SIGKILL');
      }
      for (const { stdout } of await Promise.all(writers.map(({ ended }) => ended))) {
        for (const id of said(stdout)) acknowledged.add(id);
      }
    }
    expect(acknowledged.size).toBeGreaterThan(ROUNDS);
    const memory = openSqliteMemory(place);
    const there = (await memory.list({ userIds: ['anna'], max: 1_000_000 })).map(({ id }) => id);
    expect(new Set(there).size).toBe(there.length);
    expect([...acknowledged].filter((id) => !there.includes(id))).toEqual([]);
    // At most the one that each was writing.
    expect(there.length - acknowledged.size).toBeLessThanOrEqual(ROUNDS * SIDE_BY_SIDE);
    // A write that is repeated changes nothing, whether it was heard of or not.
    for (const id of there.slice(-20)) expect(await memory.add(memoryOf(id, 'again'))).toBe('known');
    const found = await memory.search({ userIds: ['anna'], text: 'step did', max: 200, minScore: 0 });
    expect(found).toHaveLength(Math.min(200, there.length));
    await memory.close();
    expect(existsSync(place.path)).toBe(true);
    const database = new Database(place.path);
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.prepare('SELECT records FROM total').pluck().get()).toBe(there.length);
    database.close();
  },
);
