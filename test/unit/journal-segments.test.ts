// S15: a journal in segments is one journal, whatever a crash, a packer or retention left of it.

import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { LOCAL_DISK, type Disk } from '../../core/journal/disk.ts';
import { openFileJournal, readFileJournal, type WriteOptions } from '../../core/journal/index.ts';
import { isBad, journalForwards, journalLines } from '../../core/journal/read-entries.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { FOLD_VERSION, foldEntries } from '../../core/model/fold.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { Cursor, JournalProvider } from '../../core/model/ports.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { treeHash } from '../support/fixtures.ts';
import { update } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const SEGMENTS = '.holdfast/segments/one';

/** Entries with a full checkpoint of their state after every fifth. */
async function write(directory: string, count: number, options: WriteOptions = {}): Promise<number> {
  const journal = openFileJournal(directory, { segmentBytes: 2_000, ...options });
  const state = emptySnapshot();
  let last = 0;
  for (let n = 1; n <= count; n += 1) {
    state.context['n'] = n;
    const { seq } = await journal.append(update('n', n));
    last = seq;
    state.seq = seq;
    if (n % 5 === 0) ({ seq: last } = await journal.checkpoint('one', snapshotToState(state, FOLD_VERSION)));
  }
  await journal.settled();
  await journal.close();
  return last;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

const sealed = (directory: string): string[] => readdirSync(join(directory, SEGMENTS)).sort();

async function seqs(journal: JournalProvider): Promise<number[]> {
  return (await journal.read('one')).map(({ seq }) => seq);
}

/** All pages from the end, oldest entry first. */
async function paged(journal: JournalProvider, limit: number): Promise<StoredEntry[]> {
  const pages: (readonly StoredEntry[])[] = [];
  let cursor: Cursor | null | undefined;
  while (cursor !== null) {
    const page = await journal.readLast('one', limit, cursor);
    expect(page.badLines).toEqual([]);
    pages.unshift(page.entries);
    cursor = page.before;
  }
  return pages.flat();
}

const verdicts = (directory: string): string[] =>
  [...journalForwards(directory, 'one')].map((item) => (isBad(item) ? item.reason : item.verification));

async function value(directory: string): Promise<unknown> {
  return (await new ReplayEngine(readFileJournal(directory)).recover('one')).context_state['n'];
}

describe('a sealed segment', () => {
  test('begins with a full checkpoint, but for the first; names its lines; and is packed', async () => {
    const directory = tempDirectory();
    const last = await write(directory, 40);
    const names = sealed(directory);
    expect(names.length).toBeGreaterThan(2);
    let next = 1;
    for (const name of names) {
      const [, first, end] = /^(\d{12})-(\d{12})\.jsonl\.gz$/.exec(name)!;
      const lines = gunzipSync(readFileSync(join(directory, SEGMENTS, name)))
        .toString()
        .trimEnd()
        .split('\n');
      expect(Number(first)).toBe(next);
      expect(lines).toHaveLength(Number(end) - Number(first) + 1);
      expect(JSON.parse(lines[0]!)).toMatchObject({
        entry_type: next === 1 ? 'writer_opened' : 'checkpoint',
        seq: next,
      });
      next = Number(end) + 1;
    }
    expect(next).toBeLessThanOrEqual(last);
  });

  test('is read with the others as one journal: forwards, by pages of any size, verified throughout', async () => {
    const directory = tempDirectory();
    const last = await write(directory, 40);
    const before = treeHash(directory);
    const journal = readFileJournal(directory);
    expect(await seqs(journal)).toEqual(upTo(last));
    for (const limit of [1, 3, 7, 1_000]) {
      const entries = await paged(journal, limit);
      expect(entries.map(({ seq }) => seq)).toEqual(upTo(last));
      expect(new Set(entries.map(({ verification }) => verification))).toEqual(new Set(['verified']));
    }
    expect(new Set(verdicts(directory))).toEqual(new Set(['verified']));
    expect((await journal.read('one', { limit: 2 })).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(treeHash(directory)).toBe(before);
  });

  test('[P3] recovery reads the active one alone, and gives what all of them give', async () => {
    const directory = tempDirectory();
    await write(directory, 43);
    const all = await readFileJournal(directory).read('one');
    const { snapshot } = await new ReplayEngine(readFileJournal(directory)).recover('one');
    expect(snapshot.context).toEqual(foldEntries(all).context);
    rmSync(join(directory, SEGMENTS), { recursive: true });
    expect(await value(directory)).toBe(43);
  });

  test('waits for a full checkpoint: a hand-made one never begins a segment', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory, { segmentBytes: 500 });
    for (let n = 0; n < 10; n += 1) await journal.checkpoint('one', { context_state: { n } });
    await journal.close();
    expect(existsSync(join(directory, SEGMENTS))).toBe(false);
  });

  test('keeps call order among what is appended side by side', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory, { segmentBytes: 1_000 });
    const state = snapshotToState(emptySnapshot(), FOLD_VERSION);
    const written = await Promise.all(
      upTo(60).map((n) => (n % 6 === 0 ? journal.checkpoint('one', state) : journal.append(update('n', n)))),
    );
    expect(written.map(({ seq }) => seq)).toEqual(upTo(60).map((n) => n + 1));
    await journal.close();
    expect(await seqs(readFileJournal(directory))).toEqual(upTo(61));
  });
});

