import type { JournalEntry, NewEntry } from '../model/entry.ts';
import { AppError } from '../model/errors.ts';
import { parseTimestamp, timestampOf } from '../model/time.ts';

/** Where a journal takes ids and time from; tests give their own. */
export interface EntrySources {
  readonly now: () => number;
  readonly nextId: () => string;
}

export const SYSTEM_SOURCES: EntrySources = { now: Date.now, nextId: () => crypto.randomUUID() };

const WRITTEN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}|\.\d{6})?\+00:00$/;

/**
 * Fills in what the caller left out.
 * @throws `journal.bad-time` for a time that no reader would take back [J3]
 */
export function completeEntry(entry: NewEntry, sources: EntrySources): JournalEntry {
  const { process_id, entry_type, data } = entry;
  const timestamp = entry.timestamp ?? textOf(sources.now());
  if (entry.timestamp !== undefined && (!WRITTEN.test(timestamp) || parseTimestamp(timestamp) === null))
    throw badTime(timestamp);
  return { entry_id: entry.entry_id ?? sources.nextId(), process_id, timestamp, entry_type, data };
}

/** The last moment that was asked for: at full speed hundreds of entries share one. */
let last = { epochMs: Number.NaN, text: '' };

function textOf(epochMs: number): string {
  if (last.epochMs !== epochMs) last = { epochMs, text: timestampOf(epochMs) };
  return last.text;
}

/** Milliseconds since the epoch of the time that a reader asks from; null where none is given. */
export function sinceOf(since: string | undefined): number | null {
  if (since === undefined) return null;
  const epochMs = parseTimestamp(since);
  if (epochMs === null) throw badTime(since);
  return epochMs;
}

function badTime(text: string): AppError {
  return new AppError(
    'journal.bad-time',
    `${JSON.stringify(text)} is not a journal's time. Write it in UTC, like 2026-01-31T09:30:00.000+00:00.`,
    { timestamp: text },
  );
}
