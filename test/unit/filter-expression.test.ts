// The filter language of triggers [A10]: what it says when it can't be used, what it says when nothing comes through, and
// that neither an expression nor an event can reach into the program or hold it up. That it is Promptise's is shown in
// test/interop/filter-language.test.ts.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../core/model/errors.ts';
import { applyFilter, parseFilter, type FilterAnswer } from '../../core/model/filter-expression.ts';
import { RawNumber, type Json } from '../../core/model/json.ts';
import { events, expressions } from '../interop/filter-cases.ts';

function answer(expression: string, payload: Json): FilterAnswer {
  return applyFilter(parseFilter(expression), {
    payload,
    metadata: { method: 'POST' },
    triggerType: 'webhook',
    triggerId: 'webhook-9090/hook',
    eventId: 'e1',
  });
}

function matches(expression: string, payload: Json = null): boolean {
  return answer(expression, payload).matches;
}

function why(expression: string, payload: Json = null): string {
  const given = answer(expression, payload);
  return given.matches ? 'it matches' : given.why;
}

function refusal(expression: string): AppError {
  try {
    parseFilter(expression);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error(`${expression} was read`);
}

/** What comes of reading it; anything but a refusal with a column is thrown on. */
function readingOf(expression: string): string {
  try {
    return parseFilter(expression).text === expression ? 'read' : 'changed';
  } catch (error) {
    if (error instanceof AppError && typeof error.detail['column'] === 'number') return error.code;
    throw error;
  }
}

describe('a filter lets through what it says [A10]', () => {
  const opened = { action: 'opened', labels: ['bug'], pull_request: { state: 'open', commits: 3 } };

  test.each([
    ["action == 'opened'", true],
    ["payload['action'] == 'closed'", false],
    ["payload.pull_request.state == 'open' and 'bug' in labels", true],
    ['1 < pull_request.commits <= 3', true],
    ['pull_request.reviewers is None', true],
    ["trigger_type == 'webhook' and metadata.method == 'POST'", true],
    ["endswith(trigger_id, '/hook') and event_id == 'e1'", true],
    ['len(labels) > 1', false],
    ['labels', true],
  ])('%s: %s', (expression, expected) => {
    expect(matches(expression, opened)).toBe(expected);
  });

  test('numbers that a double would change are compared to the last digit', () => {
    const payload = { id: new RawNumber('9007199254740993') };
    expect(matches('id == 9007199254740993', payload)).toBe(true);
    expect(matches('id == 9007199254740992', payload)).toBe(false);
  });
});

describe('why nothing came through names the part that decided, and nothing out of the event', () => {
  const payload = { action: 'closed', secret: 'hunter2', count: null };

  test('of a chain the part that is not true', () => {
    expect(why("secret and action == 'opened' and missing", payload)).toBe(
      `"action == 'opened'" is not true`,
    );
  });

  test('an operation that can not be done, with its types', () => {
    expect(why('secret == 1 or count > 3', payload)).toBe(
      `"count > 3" can't be worked out: NoneType and int have no order`,
    );
    expect(why('secret.lower() > 3', payload)).not.toContain('hunter2');
    expect(why('count.lower()', payload)).toMatch(/NoneType is no text/);
  });

  test('on one line that ends', () => {
    const long = why(`(${'action == 1 or\n'.repeat(30)}\nmissing)`, payload);
    expect(long).not.toContain('\n');
    expect(long.length).toBeLessThan(200);
  });
});

describe('a filter that can not be used is refused when it is read', () => {
  test.each([
    ["action = 'x'", 8, '"==", not "="', /write "=="/],
    ['count + 1 > 3', 7, 'arithmetic', /don't calculate/],
    ['action if draft else 1', 8, 'conditions', /"if" is a word of Python/],
    ["payload['x", 9, 'an open text', /not closed/],
    ['a and (b or c', 7, 'an open bracket', /bracket is not closed/],
    ['a and', 6, 'half an expression', /missing at the end/],
    ['items[0:2]', 8, 'slices', /slices/],
    ['{"a": 1}', 5, 'dictionaries', /dictionaries/],
    ['eval(payload)', 1, 'unknown functions', /no function "eval"; there are bool, contains/],
    ['payload.pop()', 12, 'unknown methods', /no method "pop"/],
    ['len(a, b)', 1, 'a wrong number of arguments', /takes 1 argument and is given 2/],
    ['str(object=1)', 11, 'arguments with names', /no names/],
    ["payload['a']()", 13, 'calls of anything else', /by their names/],
    ['a\nb', 3, 'a second line', /second line/],
    ["  'é😀' == $x", 11, 'signs that are none, counted in characters', /\$ is not allowed/],
    ["'\0' == a", 2, 'the character that ends texts elsewhere', /no text may hold/],
    ['', 1, 'nothing at all', /nothing/],
    ['a'.repeat(2_001), 2_001, 'more than 2,000 characters', /2,000 characters/],
    [`[${'1, '.repeat(198)}]`, 1, 'more than 200 elements', /200 elements/],
    [`${'('.repeat(200)}1`, 101, 'a tower of brackets', /100 brackets/],
  ])('%s', (expression, column, _, message) => {
    const error = refusal(expression);
    expect(error.code).toBe('trigger.bad-filter');
    expect(error.message).toMatch(message);
    expect(error.detail).toMatchObject({ column });
    expect(error.message).toContain(`at column ${column},`);
    expect(error.message).not.toMatch(/[\n\0]/);
    expect(error.message.length).toBeLessThan(400);
  });

  test('what it reads is shown around the place', () => {
    const { detail } = refusal(`${'action == 1 or '.repeat(10)}count + 1 ${'or action == 2 '.repeat(10)}`);
    expect(detail['excerpt']).toMatch(/^….*count \+ 1.*…$/);
  });
});

describe('nothing of the program can be reached', () => {
  test('a name that begins with an underscore is refused, and so is an attribute', () => {
    for (const expression of [
      '__proto__',
      'payload.__class__',
      '_',
      'payload._private',
      '__import__("os")',
    ]) {
      expect(refusal(expression).code).toBe('trigger.bad-filter');
    }
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', 'length', 'prototype', 'valueOf'])(
    '%s is a key like any other',
    (key) => {
      for (const payload of [{}, [], 'text', 1, null]) {
        expect(
          matches(`${key} is None and payload.${key} is None and payload['${key}'] is None`, payload),
        ).toBe(true);
      }
      expect(matches(`payload.${key} == 'own'`, { [key]: 'own' })).toBe(true);
      expect(matches(`'${key}' in payload`, {})).toBe(false);
    },
  );

  test('__proto__ is a key like any other', () => {
    expect(matches("payload['__proto__'] is None", {})).toBe(true);
    expect(matches("payload['__proto__'] == 'own'", JSON.parse('{"__proto__": "own"}') as Json)).toBe(true);
    expect(matches("payload == {1} or payload['__proto__']['polluted'] is None", {})).toBe(true);
  });
});

describe('whatever is written', () => {
  const scraps = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          ..."a payload not in is and or == < - ( ) [ ] { } , . : 1 .5 0x 'x' \"y\" ''' len( .lower( # \\ \n".split(
            ' ',
          ),
        ),
        fc.string({ unit: 'binary', maxLength: 3 }),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(' '));

  test('an expression is read or refused with its column', () => {
    fc.assert(
      fc.property(scraps, (expression) => {
        expect(['read', 'trigger.bad-filter']).toContain(readingOf(expression));
      }),
      { numRuns: 2_000 },
    );
  });

  test('an event comes through or there is a reason', () => {
    fc.assert(
      fc.property(expressions.test, events, (expression, payload) => {
        const given = answer(expression, payload);
        expect(given.matches || /is not true$|can't be worked out: /.test(given.why)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('no input can hold up the host', () => {
  const tooMuch = /too much work for a filter/;

  test('texts that double with every step', () => {
    const expression = `len(${'str(['.repeat(35)}payload${'])'.repeat(35)}) > 0`;
    expect(why(expression, '\\\'"')).toMatch(tooMuch);
  });

  test('a large event that is written out again and again', () => {
    const payload = { lines: Array.from({ length: 20_000 }, (_, at) => `line ${at} of many`) };
    const written = Array.from({ length: 20 }, (_, at) => `'x${at}' in str(payload)`).join(' or ');
    expect(why(written, payload)).toMatch(tooMuch);
    expect(matches("'line 19999 of' in str(payload)", payload)).toBe(true);
  });

  test('a search that would try every place', () => {
    const payload = { text: 'a'.repeat(1_000_000), sought: `${'a'.repeat(400_000)}b` };
    expect(why('sought in text', payload)).toBe('"sought in text" is not true');
    expect(matches('contains(text, sought)', { ...payload, sought: 'a'.repeat(400_000) })).toBe(true);
  });

  test('lists that are compared with each of many', () => {
    const list = Array.from({ length: 2_000 }, () => 0);
    const payload = { list, lists: Array.from({ length: 2_000 }, () => [...list, 1].slice(1)) };
    expect(why('list in lists', payload)).toMatch(tooMuch);
  });

  test('numbers with more digits than Python reads', () => {
    const payload = { n: new RawNumber('9'.repeat(1_000_000)) };
    expect(why('n > 1', payload)).toMatch(/more than 4300 digits/);
    expect(why('int(payload) > 1', '9'.repeat(65))).toMatch(/more than 64 characters/);
  });

  test('values deeper than the stack', () => {
    const deep = (leaf: Json): Json => Array.from({ length: 5_000 }).reduce<Json>((inner) => [inner], leaf);
    const payload = { a: deep(1), b: deep(2) };
    for (const expression of ['a == b', 'a < b', 'str(a) == 1', 'a in [b]']) {
      expect(why(expression, payload)).toMatch(/nested more than 500 levels/);
    }
  });

  test('blanks, quotes and digits without end', () => {
    for (const part of [' ', '\\', '(', '-', 'not ', '1_', '.5', 'a.', '[', '0x']) {
      expect(refusal(part.repeat(2_000 / part.length)).code).toBe('trigger.bad-filter');
    }
    expect(matches("payload.strip() == 'x'", `${' '.repeat(500_000)}x${' '.repeat(500_000)}`)).toBe(true);
  });
});
