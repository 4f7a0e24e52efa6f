// A workspace whose process remembers, as its journal says.

import { join } from 'node:path';
import { memoryPlace } from '../../core/agent/memory/memory-place.ts';
import type { MemoryStore } from '../../core/agent/memory/memory-store.ts';
import { openSqliteMemory } from '../../core/agent/memory/sqlite-memory.ts';
import { openFileJournal } from '../../core/journal/file-journal.ts';
import { WORKSPACE_JOURNAL } from '../../core/journal/layout.ts';
import { DEFAULT_PLAN, planAsJson, type MemoryPlan } from '../../core/model/agent-plan.ts';
import { MEMORY_PLAN } from './memories.ts';
import { openConsole, workspaceOf } from './run-host.ts';

export interface Remembering {
  readonly workspace: string;
  readonly plan: MemoryPlan;
  readonly path: string;
  /** Does something with its memory from outside. */
  readonly memory: <T>(act: (memory: MemoryStore) => Promise<T>) => Promise<T>;
}

/** `clerk`, which does nothing, and remembers. */
export async function rememberingWorkspace(
  over: Partial<MemoryPlan> = {},
  manifest = '',
): Promise<Remembering> {
  const workspace = workspaceOf({ clerk: '' }, manifest);
  const plan = { ...MEMORY_PLAN, ...over };
  const console = await openConsole(workspace, null);
  await console.host.close();
  const journal = openFileJournal(join(workspace, WORKSPACE_JOURNAL), { workspace: '..' });
  await journal.append({
    process_id: 'clerk',
    entry_type: 'agent_planned',
    data: { plan: planAsJson({ ...DEFAULT_PLAN, memory: plan }) },
  });
  await journal.close();
  const place = memoryPlace(workspace, plan);
  return {
    workspace,
    plan,
    path: place.path,
    memory: async (act) => {
      const memory = openSqliteMemory(place);
      try {
        return await act(memory);
      } finally {
        await memory.close();
      }
    },
  };
}
