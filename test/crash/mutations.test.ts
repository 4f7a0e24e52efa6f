// Files that were changed by whatever changes files: cut at every byte, bytes flipped, lines taken out, put in, swapped and
// written twice. What is good is read; what is bad is named with its place; and nothing is thrown that is not ours.

import fc from 'fast-check';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { readFileJournal } from '../../core/journal/index.ts';
import { entriesForwards, isBad } from '../../core/journal/read-entries.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import type { BadLine, NewEntry, StoredEntry } from '../../core/model/entry.ts';
import { AppError } from '../../core/model/errors.ts';
import { FOLD_VERSION, foldEntries, type FoldedEntry } from '../../core/model/fold.ts';
import type { ProcessSnapshot } from '../../core/model/snapshot.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { fileOf, ourLines, writeOurDirectory } from '../support/journal-bytes.ts';
import { anyObject, anyText } from '../support/json-arbitraries.ts';
import { legalEntries } from '../support/legal-entries.ts';
import { openUnlocked, UNSYNCED } from './open-journal.ts';
import { scratch } from './scratch.ts';

const place = scratch();
afterAll(() => place[Symbol.dispose]());
const DIRECTORY = join(place.directory, 'journal');
const PATH = join(DIRECTORY, 'one.jsonl');
/** Some more runs where the machine has time for them. */
const TIME_MS = 4_000;

interface Whole {
  readonly lines: readonly Buffer[];
  readonly bytes: Buffer;
  /** The state after each number of lines. */
  readonly states: readonly ProcessSnapshot[];
}

const anyEntry: fc.Arbitrary<NewEntry> = fc.record({
  process_id: fc.constant('one'),
  entry_type: fc.oneof(fc.constantFrom('log', 'context_update', 'a_type_of_tomorrow'), anyText),
  data: anyObject,
});

/** A history as the runtime writes it, with anything at all among it, and perhaps a full checkpoint. */
const whole: fc.Arbitrary<Whole> = fc
  .tuple(legalEntries(8), fc.array(anyEntry, { maxLength: 4 }), fc.nat(20))
  .map(([legal, others, at]) => {
    const entries: NewEntry[] = [
      ...others.slice(0, 2),
      ...legal.map(({ entry_type, data, timestamp }) => ({ process_id: 'one', entry_type, data, timestamp })),
      ...others.slice(2),
    ];
    if (at < entries.length) {
      const state = snapshotToState(foldEntries(folded(entries.slice(0, at))), FOLD_VERSION);
      entries.splice(at, 0, {
        process_id: 'one',
        entry_type: 'checkpoint',
        data: { state: structuredClone(state) },
      });
    }
    const lines = ourLines(entries);
    const read = lines.map((_, n) => foldEntries(folded(entries.slice(0, n))));
    return { lines, bytes: fileOf(lines), states: [...read, foldEntries(folded(entries))] };
  });

function folded(entries: readonly NewEntry[]): FoldedEntry[] {
  return entries.map(({ entry_type, data, timestamp = '2026-01-05T09:00:00.000+00:00' }, at) => ({
    seq: at + 1,
    timestamp,
    entry_type,
    data,
  }));
}

/** Starts each time with nothing but this file. */
function put(bytes: Buffer): void {
  rmSync(DIRECTORY, { recursive: true, force: true });
  writeOurDirectory(DIRECTORY, { 'one.jsonl': bytes });
}

/** The lines that are as they were, from the beginning on. */
function intact({ lines }: Whole, bytes: Buffer): number {
  let offset = 0;
  for (const [at, line] of lines.entries()) {
    const end = offset + line.length;
    if (!bytes.subarray(offset, end).equals(line) || bytes[end] !== LINE_FEED) return at;
    offset = end + 1;
  }
  return lines.length;
}

const seqs = (items: Iterable<StoredEntry | BadLine>): number[] => [...items].map((item) => item.seq);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
const verified = (items: readonly (StoredEntry | BadLine)[]): StoredEntry[] =>
  items.flatMap((item) => (!isBad(item) && item.verification === 'verified' ? [item] : []));

