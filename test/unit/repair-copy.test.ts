// `holdfast repair` [S14]: the damaged journal stays as it is to the byte and to its times, the copy has all that was good in
// it, what was left out is kept, and afterwards nothing is damaged any more, for us and for Promptise.

import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import { repairJournal } from '../../core/journal/repair-journal.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { askPromptise, needPromptise } from '../interop/ask-promptise.ts';
import { fileOf, ourLines, update, writeOurDirectory } from '../support/journal-bytes.ts';
import { fourOf } from '../support/promptise-answers.ts';
import { linesOf } from '../support/random-damage.ts';
import { recover } from '../support/recover.ts';
import { damage, repair, writeCounting } from '../support/repairs.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const last = async (
  directory: string,
  process: string,
  limit = 1,
): Promise<readonly { entry_type: string; data: JsonObject }[]> =>
  (await readFileJournal(directory).readLast(process, limit)).entries;

describe('a journal', () => {
  test('with one damaged line: the rest is copied byte for byte, and the copy says what is missing', async () => {
    const directory = tempDirectory();
    await writeCounting(directory, { one: 15 });
    damage(directory, 13);
    const { repaired, copy, unchanged } = await repair(directory);
    const [one] = repaired;
    expect({ repaired: repaired.length, unchanged }).toEqual({ repaired: 1, unchanged: [] });
    expect(one).toMatchObject({ process: 'one', keptLines: 16, held: true, lostSpills: [] });
    const original = readFileSync(join(directory, 'one.jsonl'));
    const { offset, bytes, file } = one!.gaps[0]!;
    expect(one!.gaps).toMatchObject([
      { after: 14, next: 16, segment: 'one.jsonl', reason: 'checksum', isLoss: true },
    ]);
    expect(readFileSync(join(copy, file!))).toEqual(original.subarray(offset, offset + bytes));
    const kept = Buffer.concat([original.subarray(0, offset), original.subarray(offset + bytes)]);
    expect(readFileSync(join(copy, 'one.jsonl')).subarray(0, kept.length)).toEqual(kept);
    const [opened, told, checkpoint] = await last(copy, 'one', 3);
    expect([opened!.entry_type, told!.entry_type, checkpoint!.entry_type]).toEqual([
      'writer_opened',
      'journal_repaired',
      'checkpoint',
    ]);
    const { isLoss: _, ...gap } = one!.gaps[0]!;
    expect(told!.data).toEqual({ kind: 'repair', gaps: [gap], held: true, reason: one!.reason });
    expect(one!.reason).toBe(
      'Entries are missing between 14 and 16: the journal was damaged and repaired. Find out what they may have told of, then resume.',
    );
    expect(lstatSync(join(copy, file!)).mode & 0o777).toBe(0o600);
    expect(lstatSync(copy).mode & 0o777).toBe(0o700);
  });

  test('that is whole is not copied', async () => {
    const directory = tempDirectory();
    await writeCounting(directory, { one: 3, two: 3 });
    appendFileSync(join(directory, 'one.jsonl'), '{"torn');
    const to = join(tempDirectory(), 'copy');
    expect(await repairJournal(directory, to, { recover })).toEqual({
      directory,
      copy: null,
      repaired: [],
      unchanged: ['one', 'two'],
      gone: [],
    });
    expect(existsSync(to)).toBe(false);
  });

  test('of several processes: those without damage are copied as they are, and nothing is written to them', async () => {
    const directory = tempDirectory();
    await writeCounting(directory, { one: 15, two: 30 }, { segmentBytes: 3_000 });
    damage(directory, 13);
    appendFileSync(join(directory, 'two.jsonl'), '{"torn');
    const { copy, repaired, unchanged } = await repair(directory);
    expect([repaired.map(({ process }) => process), unchanged]).toEqual([['one'], ['two']]);
    const segments = '.holdfast/segments/two';
    expect(readdirSync(join(directory, segments)).length).toBeGreaterThan(0);
    for (const file of [
      'two.jsonl',
      'two.checkpoint.json',
      ...readdirSync(join(directory, segments)).map((name) => join(segments, name)),
    ])
      expect(readFileSync(join(copy, file))).toEqual(readFileSync(join(directory, file)));
  });

  test('in a copy is a journal of its own [S10]: another id, no lock, and only the heads of what was repaired', async () => {
    const directory = tempDirectory();
    await writeCounting(directory, { one: 15, two: 3 });
    damage(directory, 13);
    const { copy } = await repair(directory);
    const [from, to] = [readFileJournal(directory).marker!, readFileJournal(copy).marker!];
    expect(to).toMatchObject({ copiedFrom: from.id, format: from.format });
    expect(to.id).not.toBe(from.id);
    expect(readdirSync(join(copy, '.holdfast/heads'))).toEqual(['one.head']);
    const journal = openFileJournal(copy);
    await journal.append(update('n', 99));
    await journal.append(update('n', 99, 'two'));
    await journal.close();
    expect((await verifyJournal(copy)).isWhole).toBe(true);
  });

  test('whose first line is lost, and one of which no line can be read', async () => {
    const directory = tempDirectory();
    const lines = ourLines([update('n', 1), update('n', 2)]);
    writeOurDirectory(directory, {
      'one.jsonl': fileOf(['garbage', lines[1]!]),
      'two.jsonl': fileOf(['garbage', '{"half']),
    });
    mkdirSync(join(directory, '.holdfast/heads'), { recursive: true });
    for (const name of ['one', 'two'])
      writeFileSync(
        join(directory, `.holdfast/heads/${name}.head`),
        JSON.stringify({ seq: 2, hash: 'x'.repeat(22), first: 1, size: 1, inode: 1, machine: 'm' }),
      );
    const { repaired, copy } = await repair(directory);
    expect(repaired.map(({ gaps }) => gaps[0])).toMatchObject([
      { after: 0, next: 2, offset: 0, bytes: 8, reason: 'not-json' },
      { after: 0, next: null, offset: 0, bytes: 15, reason: 'not-json' },
    ]);
    expect(repaired.every(({ held }) => held)).toBe(true);
    expect((await recover(readFileJournal(copy), 'one', { lenient: false })).context).toEqual({ n: 2 });
  });

  test('that is gone, so that only its head tells of it, begins anew in the copy, and that is said', async () => {
    const directory = tempDirectory();
    await writeCounting(directory, { one: 3, two: 3 });
    rmSync(join(directory, 'one.jsonl'));
    const { gone, unchanged, repaired, copy } = await repair(directory);
    expect({ gone, unchanged, repaired }).toEqual({ gone: ['one'], unchanged: ['two'], repaired: [] });
    expect(await readFileJournal(copy).processes()).toEqual(['two']);
  });

  test('repaired twice keeps what the first repair told', async () => {
    const directory = tempDirectory();
    await writeCounting(directory, { one: 15 });
    damage(directory, 3);
    const { copy } = await repair(directory);
    const journal = openFileJournal(copy);
    for (let n = 16; n < 20; n += 1) await journal.append(update('n', n));
    await journal.close();
    damage(copy, 17);
    const { repaired, copy: again } = await repair(copy);
    expect(repaired[0]!.gaps).toHaveLength(1);
    const { notes } = (await verifyJournal(again)).processes[0]!;
    expect(notes.filter(({ kind }) => kind === 'repaired-gap')).toHaveLength(2);
    const kept = readdirSync(join(again, '.holdfast/quarantine'));
    expect(kept).toHaveLength(2);
  });
});

