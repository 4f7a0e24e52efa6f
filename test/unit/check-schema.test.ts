// Arguments that somebody edits are held against the tool's schema before a decision counts; a schema comes from strangers.

import { expect, test } from 'vitest';
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
  },
  required: ['path'],
  additionalProperties: false,
};

test.each<[string, Json, readonly string[]]>([
  ['good', { path: 'a', count: 2, mode: 'fast', edits: [{ oldText: 'x' }], who: null }, []],
  ['another type', [], ['It must be an object']],
  ['missing', {}, ['path is missing']],
  ['unknown', { path: 'a', pth: 1 }, ['pth is not known; there are: path, count, mode, edits, who']],
  ['out of range', { path: 'a', count: 11 }, ['count must be at most 10']],
  ['no whole number', { path: 'a', count: 1.5 }, ['count must be a whole number']],
  ['none of those', { path: 'a', mode: 'x' }, ['mode must be one of "fast", "slow"']],
  ['inside', { path: 'a', edits: [{ oldText: 'x' }, {}] }, ['edits[1].oldText is missing']],
  [
    'no alternative',
    { path: 'a', who: { id: 'x' } },
    ['who is none of the alternatives that the tool takes'],
  ],
])('%s', (_, value, problems) => {
  expect(schemaProblems(SCHEMA, value)).toEqual(problems);
});

test('a schema made to be looked at for ever is not', () => {
  let bomb: Json = { type: 'string' };
  for (let depth = 0; depth < 30; depth += 1) bomb = { anyOf: [bomb, bomb, bomb] };
  const began = performance.now();
  schemaProblems(bomb, 1);
  expect(performance.now() - began).toBeLessThan(2_000);
});

test('patterns and references are left to the tool', () => {
  const schema: Json = { properties: { a: { pattern: '(a+)+$' }, b: { $ref: '#/x' } }, $defs: {} };
  expect(schemaProblems(schema, { a: `${'a'.repeat(40)}!`, b: 1 })).toEqual([]);
});
