import type { EntryType } from './entry.ts';

/** How much a journal keeps [S3]: nothing, what recovery needs, or everything. */
export const JOURNAL_LEVELS = ['none', 'checkpoint', 'full'] as const;
export type JournalLevel = (typeof JOURNAL_LEVELS)[number];

const ONLY_FULL: ReadonlySet<EntryType> = new Set(['log']);

/** Whether an entry of this type is written at this level. */
export function isRecorded(level: JournalLevel, type: EntryType): boolean {
  return level === 'full' || (level === 'checkpoint' && !ONLY_FULL.has(type));
}
