import { join } from 'node:path';
import type { MemoryPlace } from '../../core/agent/memory/memory-place.ts';
import type { NewMemory } from '../../core/agent/memory/memory-store.ts';
import type { MemoryPlan } from '../../core/model/agent-plan.ts';
import { tempDirectory } from './temp-directory.ts';

export function placeIn(directory: string = tempDirectory(), isKept = true): MemoryPlace {
  return { collection: 'notes', path: join(directory, 'memory', 'notes.sqlite'), isKept };
}

export function memoryOf(id: string, text: string, more: Partial<NewMemory> = {}): NewMemory {
  return {
    id,
    userId: 'anna',
    text,
    createdAt: '2026-01-01T00:00:00.000Z',
    source: { by: 'tool', process: 'clerk', eventId: 'e1', key: `k-${id}` },
    metadata: {},
    isPinned: false,
    ...more,
  };
}

/** As a manifest has it that says nothing but where. */
export const MEMORY_PLAN: MemoryPlan = {
  provider: 'sqlite',
  collection: 'agent_memory',
  directory: null,
  userId: 'default',
  isStoredByItself: false,
  max: 5,
  minScore: 0,
  timeoutMs: 5_000,
  embeddingModel: null,
};
