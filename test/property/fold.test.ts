// The one fold: the same journal always rebuilds the same state [P3], from its beginning or from any checkpoint [S17].

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLossless } from '../../core/journal/lossless.ts';
import { checkpointToSnapshot, isFullCheckpoint, snapshotToState } from '../../core/model/checkpoint.ts';
import { ENTRY_TYPES } from '../../core/model/entry.ts';
import { applyEntry, FOLD_VERSION, foldEntries, type FoldedEntry } from '../../core/model/fold.ts';
import { RawNumber, type Json, type JsonObject } from '../../core/model/json.ts';
import { emptySnapshot, viewAtStart, type ProcessSnapshot } from '../../core/model/snapshot.ts';
import { anyJson, anyObject, anyText } from '../support/json-arbitraries.ts';
import { legalEntries } from '../support/legal-entries.ts';

/** As a file gives it back. */
const throughDisk = (data: JsonObject): JsonObject => parseLossless(JSON.stringify(data)) as JsonObject;

function checkpointAfter(entries: readonly FoldedEntry[], seq: number): FoldedEntry {
  return {
    seq,
    timestamp: '2026-02-01T00:00:00.000+00:00',
    entry_type: 'checkpoint',
    data: throughDisk({ state: snapshotToState(foldEntries(entries), FOLD_VERSION) }),
  };
}

const renumbered = (entries: readonly FoldedEntry[], by: number): FoldedEntry[] =>
  entries.map((entry) => ({ ...entry, seq: entry.seq + by }));

const pairs = (record: Readonly<Record<string, Json>>): [string, Json][] =>
  Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));

