// S37: journals in a workspace that no manifest defines any more. What is unfinished in them is nobody's, so it is shown,
// with what there is, until a manifest of that name takes it up again.

import type { FileJournal } from '../journal/file-journal.ts';
import { needsOperator } from '../model/effects.ts';
import { asAppError, type AppError } from '../model/errors.ts';
import { emptySnapshot, type ProcessSnapshot } from '../model/snapshot.ts';
import type { Why } from '../model/why.ts';
import { ReplayEngine } from '../replay/replay-engine.ts';

export interface Orphan {
  readonly name: string;
  readonly snapshot: Readonly<ProcessSnapshot>;
  /** Why its journal can't be read. */
  readonly trouble: AppError | null;
}

/** Read once: nobody writes them while this host has the journal. */
export async function findOrphans(
  journal: FileJournal,
  isDefined: (name: string) => boolean,
): Promise<readonly Orphan[]> {
  const engine = new ReplayEngine(journal);
  const orphans: Orphan[] = [];
  for (const name of await journal.processes()) {
    if (isDefined(name)) continue;
    try {
      const { snapshot } = await engine.recover(name, { lenient: true });
      orphans.push({ name, snapshot, trouble: null });
    } catch (error) {
      orphans.push({ name, snapshot: emptySnapshot(), trouble: asAppError(error) });
    }
  }
  return orphans;
}

/** What is the matter, for its row. */
export function orphanWhy({ snapshot, trouble }: Orphan): Why {
  if (trouble !== null) {
    return { text: `orphaned, and it can't be read: ${trouble.message}`, tone: 'alarm' };
  }
  const { queue, open } = snapshot;
  const doubts = open.flatMap(({ effects }) => effects).filter(needsOperator).length;
  const promises = open
    .flatMap(({ waits }) => waits)
    .filter(({ kind, end }) => kind === 'promise' && end === null).length;
  const left = [
    count(queue.length, 'event'),
    count(open.length, 'unfinished invocation'),
    count(doubts, 'effect', ' in doubt'),
    count(promises, 'promise'),
  ].filter((part) => part !== '');
  const what = left.length === 0 ? 'nothing unfinished' : left.join(', ');
  return {
    text: `orphaned: no manifest here defines it; it has ${what}. A manifest of this name takes it up again.`,
    tone: left.length === 0 ? 'attention' : 'alarm',
  };
}

function count(number: number, what: string, behind = ''): string {
  return number === 0 ? '' : `${number} ${what}${number === 1 ? '' : 's'}${behind}`;
}