test('[J4] cut at every byte: the lines before the cut are read by every way of reading, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(whole, async (one) => {
      for (let cut = 0; cut <= one.bytes.length; cut += 1) {
        const bytes = one.bytes.subarray(0, cut);
        const count = intact(one, bytes);
        put(bytes);
        const journal = readFileJournal(DIRECTORY);
        expect(seqs(entriesForwards(PATH))).toEqual(upTo(count));
        expect(seqs(await journal.read('one'))).toEqual(upTo(count));
        const page = await journal.readLast('one', 1_000);
        expect(page.badLines).toEqual([]);
        expect(seqs(page.entries)).toEqual(upTo(count));
        const { snapshot, damage } = await new ReplayEngine(journal).recover('one');
        expect(damage).toEqual([]);
        expect(isDeepStrictEqual(snapshot, one.states[count])).toBe(true);
      }
    }),
    { numRuns: 20, interruptAfterTimeLimit: TIME_MS, markInterruptAsFailure: false },
  );
});

type Mutation = (bytes: Buffer) => Buffer;

const position = fc.double({ min: 0, max: 1, noNaN: true });
const at = (share: number, bytes: Buffer): number => Math.min(bytes.length, Math.floor(share * bytes.length));
const around = (bytes: Buffer, start: number, end: number, between: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, start), between, bytes.subarray(end)]);
const lineAround = (bytes: Buffer, offset: number): [start: number, end: number] => [
  offset === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, offset - 1) + 1,
  bytes.indexOf(LINE_FEED, offset) + 1 || bytes.length,
];

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(position, fc.nat(255)).map(([share, value]): Mutation => (bytes) => {
    const start = at(share, bytes);
    return around(bytes, start, start + 1, Buffer.from([value]));
  }),
  fc.tuple(position, fc.nat(40)).map(([share, length]): Mutation => (bytes) => {
    const start = at(share, bytes);
    return around(bytes, start, Math.min(bytes.length, start + length), Buffer.alloc(0));
  }),
  fc.tuple(position, fc.uint8Array({ maxLength: 20 })).map(([share, more]): Mutation => (bytes) => {
    const start = at(share, bytes);
    return around(bytes, start, start, Buffer.from(more));
  }),
  // What a disk leaves of pages that it never got.
  fc.tuple(position, fc.nat(600)).map(([share, length]): Mutation => (bytes) => {
    const start = at(share, bytes);
    const end = Math.min(bytes.length, start + length);
    return around(bytes, start, end, Buffer.alloc(end - start));
  }),
  // Whole lines taken out, written twice, and moved to the end.
  fc.tuple(position, fc.nat(2)).map(([share, kind]): Mutation => (bytes) => {
    const [start, end] = lineAround(bytes, at(share, bytes));
    const line = bytes.subarray(start, end);
    if (kind === 1) return around(bytes, start, start, line);
    const without = around(bytes, start, end, Buffer.alloc(0));
    return kind === 0 ? without : Buffer.concat([without, line]);
  }),
);

const mutated = fc
  .tuple(whole, fc.array(mutation, { minLength: 1, maxLength: 3 }))
  .map(([one, mutations]) => ({
    one,
    bytes: mutations.reduce((bytes, mutate) => mutate(bytes), one.bytes),
  }));

/** Null where it went well; anything but an error of ours is thrown on. */
async function refused(act: () => Promise<unknown>): Promise<AppError | null> {
  try {
    await act();
    return null;
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('journal.')) return error;
    throw error;
  }
}

test('[P5, J6] changed at random: every line before the first change is read, and what is changed never passes for verified', async () => {
  await fc.assert(
    fc.asyncProperty(mutated, async ({ one, bytes }) => {
      const good = intact(one, bytes);
      put(bytes);
      const journal = readFileJournal(DIRECTORY);
      const items = [...entriesForwards(PATH)];
      expect(seqs(verified(items.slice(0, good)))).toEqual(upTo(good));
      const page = await journal.readLast('one', 1_000);
      expect(seqs(verified(page.entries).slice(0, good))).toEqual(upTo(good));
      expect(seqs(verified(await journal.read('one')).slice(0, good))).toEqual(upTo(good));

      const known = new Set(one.lines.map((line) => line.toString('latin1')));
      for (const { offset, sizeBytes } of verified(items)) {
        const line = bytes.toString('latin1', offset, offset + sizeBytes - 1);
        expect(known.has(line) || known.has(line.replace(/\r$/, ''))).toBe(true);
      }
      expect([...items, ...page.badLines].filter((item) => !isNamed(item, bytes))).toEqual([]);
    }),
    { numRuns: 400, interruptAfterTimeLimit: TIME_MS, markInterruptAsFailure: false },
  );
});

