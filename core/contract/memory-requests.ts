// What an agent remembers.

import { z } from 'zod';
import { MAX_MEMORY_TEXT } from '../model/limits.ts';
import { defineRequest } from './define.ts';
import { MemoryPage, MemoryRecordView } from './memory-views.ts';
import { OneProcess, Command, NeedsReason, Outcome } from './request-parts.ts';

const MemoryId = z.string().min(1).max(200);

export const MEMORY_REQUESTS = {
  /** What its agent remembers: the newest, or what a text is about. Nothing is changed. */
  'memory.search': defineRequest(
    'memory.search',
    z.strictObject({
      ...OneProcess,
      text: z.string().max(4_000),
      max: z.number().int().min(1).max(200),
      /** Of the newest, how many are left out. */
      skip: z.number().int().min(0).max(1_000_000),
    }),
    MemoryPage,
  ),
  /** With its whole text. */
  'memory.read': defineRequest(
    'memory.read',
    z.strictObject({ ...OneProcess, id: MemoryId }),
    MemoryRecordView,
  ),
  /** Adds a record, with null for its id, or changes one. */
  'memory.write': defineRequest(
    'memory.write',
    z.strictObject({
      ...Command.shape,
      id: MemoryId.nullable(),
      text: z.string().min(1).max(MAX_MEMORY_TEXT),
      isPinned: z.boolean(),
    }),
    Outcome,
  ),
  /** One; or with null everything of its user, where the collection is named to confirm that. */
  'memory.forget': defineRequest(
    'memory.forget',
    z.strictObject({
      ...NeedsReason.shape,
      id: MemoryId.nullable(),
      collection: z.string().max(1_000).nullable(),
    }),
    Outcome,
  ),
  /** Sets a damaged database aside, and keeps what can be read of it. */
  'memory.repair': defineRequest('memory.repair', NeedsReason, Outcome),
} as const;
