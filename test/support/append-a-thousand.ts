// Appends a thousand entries to the journal of a directory, as one writer of several: whoever finds it locked waits for
// the other to be done.

import { setTimeout as delay } from 'node:timers/promises';
import { openFileJournal, type FileJournal } from '../../core/journal/index.ts';
import { codeOf } from '../../core/model/errors.ts';

const [directory, who] = process.argv.slice(2) as [string, string];

async function open(): Promise<FileJournal> {
  for (;;) {
    try {
      return openFileJournal(directory, { durability: 'os' });
    } catch (error) {
      if (codeOf(error) !== 'journal.locked') throw error;
      await delay(5);
    }
  }
}

for (let turn = 0; turn < 10; turn += 1) {
  const journal = await open();
  const entries = Array.from({ length: 100 }, (_, n) => ({
    process_id: 'one',
    entry_type: 'context_update',
    data: { key: who, value: turn * 100 + n },
  }));
  await Promise.all(entries.map((entry) => journal.append(entry)));
  await journal.close();
  // So that the other one gets a turn.
  await delay(5);
}
