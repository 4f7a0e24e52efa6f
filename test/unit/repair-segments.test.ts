// [S14, S15] `holdfast repair` of a journal in several segments, of which one is damaged, cut off, unreadable or gone.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openFileJournal } from '../../core/journal/index.ts';
import { repairJournal } from '../../core/journal/repair-journal.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import { update } from '../support/journal-bytes.ts';
import { linesOf } from '../support/random-damage.ts';
import { recover } from '../support/recover.ts';
import { repair, writeCounting } from '../support/repairs.ts';
import { tempDirectory } from '../support/temp-directory.ts';

describe('[S15] segments', () => {
  const SEGMENTS = '.holdfast/segments/one';
  const segmented = async (): Promise<{ directory: string; names: string[] }> => {
    const directory = tempDirectory();
    await writeCounting(directory, { one: 60 }, { segmentBytes: 3_000 });
    return { directory, names: readdirSync(join(directory, SEGMENTS)).sort() };
  };

  test('a damaged one is copied without its bad lines, under the same name; the others byte for byte, packed', async () => {
    const { directory, names } = await segmented();
    const path = join(directory, SEGMENTS, names[1]!);
    const bytes = gunzipSync(readFileSync(path));
    bytes[bytes.indexOf('"value"', 900) + 1]! ^= 1;
    writeFileSync(path, gzipSync(bytes));
    const { repaired, copy } = await repair(directory);
    const [gap] = repaired[0]!.gaps;
    expect(gap).toMatchObject({ segment: `${SEGMENTS}/${names[1]}`, reason: 'checksum' });
    expect(repaired[0]).toMatchObject({ held: false });
    expect(readdirSync(join(copy, SEGMENTS)).sort()).toEqual(names);
    const { offset, bytes: length } = gap!;
    const mended = Buffer.concat([bytes.subarray(0, offset), bytes.subarray(offset + length)]);
    expect(gunzipSync(readFileSync(join(copy, SEGMENTS, names[1]!)))).toEqual(mended);
    for (const name of names.toSpliced(1, 1)) {
      const [from, to] = [directory, copy].map((root) => readFileSync(join(root, SEGMENTS, name)));
      expect(to).toEqual(from);
    }
  });

  test('one that can not be unpacked is kept as it is, and one that is gone is a gap', async () => {
    const { directory, names } = await segmented();
    const path = join(directory, SEGMENTS, names[1]!);
    const bytes = readFileSync(path).subarray(0, 200);
    writeFileSync(path, bytes);
    rmSync(join(directory, SEGMENTS, names[3]!));
    const { repaired, copy } = await repair(directory);
    const { gaps } = repaired[0]!;
    expect(gaps).toMatchObject([
      { segment: `${SEGMENTS}/${names[1]}`, offset: 0, bytes: 200, reason: 'segment-unreadable' },
      { segment: `${SEGMENTS}/${names[4]}`, offset: 0, bytes: 0, file: null, reason: 'missing-segment' },
    ]);
    expect(readFileSync(join(copy, gaps[0]!.file!))).toEqual(bytes);
    expect(repaired[0]).toMatchObject({ held: false });
  });

  test('[S15] one whose end is cut off, with all that is behind it, is told, held, and can be written again', async () => {
    const { directory, names } = await segmented();
    rmSync(join(directory, '.holdfast/heads/one.head'));
    const path = join(directory, SEGMENTS, names.at(-1)!);
    const bytes = gunzipSync(readFileSync(path));
    writeFileSync(path, gzipSync(bytes.subarray(0, bytes.indexOf(10) + 1)));
    writeFileSync(join(directory, 'one.jsonl'), 'garbage\n');
    const { repaired, copy } = await repair(directory);
    expect(repaired).toMatchObject([
      {
        held: true,
        gaps: [{ reason: 'unfinished-batch' }, { next: null, reason: 'lost-tail', isLoss: true }],
      },
    ]);
    const journal = openFileJournal(copy);
    await journal.append(update('n', 61));
    await journal.close();
    expect((await verifyJournal(copy)).isWhole).toBe(true);
  });

  test('what is no file and has the name of one is named', async () => {
    const { directory, names } = await segmented();
    const path = join(directory, SEGMENTS, names[0]!);
    rmSync(path);
    mkdirSync(path);
    const to = join(tempDirectory(), 'copy');
    await expect(repairJournal(directory, to, { recover })).rejects.toMatchObject({
      code: 'repair.failed',
      message: expect.stringContaining(`${path} is no file`) as string,
    });
    expect(existsSync(to)).toBe(false);
  });

  test('an active one that lost its beginning stands apart, and is sealed before anybody else writes there', async () => {
    const { directory } = await segmented();
    const path = join(directory, 'one.jsonl');
    const lines = linesOf(readFileSync(path));
    writeFileSync(path, Buffer.concat([Buffer.from('gone\n'), ...lines.slice(1)]));
    const { repaired, copy } = await repair(directory);
    expect(repaired[0]).toMatchObject({ held: true });
    const journal = openFileJournal(copy);
    await journal.append(update('n', 61));
    await journal.close();
    expect((await verifyJournal(copy)).isWhole).toBe(true);
  });
});
