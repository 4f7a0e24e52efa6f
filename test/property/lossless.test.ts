// Reading numbers as they were written: no digit changes on the way in or out.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLossless } from '../../core/journal/lossless.ts';
import { RawNumber, showJson, withTaggedNumbers, type Json } from '../../core/model/json.ts';
import { anyJson, anyText } from '../support/json-arbitraries.ts';

/** A decimal's value as an exact fraction, so that spellings can be compared: digits and a power of ten. */
function valueOf(decimal: string): { digits: bigint; exponent: number } {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(decimal)!;
  let digits = BigInt((match[1] ?? '') + match[2]! + (match[3] ?? ''));
  let exponent = 0 + Number(match[4] ?? 0) - (match[3]?.length ?? 0);
  while (digits !== 0n && digits % 10n === 0n) {
    digits /= 10n;
    exponent += 1;
  }
  return digits === 0n ? { digits: 0n, exponent: 0 } : { digits, exponent };
}

const spelled = (value: Json): string => (value instanceof RawNumber ? value.source : JSON.stringify(value));

const digits = fc.string({ unit: fc.constantFrom(...Array.from('0123456789')), minLength: 1, maxLength: 30 });
const number = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: digits.map((text) => text.replace(/^0+(?=.)/, '')),
    fraction: fc.option(digits, { nil: '' }),
    exponent: fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.nat(420)), {
      nil: null,
    }),
  })
  .map(
    ({ sign, whole, fraction, exponent }) =>
      `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}${exponent?.join('') ?? ''}`,
  );

describe('a number', () => {
  test('keeps its exact value, however long, large or small it is', () => {
    fc.assert(
      fc.property(number, (text) => {
        const parsed = parseLossless(`{"a":[${text}]}`) as { a: [Json] };
        expect(valueOf(spelled(parsed.a[0]))).toEqual(valueOf(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test('that is an integer keeps every digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 400n), max: 2n ** 400n }), (n) => {
        expect(BigInt(spelled(parseLossless(String(n))))).toBe(n);
      }),
    );
  });

  test('that a double holds comes back as a double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => {
        expect(parseLossless(JSON.stringify(n))).toBe(n === 0 ? 0 : n);
      }),
    );
  });

  test.each([
    '1e-400',
    '3e-324',
    '1.2345e-320',
    '1e400',
    '-1e999',
    '123456789012345678',
    '0.1234567890123456789',
  ])('%s, which a double would change, is kept as it is written', (text) => {
    expect(parseLossless(`[${text}]`)).toEqual([new RawNumber(text)]);
  });

  test('is exact wherever it stands, and the digits of ids and hashes beside it are letters', () => {
    const space = fc.constantFrom('', ' ', '\t', '\r\n');
    const letters = fc.constantFrom('e1234567890123456789', '1e999', ':1e999', '[12345678901234567890', 'x');
    fc.assert(
      fc.property(number, number, space, letters, (a, b, gap, id) => {
        const quoted = JSON.stringify(id);
        const parsed = parseLossless(
          `{${quoted}:${gap}${a}${gap},"b":[${gap}${b}${gap},${quoted},${gap}${a}]}`,
        ) as { b: [Json, Json, Json] } & Record<string, Json>;
        expect(valueOf(spelled(parsed[id]!))).toEqual(valueOf(a));
        expect(valueOf(spelled(parsed.b[0]))).toEqual(valueOf(b));
        expect(parsed.b[1]).toBe(id);
        expect(valueOf(spelled(parsed.b[2]))).toEqual(valueOf(a));
        expect(valueOf(spelled(parseLossless(`${gap}${a}${gap}`)))).toEqual(valueOf(a));
      }),
      { numRuns: 1_000 },
    );
  });

  test('of Python in full is a double, beside one that is none', () => {
    expect(parseLossless('{"at":1767603600.123456,"sum":0.30000000000000004}')).toEqual({
      at: 1767603600.123456,
      sum: 0.1 + 0.2,
    });
    expect(parseLossless('{"at":1767603600.123456,"id":12345678901234567891}')).toEqual({
      at: 1767603600.123456,
      id: new RawNumber('12345678901234567891'),
    });
  });

  test.each([
    ['5e-324', 5e-324],
    ['1.7976931348623157e+308', Number.MAX_VALUE],
    ['0.30000000000000004', 0.1 + 0.2],
    ['1e+16', 1e16],
    ['1e-07', 1e-7],
    ['1.0', 1],
    ['0e999', 0],
    ['10000000000000000000', 1e19],
  ])('%s is the double that it is', (text, value) => {
    expect(parseLossless(`[${text}]`)).toEqual([value]);
  });
});

describe('NaN and the infinities', () => {
  test('outside texts are numbers, inside texts are letters, whatever stands around them', () => {
    const token = fc.constantFrom('NaN', 'Infinity', '-Infinity');
    const item = fc.oneof(
      token.map((text) => [text, new RawNumber(text)] as const),
      fc
        .tuple(anyText, token, anyText)
        .map((parts) => [JSON.stringify(parts.join('')), parts.join('')] as const),
      fc.integer().map((n) => [String(n), n === 0 ? 0 : n] as const),
    );
    fc.assert(
      fc.property(fc.array(item), fc.constantFrom(',', ', ', ' ,\t'), (items, comma) => {
        const text = `[${items.map(([source]) => source).join(comma)}]`;
        expect(parseLossless(text)).toEqual(items.map(([, value]) => value));
      }),
    );
  });

  test.each([
    'NaNs',
    'Infinity1',
    '+Infinity',
    '-NaN',
    '"a"NaN',
    '{NaN:1}',
    '{"a":1,Infinity:2}',
    'NaN NaN',
    '[NaN',
  ])('%s is not JSON even so', (text) => {
    expect(() => parseLossless(text)).toThrow(SyntaxError);
  });

  test('a command prints them as JSON that any program can read, and a screen as they are', () => {
    const value = parseLossless('{"a": [NaN, -Infinity, 12345678901234567890], "b": "NaN"}');
    expect(JSON.stringify(withTaggedNumbers(value))).toBe(
      '{"a":[{"$number":"NaN"},{"$number":"-Infinity"},12345678901234567890],"b":"NaN"}',
    );
    expect(showJson(value)).toBe('{"a":[NaN,-Infinity,12345678901234567890],"b":"NaN"}');
  });
});

test('any value that is written as JSON is read back as it was', () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      expect(parseLossless(JSON.stringify(value))).toEqual(value);
    }),
    { numRuns: 500 },
  );
});

test('anything else is read as JSON.parse reads it, or refused as JSON.parse refuses it', () => {
  /** The error's name where it is refused; what only we read counts as refused. */
  const outcome = (parse: (text: string) => unknown, text: string): unknown => {
    try {
      const value = parse(text);
      return value instanceof RawNumber && !value.isJson ? 'SyntaxError' : { value };
    } catch (error) {
      return (error as Error).name;
    }
  };
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(outcome(parseLossless, text)).toEqual(outcome(JSON.parse, text));
    }),
    { numRuns: 500 },
  );
});