describe('a crash while sealing', () => {
  const active = (directory: string): string => join(directory, 'one.jsonl');

  test('after the active one gave up its name: the next takes it', async () => {
    const directory = tempDirectory();
    const last = await write(directory, 40);
    renameSync(active(directory), join(directory, SEGMENTS, 'next.tmp'));
    // Unpacked, as it is right after it was sealed.
    const newest = sealed(directory)
      .filter((name) => name.endsWith('.gz'))
      .at(-1)!;
    const packed = join(directory, SEGMENTS, newest);
    writeFileSync(packed.slice(0, -3), gunzipSync(readFileSync(packed)));
    rmSync(packed);
    expect(await readFileJournal(directory).processes()).toEqual(['one']);
    const journal = openFileJournal(directory);
    await journal.claim('one');
    await journal.close();
    // Its own lines, and no new beginning.
    expect((await seqs(readFileJournal(directory))).slice(0, last)).toEqual(upTo(last));
    expect(await value(directory)).toBe(40);
  });

  test.each(['unpacked', 'packed'])(
    'without a next one that is whole, the newest sealed (%s) goes on; never a fresh start',
    async (how) => {
      const directory = tempDirectory();
      await write(directory, 40);
      const newest = join(directory, SEGMENTS, sealed(directory).at(-1)!);
      if (how === 'unpacked') {
        writeFileSync(newest.slice(0, -3), gunzipSync(readFileSync(newest)));
        rmSync(newest);
      }
      const last = Number(/-(\d{12})/.exec(newest)![1]);
      writeFileSync(join(directory, SEGMENTS, 'next.tmp'), '{"half');
      rmSync(active(directory));
      rmSync(join(directory, '.holdfast/heads'), { recursive: true });
      const journal = openFileJournal(directory);
      const { seq } = await journal.append(update('n', 99));
      await journal.close();
      expect(seq).toBe(last + 2);
      expect(await seqs(readFileJournal(directory))).toEqual(upTo(seq));
      expect(new Set(verdicts(directory))).toEqual(new Set(['verified']));
      expect(await value(directory)).toBe(99);
    },
  );

  test('[S13] an active one that was deleted by hand is missed: its end had been acknowledged', async () => {
    const directory = tempDirectory();
    await write(directory, 40);
    rmSync(active(directory));
    const journal = openFileJournal(directory);
    await expect(journal.claim('one')).rejects.toMatchObject({ code: 'journal.lost-tail' });
    await journal.close();
  });

  test('between packing and removing, both are there and one is read', async () => {
    const directory = tempDirectory();
    const last = await write(directory, 40);
    const packed = join(directory, SEGMENTS, sealed(directory)[0]!);
    writeFileSync(packed.slice(0, -3), gunzipSync(readFileSync(packed)));
    writeFileSync(`${packed}.tmp`, 'half');
    expect(await seqs(readFileJournal(directory))).toEqual(upTo(last));
    const journal = openFileJournal(directory);
    await journal.claim('one');
    await journal.settled();
    await journal.close();
    expect(sealed(directory).filter((name) => !name.endsWith('.gz'))).toEqual([]);
  });
});

