// What an agent may do with its memory by itself. Each call goes through `ctx` here, since with an embedding model it is two
// effects: the paid one, and the other.

import type { JSONSchema7 } from '@ai-sdk/provider';
import type { MemoryPlan } from '../../model/agent-plan.ts';
import type { EffectClass } from '../../model/effects.ts';
import { messageOf } from '../../model/errors.ts';
import { isObject, textAt, type Json } from '../../model/json.ts';
import { MAX_MEMORY_TEXT } from '../../model/limits.ts';
import { EffectFailed } from '../effect-errors.ts';
import { ownOffer } from '../llm/own-offer.ts';
import type { ToolAnswer, ToolOffer, ToolSource, Turn } from '../llm/tool.ts';
import { MAX_MEMORY_ID } from './memory-store.ts';
import { recall, remember, written } from './remember.ts';
import { rememberedText } from './remembered-text.ts';
import { closeMemories, withMemory } from './worker-memory.ts';

const MOST_FOUND = 20;

interface Tool {
  readonly description: string;
  readonly class: EffectClass;
  readonly properties: Readonly<Record<string, JSONSchema7>>;
  readonly required: readonly string[];
  readonly call: (turn: Turn, plan: MemoryPlan, args: Json) => Promise<ToolAnswer>;
}

const TOOLS: Readonly<Record<string, Tool>> = {
  store_memory: {
    description:
      'Remembers a text for later turns, in which it may be recalled. Write what will be understood without this conversation.',
    class: 'idempotent',
    properties: { text: { type: 'string', minLength: 1, maxLength: MAX_MEMORY_TEXT } },
    required: ['text'],
    call: async (turn, plan, args) => {
      const text = textOf(args, 'text');
      if (text.trim() === '') return failed('text must say what is to be remembered.');
      if (text.length > MAX_MEMORY_TEXT) {
        return failed(
          `text has ${text.length} characters, and ${MAX_MEMORY_TEXT} are the most. Say it shorter.`,
        );
      }
      const { id, added } = await remember(turn, plan, { name: 'store_memory', by: 'tool', text });
      return said(
        added === 'forgotten' ? `${id} was forgotten meanwhile, and stays so.` : `Remembered as ${id}.`,
      );
    },
  },
  search_memory: {
    description: 'Finds what was remembered earlier and has to do with a text, best first, each with its id.',
    class: 'retry',
    properties: {
      query: { type: 'string', minLength: 1 },
      max: { type: 'integer', minimum: 1, maximum: MOST_FOUND },
    },
    required: ['query'],
    call: async (turn, plan, args) => {
      const query = textOf(args, 'query');
      if (query.trim() === '') return failed('query must say what to search for.');
      const asked = { name: 'search_memory', text: query, max: mostOf(args, plan.max), withPinned: false };
      const found = await recall(turn, plan, asked);
      if (found.note !== null) return failed(`The memory can't be searched now: ${found.note}`);
      return said(rememberedText(found) ?? 'Nothing of that is remembered.');
    },
  },
  forget_memory: {
    description: 'Forgets one record for good, by the id that a search gave. What is pinned stays.',
    class: 'idempotent',
    properties: { id: { type: 'string', minLength: 1, maxLength: MAX_MEMORY_ID } },
    required: ['id'],
    call: forget,
  },
};

export function memoryTools(): ToolSource {
  return {
    list: async ({ plan: { memory, open } }) => {
      const isOffered = memory !== null && (open === null || open.mayManageMemory);
      return { offers: isOffered ? Object.entries(TOOLS).map(offerOf) : [], problems: [] };
    },
    call: async (turn, offer, { args }) => {
      const tool = Object.hasOwn(TOOLS, offer.tool) ? TOOLS[offer.tool]! : null;
      const { memory } = turn.plan;
      if (tool === null || memory === null) return failed(`There is no tool ${offer.tool} here.`);
      try {
        return await tool.call(turn, memory, args);
      } catch (error) {
        if (!(error instanceof EffectFailed)) throw error;
        return failed(messageOf(error));
      }
    },
    close: closeMemories,
  };
}

function offerOf([name, { description, class: effectClass, properties, required }]: [
  string,
  Tool,
]): ToolOffer {
  const said = { name, description, source: 'memory', how: 'direct', class: effectClass } as const;
  return ownOffer(said, properties, required);
}

async function forget(turn: Turn, plan: MemoryPlan, args: Json): Promise<ToolAnswer> {
  const { collection, userId } = plan;
  const id = textOf(args, 'id').slice(0, MAX_MEMORY_ID);
  const became = await turn.ctx.effect<'forgotten' | 'none' | 'pinned'>(
    'forget_memory',
    { class: 'idempotent', args: { collection, userId, id } },
    () =>
      written(() =>
        withMemory(turn.workspace, plan, async (memory) => {
          const record = await memory.get(id, [userId]);
          if (record?.isPinned === true) return 'pinned';
          // Also by this call itself, where a crash came between [S28].
          return (await memory.delete(id, userId)) === 'none' ? 'none' : 'forgotten';
        }),
      ),
  );
  switch (became) {
    case 'forgotten':
      return said(`${id} is forgotten.`);
    case 'none':
      return failed(`There is no ${id} to forget (any more).`);
    case 'pinned':
      return failed(`${id} was pinned by a person, who alone can forget it.`);
  }
}

function textOf(args: Json, key: string): string {
  return isObject(args) ? textAt(args, key) : '';
}

function mostOf(args: Json, otherwise: number): number {
  const max = isObject(args) ? args['max'] : undefined;
  if (typeof max === 'number' && Number.isInteger(max)) return Math.max(1, Math.min(MOST_FOUND, max));
  return Math.max(1, Math.min(MOST_FOUND, otherwise));
}

function said(text: string): ToolAnswer {
  return { text, isError: false };
}

function failed(text: string): ToolAnswer {
  return { text, isError: true };
}
