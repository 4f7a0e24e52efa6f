import type { FileJournal } from '../journal/file-journal.ts';
import { AgentRuntime, type RuntimeOptions } from '../runtime/agent-runtime.ts';
import { childProcessWorkerHost } from './child-process-worker-host.ts';
import { systemClock } from './system-clock.ts';

export type OnThisMachine = Pick<RuntimeOptions, 'definitions'> &
  Partial<Omit<RuntimeOptions, 'journal' | 'journalId'>>;

/** A runtime on a journal that is open for writing: with this machine's clock, and workers as child processes, unless others are given. */
export function runtimeOn(journal: FileJournal, options: OnThisMachine): AgentRuntime {
  return new AgentRuntime({
    workerHost: childProcessWorkerHost(),
    clock: systemClock(),
    ids: { next: () => crypto.randomUUID() },
    onChange: () => {},
    ...options,
    journal,
    journalId: journal.marker!.id,
  });
}
