// Long lines and long journals: a line of any length costs nobody the lines behind it, and one bad line of ten thousand
// is named and costs no other [J4, S12, P8].

import { closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lookAtJournal } from '../../core/host/looked-at-journal.ts';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import { entriesForwards } from '../../core/journal/read-entries.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import { FOLD_VERSION } from '../../core/model/fold.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { kindOf } from '../support/damaged/expected.ts';
import { treeHash } from '../support/fixtures.ts';
import { fileOf, foreignLine, ourLines, update, writeOurDirectory } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const normal = (n: number): string => foreignLine({ entry_id: `n-${n}`, data: { key: 'n', value: n } });

/** A whole line of exactly so many bytes with its line feed. */
function lineOf(bytes: number): Buffer {
  const [before, after] = foreignLine({ data: { key: 'long', value: '@' } }).split('@') as [string, string];
  const line = Buffer.alloc(bytes, 'x');
  line.write(before, 0);
  line.write(`${after}\n`, bytes - after.length - 1);
  return line;
}

const SIZES = [63 * KIB, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, 65 * KIB, MIB, 4 * MIB + 1];

test.each(SIZES)(
  '[J4] a line of %i bytes, good or bad, and every line before and behind it',
  async (size) => {
    for (const [long, isGood] of [
      [lineOf(size), true],
      [Buffer.concat([Buffer.alloc(size - 1, 'x'), Buffer.from('\n')]), false],
    ] as const) {
      const directory = tempDirectory();
      const rest = [2, 3, 4].map(normal);
      writeFileSync(join(directory, 'one.jsonl'), Buffer.concat([fileOf([normal(1)]), long, fileOf(rest)]));
      const before = treeHash(directory);
      const items = [...entriesForwards(join(directory, 'one.jsonl'))];
      expect(items.map((item) => ('reason' in item ? kindOf(item.reason) : item.data['key']))).toEqual([
        'n',
        isGood ? 'long' : 'not-json',
        'n',
        'n',
        'n',
      ]);
      expect(items[1]!.sizeBytes).toBe(size);
      const journal = readFileJournal(directory);
      expect((await journal.readLast('one', 3)).entries.map((entry) => entry.entry_id)).toEqual([
        'n-2',
        'n-3',
        'n-4',
      ]);
      const { context_state, entries_replayed, damage } = await new ReplayEngine(journal).recover('one');
      expect([context_state['n'], entries_replayed, damage.length]).toEqual([
        4,
        isGood ? 5 : 4,
        isGood ? 0 : 1,
      ]);
      expect(treeHash(directory)).toBe(before);
    }
  },
);

/** What this program has read so far, as Linux counts it; 0 elsewhere. */
function bytesRead(): number {
  if (!existsSync('/proc/self/io')) return 0;
  return Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? 0);
}

describe('[J4] a line of 64 MiB', () => {
  test.each(['good', 'bad'])('that is %s is one line, and every line behind it is read', async (which) => {
    const directory = tempDirectory();
    const path = join(directory, 'one.jsonl');
    const fd = openSync(path, 'w');
    writeSync(fd, fileOf([normal(0)]));
    writeSync(
      fd,
      which === 'good' ? lineOf(64 * MIB) : Buffer.concat([Buffer.alloc(64 * MIB - 1), Buffer.from('\n')]),
    );
    writeSync(fd, fileOf(Array.from({ length: 20 }, (_, at) => normal(at + 1))));
    closeSync(fd);

    const journal = readFileJournal(directory);
    const page = await journal.readLast('one', 10);
    expect(page.entries.map((entry) => entry.data['value'])).toEqual([
      11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
    ]);
    const sizes = [...entriesForwards(path)].map((item) =>
      'reason' in item ? kindOf(item.reason) : item.sizeBytes,
    );
    expect(sizes[1]).toBe(which === 'good' ? 64 * MIB : 'nul');
    expect(sizes.length).toBe(22);
    const { context_state, damage } = await new ReplayEngine(journal).recover('one');
    expect(context_state['n']).toBe(20);
    expect(damage.map(({ seq, sizeBytes }) => [seq, sizeBytes])).toEqual(
      which === 'good' ? [] : [[2, 64 * MIB]],
    );
  });

  test('that we wrote ourselves is not even read for the lines behind it', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory, { durability: 'os' });
    const stored = await journal.append(update('long', 'x'.repeat(64 * MIB)));
    expect(stored.sizeBytes).toBeGreaterThan(64 * MIB);
    for (let n = 1; n <= 12; n += 1) await journal.append(update('n', n));
    await journal.close();
    const reader = readFileJournal(directory);
    const start = bytesRead();
    const last = await reader.readLast('one', 10);
    expect(bytesRead() - start).toBeLessThan(MIB);
    expect(last.entries.every(({ verification }) => verification === 'verified')).toBe(true);
    const { context_state, entries_replayed } = await new ReplayEngine(reader).recover('one');
    expect([context_state['n'], (context_state['long'] as string).length, entries_replayed]).toEqual([
      12,
      64 * MIB,
      14,
    ]);
  });
});

