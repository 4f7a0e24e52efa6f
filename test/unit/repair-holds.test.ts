// [S12, S14] Whom a repair holds: those of whom something may be missing that was acknowledged, and nobody else.

import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { foreignLine } from '../support/journal-bytes.ts';
import { linesOf } from '../support/random-damage.ts';
import { recover } from '../support/recover.ts';
import { damage, repair, writeCounting } from '../support/repairs.ts';
import { tempDirectory } from '../support/temp-directory.ts';

describe('who is held [S12, S14]', () => {
  test('damage before the last full checkpoint costs history, and holds nobody', async () => {
    const directory = tempDirectory();
    await writeCounting(directory, { one: 15 });
    damage(directory, 3);
    const { repaired, copy } = await repair(directory);
    expect(repaired).toMatchObject([{ held: false, gaps: [{ isLoss: true }] }]);
    const { context, holds } = await recover(readFileJournal(copy), 'one', { lenient: false });
    expect({ context, holds }).toEqual({ context: { n: 15 }, holds: [] });
  });

  test('damage behind it holds, and makes whatever is unfinished ask', async () => {
    const directory = tempDirectory();
    const journal = openFileJournal(directory);
    const append = (entry_type: string, data: JsonObject) =>
      journal.append({ process_id: 'one', entry_type, data });
    await append('trigger_event', { event_id: 'e', trigger_id: 't', trigger_type: 'cron' });
    await append('invocation_start', { event_id: 'e', invocation: 1 });
    await append('effect_started', { event_id: 'e', effect_id: 'x', name: 'pay', class: 'retry' });
    await append('context_update', { key: 'n', value: 77 });
    await append('log', {});
    await journal.close();
    damage(directory, 77);
    const { repaired, copy } = await repair(directory);
    expect(repaired[0]!.held).toBe(true);
    const snapshot = await recover(readFileJournal(copy), 'one', { lenient: false });
    expect(snapshot.holds).toMatchObject([{ kind: 'gap', actor: 'holdfast', reason: repaired[0]!.reason }]);
    expect(snapshot.open[0]!.effects).toMatchObject([{ effectId: 'x', effectClass: 'ask' }]);
  });

  test('a lost checkpoint is behind the one before it', async () => {
    const directory = tempDirectory();
    await writeCounting(directory, { one: 20 });
    const path = join(directory, 'one.jsonl');
    const text = readFileSync(path, 'latin1');
    const at = text.lastIndexOf('"entry_type":"checkpoint"');
    writeFileSync(path, `${text.slice(0, at)}"entry_type":"checkpoinT"${text.slice(at + 25)}`, 'latin1');
    const { repaired, copy } = await repair(directory);
    expect(repaired[0]).toMatchObject({ held: true });
    expect((await recover(readFileJournal(copy), 'one', { lenient: false })).context).toEqual({ n: 20 });
  });

  test('[S13] an end that is lost holds, wherever the checkpoint is', async () => {
    const directory = tempDirectory();
    await writeCounting(directory, { one: 20 });
    const path = join(directory, 'one.jsonl');
    const bytes = readFileSync(path);
    truncateSync(path, bytes.lastIndexOf(10, bytes.length - 2) + 1);
    const { repaired, copy } = await repair(directory);
    expect(repaired).toMatchObject([
      {
        held: true,
        droppedBytes: 0,
        gaps: [{ after: 22, next: null, bytes: 0, file: null, reason: 'lost-tail' }],
      },
    ]);
    expect((await recover(readFileJournal(copy), 'one', { lenient: false })).holds).toMatchObject([
      { kind: 'gap' },
    ]);
  });

  test('[S11] an end that nobody was told of goes with the repair and holds nobody', async () => {
    const directory = tempDirectory();
    await writeCounting(directory, { one: 15 });
    damage(directory, 3);
    rmSync(join(directory, '.holdfast/heads'), { recursive: true });
    const batch = 'never finished\n{"torn';
    appendFileSync(join(directory, 'one.jsonl'), batch);
    const { repaired, copy } = await repair(directory);
    expect(repaired).toMatchObject([
      {
        held: false,
        gaps: [
          { reason: 'checksum' },
          { after: 17, next: null, reason: 'unfinished-batch', bytes: batch.length, isLoss: false },
        ],
      },
    ]);
    expect(readFileSync(join(copy, repaired[0]!.gaps[1]!.file!), 'utf8')).toBe(batch);
  });

  test('what was put in leaves nothing behind that would be missing', async () => {
    const directory = tempDirectory();
    await writeCounting(directory, { one: 9 });
    const path = join(directory, 'one.jsonl');
    const lines = linesOf(readFileSync(path));
    const doubled = lines.slice(2, 5);
    writeFileSync(
      path,
      Buffer.concat([
        ...lines.slice(0, 6),
        Buffer.from('garbage\n'),
        ...doubled,
        ...lines.slice(6, 8),
        Buffer.from(`${foreignLine({})}\n`),
        ...lines.slice(8),
      ]),
    );
    const { repaired, copy } = await repair(directory);
    expect(repaired).toMatchObject([{ held: false, keptLines: 10 }]);
    expect(repaired[0]!.gaps.every(({ isLoss }) => !isLoss)).toBe(true);
    expect((await readFileJournal(copy).read('one')).slice(0, 10).map(({ seq }) => seq)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
  });
});
