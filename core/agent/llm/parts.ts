// What the loop of a model agent is put together from.

import { mcpTools } from '../mcp/mcp-tools.ts';
import { memoryTools } from '../memory/memory-tools.ts';
import { turnMemory } from '../memory/turn-memory.ts';
import { approver } from '../people/approver.ts';
import { peopleTools } from '../people/people-tools.ts';
import { selfTools } from '../self/self-tools.ts';
import type { Approver, ToolSource, TurnMemory } from './tool.ts';

export interface TurnParts {
  /** By what stands before the colon in the `source` of their offers: `mcp`, `memory`. */
  readonly sources: Readonly<Record<string, ToolSource>>;
  /** Null where nobody is asked. */
  readonly approver: Approver | null;
  /** Null where nothing is remembered beside the conversation. */
  readonly memory: TurnMemory | null;
}

/** Of a worker of a model agent. */
export function turnParts(): TurnParts {
  return {
    // Servers come last: none takes the place, or the name, of what the agent has by itself.
    sources: { memory: memoryTools(), people: peopleTools(), self: selfTools(), mcp: mcpTools() },
    approver,
    memory: turnMemory(),
  };
}
