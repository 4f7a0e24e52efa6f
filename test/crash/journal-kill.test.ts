// P1 with a real kill: a process appends, says what was acknowledged, and is shot at a random moment; many times, on the
// same journal, while somebody reads along.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileJournal } from '../../core/journal/index.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { killRounds, type KillOptions } from './kill-rounds.ts';

const BUDGET_MS = 3_500;
const LEAST_ROUNDS = 3;
const LEAST_ENTRIES = 100;

test.each<[string, KillOptions]>([
  ['acknowledged when synced', {}],
  ['acknowledged when synced, in short segments', { segmentBytes: 32 * 1024 }],
  ['acknowledged when written', { durability: 'interval', segmentBytes: 16 * 1024 }],
  [
    'never synced, in short segments of which the oldest are dropped',
    {
      durability: 'os',
      segmentBytes: 8 * 1024,
      retention: { maxAgeDays: null, maxBytes: 200_000 },
    },
  ],
])(
  '[P1, J4, J5] whatever was acknowledged before a kill is there, in one chain, and readers never see half of it: %s',
  { timeout: 120_000 },
  async (_name, options) => {
    const directory = join(tempDirectory(), 'journal');
    const until = performance.now() + BUDGET_MS;
    const tally = await killRounds(
      directory,
      options,
      ({ kills, acknowledged }) =>
        kills < LEAST_ROUNDS || acknowledged < LEAST_ENTRIES || performance.now() < until,
    );
    expect(tally.problems).toEqual([]);

    const journal = openFileJournal(directory, options);
    for (const process_id of ['one', 'two']) {
      const { seq } = (await journal.readLast(process_id, 1)).entries[0]!;
      const next = await journal.append({ process_id, entry_type: 'log', data: {} });
      expect(next.seq).toBeGreaterThan(seq);
      expect((await new ReplayEngine(journal).recover(process_id)).damage).toEqual([]);
    }
    await journal.close();
  },
);
