// Lines by position, forwards and backwards, against the naive way: read all of it and split [J4].

import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  committedEnd,
  countLines,
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

/** As toEqual, which takes seconds for lists of this length. */
function same(found: Iterable<Line>, expected: readonly Plain[]): void {
  const lines = Array.from(found, plain);
  const at = expected.findIndex((line, index) => JSON.stringify(line) !== JSON.stringify(lines[index]));
  expect(lines[at], `line ${at}`).toEqual(expected[at]);
  expect(lines.length).toBe(expected.length);
}

const plain = ({ offset, sizeBytes, bytes }: Line): Plain => ({
  offset,
  sizeBytes,
  text: bytes.toString('latin1'),
});

function check(path: string, bytes: Buffer): void {
  writeFileSync(path, bytes);
  const expected = naive(bytes);
  withFile(path, (fd, size) => {
    const end = committedEnd(fd, size);
    expect(end).toBe(bytes.lastIndexOf(10) + 1);
    same(linesForwards(fd, 0, end), expected);
    same(linesForwards(fd, 0, size), expected);
    same(linesBackwards(fd, end), expected.toReversed());
    expect(countLines(fd, end)).toBe(expected.length);
    const middle = expected[expected.length >> 1];
    if (middle !== undefined) {
      const at = expected.length >> 1;
      same(linesForwards(fd, middle.offset, end), expected.slice(at));
      same(linesBackwards(fd, middle.offset), expected.slice(0, at).toReversed());
      expect(countLines(fd, middle.offset)).toBe(at);
    }
  });
}

test('any bytes give the same lines from either end, empty lines and carriage returns included', () => {
  const path = join(tempDirectory(), 'lines');
  const byte = fc.oneof(
    { weight: 5, arbitrary: fc.nat(255) },
    { weight: 3, arbitrary: fc.constantFrom(10, 13, 0) },
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 60 }), (bytes) => check(path, Buffer.from(bytes))),
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
      check(path, Buffer.from(lines.join('') + (hasTail ? 't'.repeat(tail) : '')));
    }),
    { numRuns: 60 },
  );
});

test.each([CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 2 * CHUNK + 1])(
  'a file whose first line feed, last line feed or both are at byte %i',
  (size) => {
    const path = join(tempDirectory(), 'lines');
    check(path, Buffer.from(`${'a'.repeat(size - 1)}\n`));
    check(path, Buffer.from(`${'a'.repeat(size)}\n`));
    check(path, Buffer.from(`\n${'a'.repeat(size - 2)}\n`));
    if (size === CHUNK) check(path, Buffer.from('\n'.repeat(size + 1)));
    check(path, Buffer.from(`${'a'.repeat(size - 1)}\n${'b'.repeat(size)}`));
  },
);

test('a torn tail longer than several chunks is never part of a line', () => {
  const path = join(tempDirectory(), 'lines');
  check(path, Buffer.from(`one\ntwo\n${'t'.repeat(5 * CHUNK + 7)}`));
  check(path, Buffer.from('t'.repeat(5 * CHUNK + 7)));
  check(path, Buffer.alloc(0));
});
