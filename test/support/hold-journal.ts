// Opens the journal of a directory for writing, says so, and holds it until it is killed.

import { writeSync } from 'node:fs';
import { openFileJournal } from '../../core/journal/index.ts';
import { codeOf } from '../../core/model/errors.ts';

try {
  const journal = openFileJournal(process.argv[2]!);
  await journal.append({ process_id: 'held', entry_type: 'log', data: { pid: process.pid } });
  writeSync(1, 'held\n');
  setInterval(() => {}, 60_000);
} catch (error) {
  writeSync(1, `${codeOf(error)}\n`);
}
