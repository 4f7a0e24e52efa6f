// Pages from the end against one reading from the beginning: whatever lies in the file, every line is met once, with
// the same number and the same judgement.

import fc from 'fast-check';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIRST_PREV, encodeLine, hashLine } from '../../core/journal/codec.ts';
import { readFileJournal } from '../../core/journal/index.ts';
import { entriesForwards, isBad } from '../../core/journal/read-entries.ts';
import type { BadLine, StoredEntry } from '../../core/model/entry.ts';
import type { Cursor } from '../../core/model/ports.ts';
import {
  fileOf,
  fixedEntry,
  foreignLine,
  ourLines,
  update,
  writeOurDirectory,
} from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';

type Kind = 'ours' | 'foreign' | 'bad' | 'blank' | 'flipped' | 'lost' | 'doubled';

const BAD = ['{"half', 'null', '\u0000\u0000', '{"timestamp":"never"}', '\ufeff{}', '[]'];
const BLANKS = ['', '   ', '\t\r'];

/** A journal of ours in which things happened to some lines after they were written. */
function build(kinds: readonly (readonly [Kind, number])[]): Buffer {
  const lines: (Buffer | string)[] = [];
  let prev = FIRST_PREV;
  let seq = 0;
  for (const [kind, at] of kinds) {
    if (kind === 'bad') lines.push(BAD[at % BAD.length]!);
    else if (kind === 'blank') lines.push(BLANKS[at % BLANKS.length]!);
    else if (kind === 'foreign') lines.push(foreignLine({ entry_id: String(at) }));
    else {
      seq += 1;
      const line = encodeLine(fixedEntry(update('n', at), seq), { seq, ack: seq - 1, prev });
      prev = hashLine(line);
      const written = Buffer.from(line);
      if (kind === 'flipped') written[at % written.length]! ^= 1;
      if (kind !== 'lost') lines.push(written);
      if (kind === 'doubled') lines.push(line);
    }
  }
  return fileOf(lines);
}

const kinds = fc.array(
  fc.tuple(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant<Kind>('ours') },
      { weight: 2, arbitrary: fc.constantFrom<Kind>('foreign', 'bad', 'blank') },
      { weight: 1, arbitrary: fc.constantFrom<Kind>('flipped', 'lost', 'doubled') },
    ),
    fc.nat(500),
  ),
  { maxLength: 30 },
);

async function paged(directory: string, limit: number): Promise<(StoredEntry | BadLine)[]> {
  const journal = readFileJournal(directory);
  const items: (StoredEntry | BadLine)[] = [];
  let cursor: Cursor | null | undefined;
  while (cursor !== null) {
    const page = await journal.readLast('one', limit, cursor);
    expect(page.entries.length + page.badLines.length).toBeLessThanOrEqual(limit);
    items.unshift(...[...page.entries, ...page.badLines].sort((a, b) => a.offset - b.offset));
    cursor = page.before;
  }
  return items;
}

test('[P3] pages of any size add up to one reading, number for number and verdict for verdict', async () => {
  const directory = tempDirectory();
  const path = join(directory, 'one.jsonl');
  await fc.assert(
    fc.asyncProperty(
      kinds,
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      async (list, limit, hasTornTail) => {
        const bytes = build(list);
        writeOurDirectory(directory, {
          'one.jsonl': hasTornTail ? Buffer.concat([bytes, Buffer.from('{"torn')]) : bytes,
        });
        const forwards = [...entriesForwards(path)];
        expect(await paged(directory, limit)).toEqual(forwards);
        expect(await readFileJournal(directory).read('one')).toEqual(forwards.filter((item) => !isBad(item)));
      },
    ),
    { numRuns: 150 },
  );
});

test('[J2] in a foreign file the number of a line is its physical number, blank and bad lines counted', async () => {
  const directory = tempDirectory();
  const lines = [foreignLine({}), '', 'null', foreignLine({}), '  ', '{"half', foreignLine({})];
  writeFileSync(join(directory, 'one.jsonl'), fileOf(lines));
  for (const limit of [1, 2, 3, 100]) {
    const items = await paged(directory, limit);
    expect(items.map((item) => [item.seq, isBad(item) ? 'bad' : item.verification])).toEqual([
      [1, 'unverified'],
      [3, 'bad'],
      [4, 'unverified'],
      [6, 'bad'],
      [7, 'unverified'],
    ]);
  }
});

