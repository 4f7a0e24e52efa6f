// What a model or a person gives a tool is held against the tool's schema before anything is called, and what the tool answers
// too: by one checker, which no schema of a stranger can make run for ever, make run anything, or make refuse what it does
// not know.

import { describe, expect, test } from 'vitest';
import { checkedSchema } from '../../core/agent/mcp/tool-schema.ts';
import { schemaProblems } from '../../core/model/check-schema.ts';
import type { Json } from '../../core/model/json.ts';

const SCHEMA: Json = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    count: { type: 'integer', minimum: 1, maximum: 10 },
    mode: { enum: ['fast', 'slow'] },
    edits: { type: 'array', items: { type: 'object', required: ['oldText'] } },
    who: { anyOf: [{ type: 'null' }, { type: 'object', properties: { id: { type: 'number' } } }] },
    pair: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
    before: { items: [{ type: 'string' }], additionalItems: { type: 'number' } },
    box: { $ref: '#/$defs/box~1s' },
    code: { type: 'string', nullable: true, maxLength: 2 },
  },
  required: ['path'],
  additionalProperties: false,
  $defs: { 'box/s': { properties: { of: { $ref: '#/$defs/box~1s' }, at: { type: 'integer' } } } },
};

test.each<[string, Json, readonly string[]]>([
  ['good', { path: 'a', count: 2, mode: 'fast', edits: [{ oldText: 'x' }], who: null }, []],
  ['another type', [], ['It must be an object']],
  ['missing', {}, ['path is missing']],
  [
    'unknown',
    { path: 'a', pth: 1 },
    ['pth is not known; there are: path, count, mode, edits, who, pair, before, box, code'],
  ],
  ['out of range', { path: 'a', count: 11 }, ['count must be at most 10']],
  ['no whole number', { path: 'a', count: 1.5 }, ['count must be a whole number']],
  ['none of those', { path: 'a', mode: 'x' }, ['mode must be one of "fast", "slow"']],
  ['inside', { path: 'a', edits: [{ oldText: 'x' }, {}] }, ['edits[1].oldText is missing']],
  [
    'no alternative',
    { path: 'a', who: { id: 'x' } },
    ['who is none of the alternatives that the tool takes'],
  ],
  ['places', { path: 'a', pair: ['x', 'y', 1] }, ['pair[1] must be a number', 'pair[2] is not allowed']],
  [
    'places as they were said before',
    { path: 'a', before: [1, 'y'] },
    ['before[0] must be a text', 'before[1] must be a number'],
  ],
  ['by reference', { path: 'a', box: { of: { of: { at: 'x' } } } }, ['box.of.of.at must be a whole number']],
  ['nothing, where it may be', { path: 'a', code: null }, []],
  ['characters, of which each may be a pair', { path: 'a', code: '🦀🦀' }, []],
  ['too many characters', { path: 'a', code: '🦀🦀🦀' }, ['code must have characters at most 2']],
])('%s', (_, value, problems) => {
  expect(schemaProblems(SCHEMA, value)).toEqual(problems);
});

const numbered = (count: number, make: (at: number) => Json): Record<string, Json> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, make(at)]));
const times = (levels: number, inner: Json, around: (inner: Json) => Json): Json => {
  let made = inner;
  for (let level = 0; level < levels; level += 1) made = around(made);
  return made;
};
const twice: Json = { allOf: [{ $ref: '#' }, { $ref: '#' }, { properties: { a: { $ref: '#' } } }] };
const many = Array.from({ length: 100_000 }, (_, at) => at);
const long = 'x'.repeat(4_000_000);