describe('packing', () => {
  test('that fails leaves the segment, says so, and is tried again', async () => {
    const directory = tempDirectory();
    let fails = true;
    const disk: Disk = {
      ...LOCAL_DISK,
      open: (path, flags) => {
        if (fails && path.endsWith('.gz.tmp'))
          throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        return LOCAL_DISK.open(path, flags);
      },
    };
    const journal = openFileJournal(directory, { segmentBytes: 2_000, disk });
    const state = snapshotToState(emptySnapshot(), FOLD_VERSION);
    for (let n = 0; n < 20; n += 1) await journal.append(update('n', n));
    await journal.checkpoint('one', state);
    await journal.settled();
    expect(journal.trouble?.message).toContain('no space left');
    expect(sealed(directory)).toEqual(['000000000001-000000000021.jsonl']);
    fails = false;
    for (let n = 0; n < 20; n += 1) await journal.append(update('n', n));
    await journal.checkpoint('one', state);
    await journal.settled();
    expect(journal.trouble).toBeNull();
    expect(sealed(directory).every((name) => name.endsWith('.jsonl.gz'))).toBe(true);
    await journal.close();
  });

  test('a packed segment that was damaged says which file it is; the rest of the journal is not concerned', async () => {
    const directory = tempDirectory();
    await write(directory, 40);
    const packed = join(directory, SEGMENTS, sealed(directory)[0]!);
    const bytes = readFileSync(packed);
    bytes.fill(0, 20, 60);
    writeFileSync(packed, bytes);
    const journal = readFileJournal(directory);
    await expect(journal.read('one')).rejects.toMatchObject({ code: 'journal.segment-unreadable' });
    expect((await journal.readLast('one', 3)).entries).toHaveLength(3);
    expect(await value(directory)).toBe(40);
  });
});

