// [S8, S14] Which of somebody else's lines a repair keeps: as many as the numbers of the lines of ours around them leave room
// for, the last of which is the one that the line of ours behind them names. And what it tells of them.

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hashLine } from '../../core/journal/codec.ts';
import { readFileJournal } from '../../core/journal/index.ts';
import { repairJournal } from '../../core/journal/repair-journal.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import { fileOf, foreignLine, ourLines, update, writeOurDirectory } from '../support/journal-bytes.ts';
import { linesOf } from '../support/random-damage.ts';
import { recover } from '../support/recover.ts';
import { damage, repair, writeCounting } from '../support/repairs.ts';
import { tempDirectory } from '../support/temp-directory.ts';

/** What was written: ours at 1, 2, 5, 6 and 8, somebody else's at 3, 4 and 7. */
const WRITTEN = ((): Readonly<Record<string, Buffer>> => {
  const foreign = (id: string): Buffer => Buffer.from(foreignLine({ entry_id: id }));
  const [c, d, g] = ['c', 'd', 'g'].map(foreign) as [Buffer, Buffer, Buffer];
  const [a, b] = ourLines([update('n', 1), update('n', 2)]) as [Buffer, Buffer];
  const [e, f] = ourLines([update('n', 5), update('n', 6)], 5, hashLine(d)) as [Buffer, Buffer];
  const [h] = ourLines([update('n', 8)], 8, hashLine(g)) as [Buffer];
  const strangers = { X: foreign('x'), Y: foreign('y'), Z: foreign('z') };
  return {
    A: a,
    B: b,
    c,
    d,
    E: e,
    F: f,
    g,
    H: h,
    ...strangers,
    '!': Buffer.from('garbage'),
    _: Buffer.from(''),
  };
})();

/** Repairs a file with these lines. Gives those that are kept, their numbers, and whether anything is missed. */
async function repaired(
  layout: string,
): Promise<{ kept: string; numbers: readonly number[]; isMissed: boolean }> {
  const directory = tempDirectory();
  writeOurDirectory(directory, { 'one.jsonl': fileOf(Array.from(layout).map((name) => WRITTEN[name]!)) });
  const copy = join(tempDirectory(), 'copy');
  const { repaired: processes } = await repairJournal(directory, copy, { recover });
  const [{ keptLines, gaps }] = processes as [(typeof processes)[0]];
  const kept = linesOf(readFileSync(join(copy, 'one.jsonl'))).slice(0, keptLines);
  const nameOf = (line: Buffer): string =>
    Object.entries(WRITTEN).find(([, written]) => written.equals(line.subarray(0, -1)))![0];
  const dropped = gaps.flatMap(({ file }) => (file === null ? [] : [readFileSync(join(copy, file))]));
  const all = [...kept, ...dropped.flatMap(linesOf)].map(nameOf);
  expect(all.sort(), 'every line is kept or listed').toEqual(Array.from(layout).sort());
  expect((await verifyJournal(copy)).isWhole).toBe(true);
  const entries = (await readFileJournal(copy).read('one')).filter(({ entry_id }) =>
    Object.values(WRITTEN).some((line) => line.includes(`"${entry_id}"`)),
  );
  return {
    kept: kept.map(nameOf).join(''),
    numbers: entries.map(({ seq }) => seq),
    isMissed: gaps.some(({ isLoss }) => isLoss),
  };
}