describe('over every legal history', () => {
  test('[P3, S17] the state from a checkpoint on is the state from the beginning on', () => {
    fc.assert(
      fc.property(legalEntries(60), fc.nat(1000), fc.nat(1000), (entries, first, second) => {
        const at = first % (entries.length + 1);
        const head = entries.slice(0, at);
        const checkpoint = checkpointAfter(head, at + 1);
        const tail = renumbered(entries.slice(at), 1);
        expect(isFullCheckpoint(checkpoint.data)).toBe(true);
        const fromBeginning = foldEntries([...head, checkpoint, ...tail]);
        expect(foldEntries([checkpoint, ...tail])).toEqual(fromBeginning);

        // And a checkpoint changes nothing but the position.
        const without = foldEntries([...head, ...tail]);
        const position = { seq: 0, lastEntryType: '', lastEntryAt: null };
        expect({ ...fromBeginning, ...position }).toEqual({ ...without, ...position });

        // Nor does a checkpoint made from a checkpoint.
        const later = second % (tail.length + 1);
        const again = checkpointAfter([checkpoint, ...tail.slice(0, later)], at + later + 2);
        const rest = renumbered(tail.slice(later), 1);
        expect(foldEntries([again, ...rest])).toEqual(
          foldEntries([checkpoint, ...tail.slice(0, later), again, ...rest]),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('[P3] folding is the same however the entries come: at once, one by one, or read back from disk', () => {
    fc.assert(
      fc.property(legalEntries(60), (entries) => {
        let state = emptySnapshot();
        for (const entry of entries) state = applyEntry(state, entry);
        const read = entries.map((entry) => ({ ...entry, data: throughDisk(entry.data) }));
        expect(foldEntries(read)).toEqual(state);
        expect(foldEntries(entries)).toEqual(state);
      }),
      { numRuns: 150 },
    );
  });

  test('[S23] the view of a re-run is the context as it was when the invocation began, key for key', () => {
    fc.assert(
      fc.property(legalEntries(80), (entries) => {
        const atStart = new Map<string, Record<string, Json>>();
        let state = emptySnapshot();
        for (const entry of entries) {
          state = applyEntry(state, entry);
          const eventId = entry.data['event_id'] as string;
          // A retry sees what the first attempt saw.
          if (entry.entry_type === 'invocation_start' && !atStart.has(eventId)) {
            atStart.set(eventId, { ...state.context });
          }
          for (const open of state.open) {
            const expected = atStart.get(open.event.eventId)!;
            expect(pairs(viewAtStart(state.context, open))).toEqual(pairs(expected));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('[S28] an effect keeps its place and its announcement, and nothing is open twice', () => {
    fc.assert(
      fc.property(legalEntries(80), (entries) => {
        const state = foldEntries(entries);
        const open = state.open.map((invocation) => invocation.event.eventId);
        expect(new Set(open).size).toBe(open.length);
        expect(state.queue.filter((event) => open.includes(event.eventId))).toEqual([]);
        for (const { effects } of state.open) {
          expect(new Set(effects.map((effect) => effect.effectId)).size).toBe(effects.length);
        }
        expect(state.recentRuns.length).toBeLessThanOrEqual(10);
      }),
      { numRuns: 100 },
    );
  });
});

describe('over anything at all', () => {
  const FIELDS =
    'key value deleted event_id effect_id hold to_state reason attempt generation pid duration_ms end resolution state hash payload final limit booked used amount until id'.split(
      ' ',
    );
  const numberLike = fc.constantFrom<Json>(
    new RawNumber('NaN'),
    new RawNumber('-Infinity'),
    new RawNumber('9007199254740993'),
    -1,
    1e308,
  );
  const garbage = fc.oneof(
    anyObject,
    fc
      .array(fc.tuple(fc.constantFrom(...FIELDS), fc.oneof(anyJson, numberLike, anyText)), { maxLength: 8 })
      .map((pairs) => Object.fromEntries<Json>(pairs)),
  );
  const snapshotKeys = Object.keys(emptySnapshot());
  const marked = fc
    .array(fc.tuple(fc.constantFrom(...snapshotKeys), fc.oneof(anyJson, fc.array(anyObject), numberLike)), {
      maxLength: 6,
    })
    .map((pairs): JsonObject => ({
      state: { holdfast: { fold_version: 1, ...Object.fromEntries<Json>(pairs) } },
    }));
  const entry = fc
    .oneof(
      { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...ENTRY_TYPES), garbage) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('checkpoint'), marked) },
      { weight: 1, arbitrary: fc.tuple(anyText, garbage) },
    )
    .map(([entry_type, data]): FoldedEntry => ({
      seq: 1,
      timestamp: '2026-01-05T09:00:00+00:00',
      entry_type,
      data,
    }));

  test('[P8] a section that stands outside the mark is not believed inside it', () => {
    const state = {
      holdfast: { fold_version: 1, invocationCount: [{ toString: null }], lifecycle: 7, context: 'x' },
    };
    const at = { timestamp: '2026-01-05T09:00:00+00:00' };
    const folded = foldEntries([
      { ...at, seq: 1, entry_type: 'checkpoint', data: { state } },
      { ...at, seq: 2, entry_type: 'invocation_result', data: {} },
    ]);
    expect(folded).toMatchObject({ invocationCount: 1, lifecycle: 'running', context: {} });
  });

  test('[P8] garbage in any field of any type never throws, and what it leaves can be checkpointed', () => {
    fc.assert(
      fc.property(legalEntries(15), fc.array(entry, { maxLength: 20 }), legalEntries(15), (a, b, c) => {
        const state = foldEntries([...a, ...b, ...c]);
        expect(Array.isArray(state.queue) && Array.isArray(state.open)).toBe(true);
        const mark = snapshotToState(state, FOLD_VERSION);
        expect(isFullCheckpoint({ state: mark })).toBe(true);
        for (const open of state.open) viewAtStart(state.context, open);
      }),
      { numRuns: 500 },
    );
  });

  test('nothing in a journal reaches a prototype', () => {
    fc.assert(
      fc.property(legalEntries(30), fc.array(entry, { maxLength: 20 }), (a, b) => {
        foldEntries([...a, ...b]);
        expect(Object.keys(Object.prototype)).toEqual([]);
        expect(({} as { value?: unknown }).value).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });
});

describe('hostile keys', () => {
  const write = (seq: number, key: Json, value: Json, more: JsonObject = {}): FoldedEntry => ({
    seq,
    timestamp: '2026-01-05T09:00:00+00:00',
    entry_type: 'context_update',
    data: { key, value, ...more },
  });
  const started: FoldedEntry[] = [
    {
      seq: 2,
      timestamp: '2026-01-05T09:00:00+00:00',
      entry_type: 'trigger_event',
      data: { event_id: 'e', trigger_id: 'm', trigger_type: 'manual', payload: null },
    },
    {
      seq: 3,
      timestamp: '2026-01-05T09:00:00+00:00',
      entry_type: 'invocation_start',
      data: { event_id: 'e', invocation: 1 },
    },
  ];

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])(
    'a context key called "%s" is a key like any other',
    (key) => {
      const state = foldEntries([write(1, key, { polluted: true }), ...started, write(4, key, 2)]);
      expect(Object.entries(state.context)).toEqual([[key, 2]]);
      expect(Object.entries(viewAtStart(state.context, state.open[0]!))).toEqual([[key, { polluted: true }]]);
      const again = checkpointToSnapshot(
        throughDisk({ state: snapshotToState(state, FOLD_VERSION) }),
        emptySnapshot(),
      );
      expect(Object.entries(again.context)).toEqual([[key, 2]]);
      expect(Object.entries(again.open[0]!.before)).toEqual([[key, { value: { polluted: true } }]]);
      expect(Object.getPrototypeOf(again.context)).toBe(Object.prototype);
    },
  );

  test('a key that is no text is written as Python would write it', () => {
    const keys: readonly (readonly [Json, string])[] = [
      [12, '12'],
      [true, 'true'],
      [new RawNumber('NaN'), 'NaN'],
      [new RawNumber('12345678901234567890'), '12345678901234567890'],
      [[1, 2], '[1,2]'],
    ];
    for (const [key, name] of keys) {
      expect(Object.entries(foldEntries([write(1, key, 'x')]).context)).toEqual([[name, 'x']]);
    }
  });
});

test('[S18] a checkpoint whose mark no fold could have left sets context and lifecycle, and no more', () => {
  const before: ProcessSnapshot = { ...emptySnapshot(), restarts: 2, queue: [] };
  for (const holdfast of [
    { fold_version: 1, queue: 5 },
    { fold_version: 1, open: [{ event: null }] },
    { fold_version: 1, holds: [7] },
    { fold_version: 1, budget: 'much' },
    { fold_version: 1, budget: { ...emptySnapshot().budget, spent: { toolCalls: -1 } } },
    { fold_version: 1, open: [{ event: {}, effects: [], writes: [], before: [] }] },
    { fold_version: '1' },
    null,
  ] as Json[]) {
    const data = { state: { context_state: { n: 1 }, lifecycle_state: 'suspended', holdfast } };
    expect(isFullCheckpoint(data)).toBe(false);
    expect(checkpointToSnapshot(data, structuredClone(before))).toMatchObject({
      context: { n: 1 },
      lifecycle: 'suspended',
      restarts: 2,
      queue: [],
    });
  }
});
