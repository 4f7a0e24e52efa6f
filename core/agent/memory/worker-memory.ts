// The collections that this worker has open, each once: opening one takes longer than asking it.

import { codeOf } from '../../model/errors.ts';
import type { MemoryPlan } from '../../model/agent-plan.ts';
import { memoryPlace } from './memory-place.ts';
import { openSqliteMemory, type SqliteMemory } from './sqlite-memory.ts';
import type { MemoryStore } from './memory-store.ts';

/** For somebody else who writes: nothing else of the worker goes on meanwhile. */
const MAX_WAIT_MS = 2_000;

const open = new Map<string, SqliteMemory>();

/**
 * Does something with an agent's memory. One that was set aside meanwhile is let go of, and what has taken its place is used.
 * @throws `memory.*`
 */
export async function withMemory<T>(
  workspace: string,
  plan: MemoryPlan,
  act: (memory: MemoryStore) => Promise<T>,
): Promise<T> {
  const place = memoryPlace(workspace, plan);
  let memory = open.get(place.path);
  if (memory !== undefined && !memory.isCurrent) {
    await letGo(place.path);
    memory = undefined;
  }
  memory ??= openSqliteMemory(place, Math.min(MAX_WAIT_MS, plan.timeoutMs / 2));
  open.set(place.path, memory);
  try {
    return await act(memory);
  } catch (error) {
    if (codeOf(error) === 'memory.damaged') await letGo(place.path);
    throw error;
  }
}

/** Of all of them. */
export async function closeMemories(): Promise<void> {
  for (const path of open.keys()) await letGo(path);
}

async function letGo(path: string): Promise<void> {
  const memory = open.get(path);
  open.delete(path);
  await memory?.close();
}
