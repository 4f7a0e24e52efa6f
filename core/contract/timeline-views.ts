// The entries of a journal, one by one.

import { z } from 'zod';
import { Tone } from './process-row.ts';

export const TimelineRow = z.strictObject({
  /** Unique in the process's journal: the byte offset of the line. */
  id: z.string(),
  seq: z.number().int(),
  at: z.string(),
  type: z.string(),
  summary: z.string(),
  tone: Tone,
  /** The trigger event that the entry belongs to; rows of one event form a group. */
  eventId: z.string().nullable(),
  verification: z.enum(['verified', 'unverified', 'broken', 'unreadable']),
  /** The entry's data as JSON, or the reason that the line can't be read. */
  dataText: z.string(),
  cut: z.boolean(),
});
export type TimelineRow = z.infer<typeof TimelineRow>;

export const TimelinePage = z.strictObject({
  /** Newest first. */
  rows: z.array(TimelineRow),
  /** Where to go on towards the beginning; null at the beginning. */
  before: z.string().nullable(),
});
export type TimelinePage = z.infer<typeof TimelinePage>;
