// Appends to the journal of a directory without end, and says each number on standard output once it is acknowledged.
// Killed without warning, again and again, by test/crash/journal-kill.test.ts.

import { writeSync } from 'node:fs';
import { openFileJournal } from '../../core/journal/index.ts';
import { emptySnapshot } from '../../core/model/snapshot.ts';
import { snapshotToState } from '../../core/model/checkpoint.ts';
import { FOLD_VERSION } from '../../core/model/fold.ts';

const directory = process.argv[2]!;
const journal = openFileJournal(directory);
const LANES = ['one', 'two'];

async function work(processId: string, lane: number): Promise<never> {
  for (let n = 0; ; n += 1) {
    const { seq } =
      n % 7 === 6
        ? await journal.checkpoint(processId, snapshotToState(emptySnapshot(), FOLD_VERSION))
        : await journal.append({
            process_id: processId,
            entry_type: 'context_update',
            data: { key: `lane-${lane}`, value: n, text: 'x'.repeat((n * 7919) % 3_000) },
          });
    // Straight to the pipe: what was written here survives this process, as the entry must.
    writeSync(1, `${processId} ${seq}\n`);
  }
}

await Promise.all(Array.from({ length: 6 }, (_, lane) => work(LANES[lane % LANES.length]!, lane)));
