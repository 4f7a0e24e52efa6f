import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSignature, type SignatureVerdict } from '../../core/triggers/webhook-signature.ts';
import { SECRET, signed, stripeSigned } from '../support/webhooks.ts';

const NOW_S = 1_800_000_000;
const TOLERANCE_S = 300;
const BODY = Buffer.from('{"amount": 12, "to": "Zoë"}');

function check(
  scheme: 'generic' | 'github' | 'stripe',
  header: string | null,
  body: Uint8Array = BODY,
  secret = SECRET,
): SignatureVerdict {
  const rules = { scheme, secret, toleranceMs: TOLERANCE_S * 1_000 };
  return checkSignature(rules, header, body, NOW_S * 1_000);
}

describe('signatures over the body [A15]', () => {
  it('take the example that GitHub documents', () => {
    const given = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const body = Buffer.from('Hello, World!');
    expect(check('github', given, body, "It's a Secret to Everybody")).toEqual({ isGood: true, once: null });
  });

  it('take what was signed, in either case of digits', () => {
    expect(check('generic', signed(BODY)).isGood).toBe(true);
    const digest = signed(BODY).slice('sha256='.length).toUpperCase();
    expect(check('github', `sha256=${digest}`).isGood).toBe(true);
  });

  it('refuse a body, a secret or a signature that is another one in a single place', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), fc.nat(7), (bytes, at, bit) => {
        const header = signed(bytes);
        const other = bytes.slice();
        other[at % bytes.length]! ^= 1 << bit;
        const digit = 'sha256='.length + (at % 64);
        const swapped = header[digit] === '0' ? '1' : '0';
        return (
          check('generic', header, bytes).isGood &&
          !check('generic', header, other).isGood &&
          !check('generic', header, bytes, `${SECRET}.`).isGood &&
          !check('generic', header.slice(0, digit) + swapped + header.slice(digit + 1), bytes).isGood
        );
      }),
      { numRuns: 200 },
    );
  });

  it('answer whatever stands in the header, and never throw', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('generic', 'github', 'stripe'),
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: 'binary' }).map((text) => `sha256=${text}`),
          fc.string({ unit: 'binary' }).map((text) => `t=${NOW_S},v1=${text}`),
          fc.string({ unit: 'binary' }).map((text) => `t=${text},v1=${'0'.repeat(64)}`),
        ),
        (scheme, header) => !check(scheme, header).isGood,
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    null,
    '',
    'sha256=',
    `sha1=${'0'.repeat(40)}`,
    signed(BODY).slice(0, -1),
    `${signed(BODY)}0`,
    `${signed(BODY)}, ${signed(BODY)}`,
    `sha256=${'é'.repeat(64)}`,
    `sha256=${'٠'.repeat(64)}`,
    ` ${signed(BODY)}`,
  ])('refuse %j', (header) => {
    expect(check('generic', header).isGood).toBe(false);
    expect(check('github', header).isGood).toBe(false);
  });
});

describe('signatures with a time in them [A15]', () => {
  it('count once, however the header is spelt', () => {
    const plain = stripeSigned(BODY, NOW_S);
    const [time, digest] = plain.split(',') as [string, string];
    const verdicts = [
      plain,
      `${digest}, ${time}`,
      `${time},v0=abc,${digest}`,
      `${time},v1=${'0'.repeat(64)},${digest}`,
      `${time},${digest.toUpperCase().replace('V1', 'v1')}`,
    ].map((header) => check('stripe', header));
    expect(verdicts.map(({ isGood }) => isGood)).toEqual([true, true, true, true, true]);
    expect(new Set(verdicts.map((verdict) => verdict.isGood && verdict.once?.key)).size).toBe(1);
    expect(check('stripe', stripeSigned(BODY, NOW_S - 1))).not.toEqual(verdicts[0]);
  });

  it('hold for the tolerance, into the past and into the future, and no second longer', () => {
    for (const away of [0, TOLERANCE_S, -TOLERANCE_S]) {
      expect(check('stripe', stripeSigned(BODY, NOW_S + away)).isGood).toBe(true);
    }
    expect(check('stripe', stripeSigned(BODY, NOW_S - TOLERANCE_S - 1))).toEqual({
      isGood: false,
      why: "the signature's time lies 301 s in the past",
    });
    expect(check('stripe', stripeSigned(BODY, NOW_S + TOLERANCE_S + 1))).toEqual({
      isGood: false,
      why: "the signature's time lies 301 s in the future",
    });
  });

  it.each([
    '',
    `t=${NOW_S}`,
    stripeSigned(BODY, NOW_S).replace(/^t=\d+,/, ''),
    `t=${NOW_S},${stripeSigned(BODY, NOW_S)}`,
    stripeSigned(BODY, NOW_S).replace('t=', 't=+'),
    stripeSigned(BODY, NOW_S).replace('t=', 't=0'),
    stripeSigned(BODY, NOW_S).replace('v1=', 'v2='),
    stripeSigned(BODY, NOW_S).replace(`${NOW_S}`, 'Infinity'),
    stripeSigned(BODY, NOW_S).replace(`${NOW_S}`, `${NOW_S}`.repeat(4)),
    stripeSigned(BODY, NOW_S).replace(`${NOW_S}`, `${NOW_S + 1}`),
    signed(BODY),
    `t=${NOW_S},v1=${'ÿ'.repeat(64)}`,
  ])('refuse %j', (header) => {
    expect(check('stripe', header).isGood).toBe(false);
  });
});
