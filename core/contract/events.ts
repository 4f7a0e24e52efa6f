import { z } from 'zod';
import { JournalView } from './fleet-views.ts';
import { ProcessDetail } from './process-detail.ts';
import { ProcessRow } from './process-row.ts';
import { TimelineRow } from './timeline-views.ts';

/** What a host says unasked: changes in batches, the first at once, then at most one every 100 ms. */
export const EVENTS = {
  'fleet.changed': z.strictObject({
    /** One more than the last; a gap makes the client read the fleet again. */
    sequence: z.number().int(),
    at: z.string(),
    upserts: z.array(ProcessRow),
    removed: z.array(z.string()),
    /** All of them, when any changed. */
    journals: z.array(JournalView).nullable(),
  }),
  'process.changed': z.strictObject({
    journalId: z.string(),
    process: z.string(),
    detail: ProcessDetail,
    /** The entries since the last change, newest first. More than fit: `gap`, and the client reads the timeline again. */
    rows: z.array(TimelineRow),
    gap: z.boolean(),
  }),
  /** Go to this view: an address, or the fleet. */
  'console.show': z.strictObject({
    target: z.strictObject({ journalId: z.string(), process: z.string() }).nullable(),
    /** Another view than those two. */
    view: z.enum(['waiting']).optional(),
  }),
  /** Something outside a request of the console's: a file that was double-clicked and could not be opened. */
  'console.notice': z.strictObject({
    code: z.string(),
    message: z.string(),
    tone: z.enum(['attention', 'alarm']),
  }),
} as const satisfies Record<string, z.ZodType>;

export type EventName = keyof typeof EVENTS;
export type EventOf<N extends EventName> = z.output<(typeof EVENTS)[N]>;
