// Lines by position, forwards and backwards, against the naive way: read all of it and split [J4].

import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  committedEnd,
  linesBackwards,
  linesForwards,
  withFile,
  type Line,
} from '../../core/journal/lines.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const CHUNK = 64 * 1024;

interface Plain {
  readonly offset: number;
  readonly sizeBytes: number;
  readonly text: string;
}

function naive(bytes: Buffer): Plain[] {
  const lines: Plain[] = [];
  for (let offset = 0; ;) {
    const at = bytes.indexOf(10, offset);
    if (at < 0) return lines;
    const end = at > offset && bytes[at - 1] === 13 ? at - 1 : at;
    lines.push({ offset, sizeBytes: at + 1 - offset, text: bytes.toString('latin1', offset, end) });
    offset = at + 1;
  }
}

/** The first line that differs, in words; toEqual takes seconds for lists of this length. */
function difference(what: string, found: Iterable<Line>, expected: readonly Plain[]): string[] {
  const lines = Array.from(found, plain);
  const longer = lines.length > expected.length ? lines : expected;
  const at = longer.findIndex((_, index) => JSON.stringify(expected[index]) !== JSON.stringify(lines[index]));
  return at < 0 ? [] : [`${what}, line ${at}: ${JSON.stringify([lines[at], expected[at]])?.slice(0, 300)}`];
}

const plain = ({ offset, sizeBytes, bytes }: Line): Plain => ({
  offset,
  sizeBytes,
  text: bytes.toString('latin1'),
});

/** What is not as the naive way has it: nothing, if all is well. */
function wrong(path: string, bytes: Buffer): string[] {
  writeFileSync(path, bytes);
  const expected = naive(bytes);
  return withFile(path, (fd, size) => {
    const end = committedEnd(fd, size);
    const at = expected.length >> 1;
    const middle = expected[at]?.offset ?? 0;
    return [
      ...(end === bytes.lastIndexOf(10) + 1 ? [] : [`committed end at ${end}`]),
      ...difference('forwards', linesForwards(fd, 0, end), expected),
      ...difference('forwards over the tail', linesForwards(fd, 0, size), expected),
      ...difference('backwards', linesBackwards(fd, end), expected.toReversed()),
      ...difference('second half', linesForwards(fd, middle, end), expected.slice(at)),
      ...difference('first half', linesBackwards(fd, middle), expected.slice(0, at).toReversed()),
    ];
  });
}

test('any bytes give the same lines from either end, empty lines and carriage returns included', () => {
  const path = join(tempDirectory(), 'lines');
  const byte = fc.oneof(
    { weight: 5, arbitrary: fc.nat(255) },
    { weight: 3, arbitrary: fc.constantFrom(10, 13, 0) },
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 60 }), (bytes) => {
      expect(wrong(path, Buffer.from(bytes))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('lines around the size of a chunk, and files that end at a chunk, lose and gain nothing', () => {
  const path = join(tempDirectory(), 'lines');
  const length = fc.oneof(
    fc.nat(300),
    fc.integer({ min: CHUNK - 3, max: CHUNK + 3 }),
    fc.integer({ min: 2 * CHUNK - 3, max: 2 * CHUNK + 3 }),
    fc.constantFrom(0, CHUNK - 1, 3 * CHUNK),
  );
  fc.assert(
    fc.property(fc.array(length, { maxLength: 8 }), length, fc.boolean(), (lengths, tail, hasTail) => {
      const lines = lengths.map((size, at) => `${String.fromCharCode(97 + at).repeat(size)}\n`);
      expect(wrong(path, Buffer.from(lines.join('') + (hasTail ? 't'.repeat(tail) : '')))).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test.each([CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 2 * CHUNK + 1])(
  'a file whose first line feed, last line feed or both are at byte %i',
  (size) => {
    const path = join(tempDirectory(), 'lines');
    const files = [
      `${'a'.repeat(size - 1)}\n`,
      `${'a'.repeat(size)}\n`,
      `\n${'a'.repeat(size - 2)}\n`,
      `${'a'.repeat(size - 1)}\n${'b'.repeat(size)}`,
    ];
    expect(files.flatMap((text) => wrong(path, Buffer.from(text)))).toEqual([]);
  },
);

test('a chunk of nothing but empty lines', () => {
  const path = join(tempDirectory(), 'lines');
  expect(wrong(path, Buffer.alloc(CHUNK + 1, '\n'))).toEqual([]);
});

test('a torn tail longer than several chunks is never part of a line', () => {
  const path = join(tempDirectory(), 'lines');
  const tail = 't'.repeat(5 * CHUNK + 7);
  for (const text of [`one\ntwo\n${tail}`, tail, '']) {
    expect(wrong(path, Buffer.from(text))).toEqual([]);
  }
});