const COUNT = 10_000;
const PLACES = [
  ['start', 0],
  ['middle', COUNT / 2],
  ['end', COUNT - 1],
] as const;
const BAD = '{"entry_id": "torn", "timest';

describe('one bad line of 10,000', () => {
  test.each(PLACES)(
    '[P8] at the %s of a foreign journal: all others are there, and it is named',
    async (_place, at) => {
      const directory = tempDirectory();
      const lines = Array.from({ length: COUNT }, (_, n) =>
        n === at ? BAD : foreignLine({ entry_id: `n-${n}`, data: { key: `k${n % 10}`, value: n } }),
      );
      writeFileSync(join(directory, 'one.jsonl'), fileOf(lines));
      const { entries_replayed, damage, context_state } = await new ReplayEngine(
        readFileJournal(directory),
      ).recover('one');
      expect(entries_replayed).toBe(COUNT - 1);
      expect(damage.map(({ seq, offset, reason }) => [seq, offset, kindOf(reason)])).toEqual([
        [at + 1, fileOf(lines.slice(0, at)).length, 'not-json'],
      ]);
      const newest = (k: number): number => (at === COUNT - 1 && k === 9 ? COUNT - 11 : COUNT - 10 + k);
      expect(context_state).toEqual(
        Object.fromEntries(Array.from({ length: 10 }, (_, k) => [`k${k}`, newest(k)])),
      );
      const source = await lookAtJournal(directory, () => {});
      expect(source.rows()).toMatchObject([{ name: 'one' }]);
      await source.close();
    },
  );

  test.each(PLACES)(
    '[S12] at the %s of ours: it blocks only where recovery would build on it',
    async (place, at) => {
      const directory = tempDirectory();
      const checkpoint = {
        process_id: 'one',
        entry_type: 'checkpoint',
        data: {
          state: snapshotToState({ ...emptySnapshot(), context: { from: 'checkpoint' } }, FOLD_VERSION),
        },
      };
      const lines: (Buffer | string)[] = ourLines(
        Array.from({ length: COUNT }, (_, n) => (n === COUNT - 100 ? checkpoint : update(`k${n % 10}`, n))),
      );
      lines[at] = BAD;
      writeOurDirectory(directory, { 'one.jsonl': fileOf(lines) });
      const bad = [...entriesForwards(join(directory, 'one.jsonl'))].flatMap((item) =>
        'reason' in item ? [[item.seq, kindOf(item.reason)]] : [],
      );
      expect(bad).toEqual([[at + 1, 'not-json']]);
      const engine = new ReplayEngine(readFileJournal(directory));
      const whole = {
        context_state: { from: 'checkpoint', k0: COUNT - 10 },
        entries_replayed: place === 'end' ? 98 : 99,
      };
      const strict = engine.recover('one');
      if (place === 'end') {
        await expect(strict).rejects.toMatchObject({
          code: 'journal.damaged',
          detail: { lines: [{ seq: COUNT }] },
        });
      } else {
        expect(await strict).toMatchObject(whole);
      }
      expect(await engine.recover('one', { lenient: true })).toMatchObject(whole);
    },
  );
});
