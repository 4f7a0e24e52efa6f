import { z } from 'zod';

/** Of a record in a list, in characters; a search shows more of none. */
export const MAX_MEMORY_SHOWN = 2_000;

export const MemoryRecordView = z.strictObject({
  id: z.string(),
  text: z.string(),
  /** There is more of the text than is shown. */
  cut: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string().nullable(),
  by: z.enum(['turn', 'tool', 'operator']),
  /** The process that remembered it, and the event of the invocation; null where it was none. */
  process: z.string(),
  eventId: z.string().nullable(),
  userId: z.string(),
  /** Whether this process may change it. */
  isOwn: z.boolean(),
  isPinned: z.boolean(),
  /** 0 to 1; null where nothing was searched for. */
  score: z.number().nullable(),
});
export type MemoryRecordView = z.infer<typeof MemoryRecordView>;

export const MemoryPage = z.strictObject({
  provider: z.enum(['in_memory', 'sqlite']),
  collection: z.string(),
  userId: z.string(),
  /** Others whose records it reads: those that it was forked from. */
  readsAlso: z.array(z.string()),
  isStoredByItself: z.boolean(),
  /** Of all that it reads. */
  count: z.number().int(),
  /** Best first, or newest first where nothing was searched for. */
  records: z.array(MemoryRecordView),
});
export type MemoryPage = z.infer<typeof MemoryPage>;
