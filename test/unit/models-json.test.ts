import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractJson } from '../../core/agent/models/extract-json.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { anyText } from '../support/json-arbitraries.ts';

function isThat(text: string, value: JsonObject): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

const any = (): boolean => true;

/** Prose with all but braces: quotes that are never closed, fences, lists. */
const prose = fc
  .array(fc.oneof(anyText, fc.constantFrom('```json\n', '\n```', '"', "it's ", '[1, 2', '\\', ': ')), {
    maxLength: 8,
  })
  .map((parts) => parts.join('').replaceAll(/[{}]/g, ''));

const object = fc
  .dictionary(
    fc.oneof(fc.constantFrom('achieved', 'a', '__proto__'), fc.string()),
    fc.jsonValue({ maxDepth: 3 }),
    {
      maxKeys: 5,
    },
  )
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

describe('the JSON in what a model said', () => {
  it('is found whatever is written around it', () => {
    fc.assert(
      fc.property(prose, object, prose, fc.constantFrom(undefined, 2), (before, value, after, indent) => {
        const text = `${before}${JSON.stringify(value, null, indent)}${after}`;
        expect(extractJson(text, any)).toEqual(value);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the last that fits', () => {
    fc.assert(
      fc.property(fc.array(object, { minLength: 1, maxLength: 6 }), prose, (values, between) => {
        const text = values.map((value) => JSON.stringify(value)).join(`\n${between}\n`);
        const fits = (value: JsonObject): boolean => Object.hasOwn(value, 'achieved');
        const found = extractJson(text, fits);
        // One inside of another counts too, where the outer one does not fit.
        expect(found === null || fits(found)).toBe(true);
        const last = values.at(-1)!;
        expect(fits(last) ? found : last).toEqual(last);
        expect(values.some(fits) && found === null).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is never made up: what is found stands in the text', () => {
    const text = fc
      .array(
        fc.oneof(
          fc.constantFrom('{', '}', '"', ':', ',', '1', '"a":', '\n', '\\', 'NaN', '{"a":1}', '{{'),
          anyText,
        ),
        {
          maxLength: 40,
        },
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (said) => {
        const found = extractJson(said, any);
        if (found === null) return;
        const at = (wanted: string): number[] =>
          [...said.matchAll(wanted === '{' ? /\{/g : /\}/g)].map(({ index }) => index);
        const stands = at('{').some((start) =>
          at('}').some((end) => start < end && isThat(said.slice(start, end + 1), found)),
        );
        expect(stands).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['after an opening that is never closed', 'I think { so. {"achieved": true}', { achieved: true }],
    ['after a quote that is never closed', 'a { "oops\n then {"achieved": true}', { achieved: true }],
    ['inside of another', 'Here: {"verdict": {"achieved": false}}', { achieved: false }],
    [
      'in a fence',
      '```json\n{"achieved": true,\n "reasoning": "a { brace } and \\" quote"}\n```',
      { achieved: true, reasoning: 'a { brace } and " quote' },
    ],
    ['the later of two', '{"achieved": true} No: {"achieved": false}', { achieved: false }],
  ])('is found %s', (_, text, value) => {
    expect(extractJson(text, (object) => Object.hasOwn(object, 'achieved'))).toEqual(value);
  });

  it.each([
    '',
    'yes',
    '[]',
    '[{]',
    '{achieved: true}',
    "{'achieved': true}",
    '{"achieved": NaN}',
    '{"achieved": true,}',
  ])('is not seen in %j', (text) => {
    expect(extractJson(text, any)).toBeNull();
  });

  it('costs no time where somebody means it to', () => {
    const began = performance.now();
    for (const text of ['{', '}', '{"a":', '"', '{"', '\\"{', '{"a":{}', '{}']) {
      const large = text.repeat(2_000_000);
      extractJson(large, () => false);
      extractJson(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}${large}`, () => false);
    }
    // Some milliseconds each; quadratic it would be minutes.
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});
