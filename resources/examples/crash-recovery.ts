// A process is checkpointed, does a little more, and is killed without warning. What it knew comes back.
//
//   node resources/examples/crash-recovery.ts [directory]      (leaves its journal there; .holdfast-journal unless given)

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type FileJournal, openFileJournal, readFileJournal } from 'holdfast/journal';
import { ReplayEngine } from 'holdfast/replay';

const PROCESS = 'market-watcher';

/** Runs in a process of its own, which is killed at the end of this function. */
async function work(journal: FileJournal): Promise<void> {
  // An agent process records each lifecycle transition as it runs.
  await journal.append({
    process_id: PROCESS,
    entry_type: 'state_transition',
    data: { from_state: 'starting', to_state: 'running', reason: 'startup complete' },
  });
  // After a trigger was handled its whole state is checkpointed.
  await journal.checkpoint(PROCESS, { context_state: { reports_written: 12 }, lifecycle_state: 'running' });
  // More work lands behind the checkpoint …
  await journal.append({
    process_id: PROCESS,
    entry_type: 'context_update',
    data: { key: 'reports_written', value: 13 },
  });
  // … and then the box is gone: no handler runs, nothing is flushed, nothing is closed.
  process.kill(process.pid, 'SIGKILL');
}

async function recover(directory: string): Promise<void> {
  const journal = readFileJournal(directory);
  const recovered = await new ReplayEngine(journal).recover(PROCESS);
  console.log(recovered.lifecycle_state);
  console.log(JSON.stringify(recovered.context_state));
  console.log(String(recovered.entries_replayed));
  await journal.close();
}

const directory = process.argv[2] ?? '.holdfast-journal';
if (process.send === undefined) {
  const [code, signal] = (await once(fork(import.meta.filename, [directory]), 'exit')) as [
    number | null,
    string | null,
  ];
  if (signal !== 'SIGKILL') throw new Error(`the child was to be killed, and ended with ${signal ?? code}`);
  await recover(directory);
} else {
  await work(openFileJournal(directory));
}
