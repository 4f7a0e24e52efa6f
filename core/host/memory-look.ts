// What a console sees of an agent's memory. It is looked at without opening it for anything else [P6].

import { MAX_MEMORY_SHOWN, type MemoryPage, type MemoryRecordView } from '../contract/memory-views.ts';
import { lookAtMemory } from '../agent/memory/look-at-memory.ts';
import { memoryPlace, readableBy } from '../agent/memory/memory-place.ts';
import type { MemoryRecord } from '../agent/memory/memory-store.ts';
import type { MemoryPlan } from '../model/agent-plan.ts';
import { AppError } from '../model/errors.ts';
import { cut, cutOrNull } from './cut.ts';
import { MAX_ID, MAX_LINE, MAX_NAME, MAX_WORD } from './view-limits.ts';

/** Whose memory, and where the paths of its plan begin. */
export interface MemoryAt {
  readonly plan: MemoryPlan;
  /** Absolute. */
  readonly workspace: string;
}

export interface MemorySearch {
  /** Empty for the newest. */
  readonly text: string;
  readonly max: number;
  readonly skip: number;
}

/** @throws `memory.*` */
export async function searchMemory(
  { plan, workspace }: MemoryAt,
  { text, max, skip }: MemorySearch,
): Promise<MemoryPage> {
  const userIds = readableBy(plan.userId);
  const found = await lookAtMemory(memoryPlace(workspace, plan), async (memory) => {
    const count = await memory.count(userIds);
    if (text.trim() === '') {
      const records = await memory.list({ userIds, max, skip });
      return { count, records: records.map((record) => recordView(record, plan.userId, null)) };
    }
    const hits = await memory.search({ userIds, text, max, minScore: 0 });
    return { count, records: hits.map(({ record, score }) => recordView(record, plan.userId, score)) };
  });
  return {
    provider: plan.provider,
    collection: cut(plan.collection, MAX_LINE),
    userId: cut(plan.userId, MAX_LINE),
    readsAlso: userIds.slice(1).map((userId) => cut(userId, MAX_LINE)),
    isStoredByItself: plan.isStoredByItself,
    count: found?.count ?? 0,
    records: found?.records ?? [],
  };
}

/** The whole text of one. @throws `memory.not-found` */
export async function readMemory({ plan, workspace }: MemoryAt, id: string): Promise<MemoryRecordView> {
  const record = await recordAt({ plan, workspace }, id);
  if (record === null) throw notFound(id);
  return { ...recordView(record, plan.userId, null), text: record.text, cut: false };
}

export async function recordAt({ plan, workspace }: MemoryAt, id: string): Promise<MemoryRecord | null> {
  const place = memoryPlace(workspace, plan);
  return lookAtMemory(place, (memory) => memory.get(id, readableBy(plan.userId)));
}

export function notFound(id: string): AppError {
  return new AppError(
    'memory.not-found',
    `There is no record ${JSON.stringify(id.slice(0, MAX_WORD))} in this memory (any more), or it is another user's.`,
    { id },
  );
}

export function noMemory(process: string): AppError {
  return new AppError(
    'memory.not-configured',
    `${process} remembers nothing but its conversation: its manifest has no memory. Give it one, with memory: provider: sqlite.`,
    { process },
  );
}

function recordView(record: MemoryRecord, userId: string, score: number | null): MemoryRecordView {
  const { text, source } = record;
  return {
    id: cut(record.id, MAX_ID),
    text: cut(text, MAX_MEMORY_SHOWN),
    cut: text.length > MAX_MEMORY_SHOWN,
    createdAt: cut(record.createdAt, MAX_WORD),
    updatedAt: cutOrNull(record.updatedAt, MAX_WORD),
    by: source.by,
    process: cut(source.process, MAX_NAME),
    eventId: cutOrNull(source.eventId, MAX_ID),
    userId: cut(record.userId, MAX_LINE),
    isOwn: record.userId === userId,
    isPinned: record.isPinned,
    score: score === null ? null : Math.round(score * 1_000) / 1_000,
  };
}
