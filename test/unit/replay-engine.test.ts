// Recovery: where reading ends [S18], where damage matters [S12], and how little is read [P3].

import { closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { encodeLine, FIRST_PREV, hashLine } from '../../core/journal/codec.ts';
import { InMemoryJournal, openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import type { NewEntry } from '../../core/model/entry.ts';
import { FOLD_VERSION } from '../../core/model/fold.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { JournalProvider } from '../../core/model/ports.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { ReplayEngine, type Recovered, type RecoverOptions } from '../../core/replay/index.ts';
import {
  fileOf,
  fixedEntry,
  foreignLine,
  ourLines,
  update,
  writeOurDirectory,
} from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const checkpoint = (state: JsonObject): NewEntry => ({
  process_id: 'one',
  entry_type: 'checkpoint',
  data: { state },
});
const fullCheckpoint = (context: Record<string, number>): NewEntry =>
  checkpoint(
    snapshotToState({ ...emptySnapshot(), context, lifecycle: 'running', restarts: 7 }, FOLD_VERSION),
  );
const handMade = (context_state: JsonObject, lifecycle_state = 'suspended'): NewEntry =>
  checkpoint({ context_state, lifecycle_state });

function recover(lines: readonly (Buffer | string)[], options?: RecoverOptions): Promise<Recovered> {
  const directory = tempDirectory();
  writeOurDirectory(directory, { 'one.jsonl': fileOf(lines) });
  return new ReplayEngine(readFileJournal(directory)).recover('one', options);
}

const flip = (line: Buffer, at: number): Buffer => {
  const flipped = Buffer.from(line);
  flipped[at]! ^= 1;
  return flipped;
};

const damagedAt = (...seqs: number[]) => ({
  code: 'journal.damaged',
  detail: { process: 'one', lines: seqs.map((seq) => expect.objectContaining({ seq }) as object) },
});

const before = [update('a', 1), update('b', 2), update('c', 3)];
const after = [update('d', 4), update('e', 5)];
const lines = ourLines([...before, fullCheckpoint({ a: 1, b: 2, c: 3 }), ...after]);

describe('[S12] damage', () => {
  test('nowhere: everything is there', async () => {
    expect(await recover(lines)).toMatchObject({
      context_state: { a: 1, b: 2, c: 3, d: 4, e: 5 },
      lifecycle_state: 'running',
      last_entry_type: 'context_update',
      entries_replayed: 2,
      damage: [],
      snapshot: { seq: 6, restarts: 7 },
    });
  });

  const whole = { context_state: { a: 1, b: 2, c: 3, d: 4, e: 5 }, entries_replayed: 2, damage: [] };
  test.each<[string, (Buffer | string)[]]>([
    ['a flipped bit', [lines[0]!, flip(lines[1]!, 9), ...lines.slice(2)]],
    [
      'a flipped bit right before the checkpoint',
      [lines[0]!, lines[1]!, flip(lines[2]!, 9), ...lines.slice(3)],
    ],
    ['an unreadable line', [lines[0]!, '\u0000\u0000', ...lines.slice(2)]],
    ['an unreadable line right before the checkpoint', [...lines.slice(0, 2), '{"half', ...lines.slice(3)]],
    ['a lost line', [lines[0]!, ...lines.slice(2)]],
    ['a lost line right before the checkpoint', [...lines.slice(0, 2), ...lines.slice(3)]],
    ['a lost beginning', lines.slice(3)],
    ['a line put in', [lines[0]!, 'something', ...lines.slice(1)]],
    ['a line cut in two', [lines[0]!.subarray(0, 50), lines[0]!.subarray(50), ...lines.slice(1)]],
    ['somebody else’s line', [lines[0]!, foreignLine({}), ...lines.slice(1)]],
  ])('before the last full checkpoint is no matter: %s', async (_name, changed) => {
    expect(await recover(changed)).toMatchObject(whole);
  });

  const [c, d, e] = lines.slice(3) as [Buffer, Buffer, Buffer];
  const head = lines.slice(0, 3);
  test.each<[string, (Buffer | string)[], number[]]>([
    ['a flipped bit in it', [...head, flip(c, 200), d, e], [4, 5]],
    ['a flipped bit behind it', [...head, c, flip(d, 150), e], [5, 6]],
    ['a flipped bit in the last line', [...head, c, d, flip(e, 150)], [6]],
    ['an unreadable line', [...head, c, d, 'null'], [6]],
    ['a lost line', [...head, c, e], [6]],
    ['a doubled line', [...head, c, d, d, e], [5]],
    ['swapped lines', [...head, c, e, d], [6, 5]],
    ['a line put in', [...head, c, '{}', d, e], [5, 5]],
    ['a time that is none', [...head, c, foreignLine({ timestamp: 'soon' }), d, e], [5, 5]],
  ])('at or behind the last full checkpoint blocks: %s', async (_name, changed, seqs) => {
    await expect(recover(changed)).rejects.toMatchObject(damagedAt(...seqs));
    await expect(recover(changed)).rejects.toThrow(
      /line \d+ at byte \d+: .+restore the journal from a backup/,
    );
    const shown = await recover(changed, { lenient: true });
    expect(shown.damage.map(({ seq }) => seq)).toEqual(seqs);
    expect(shown.context_state).toMatchObject({ a: 1 });
  });

  test('of a checkpoint line itself falls back to nothing in silence', async () => {
    const unreadable = [...head, c.subarray(0, 100), d, e];
    await expect(recover(unreadable)).rejects.toMatchObject(damagedAt(4, 5));
    expect(await recover(unreadable, { lenient: true })).toMatchObject({
      context_state: { a: 1, b: 2, c: 3, d: 4, e: 5 },
      snapshot: { restarts: 0 },
    });
  });

  test('without any checkpoint counts from the beginning', async () => {
    const plain = ourLines([...before, ...after]);
    await expect(recover(plain.slice(1))).rejects.toMatchObject(damagedAt(2));
    await expect(recover([flip(plain[0]!, 9), ...plain.slice(1)])).rejects.toMatchObject(damagedAt(1, 2));
  });

  test('[P5] of every line there is: an empty state would be a guess', async () => {
    for (const garbage of [['{"half'], ['\u0000', 'null'], ['[]', '\ufeff{}', 'x']]) {
      await expect(recover(garbage)).rejects.toMatchObject({ code: 'journal.damaged' });
      expect(await recover(garbage, { lenient: true })).toMatchObject({
        entries_replayed: 0,
        context_state: {},
      });
    }
    expect(await recover([])).toMatchObject({ lifecycle_state: 'created', damage: [] });
    expect(await recover(['', ' '])).toMatchObject({ lifecycle_state: 'created', damage: [] });
  });

  test('in a foreign journal is skipped as its own reader skips it, and told of', async () => {
    const directory = tempDirectory();
    writeFileSync(
      join(directory, 'one.jsonl'),
      fileOf([
        foreignLine({ data: { key: 'a', value: 1 } }),
        '{"half',
        foreignLine({ data: { key: 'b', value: 2 } }),
      ]),
    );
    expect(await new ReplayEngine(readFileJournal(directory)).recover('one')).toMatchObject({
      context_state: { a: 1, b: 2 },
      entries_replayed: 2,
      damage: [{ seq: 2, reason: expect.stringContaining('not JSON') as string }],
    });
  });
});

describe('[S18] a checkpoint made by hand', () => {
  test('sets context and lifecycle, and what it does not speak of comes from before it', async () => {
    const entries: NewEntry[] = [
      { process_id: 'one', entry_type: 'restart', data: { attempt: 3, reason: 'x' } },
      {
        process_id: 'one',
        entry_type: 'trigger_event',
        data: { event_id: 'e', trigger_id: 'm', payload: 1 },
      },
      update('gone', 1),
      handMade({ kept: 2 }),
      update('kept', 3),
    ];
    expect(await recover(ourLines(entries))).toMatchObject({
      context_state: { kept: 3 },
      lifecycle_state: 'suspended',
      entries_replayed: 1,
      snapshot: { restarts: 3, queue: [{ eventId: 'e' }] },
    });
  });

  test('behind a full one: reading goes on to the full one and no further', async () => {
    const result = await recover([
      'garbage that is never looked at',
      ...ourLines([fullCheckpoint({ x: 1 }), update('y', 2), handMade({ z: 3 }, 'running'), update('z', 4)]),
    ]);
    expect(result).toMatchObject({
      context_state: { z: 4 },
      entries_replayed: 1,
      snapshot: { restarts: 7 },
      damage: [],
    });
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['without a lifecycle is running', { context_state: { a: 1 } }, { lifecycle_state: 'running' }],
    ['without a context has none', { lifecycle_state: 'stopped' }, { context_state: {} }],
    ['of nothing is running with nothing', {}, { context_state: {}, lifecycle_state: 'running' }],
    ['with a context that is no object has none', { context_state: [1] }, { context_state: {} }],
  ])('%s', async (_name, state, expected) => {
    expect(await recover(ourLines([update('b', 1), checkpoint(state)]))).toMatchObject(expected);
  });

  test('may hold its state bare, as some readers expect it', async () => {
    const bare = { process_id: 'one', entry_type: 'checkpoint', data: { context_state: { a: 5 } } };
    expect(await recover(ourLines([update('b', 1), bare]))).toMatchObject({ context_state: { a: 5 } });
  });
});

describe('the four values', () => {
  test('of a process that nobody knows', async () => {
    for (const journal of [new InMemoryJournal(), readFileJournal(tempDirectory())] as JournalProvider[]) {
      expect(await new ReplayEngine(journal).recover('nobody')).toMatchObject({
        context_state: {},
        lifecycle_state: 'created',
        last_entry_type: '',
        entries_replayed: 0,
      });
    }
  });

  test('are the same from a file and from memory, entry by entry', async () => {
    const file = openFileJournal(tempDirectory());
    const memory = new InMemoryJournal();
    const entries = [...before, handMade({ n: 1 }), ...after, fullCheckpoint({ m: 2 }), update('k', 3)];
    for (const entry of entries) {
      await file.append(entry);
      await memory.append(entry);
      const [a, b] = await Promise.all(
        [file, memory].map((journal) => new ReplayEngine(journal).recover('one')),
      );
      expect(a!.context_state).toEqual(b!.context_state);
      expect(a!.lifecycle_state).toEqual(b!.lifecycle_state);
    }
    await file.close();
  });
});

describe('[P3] recovery of a long journal', () => {
  /** 50 MB of ours with a full checkpoint near the end. */
  function longJournal(directory: string): void {
    const path = join(directory, 'one.jsonl');
    writeOurDirectory(directory);
    const fd = openSync(path, 'w');
    let prev = FIRST_PREV;
    let seq = 0;
    const put = (entry: NewEntry): Buffer => {
      seq += 1;
      const line = encodeLine(fixedEntry(entry, seq), { seq, ack: seq - 1, prev });
      prev = hashLine(line);
      return fileOf([line]);
    };
    const text = 'x'.repeat(8_000);
    for (let megabyte = 0; megabyte < 50; megabyte += 1) {
      writeSync(fd, Buffer.concat(Array.from({ length: 125 }, (_, at) => put(update(`k${at}`, text)))));
    }
    writeSync(fd, Buffer.concat([fullCheckpoint({ n: 1 }), update('n', 2), update('m', 3)].map(put)));
    closeSync(fd);
  }

  test('reads a bounded tail, whatever its length, and so does taking it over', async () => {
    const directory = tempDirectory();
    longJournal(directory);
    const journal = readFileJournal(directory);
    let bytes = 0;
    for await (const { items } of journal.readSinceCheckpoint('one'))
      for (const item of items) bytes += item.sizeBytes;
    const start = bytesRead();
    const recovered = await new ReplayEngine(journal).recover('one');
    expect(recovered).toMatchObject({ context_state: { n: 2, m: 3 }, entries_replayed: 2, damage: [] });
    expect(bytes).toBeLessThan(1 << 20);
    expect(bytesRead() - start).toBeLessThan(1 << 20);

    const writer = openFileJournal(directory, { durability: 'os' });
    const atClaim = bytesRead();
    await writer.claim('one');
    expect(bytesRead() - atClaim).toBeLessThan(4 << 20);
    await writer.close();
  });
});

/** What this program has read so far, as Linux counts it; 0 elsewhere. */
function bytesRead(): number {
  if (!existsSync('/proc/self/io')) return 0;
  return Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? 0);
}
