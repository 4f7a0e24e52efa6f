// Journals to be repaired: written as a host writes them, damaged in one place, and repaired with what every repair has to keep.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openFileJournal, readFileJournal, type WriteOptions } from '../../core/journal/index.ts';
import { repairJournal, type RepairReport } from '../../core/journal/repair-journal.ts';
import { verifyJournal } from '../../core/journal/verify-journal.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import { applyEntry, FOLD_VERSION } from '../../core/model/fold.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { treeHash } from './fixtures.ts';
import { update } from './journal-bytes.ts';
import { recover } from './recover.ts';
import { tempDirectory } from './temp-directory.ts';

/** Repairs, with what every repair has to keep. */
export async function repair(
  directory: string,
  to = join(tempDirectory(), 'copy'),
): Promise<RepairReport & { copy: string }> {
  const before = treeHash(directory);
  const report = await repairJournal(directory, to, { recover });
  expect(treeHash(directory), 'the original').toBe(before);
  expect(report.copy).toBe(to);
  const after = await verifyJournal(to);
  expect(after.processes.flatMap(({ damage }) => damage)).toEqual([]);
  for (const { process } of after.processes) await recover(readFileJournal(to), process, { lenient: false });
  return { ...report, copy: to };
}

/** A journal of processes whose n counts up, with a full checkpoint after every tenth entry. */
export async function writeCounting(
  directory: string,
  counts: Readonly<Record<string, number>>,
  options: WriteOptions = {},
): Promise<void> {
  const journal = openFileJournal(directory, { durability: 'os', ...options });
  for (const [process, count] of Object.entries(counts)) {
    let snapshot = emptySnapshot();
    for (let n = 1; n <= count; n += 1) {
      snapshot = applyEntry(snapshot, await journal.append(update('n', n, process)));
      if (n % 10 === 0) await journal.checkpoint(process, snapshotToState(snapshot, FOLD_VERSION));
    }
  }
  await journal.settled();
  await journal.close();
}

/** Changes one character of the value n in a process's active segment. */
export function damage(directory: string, n: number, process = 'one'): void {
  const path = join(directory, `${process}.jsonl`);
  const bytes = readFileSync(path);
  const at = bytes.indexOf(`"value":${n}}`);
  expect(at).toBeGreaterThan(0);
  bytes[at + 1] = 0x56;
  writeFileSync(path, bytes);
}
