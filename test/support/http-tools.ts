// A source of tools for the loop: those of a tool server, in classes that a test chooses. It runs in a worker.

import { DidNotHappen } from '../../core/agent/effect-errors.ts';
import type { ToolAnswer, ToolOffer, ToolSource } from '../../core/agent/llm/tool.ts';
import { whatCameOf } from './what-came-of.ts';
import type { Json } from '../../core/model/json.ts';

export type HttpTool = Partial<Omit<ToolOffer, 'name' | 'source' | 'tool'>>;

export function httpTools(url: string, tools: Readonly<Record<string, HttpTool>>): ToolSource {
  const post = async (path: string, body: Json, signal?: AbortSignal): Promise<Json> => {
    const response = await fetch(url + path, {
      method: 'POST',
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
    return (await response.json()) as Json;
  };
  return {
    list: async () => ({
      offers: Object.entries(tools).map(([name, tool]) => offerOf(name, tool)),
      problems: [],
    }),
    call: async (_, { tool }, { args, key, signal }) => {
      if (tool === 'refuses') throw new DidNotHappen('it never begins');
      return (await post('/call', { tool, args, key }, signal)) as unknown as ToolAnswer;
    },
    reconcile: async (_, __, { key }) => {
      const found = await whatCameOf(url, key);
      return found === null
        ? { happened: false }
        : { happened: true, result: found as unknown as ToolAnswer };
    },
    close: async () => {},
  };
}

function offerOf(name: string, tool: HttpTool): ToolOffer {
  return {
    name,
    description: name,
    inputSchema: { type: 'object' },
    source: 'http',
    tool: name,
    how: 'effect',
    class: 'ask',
    keyArgument: null,
    timeoutMs: null,
    asks: false,
    fingerprint: name,
    ...tool,
  };
}
