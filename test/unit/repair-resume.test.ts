// [S14, S34] A repaired copy at the place of the damaged journal: the process is held and does nothing, and once somebody
// resumes it, what was under way is asked about and not done again, however harmless it was declared.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFileJournal } from '../../core/journal/index.ts';
import { repairJournal } from '../../core/journal/repair-journal.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { recover } from '../support/recover.ts';
import { bench, OPERATOR } from '../support/runtime.ts';

test('a process that a repair holds is resumed by an operator, and asks before it repeats anything', async () => {
  const b = await bench(
    `await ctx.effect('pay', { class: 'retry' }, async () => { note('pay'); await delay(60_000); });
     note('paid');`,
  );
  await b.trigger();
  await b.until('the effect', () => b.ledger().includes('pay'));
  await b.quit();
  const journal = join(b.directory, 'journal');
  const path = join(journal, 'agent.jsonl');
  const bytes = readFileSync(path);
  bytes[bytes.length - 30]! ^= 1;
  writeFileSync(path, bytes);

  const copy = `${journal}.copy`;
  const { repaired } = await repairJournal(journal, copy, { recover });
  expect(repaired).toMatchObject([{ process: 'agent', held: true }]);
  const { snapshot } = await new ReplayEngine(readFileJournal(copy)).recover('agent');
  expect(snapshot.holds.some(({ kind }) => kind === 'gap')).toBe(true);
  renameSync(journal, `${journal}.damaged`);
  renameSync(copy, journal);

  const next = await b.again();
  expect(next.process.snapshot.lifecycle).toBe('suspended');
  const gap = next.process.snapshot.holds.find(({ kind }) => kind === 'gap')!;
  expect(gap.reason).toBe(repaired[0]!.reason);
  await next.process.resume(OPERATOR);
  await next.until('the question', (process) =>
    process.snapshot.holds.some(({ kind }) => kind === 'in_doubt'),
  );
  expect(next.process.snapshot.holds.some(({ kind }) => kind === 'gap')).toBe(false);
  expect(next.ledger()).toEqual(['pay']);
  expect(next.process.snapshot.open[0]!.effects).toMatchObject([{ name: 'pay', effectClass: 'ask' }]);
});
