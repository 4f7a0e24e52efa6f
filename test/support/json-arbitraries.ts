import fc from 'fast-check';
import { RawNumber, type Json, type JsonObject } from '../../core/model/json.ts';

/** Texts with everything that goes wrong on the way to a file and a terminal. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '\ud83d',
      '\udce6\ud83d',
      'São Tomé 📦 東京',
      'NaN',
      '-Infinity, "NaN"',
      '"\\"NaN\\\\"',
      'a\nb\r\n\tc\u0000\u001b[31m',
      '\u202eabc\u2066\u2028\ufeff',
      '","crc":"00000000"}',
    ),
  },
);

export const hostileKey: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('a', 'b', 'c') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'length', '0'),
  },
  { weight: 1, arbitrary: anyText },
);

/** Integers that a double can't hold, so they are kept as they are written. */
const bigInteger: fc.Arbitrary<Json> = fc
  .bigInt({ min: 2n ** 53n + 1n, max: 2n ** 200n })
  .chain((n) => fc.boolean().map((negative) => (negative ? -n : n)))
  .filter((n) => BigInt(Number(n)) !== n)
  .map((n) => new RawNumber(String(n)));

const plainNumber = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  // JSON has no word for the sign of zero that JavaScript would write.
  .map((n) => (n === 0 ? 0 : n));

export const anyJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  object: fc
    .array(fc.tuple(hostileKey, tie('value')), { maxLength: 4 })
    .map((pairs) => Object.fromEntries(pairs)),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    plainNumber,
    anyText,
    bigInteger,
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
})).value;

export const anyObject: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(hostileKey, anyJson), { maxLength: 6 })
  .map((pairs) => Object.fromEntries(pairs));
