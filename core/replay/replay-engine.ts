// Rebuilding a process from its journal: the pure fold over what was read, and no act [P3, P6].
//
// Reading goes backwards from the end to the last full checkpoint [S18], so it does not depend on the journal's length.
// Damage in what was read blocks recovery [S12]: acting on a state that may be wrong is worse than not acting. A foreign
// journal has nothing that would tell damage from a line that its own reader skips, and is read as that reader does.

import { checkpointToSnapshot, isFullCheckpoint } from '../model/checkpoint.ts';
import type { BadLine, Fault, StoredEntry } from '../model/entry.ts';
import { AppError } from '../model/errors.ts';
import { foldEntries } from '../model/fold.ts';
import type { JsonObject } from '../model/json.ts';
import type { Cursor, JournalProvider } from '../model/ports.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';

/** A checkpoint is usually close to the end; where it is not, pages grow. */
const FIRST_PAGE_LINES = 32;
const MAX_PAGE_LINES = 256;

/** A process as its journal tells it. The first four are Promptise's, with its meaning. */
export interface Recovered {
  readonly context_state: JsonObject;
  readonly lifecycle_state: string;
  /** Empty when nothing follows the last checkpoint. */
  readonly last_entry_type: string;
  /** The entries after the last checkpoint of either kind. */
  readonly entries_replayed: number;
  readonly snapshot: ProcessSnapshot;
  /** Lines that could not be read or did not fit, since the last full checkpoint. */
  readonly damage: readonly BadLine[];
}

export interface RecoverOptions {
  /** Goes on over damage, for showing what can still be read. Never for taking over. */
  readonly lenient?: boolean;
}

export class ReplayEngine {
  readonly #journal: JournalProvider;

  constructor(journal: JournalProvider) {
    this.#journal = journal;
  }

  /**
   * @throws `journal.damaged` with the places, unless lenient
   */
  async recover(processId: string, { lenient = false }: RecoverOptions = {}): Promise<Recovered> {
    const { entries, damage } = await this.#tail(processId);
    const isOurs = entries.some((entry) => entry.verification !== 'unverified');
    const checkpoint = await this.#foreignCheckpoint(processId, isOurs);
    // Where no line can be read, nobody knows whose they were, and an empty state would be a guess [P5].
    const isUnknown = entries.length === 0 && checkpoint === null;
    if ((isOurs || isUnknown) && damage.length > 0 && !lenient) throw damaged(processId, damage);
    const snapshot = foldEntries(entries);
    if (checkpoint !== null) {
      // The file was written last and its line never: it is ahead of everything in the journal [S19].
      return recovered(checkpointToSnapshot({ state: checkpoint }, snapshot), [], damage);
    }
    const last = entries.findLastIndex((entry) => entry.entry_type === 'checkpoint');
    return recovered(snapshot, entries.slice(last + 1), damage);
  }

  /** The entries from the last full checkpoint on, or all of them. */
  async #tail(processId: string): Promise<{ entries: StoredEntry[]; damage: BadLine[] }> {
    const pages: (readonly StoredEntry[])[] = [];
    const damage: BadLine[] = [];
    let cursor: Cursor | null | undefined;
    for (let lines = FIRST_PAGE_LINES; cursor !== null; lines = Math.min(2 * lines, MAX_PAGE_LINES)) {
      const page = await this.#journal.readLast(processId, lines, cursor);
      const start = page.entries.findLastIndex(
        (entry) => entry.entry_type === 'checkpoint' && isFullCheckpoint(entry.data),
      );
      const used = start < 0 ? page.entries : page.entries.slice(start);
      const from = start < 0 ? -1 : used[0]!.offset;
      pages.unshift(used);
      damage.unshift(
        ...page.badLines.filter((line) => line.offset > from),
        ...used.filter((entry, at) => isDamage(entry, start >= 0 && at === 0)).map(brokenLine),
      );
      cursor = start < 0 ? page.before : null;
    }
    return { entries: pages.flat(), damage: damage.sort((a, b) => a.offset - b.offset) };
  }

  async #foreignCheckpoint(processId: string, isOurs: boolean): Promise<JsonObject | null> {
    if (isOurs) return null;
    const checkpoint = await this.#journal.lastCheckpoint(processId);
    return checkpoint?.seq === null ? checkpoint.state : null;
  }
}

function recovered(
  snapshot: ProcessSnapshot,
  replayed: readonly StoredEntry[],
  damage: readonly BadLine[],
): Recovered {
  return {
    context_state: snapshot.context,
    lifecycle_state: snapshot.lifecycle,
    last_entry_type: replayed.at(-1)?.entry_type ?? '',
    entries_replayed: replayed.length,
    snapshot,
    damage,
  };
}

/** A full checkpoint at which reading ends stands for all that is before it, lost or not: its link does not matter. */
function isDamage({ verification, fault }: StoredEntry, isWhereReadingEnds: boolean): boolean {
  return verification === 'broken' && !(isWhereReadingEnds && fault !== 'checksum');
}

const FAULTS: Readonly<Record<Fault, string>> = {
  checksum: 'has been changed: its checksum does not fit',
  link: 'does not follow the line before it: lines were lost, put in or changed there',
  sequence: 'has a number that does not follow the one before it',
};

function brokenLine({ seq, offset, sizeBytes, fault = 'checksum' }: StoredEntry): BadLine {
  return { seq, offset, sizeBytes, reason: FAULTS[fault] };
}

function damaged(processId: string, damage: readonly BadLine[]): AppError {
  const first = damage[0]!;
  const more = damage.length === 1 ? '' : `, and ${damage.length - 1} more`;
  return new AppError(
    'journal.damaged',
    `The journal of ${processId} is damaged after its last checkpoint: line ${first.seq} at byte ${first.offset}: ${first.reason}${more}. It can be looked at; to run it, restore the journal from a backup.`,
    { process: processId, lines: damage.map(({ seq, offset, reason }) => ({ seq, offset, reason })) },
  );
}
