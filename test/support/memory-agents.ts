import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { memoryPlace } from '../../core/agent/memory/memory-place.ts';
import type { MemoryRecord, MemoryStore } from '../../core/agent/memory/memory-store.ts';
import { openSqliteMemory } from '../../core/agent/memory/sqlite-memory.ts';
import { DEFAULT_PLAN, type AgentPlan, type MemoryPlan } from '../../core/model/agent-plan.ts';
import type { ProcessConfig } from '../../core/model/process-config.ts';
import { REPOSITORY } from './fixtures.ts';
import { MEMORY_PLAN } from './memories.ts';
import { bench, type Bench } from './runtime.ts';
import { tempDirectory } from './temp-directory.ts';

const at = (file: string): string =>
  JSON.stringify(pathToFileURL(join(REPOSITORY, 'core/agent/memory', file)).href);

export interface MemoryAgent extends Bench {
  readonly plan: MemoryPlan;
  /** Does something with its memory from outside, as somebody else would. */
  readonly memory: <T>(act: (memory: MemoryStore) => Promise<T>) => Promise<T>;
  readonly all: () => Promise<readonly MemoryRecord[]>;
}

/**
 * An agent with `turn`, `memory` (what is remembered around a turn) and `tool(name, args)`; `source` is what it does with each
 * event.
 */
export async function memoryAgent(
  source: string,
  {
    memory = {},
    plan = {},
    config = {},
    directory = tempDirectory(),
  }: {
    readonly memory?: Partial<MemoryPlan>;
    readonly plan?: Partial<AgentPlan>;
    readonly config?: Partial<ProcessConfig>;
    readonly directory?: string;
  } = {},
): Promise<MemoryAgent> {
  mkdirSync(directory, { recursive: true });
  const ofMemory = { ...MEMORY_PLAN, ...memory };
  const whole: AgentPlan = { ...DEFAULT_PLAN, memory: ofMemory, ...plan };
  const module = `
import { turnMemory } from ${at('turn-memory.ts')};
import { memoryTools } from ${at('memory-tools.ts')};
const memory = turnMemory();
const source = memoryTools();
const plan = ${JSON.stringify(whole)};
export default defineAgent({
  async onTrigger(ctx, event, run) {
    const turn = { ...run, ctx, event, plan };
    const { signal } = new AbortController();
    const offered = await source.list(turn);
    const tool = (name, args) => source.call(turn, offered.offers.find((offer) => offer.name === name) ?? { tool: name }, { args, key: name, attempt: 1, signal });
    ${source}
  },
});`;
  const started = await bench(module, config, directory);
  const place = memoryPlace(directory, ofMemory);
  const act = async <T>(use: (store: MemoryStore) => Promise<T>): Promise<T> => {
    const store = openSqliteMemory(place);
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  };
  return {
    ...started,
    plan: ofMemory,
    memory: act,
    all: () => act((store) => store.list({ userIds: [ofMemory.userId], max: 1_000 })),
  };
}