/** It says where it is, and if it is bad, why. */
function isNamed(item: Place & { readonly sizeBytes?: number }, bytes: Buffer): boolean {
  const { seq, offset, sizeBytes = bytes.indexOf(LINE_FEED, offset) + 1 - offset, reason = 'good' } = item;
  return (
    seq > 0 &&
    (offset === 0 || bytes[offset - 1] === LINE_FEED) &&
    bytes[offset + sizeBytes - 1] === LINE_FEED &&
    reason !== ''
  );
}

interface Place {
  readonly seq: number;
  readonly offset: number;
  readonly reason?: string;
}

const placesOf = (error: AppError | null): readonly Place[] =>
  (error?.detail['lines'] ?? []) as unknown as readonly Place[];

test('[S12, P3] changed at random: recovery gives a state that there was, or refuses and says where', async () => {
  let refusals = 0;
  await fc.assert(
    fc.asyncProperty(mutated, async ({ one, bytes }) => {
      put(bytes);
      const engine = new ReplayEngine(readFileJournal(DIRECTORY));
      const refusal = await refused(async () => {
        const { snapshot } = await engine.recover('one');
        expect(one.states.some((state) => isDeepStrictEqual(state, snapshot))).toBe(true);
      });
      refusals += refusal === null ? 0 : 1;
      expect(placesOf(refusal).filter((line) => !isNamed(line, bytes))).toEqual([]);
      expect(refusal === null || placesOf(refusal).length > 0).toBe(true);
      await engine.recover('one', { lenient: true });
    }),
    { numRuns: 300, interruptAfterTimeLimit: TIME_MS, markInterruptAsFailure: false },
  );
  expect(refusals).toBeGreaterThan(0);
});

test('[J6, S11] changed at random: verifying says that something is wrong, and taking it over loses no byte', async () => {
  let repairs = 0;
  await fc.assert(
    fc.asyncProperty(mutated, async ({ one, bytes }) => {
      const good = intact(one, bytes);
      put(bytes);
      const { isWhole, processes } = await verifyJournal(DIRECTORY);
      // A checkpoint without its file is none of its lines' business.
      const notes = processes
        .flatMap((report) => report.notes)
        .filter(({ kind }) => kind !== 'checkpoint-file');
      // Cut at a line feed, with nothing that remembers how long it was, it looks whole. Blank lines may mean nothing.
      const isQuiet = isWhole && notes.length === 0;
      expect(!isQuiet || isBeginningOf(one.bytes, bytes)).toBe(true);
      const journal = openUnlocked(DIRECTORY, { disk: UNSYNCED });
      const refusal = await refused(() => journal.claim('one'));
      await journal.close();
      const after = readFileSync(PATH);
      const head = one.bytes.subarray(0, sizeOf(one, good));
      expect(after.subarray(0, head.length).equals(head)).toBe(true);
      // What was set aside stood behind what was kept: together they are what there was.
      const kept = quarantined();
      repairs += kept.length;
      const size = bytes.length - kept.reduce((sum, part) => sum + part.length, 0);
      expect(Buffer.concat([after.subarray(0, size), ...kept]).equals(bytes)).toBe(true);
      expect(refusal === null || after.length === size).toBe(true);
    }),
    { numRuns: 200, interruptAfterTimeLimit: TIME_MS, markInterruptAsFailure: false },
  );
  expect(repairs).toBeGreaterThan(0);
});

function isBeginningOf(whole: Buffer, bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  return whole.toString('latin1').startsWith(text.replaceAll('\r\n', '\n').replaceAll(/^[\t-\r ]*\n/gm, ''));
}

function sizeOf({ lines }: Whole, count: number): number {
  return lines.slice(0, count).reduce((size, line) => size + line.length + 1, 0);
}

/** What was set aside, in the order in which it stood in the file. */
function quarantined(): Buffer[] {
  const folder = join(DIRECTORY, '.holdfast/quarantine');
  const startOf = (name: string): number => Number(/\.(\d+)-\d+\./.exec(name)?.[1]);
  try {
    const names = readdirSync(folder).sort((a, b) => startOf(a) - startOf(b));
    return names.map((name) => readFileSync(join(folder, name)));
  } catch {
    return []; // Nothing was.
  }
}

const LINE_FEED = 10;