test.each<[string, string, string, number[], boolean]>([
  ['that are all there', 'A!BcdEF', 'ABcdEF', [1, 2, 3, 4, 5, 6], false],
  ['behind what may have been one of them', 'AB!cdEF', 'ABcdEF', [1, 2, 3, 4, 5, 6], true],
  ['of which one was put in where another is damaged', 'ABX!dEF', 'ABXdEF', [1, 2, 3, 4, 5, 6], true],
  ['behind what can not have been one of them', 'ABcdEF!gH', 'ABcdEFgH', [1, 2, 3, 4, 5, 6, 7, 8], false],
  ['between lines that name each other', 'AXBcdEF', 'ABcdEF', [1, 2, 3, 4, 5, 6], false],
  ['with one put in behind the one that is named', 'ABcdXEF', 'ABcdEF', [1, 2, 3, 4, 5, 6], false],
  ['with a blank line put in behind it', 'ABcd_EF', 'ABcdEF', [1, 2, 3, 4, 5, 6], false],
  ['of which the one that is named is lost', 'ABcEF', 'ABcEF', [1, 2, 3, 5, 6], true],
  ['of which another is lost', 'ABdEF', 'ABdEF', [1, 2, 3, 5, 6], true],
  ['with more than there is room for', 'ABXYEF', 'ABXEF', [1, 2, 3, 5, 6], true],
  ['around a line that comes a second time', 'ABcAdEF', 'ABcdEF', [1, 2, 3, 4, 5, 6], false],
  ['that come a second time with it', 'ABcdEcdEF', 'ABcdEF', [1, 2, 3, 4, 5, 6], false],
  ['at the beginning, where there is no room', 'XABcdEF', 'ABcdEF', [1, 2, 3, 4, 5, 6], false],
  ['at the beginning, where lines are lost', 'XYZEF', 'XYZEF', [1, 2, 3, 5, 6], true],
  ['at the end', 'A!BcdEFg', 'ABcdEFg', [1, 2, 3, 4, 5, 6, 7], false],
  ['at the end, behind lines that come a second time', 'ABcdEBcdE', 'ABcdE', [1, 2, 3, 4, 5], false],
])("somebody else's lines %s: %s becomes %s", async (_what, layout, kept, numbers, isMissed) => {
  expect(await repaired(layout)).toEqual({ kept, numbers, isMissed });
});

test("[S8] somebody else's lines that nobody told of are kept, and told of", async () => {
  const directory = tempDirectory();
  const foreign = foreignLine({ data: { key: 'from', value: 'elsewhere' } });
  const lines = ourLines([update('n', 1), update('n', 2)]);
  const behind = ourLines(
    [update('n', 4), update('n', 5), update('n', 6)],
    4,
    hashLine(Buffer.from(foreign)),
  );
  writeOurDirectory(directory, {
    'one.jsonl': fileOf([...lines, foreign, behind[0]!, 'garbage', behind[2]!]),
  });
  const { repaired, copy } = await repair(directory);
  expect(repaired[0]!.gaps.map(({ after, next, reason }) => [after, next, reason])).toEqual([
    [4, 6, 'not-json'],
  ]);
  const entries = await readFileJournal(copy).read('one');
  expect(entries.find(({ entry_type }) => entry_type === 'foreign_lines')?.data).toEqual({
    from: 3,
    to: 3,
  });
  expect(entries.some(({ data }) => data['value'] === 'elsewhere')).toBe(true);
});

test('what an earlier entry told is told again where that entry itself is lost', async () => {
  const directory = tempDirectory();
  await writeCounting(directory, { one: 5 });
  damage(directory, 3);
  appendFileSync(join(directory, 'one.jsonl'), `${foreignLine({})}\n`);
  const { copy } = await repair(directory);
  const path = join(copy, 'one.jsonl');
  const spoilt = readFileSync(path, 'latin1')
    .replace('"foreign_lines"', '"foreign_linez"')
    .replace('"repair"', '"repaiR"');
  writeFileSync(path, spoilt, 'latin1');
  const { repaired, copy: again } = await repair(copy);
  expect(repaired[0]!.gaps.map(({ after, next, bytes, reason }) => [after, next, bytes > 0, reason])).toEqual(
    [
      [3, 5, false, 'link'],
      [8, 11, true, 'checksum'],
    ],
  );
  const told = (await readFileJournal(again).read('one')).filter(
    ({ entry_type }) => entry_type === 'foreign_lines',
  );
  expect(told.map(({ data }) => data)).toEqual([{ from: 7, to: 7 }]);
});

test("entries that are lost before somebody else's line are told by the numbers", async () => {
  const directory = tempDirectory();
  const foreign = foreignLine({});
  const behind = ourLines([update('n', 9)], 9, hashLine(Buffer.from(foreign)));
  writeOurDirectory(directory, {
    'one.jsonl': fileOf([...ourLines([update('n', 1)]), foreign, ...behind]),
  });
  const { repaired } = await repair(directory);
  expect(repaired).toMatchObject([{ held: true, gaps: [{ after: 2, next: 9, bytes: 0, isLoss: true }] }]);
});
