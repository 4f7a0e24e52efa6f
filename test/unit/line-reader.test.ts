import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineReader } from '../../core/host/line-reader.ts';

function read(
  bytes: Buffer,
  cuts: readonly number[],
  maxBytes: number,
): { lines: string[]; tooLong: number } {
  const lines: string[] = [];
  let tooLong = 0;
  const take = lineReader(
    maxBytes,
    (line) => lines.push(line),
    () => (tooLong += 1),
  );
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  for (const [at, from] of places.entries()) take(bytes.subarray(from, places[at + 1] ?? bytes.length));
  return { lines, tooLong };
}

test('however the bytes arrive, the lines are the same, also where a character is cut in pieces', () => {
  const text = fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', ''));
  fc.assert(
    fc.property(fc.array(text), text, fc.array(fc.nat(10_000)), (lines, rest, cuts) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join('') + rest);
      expect(read(bytes, cuts, 1_000_000)).toEqual({ lines, tooLong: 0 });
    }),
  );
});

test('a line that is too long is told once, and nothing behind it is read', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(10_000)), fc.integer({ min: 0, max: 20 }), (cuts, more) => {
      const bytes = Buffer.from(`short\n${'x'.repeat(11 + more)}${'\nagain'.repeat(5)}\n`);
      expect(read(bytes, cuts, 10)).toEqual({ lines: ['short'], tooLong: 1 });
    }),
  );
  expect(read(Buffer.from(`${'x'.repeat(10)}\n`), [], 10)).toEqual({ lines: ['x'.repeat(10)], tooLong: 0 });
});
