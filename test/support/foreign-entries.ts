// What the entries of Promptise's users say, at random, numbers that only Python writes included. An odd one comes with
// what ours takes it for, in words that Promptise understands.

import fc from 'fast-check';
import { isObject, RawNumber, showJson, type Json, type JsonObject } from '../../core/model/json.ts';
import { LIFECYCLE_STATES } from '../../core/model/lifecycle.ts';
import { anyJson, anyObject, anyText, hostileKey } from './json-arbitraries.ts';
import type { DifferenceKind } from './promptise-answers.ts';

// Numbers that only Python writes, and numbers that no double holds.
const oddNumber: fc.Arbitrary<Json> = fc
  .constantFrom(
    'NaN',
    'Infinity',
    '-Infinity',
    '9007199254740993',
    '-18446744073709551617',
    '1'.repeat(400),
    '1e400',
    '-1E400',
    '1e-400',
    '0.1234567890123456789',
    '123456789012345678.25',
    '1e+16',
    '1e-07',
    '-0.0',
    '1.0',
  )
  .map((source) => new RawNumber(source));

const anyValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: anyJson },
  { weight: 2, arbitrary: oddNumber },
  { weight: 1, arbitrary: fc.array(oddNumber, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.record({ NaN: oddNumber, text: fc.constant('"NaN", -Infinity\\') }) },
);

const lifecycleState = fc.constantFrom(...LIFECYCLE_STATES, 'a state of tomorrow');

/** Marked, so that no two checkpoints of a journal are equal. */
export const checkpointState: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.record({
      context_state: fc.tuple(anyObject, anyValue).map(([object, value]) => ({ ...object, odd: value })),
      lifecycle_state: lifecycleState,
      invocation_count: fc.nat(9),
      conversation: fc.array(fc.record({ role: fc.constant('user'), content: anyText }), { maxLength: 2 }),
      budget: anyObject,
    }),
    fc.subarray(['lifecycle_state', 'conversation', 'budget']),
    fc.uuid(),
  )
  .map(([whole, dropped, mark]) => {
    const kept = Object.entries(whole).filter(([key]) => !dropped.includes(key));
    return { ...Object.fromEntries<Json>(kept), mark };
  });

export const oddState: fc.Arbitrary<JsonObject> = fc
  .tuple(
    checkpointState,
    fc.constantFrom<JsonObject>({ lifecycle_state: null }, { lifecycle_state: 7 }, { context_state: [1] }),
  )
  .map(([whole, odd]) => ({ ...whole, ...odd }));

/** The same state without what is not of its type, which is what ours takes it for. */
export function mendedState(given: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(given).filter(
      ([key, value]) =>
        !(key === 'lifecycle_state' && typeof value !== 'string') &&
        !(key === 'context_state' && !isObject(value)),
    ),
  );
}

/** What an entry says, what its twin says, and why that is something else. */
export interface Draft {
  readonly entry_type: Json;
  readonly data: Json;
  readonly kind?: DifferenceKind;
  readonly mended?: { readonly entry_type: string; readonly data: JsonObject };
}

const transition = (to_state: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> =>
  fc.record({ from_state: anyText, to_state, reason: anyText });

const LOOKED_INTO = new Set(['state_transition', 'context_update', 'checkpoint']);

/** Half of a surrogate pair has a line of its own. */
function isAnotherType(text: string): boolean {
  return text.isWellFormed() && !LOOKED_INTO.has(text);
}

export const entryDraft: fc.Arbitrary<Draft> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      entry_type: fc.constant('state_transition'),
      data: transition(fc.oneof(lifecycleState, fc.constantFrom<Json>('', null))),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      entry_type: fc.constant('context_update'),
      data: fc.oneof(
        { weight: 8, arbitrary: fc.record({ key: hostileKey, value: anyValue }) },
        { weight: 1, arbitrary: fc.record({ key: fc.oneof(hostileKey, fc.constant(null)) }) },
        { weight: 1, arbitrary: fc.constant<JsonObject>({ value: 1 }) },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      entry_type: fc.constant('checkpoint'),
      data: fc.oneof(
        { weight: 5, arbitrary: checkpointState.map((each): JsonObject => ({ state: each })) },
        { weight: 1, arbitrary: checkpointState },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      entry_type: fc.oneof(
        fc.constantFrom('trigger_event', 'invocation_start', 'tool_call', 'tool_result', 'error', 'rewind'),
        anyText.filter(isAnotherType),
      ),
      data: anyObject,
    }),
  },
);

export const oddEntryDraft: fc.Arbitrary<Draft> = fc.oneof(
  fc
    .tuple(fc.constantFrom('state_transition', 'context_update'), fc.constantFrom<Json>(null, 3, 'text', [1]))
    .map(([entry_type, data]): Draft => ({
      entry_type,
      data,
      kind: 'odd-data',
      mended: { entry_type, data: {} },
    })),
  fc.tuple(fc.constantFrom<Json>(5, 1.5, true, [1, 'a'], { a: 1 }), anyValue).map(([key, value]): Draft => ({
    entry_type: 'context_update',
    data: { key, value },
    kind: 'odd-key',
    mended: { entry_type: 'context_update', data: { key: showJson(key), value } },
  })),
  transition(fc.constantFrom<Json>(7, true, ['running'], { a: 1 })).map((data): Draft => ({
    entry_type: 'state_transition',
    data,
    kind: 'odd-state',
    mended: { entry_type: 'state_transition', data: { ...data, to_state: '' } },
  })),
  fc.tuple(fc.constantFrom<Json>(null, 7, true), anyObject).map(([entry_type, data]): Draft => ({
    entry_type,
    data,
    kind: 'odd-type',
    mended: { entry_type: '', data },
  })),
  oddState.map((each): Draft => ({
    entry_type: 'checkpoint',
    data: { state: each },
    kind: 'odd-state',
    mended: { entry_type: 'checkpoint', data: { state: mendedState(each) } },
  })),
);