describe('retention', () => {
  const DAY_MS = 86_400_000;

  test('by size: a tombstone that keeps the chain is durable before whole segments go, oldest first', async () => {
    const directory = tempDirectory();
    const last = await write(directory, 80, { retention: { maxAgeDays: null, maxBytes: 1_500 } });
    const all = await readFileJournal(directory).read('one', { entryType: 'segments_dropped' });
    const { first_seq, last_seq, hash } = all.at(-1)!.data as Record<string, unknown>;
    expect(first_seq).toBeGreaterThan(1);
    const entries = await readFileJournal(directory).read('one');
    expect(entries[0]).toMatchObject({ entry_type: 'checkpoint', seq: (last_seq as number) + 1 });
    expect(entries.at(-1)!.seq).toBeGreaterThanOrEqual(last);
    const [first] = journalLines(directory, 'one');
    expect(first!.line.bytes.toString()).toContain(`"prev":"${hash as string}"`);
    // Retention is no damage, and what is kept is one piece.
    expect(new Set(verdicts(directory))).toEqual(new Set(['verified']));
    expect(await value(directory)).toBe(80);
  });

  test('by age; and none unless somebody asked for it', async () => {
    const directory = tempDirectory();
    await write(directory, 40);
    const names = sealed(directory);
    const old = (Date.now() - 10 * DAY_MS) / 1_000;
    for (const name of names.slice(0, 2)) utimesSync(join(directory, SEGMENTS, name), old, old);
    await write(directory, 1);
    expect(sealed(directory)).toEqual(names);
    await write(directory, 1, { retention: { maxAgeDays: 9, maxBytes: null } });
    expect(sealed(directory)).toEqual(names.slice(2));
  });

  test('takes the packed twin with it that a crash left beside a segment', async () => {
    const directory = tempDirectory();
    await write(directory, 40);
    for (const name of sealed(directory)) {
      const packed = join(directory, SEGMENTS, name);
      writeFileSync(packed.slice(0, -3), gunzipSync(readFileSync(packed)));
    }
    await write(directory, 1, { retention: { maxAgeDays: null, maxBytes: 0 } });
    expect(sealed(directory)).toEqual([]);
    await write(directory, 1);
    expect(await value(directory)).toBe(1);
  });

  test('[S15] never drops anything while an effect has no certain end', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory, {
      segmentBytes: 2_000,
      retention: { maxAgeDays: null, maxBytes: 0 },
    });
    const event = (entry_type: string, data: JsonObject) =>
      journal.append({ process_id: 'one', entry_type, data });
    await event('trigger_event', { event_id: 'e', trigger_id: 't', trigger_type: 'manual', payload: null });
    await event('invocation_start', { event_id: 'e', invocation: 1, attempt: 1 });
    await event('effect_started', { event_id: 'e', effect_id: 'e/pay#0', name: 'pay', class: 'ask' });
    const checkpoint = async (): Promise<void> => {
      const state = foldEntries(await journal.read('one'));
      await journal.checkpoint('one', snapshotToState(state, FOLD_VERSION));
    };
    const seal = async (): Promise<void> => {
      for (let n = 0; n < 20; n += 1) await journal.append(update('n', n));
      await checkpoint();
      await journal.settled();
    };
    await seal();
    await seal();
    expect(sealed(directory)).toHaveLength(2);
    await event('effect_finished', { event_id: 'e', effect_id: 'e/pay#0', end: 'done', result: 1 });
    await seal();
    expect(sealed(directory)).toEqual([]);
    await journal.close();
  });

  test('[S16] spills go with the segment whose entry brought them, unless the last checkpoint names them', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory, {
      segmentBytes: 2_000,
      retention: { maxAgeDays: null, maxBytes: 0 },
    });
    const gone = await journal.spill('one', Buffer.from('gone'));
    const needed = await journal.spill('one', Buffer.from('needed'));
    for (const spilled of [gone, needed]) {
      await journal.append({
        process_id: 'one',
        entry_type: 'effect_finished',
        data: { spilled: { ...spilled } },
      });
    }
    for (let n = 0; n < 20; n += 1) await journal.append(update('n', n));
    const state = snapshotToState({ ...emptySnapshot(), context: { spilled: { ...needed } } }, FOLD_VERSION);
    await journal.checkpoint('one', state);
    await journal.settled();
    expect(sealed(directory)).toEqual([]);
    expect(await journal.spilled('one', gone)).toBeNull();
    expect(Buffer.from((await journal.spilled('one', needed))!).toString()).toBe('needed');
    await journal.close();
  });
});

test('[S16] a spill that is missing, cut or changed is lost, and never something else', async () => {
  const directory = tempDirectory();
  const journal = openFileJournal(directory);
  const reference = await journal.spill('one', Buffer.from('a large value'));
  const path = join(directory, '.holdfast/spills/one', reference.id);
  expect(Buffer.from((await journal.spilled('one', reference))!).toString()).toBe('a large value');
  copyFileSync(path, `${path}.kept`);
  writeFileSync(path, 'a large valuf');
  expect(await journal.spilled('one', reference)).toBeNull();
  rmSync(path);
  expect(await journal.spilled('one', reference)).toBeNull();
  expect(await journal.spilled('one', { ...reference, id: '../../journal.holdfast' })).toBeNull();
  await journal.close();
});