test('a line lost, doubled, swapped or put in is said once, and the lines behind it are whole', () => {
  const directory = tempDirectory();
  const path = join(directory, 'one.jsonl');
  const lines = ourLines(Array.from({ length: 8 }, (_, at) => update('n', at)));
  const verdicts = (changed: readonly (Buffer | string)[]): string => {
    writeFileSync(path, fileOf(changed));
    return [...entriesForwards(path)]
      .map((item) => (isBad(item) ? 'x' : item.verification === 'broken' ? `!${item.seq}` : item.seq))
      .join(' ');
  };
  const [a, b, c, d, ...rest] = lines as [Buffer, Buffer, Buffer, Buffer, ...Buffer[]];
  expect(verdicts(lines)).toBe('1 2 3 4 5 6 7 8');
  expect(verdicts([a, b, d, ...rest])).toBe('1 2 !4 5 6 7 8');
  expect(verdicts([b, c, d, ...rest])).toBe('!2 3 4 5 6 7 8');
  expect(verdicts([a, b, b, c, d, ...rest])).toBe('1 2 !2 3 4 5 6 7 8');
  expect(verdicts([a, c, b, d, ...rest])).toBe('1 !3 !2 !4 5 6 7 8');
  expect(verdicts([a, b, 'garbage', c, d, ...rest])).toBe('1 2 x !3 4 5 6 7 8');
  expect(verdicts([a, b, foreignLine({}), c, d, ...rest])).toBe('1 2 3 !3 4 5 6 7 8');
});

test('any flipped bit of a journal is noticed: a bad line, a broken one, or one that is no longer committed', () => {
  const directory = tempDirectory();
  const path = join(directory, 'one.jsonl');
  const bytes = fileOf(ourLines(Array.from({ length: 6 }, (_, at) => update(`k${at}`, ['é', at, null]))));
  fc.assert(
    fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(path, flipped);
      const items = [...entriesForwards(path)];
      const isNoticed = items.some((item) => isBad(item) || item.verification === 'broken');
      expect(isNoticed || items.length < 6).toBe(true);
    }),
    { numRuns: 400 },
  );
});

test('a cursor keeps its place while the file grows', async () => {
  const directory = tempDirectory();
  const lines = ourLines(Array.from({ length: 40 }, (_, at) => update('n', at)));
  writeOurDirectory(directory, { 'one.jsonl': fileOf(lines.slice(0, 20)) });
  const journal = readFileJournal(directory);
  const seen: number[] = [];
  let cursor: Cursor | null | undefined;
  let grown = 20;
  while (cursor !== null) {
    const page = await journal.readLast('one', 3, cursor);
    seen.unshift(...page.entries.map((entry) => entry.seq));
    expect(page.entries.every((entry) => entry.verification === 'verified')).toBe(true);
    appendFileSync(join(directory, 'one.jsonl'), fileOf(lines.slice(grown, grown + 2)));
    grown += 2;
    cursor = page.before;
  }
  expect(seen).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
});

test('a page ends early when its lines are large, and the next one goes on without a gap', async () => {
  const directory = tempDirectory();
  const large = 'x'.repeat(5 << 19);
  const lines = ourLines([
    update('a', 1),
    update('b', large),
    update('c', large),
    update('d', large),
    update('e', 2),
  ]);
  writeOurDirectory(directory, { 'one.jsonl': fileOf(lines) });
  const items = await paged(directory, 100);
  expect(items.map((item) => item.seq)).toEqual([1, 2, 3, 4, 5]);
  expect(items.every((item) => !isBad(item) && item.verification === 'verified')).toBe(true);

  writeOurDirectory(directory, { 'one.jsonl': fileOf([lines[0]!, lines[1]!, lines[3]!, lines[4]!]) });
  const gap = await paged(directory, 100);
  expect(gap.map((item) => (isBad(item) ? 'bad' : item.verification))).toEqual([
    'verified',
    'verified',
    'broken',
    'verified',
  ]);
});

test('a cursor that no journal gave is refused', async () => {
  const directory = tempDirectory();
  writeOurDirectory(directory, { 'one.jsonl': fileOf(ourLines([update('a', 1), update('b', 2)])) });
  const journal = readFileJournal(directory);
  for (const cursor of ['', 'x', 'b', 'b-1', 'b1.5', 'bNaN', 'b1e999', '12', 'b5']) {
    await expect(journal.readLast('one', 3, cursor as Cursor), cursor).rejects.toMatchObject({
      code: 'journal.bad-cursor',
    });
  }
});
