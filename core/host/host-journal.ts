// S36  The host's own journal, in the user's data folder: what operators did that a process's journal could not take. One
//      directory for each journal that a host runs, so that no two hosts want the same lock.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { openFileJournal, type FileJournal } from '../journal/file-journal.ts';
import type { EntryType } from '../model/entry.ts';
import { messageOf } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { NOTHING_SECRET, type Scrub } from '../model/scrubber.ts';

/** What its entries are filed under. */
const PROCESS = 'host';

export interface HostJournal {
  /** Where it lies, whether anything was ever recorded or not. */
  readonly directory: string;
  /** Resolves when the entry is durable, or with the reason that it is not. Never rejects. */
  record(type: EntryType, data: JsonObject): Promise<string | null>;
  close(): Promise<void>;
}

/** Of the host that runs a journal. It is made with its first entry, and most hosts never need one. */
export function hostJournal(data: string, journalId: string, scrub: Scrub = NOTHING_SECRET): HostJournal {
  const name = createHash('sha256').update(journalId).digest('hex').slice(0, 16);
  const directory = join(data, 'host', name);
  let journal: FileJournal | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const append = async (type: EntryType, data: JsonObject): Promise<string | null> => {
    try {
      // On a network disk too: nobody else writes here, and a record there is better than none.
      journal ??= openFileJournal(directory, { allowSharedDisk: true });
      await journal.append(
        { process_id: PROCESS, entry_type: type, data: scrub.json(data) },
        { synced: true },
      );
      return null;
    } catch (error) {
      // What went wrong now may be over the next time.
      await letGo();
      return messageOf(error);
    }
  };
  const letGo = async (): Promise<void> => {
    const open = journal;
    journal = null;
    await Promise.allSettled([open?.close()]);
  };
  return {
    directory,
    record: (type, data) => {
      const recorded = last.then(() => append(type, data));
      last = recorded;
      return recorded;
    },
    close: async () => {
      await last;
      await letGo();
    },
  };
}
