// Appends to the journal of a directory for a while, then waits, and says each entry on standard output once it is acknowledged: its
// process, number, id, and the hash of its data; and `full` while the disk is. Killed without warning, again and again, by
// test/crash/kill-rounds.ts.

import { hash, randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openFileJournal, type WriteOptions } from '../../core/journal/index.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { codeOf } from '../../core/model/errors.ts';
import { applyEntry, FOLD_VERSION } from '../../core/model/fold.ts';
import { ReplayEngine } from '../../core/replay/index.ts';

/** Of each process: whoever kills it is not always quick. */
const MOST_ROUNDS = 150;

const [directory, options] = process.argv.slice(2) as [string, string];
const journal = openFileJournal(directory, JSON.parse(options) as WriteOptions);

/** Something that does not get much shorter when it is packed. */
const text = (length: number): string => randomBytes(length >> 1).toString('hex');

/** Asks again while the disk is full, as somebody makes room. */
async function insist(append: () => Promise<StoredEntry>): Promise<StoredEntry> {
  for (;;) {
    try {
      return await append();
    } catch (error) {
      if (codeOf(error) !== 'journal.disk-full') throw error;
      writeSync(1, 'full\n');
      await delay(5);
    }
  }
}

/** Batches of a few entries, of up to a few pages, and a full checkpoint every now and then. */
async function work(processId: string): Promise<void> {
  await journal.claim(processId);
  let { snapshot } = await new ReplayEngine(journal).recover(processId);
  const acknowledged = (entry: StoredEntry): void => {
    const { seq, entry_id, data } = entry;
    // Straight to the pipe: what was written here survives this process, as the entry must.
    writeSync(1, `${processId} ${seq} ${entry_id} ${hash('sha256', JSON.stringify(data))}\n`);
    snapshot = applyEntry(snapshot, entry);
  };
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const batch = Array.from({ length: (round % 4) + 1 }, (_, n) =>
      insist(() =>
        journal.append({
          process_id: processId,
          entry_type: 'context_update',
          data: { key: `key-${n}`, value: round, text: text(((round + n) * 7919) % 3_000) },
        }),
      ),
    );
    for (const entry of batch) acknowledged(await entry);
    if (round % 7 !== 6) continue;
    const state = structuredClone(snapshotToState(snapshot, FOLD_VERSION));
    acknowledged(await insist(() => journal.checkpoint(processId, state)));
  }
}

await Promise.all(['one', 'two'].map(work));
setInterval(() => {}, 60_000);