/** Each could cost whoever runs it its life. */
const BOMBS: readonly (readonly [string, Json, Json])[] = [
  ['a pattern', { properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(50)}!` }],
  ['patterns of names', { patternProperties: { '^(a+)+$': false } }, { [`${'a'.repeat(50)}!`]: 1 }],
  ['depth', times(100_000, {}, (a) => ({ properties: { a } })), times(5_000, 1, (a) => ({ a }))],
  ['depth of a value that may be', { enum: [times(100_000, 1, (a) => [a])] }, 1],
  ['alternatives', times(30, { type: 'string' }, (a) => ({ anyOf: [a, a, a] })), 1],
  ['all of all', times(30, { type: 'number' }, (a) => ({ allOf: [a, a, a] })), 1],
  ['a reference to itself', { $ref: '#' }, 1],
  [
    'references in a circle',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    1,
  ],
  ['references twice to itself', twice, times(20, {}, (a) => ({ a }))],
  ['a huge enum', { items: { enum: many } }, many.map((at) => -1 - at)],
  ['a huge enum of objects', { enum: many.map((at) => ({ at, of: [at] })) }, { at: -1, of: many }],
  [
    '100,000 properties, of which none is meant',
    { properties: numbered(100_000, () => ({ type: 'string' })), additionalProperties: false },
    numbered(200_000, () => 1),
  ],
  ['100,000 that are missing', { required: many.map(String) }, {}],
  ['a long text, counted again and again', { allOf: many.map(() => ({ maxLength: 3_000_000 })) }, long],
  ['a long text among others', { enum: many.map(() => `${long.slice(1)}y`) }, long],
];

/** What this thread has worked, however busy the machine is, in milliseconds. */
function worked(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system - since.user - since.system) / 1_000;
}

/** Ten times what any of them takes on a machine at work; one that goes off takes longer than anybody waits. */
const ENOUGH_MS = 5_000;

describe('of a schema made to be looked at for ever', () => {
  test.each(BOMBS)('%s is left to the tool, at once', (_, schema, value) => {
    const began = process.threadCpuUsage();
    const problems = schemaProblems(schema, value);
    expect(worked(began)).toBeLessThan(ENOUGH_MS);
    expect(problems.length).toBeLessThanOrEqual(5);
    for (const problem of problems) expect(problem.length).toBeLessThan(4_000);
  });

  test.each(BOMBS)('%s is offered to no model, or read at once', (_, schema) => {
    const began = process.threadCpuUsage();
    checkedSchema({ type: 'object', properties: { a: schema } });
    expect(worked(began)).toBeLessThan(ENOUGH_MS);
  });
});

test.each<[string, Json, Json]>([
  ['a pattern', { properties: { a: { pattern: '^x' } } }, { a: 'y' }],
  ['an unknown format', { properties: { a: { format: 'phase-of-the-moon' } } }, { a: 'y' }],
  ['a known one', { properties: { a: { format: 'date' } } }, { a: 'y' }],
  ['an unknown type', { properties: { a: { type: 'tree' } } }, { a: 1 }],
  ['a reference to elsewhere', { properties: { a: { $ref: 'https://example.com/x.json' } } }, { a: 1 }],
  ['one by name', { properties: { a: { $ref: '#x' } } }, { a: 1 }],
  ['one to nowhere', { properties: { a: { $ref: '#/x' } } }, { a: 1 }],
  [
    'one in what has a name of its own',
    { $defs: { x: false, own: { $id: 'own', $ref: '#/$defs/x', $defs: {} } }, $ref: '#/$defs/own' },
    {},
  ],
  ['what must not be', { properties: { a: { not: { pattern: '^x' } } } }, { a: 'y' }],
  [
    'of one alone what differs in what is not known',
    { properties: { a: { oneOf: [{ type: 'string', format: 'date' }, { type: 'string' }] } } },
    { a: 'y' },
  ],
  ['names by pattern', { patternProperties: { '^x': {} }, additionalProperties: false }, { x1: 1 }],
  [
    'the same with a schema',
    { patternProperties: { '^x': {} }, additionalProperties: { type: 'null' } },
    { x1: 1 },
  ],
])('nothing is refused that the tool might take: %s', (_, schema, value) => {
  expect(schemaProblems(schema, value)).toEqual([]);
});

test('an argument may be called as what schemas are made of', () => {
  const schema: Json = {
    properties: { pattern: { type: 'string' }, $ref: { type: 'string' } },
    required: ['pattern'],
  };
  expect(schemaProblems(schema, { pattern: 'x', $ref: 'y' })).toEqual([]);
  expect(schemaProblems(schema, {})).toEqual(['pattern is missing']);
  expect(checkedSchema({ type: 'object', ...(schema as object) })).toMatchObject({ ok: true });
});
