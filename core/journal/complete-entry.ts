import type { JournalEntry, NewEntry } from '../model/entry.ts';
import { timestampOf } from '../model/time.ts';

/** Where a journal takes ids and time from; tests give their own. */
export interface EntrySources {
  readonly now: () => number;
  readonly nextId: () => string;
}

export const SYSTEM_SOURCES: EntrySources = { now: Date.now, nextId: () => crypto.randomUUID() };

/** Fills in what the caller left out. */
export function completeEntry(entry: NewEntry, sources: EntrySources): JournalEntry {
  return {
    entry_id: entry.entry_id ?? sources.nextId(),
    process_id: entry.process_id,
    timestamp: entry.timestamp ?? timestampOf(sources.now()),
    entry_type: entry.entry_type,
    data: entry.data,
  };
}
