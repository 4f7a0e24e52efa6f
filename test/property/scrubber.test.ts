// J10: whatever is known is found in every form, wherever it stands, and nothing else is touched.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Scrubber } from '../../core/model/scrubber.ts';
import { valueProblem } from '../../core/model/secrets.ts';
import { ENCODINGS } from '../support/encodings.ts';

const value = fc
  .oneof(
    fc.string({ minLength: 8, maxLength: 60, unit: 'grapheme-ascii' }),
    fc.string({ minLength: 8, maxLength: 60, unit: 'grapheme' }),
    fc
      .string({ minLength: 8, maxLength: 300, unit: 'binary-ascii' })
      .map((text) => text.replaceAll('\0', '0')),
    fc.base64String({ minLength: 12, maxLength: 80 }),
    fc.constantFrom(
      'päss wörd/+=&?<b>"\'\\',
      'sk-live_0123456789abcdef',
      '{"key":"val\\"ue"}',
      'a/b+c=d&e f%20',
    ),
  )
  .filter((text) => valueProblem(text) === null && text.isWellFormed());
/** Nothing in it begins or ends what stands beside it, as a letter beside base64 might. */
const around = fc.string({
  maxLength: 30,
  unit: fc.constantFrom(' ', '.', ',', 'é', '語', '#', '~', '\n', '-'),
});

describe.each(Object.entries(ENCODINGS))('%s', (_, encode) => {
  test('a value is found at any place, whole [J10]', () => {
    fc.assert(
      fc.property(value, around, around, (secret, before, after) => {
        const scrubber = new Scrubber();
        scrubber.know('KEY', secret);
        for (const form of encode(secret)) {
          const scrubbed = scrubber.text(`${before}${form}${after}`);
          expect(scrubbed).toContain('[secret:KEY]');
          expect(scrubbed.toLowerCase()).not.toContain(form.toLowerCase());
        }
      }),
      { numRuns: 150 },
    );
  });
});

test('base64 of a longer text that holds it somewhere has none of it [J10]', () => {
  fc.assert(
    fc.property(
      value,
      fc.string({ maxLength: 20 }),
      fc.string({ maxLength: 20 }),
      (secret, before, after) => {
        const scrubber = new Scrubber();
        scrubber.know('KEY', secret);
        for (const kind of ['base64', 'base64url'] as const) {
          const text = Buffer.from(`${before}${secret}${after}`).toString(kind);
          expect(
            Buffer.from(scrubber.text(text).replaceAll(/\[secret:KEY\]/g, ''), kind).toString(),
          ).not.toContain(secret);
          expect(scrubber.text(text)).toContain('[secret:KEY]');
        }
      },
    ),
  );
});

test('what holds none is given back as it is, the same object [J10]', () => {
  const scrubber = new Scrubber();
  for (let n = 0; n < 20; n += 1) scrubber.know(`KEY_${n}`, `${n}-Zx9#unlikely-${n * 7919}`);
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      expect(scrubber.json(json)).toBe(json);
    }),
  );
});

test('many values in one text are all taken out, and the rest stays [J10]', () => {
  fc.assert(
    fc.property(fc.uniqueArray(value, { minLength: 2, maxLength: 6 }), around, (secrets, gap) => {
      const scrubber = new Scrubber();
      for (const [n, secret] of secrets.entries()) scrubber.know(`KEY_${n}`, secret);
      const scrubbed = scrubber.text(`begin|${secrets.join(`|${gap}|`)}|end`);
      expect(scrubbed.startsWith('begin|[secret:')).toBe(true);
      expect(scrubbed.endsWith(']|end')).toBe(true);
      for (const secret of secrets) expect(scrubbed).not.toContain(secret);
    }),
  );
});

test('what is retired is still taken out in every form, and is not in memory any more [J10]', () => {
  fc.assert(
    fc.property(value, value, around, (secret, other, before) => {
      const scrubber = new Scrubber();
      scrubber.know('KEY', secret);
      scrubber.know('OTHER', other);
      scrubber.retire(secret);
      expect(scrubber.knows(secret)).toBe(false);
      for (const form of Object.values(ENCODINGS).flatMap((encode) => encode(secret))) {
        expect(scrubber.text(`${before}${form}${before}`)).toContain('[secret:');
        expect(scrubber.text(`${before}${form}`).toLowerCase()).not.toContain(form.toLowerCase());
      }
    }),
  );
});

test('known and retired over and over, it finds the same and keeps no more', () => {
  const scrubber = new Scrubber();
  for (let round = 0; round < 200; round += 1) {
    scrubber.know('KEY', 'the-same-value-1');
    scrubber.know(`KEY_${round}`, `another-value-${round}`);
    scrubber.retire('the-same-value-1');
    scrubber.retire(`another-value-${round}`);
  }
  expect(scrubber.text('the-same-value-1, another-value-7!')).toBe('[secret:KEY], [secret:KEY_7]!');
  expect(scrubber.text('not-the-same-value')).toBe('not-the-same-value');
});

test('a number is taken out where it is a value as it stands, and left where it only holds one', () => {
  const scrubber = new Scrubber();
  scrubber.know('PIN', '1234567890');
  const json = { pin: 1234567890, id: 12345678901, at: 1.5, text: 'pin 1234567890!' };
  expect(scrubber.json(json)).toEqual({ ...json, pin: '[secret:PIN]', text: 'pin [secret:PIN]!' });
  scrubber.retire('1234567890');
  expect(scrubber.json([1234567890])).toEqual(['[secret:PIN]']);
});

test('keys that held the same value in different forms are all kept', () => {
  const scrubber = new Scrubber();
  scrubber.know('KEY', 'some-value/1');
  expect(scrubber.json({ 'some-value/1': 1, 'some-value%2F1': 2, other: 3 })).toEqual({
    '[secret:KEY]': 1,
    '[secret:KEY] 2': 2,
    other: 3,
  });
});

test('what has no end, or none that is near, is left to whoever refuses it', () => {
  const scrubber = new Scrubber();
  scrubber.know('KEY', 'some-value/1');
  const round: Record<string, unknown> = { a: 'some-value/1' };
  round['b'] = [round, round];
  expect(scrubber.json(round)).toBe(round);
});