describe('[S16] values beside the journal', () => {
  test('are copied; those that are lost are told of, and the outcomes that name them stay', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    const [kept, changed] = await Promise.all(
      ['kept', 'changed'].map((text) => journal.spill('one', Buffer.from(text))),
    );
    for (const spilled of [kept!, changed!])
      await journal.append({
        process_id: 'one',
        entry_type: 'effect_finished',
        data: { effect_id: spilled.id, end: 'done', spilled: { ...spilled } },
      });
    await journal.close();
    const folder = '.holdfast/spills/one';
    writeFileSync(join(directory, folder, changed!.id), 'chained');
    const { repaired, copy } = await repair(directory);
    expect(repaired).toMatchObject([{ keptLines: 3, gaps: [], held: false, lostSpills: [changed!.id] }]);
    for (const [id, text] of [
      [kept!.id, 'kept'],
      [changed!.id, 'chained'],
    ])
      expect(readFileSync(join(copy, folder, id!), 'utf8')).toBe(text);
    const [told] = (await last(copy, 'one', 3)).filter(({ entry_type }) => entry_type === 'journal_repaired');
    expect(told!.data).toMatchObject({ gaps: [], held: false, lost_spills: [changed!.id] });
    const { notes } = (await verifyJournal(copy)).processes[0]!;
    expect(notes).toMatchObject([{ kind: 'lost-spill' }]);
  });
});

describe('[P8] Promptise', () => {
  beforeEach(needPromptise);

  test('recovers from the copy what ours does', async () => {
    const directory = tempDirectory();
    await writeCounting(directory, { one: 15, two: 25 }, { segmentBytes: 3_000 });
    damage(directory, 13);
    const text = linesOf(readFileSync(join(directory, 'two.jsonl')));
    writeFileSync(join(directory, 'two.jsonl'), Buffer.concat([Buffer.from('\0\0\0\n'), ...text.slice(1)]));
    const { copy } = await repair(directory);
    const answers = await askPromptise('recover.py', [
      [copy, 'one'],
      [copy, 'two'],
    ]);
    for (const [at, name] of ['one', 'two'].entries()) {
      const ours = await new ReplayEngine(readFileJournal(copy)).recover(name);
      expect(fourOf(answers[at]!)).toEqual(fourOf(ours as unknown as JsonObject));
    }
  });
});
