// Rebuilding a process from its journal: the pure fold over what was read, and no act [P3, P6].
//
// Reading goes backwards from the end to the last full checkpoint [S18], so it does not depend on the journal's length.
// Damage in what was read blocks recovery [S12]: acting on a state that may be wrong is worse than not acting. A foreign
// journal has nothing that would tell damage from a line that its own reader skips, and is read as that reader does.

import { checkpointToSnapshot, isFullCheckpoint } from '../model/checkpoint.ts';
import { damagedError, damageOf } from '../model/damage.ts';
import { isBad, type BadLine, type StoredEntry } from '../model/entry.ts';
import { applyEntry } from '../model/fold.ts';
import type { JsonObject } from '../model/json.ts';
import type { Cursor, JournalProvider } from '../model/ports.ts';
import { emptySnapshot, type ProcessSnapshot } from '../model/snapshot.ts';

/** More places of damage help nobody. */
const MAX_PLACES = 1_000;

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
  /** Where to go on reading; null where there was nothing to read. */
  readonly readTo: Cursor | null;
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
    let snapshot = emptySnapshot();
    let isOurs = false;
    let count = 0;
    let replayed = 0;
    const damage: BadLine[] = [];
    let readTo: Cursor | null = null;
    for await (const { items, next } of this.#journal.readSinceCheckpoint(processId)) {
      readTo = next;
      for (const item of items) {
        const place = damageOf(item);
        if (place !== null && !(count === 0 && isWhereReadingBegan(item)) && damage.length < MAX_PLACES)
          damage.push(place);
        if (isBad(item)) continue;
        isOurs ||= item.verification !== 'unverified';
        snapshot = applyEntry(snapshot, item);
        replayed = item.entry_type === 'checkpoint' ? 0 : replayed + 1;
        count += 1;
      }
    }
    const checkpoint = await this.#foreignCheckpoint(processId, isOurs);
    // Where no line can be read, nobody knows whose they were, and an empty state would be a guess [P5].
    const isUnknown = count === 0 && checkpoint === null;
    if ((isOurs || isUnknown) && damage.length > 0 && !lenient) throw damagedError(processId, damage);
    // The file was written last and its line never: it is ahead of everything in the journal [S19].
    return checkpoint === null
      ? recovered(snapshot, replayed, damage, readTo)
      : recovered(checkpointToSnapshot({ state: checkpoint }, snapshot), 0, damage, readTo);
  }

  async #foreignCheckpoint(processId: string, isOurs: boolean): Promise<JsonObject | null> {
    if (isOurs) return null;
    const checkpoint = await this.#journal.lastCheckpoint(processId);
    return checkpoint?.seq === null ? checkpoint.state : null;
  }
}

function recovered(
  snapshot: ProcessSnapshot,
  replayed: number,
  damage: readonly BadLine[],
  readTo: Cursor | null,
): Recovered {
  return {
    context_state: snapshot.context,
    lifecycle_state: snapshot.lifecycle,
    last_entry_type: replayed === 0 ? '' : snapshot.lastEntryType,
    entries_replayed: replayed,
    snapshot,
    damage,
    readTo,
  };
}

/** A full checkpoint at which reading begins stands for all that is before it, lost or not: its link does not matter. */
function isWhereReadingBegan(item: StoredEntry | BadLine): boolean {
  return (
    !isBad(item) &&
    item.fault !== 'checksum' &&
    item.entry_type === 'checkpoint' &&
    isFullCheckpoint(item.data)
  );
}
