// `holdfast verify`: what the journal itself explains is a note, and no damage.

import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hashLine } from '../../core/journal/codec.ts';
import { openFileJournal } from '../../core/journal/index.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { fileOf, foreignLine, ourLines, update, writeOurDirectory } from '../support/journal-bytes.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { entry, journalOf, kinds, verifyOne } from '../support/verified.ts';

describe('what the journal itself explains is a note', () => {
  test('[S14] exactly the breaks that a repair recorded', async () => {
    const lines = ourLines([1, 2, 3, 4, 5].map((n) => update('n', n)));
    const told = (gaps: readonly JsonObject[]): string => {
      const kept = [lines[0]!, lines[2]!, lines[4]!];
      const last = ourLines(
        [entry('journal_repaired', { kind: 'repair', gaps, held: false })],
        6,
        hashLine(lines[4]!),
      );
      return journalOf([...kept, ...last]);
    };
    const both = await verifyOne(
      told([
        { after: 1, next: 3 },
        { after: 3, next: 5 },
        { after: 5, next: null },
      ]),
    );
    expect({ damage: both.damage, notes: kinds(both.notes) }).toEqual({
      damage: [],
      notes: ['repaired-gap', 'repaired-gap', 'repaired-gap'],
    });
    const one = await verifyOne(
      told([
        { after: 1, next: 3 },
        { after: 3, next: 6 },
        { after: 2, next: 5 },
      ]),
    );
    expect(one.damage).toMatchObject([{ kind: 'link', seq: 5 }]);
  });

  test("[S8] somebody else's lines: known, at the end, and before all of ours", async () => {
    const directory = tempDirectory();
    const path = join(directory, 'one.jsonl');
    writeOurDirectory(directory, {
      'one.jsonl': fileOf([foreignLine({ entry_id: 'a' }), foreignLine({ entry_id: 'b' })]),
    });
    const notes = async (): Promise<string[]> => {
      const report = await verifyOne(directory);
      expect(report.damage).toEqual([]);
      return report.notes.map(({ kind, seq, reason }) => `${kind} ${seq} ${reason}`);
    };
    const first = 'foreign-lines 1 lines 1 to 2 were written by something else: nothing vouches for them';
    expect(await notes()).toEqual([first]);
    const append = async (): Promise<void> => {
      const journal = openFileJournal(directory);
      await journal.append(update('n', 1));
      await journal.close();
    };
    await append();
    expect(await notes()).toEqual([first]);
    appendFileSync(path, `${foreignLine({ entry_id: 'c' })}\n`);
    expect(await notes()).toEqual([first, 'foreign-lines 5 line 5 was written by something else at the end']);
    await append();
    expect(await notes()).toEqual([
      first,
      'foreign-lines 5 line 5 was written by something else: nothing vouches for them',
    ]);
  });

  test('an id that comes twice in lines that are not ours', async () => {
    const directory = tempDirectory();
    writeFileSync(
      join(directory, 'one.jsonl'),
      fileOf([foreignLine({}), foreignLine({}), foreignLine({ entry_id: '' })]),
    );
    const { damage, notes } = await verifyOne(directory);
    expect(damage).toEqual([]);
    expect(kinds(notes)).toContain('duplicate-id');
  });
});
