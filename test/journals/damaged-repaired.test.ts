// Every damaged journal of ours, repaired into a copy [S14]: the original stays as it is, the copy is whole and can be worked
// on, and not one line is nowhere: what is not in the copy lies in its quarantine.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import { repairJournal } from '../../core/journal/repair-journal.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { damagedJournals } from '../support/damaged/expected.ts';
import { treeHash } from '../support/fixtures.ts';
import { update } from '../support/journal-bytes.ts';
import { recover } from '../support/recover.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const CASES = damagedJournals()
  .filter(({ format }) => format === 'holdfast')
  .flatMap(({ name, directory, processes }) =>
    Object.entries(processes)
      .filter(([, { verify }]) => verify.damage.length > 0)
      .map(([process, expected]) => [name, process, directory, expected] as const),
  );

test.each(CASES)('[S14] %s, %s', async (_name, process, directory, { lines, file }) => {
  const before = treeHash(directory);
  const copy = join(tempDirectory(), 'copy');
  const { repaired } = await repairJournal(directory, copy, { recover });
  expect(treeHash(directory)).toBe(before);

  const { isWhole, processes } = await verifyJournal(copy);
  expect([isWhole, processes.flatMap(({ damage }) => damage)]).toEqual([true, []]);

  const original = readFileSync(join(directory, file));
  const [{ keptBytes, droppedBytes }] = repaired as [(typeof repaired)[number]];
  expect(keptBytes + droppedBytes).toBe(original.length);
  const quarantine = join(copy, '.holdfast/quarantine');
  const saved =
    droppedBytes === 0 ? [] : readdirSync(quarantine).map((name) => readFileSync(join(quarantine, name)));
  expect(saved.reduce((sum, bytes) => sum + bytes.length, 0)).toBe(droppedBytes);
  for (const bytes of saved) expect(original.includes(bytes), 'byte for byte').toBe(true);

  // A line with nothing wrong about it or about its place is kept where it is; nobody's line is nowhere.
  const kept = new Set((await readFileJournal(copy).read(process)).map((entry) => entry.entry_id));
  const lost = lines.filter(({ entry_id, offset, bytes, verified }) => {
    const isSaved = saved.some((part) => part.includes(original.subarray(offset, offset + bytes)));
    return !(entry_id !== null && kept.has(entry_id)) && (verified || !isSaved);
  });
  expect(lost).toEqual([]);

  const writer = openFileJournal(copy);
  await writer.append(update('after', true, process));
  await writer.close();
  const { context_state, damage } = await new ReplayEngine(readFileJournal(copy)).recover(process);
  expect([context_state['after'], damage]).toEqual([true, []]);
});
