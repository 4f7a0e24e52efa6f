// S37: journals in a workspace that no manifest defines any more. What is unfinished in them is nobody's, so it is shown,
// with what there is, until a manifest of that name takes it up again.

import type { FileJournal } from '../journal/file-journal.ts';
import { asAppError, type AppError } from '../model/errors.ts';
import { emptySnapshot, type ProcessSnapshot } from '../model/snapshot.ts';
import type { Why } from '../model/why.ts';
import { ReplayEngine } from '../replay/replay-engine.ts';
import type { AgentProcess } from '../runtime/agent-process.ts';
import { counted } from './counted.ts';
import { doubtsOf, openPromisesOf } from './work-views.ts';

export interface Orphan {
  readonly name: string;
  readonly snapshot: Readonly<ProcessSnapshot>;
  /** Why its journal can't be read. */
  readonly trouble: AppError | null;
}

/** Read once: nobody writes them while this host has the journal. */
export async function findOrphans(
  journal: FileJournal,
  defined: ReadonlyMap<string, AgentProcess>,
): Promise<readonly Orphan[]> {
  const orphans: Orphan[] = [];
  // What was taken over is known to be whose it is; no file of it has to be read again.
  const taken = [...defined.values()].filter(({ live }) => live.trouble === null);
  for (const name of await journal.processes({ but: taken.map((process) => process.name) })) {
    if (defined.has(name)) continue;
    const orphan = await orphanOf(journal, name);
    // What another process began, and somebody was done with, is over and no orphan.
    if (orphan.snapshot.parent?.isDiscarded !== true) orphans.push(orphan);
  }
  return orphans;
}

/** A process of the journal that nothing defines (any more). */
export async function orphanOf(journal: FileJournal, name: string): Promise<Orphan> {
  try {
    const { snapshot } = await new ReplayEngine(journal).recover(name, { lenient: true });
    return { name, snapshot, trouble: null };
  } catch (error) {
    return { name, snapshot: emptySnapshot(), trouble: asAppError(error) };
  }
}

/** What is the matter, for its row. */
export function orphanWhy({ snapshot, trouble }: Orphan): Why {
  if (trouble !== null) {
    return { text: `orphaned, and it can't be read: ${trouble.message}`, tone: 'alarm' };
  }
  const { queue, open } = snapshot;
  const doubts = doubtsOf(open, null);
  const promises = openPromisesOf(open);
  const left = [
    queue.length > 0 ? counted(queue.length, 'event') : '',
    open.length > 0 ? counted(open.length, 'unfinished invocation') : '',
    doubts > 0 ? `${counted(doubts, 'effect')} in doubt` : '',
    promises > 0 ? counted(promises, 'promise') : '',
  ].filter((part) => part !== '');
  const what = left.length === 0 ? 'nothing unfinished' : left.join(', ');
  return {
    text: `orphaned: no manifest here defines it; it has ${what}. A manifest of this name takes it up again.`,
    tone: left.length === 0 ? 'attention' : 'alarm',
  };
}
