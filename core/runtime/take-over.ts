// Making a process of a journal one's own: signing in, rebuilding, and seeing to it that nobody else still acts for it.

import { AppError } from '../model/errors.ts';
import type { JournalProvider, WorkerHost } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { emptySnapshot, type ProcessSnapshot, type WorkerIdentity } from '../model/snapshot.ts';
import { ReplayEngine } from '../replay/replay-engine.ts';

export interface TakenOver {
  readonly snapshot: ProcessSnapshot;
  /** Workers of hosts that are gone, and by now gone themselves. */
  readonly reaped: readonly WorkerIdentity[];
}

/** @throws `journal.*`, and `process.undead` for a worker that outlives its end */
export async function takeOver(
  { name, config }: ProcessDefinition,
  { journal, workerHost }: { readonly journal: JournalProvider; readonly workerHost: WorkerHost },
): Promise<TakenOver> {
  const engine = new ReplayEngine(journal);
  if (config.journalLevel === 'none') {
    const { snapshot } = await engine.recover(name, { lenient: true });
    refuseUnfinished(name, snapshot);
    return { snapshot: emptySnapshot(), reaped: [] };
  }
  await journal.claim(name, { durability: config.durability, retention: config.retention });
  const { snapshot } = await engine.recover(name);
  const reaped = [...snapshot.workers];
  // The dead must be dead before anything in doubt is touched [S30].
  for (const worker of reaped) await workerHost.reap(worker);
  return { snapshot, reaped };
}

/** Work that a journal has begun is not begun again by a process that forgets [S3]. */
function refuseUnfinished(process: string, { open, queue }: ProcessSnapshot): void {
  const unfinished = open.length + queue.length;
  if (unfinished === 0) return;
  throw new AppError(
    'journal.required',
    `${process} has ${unfinished} unfinished in its journal, and is configured to keep none. Run it at level checkpoint until that is done.`,
    { process, unfinished },
  );
}
