// The tools of servers that speak MCP. What that takes is loaded when an agent first has one.

import type { ToolSource } from '../llm/tool.ts';

export function mcpTools(): ToolSource {
  let source: Promise<ToolSource> | null = null;
  const loaded = (): Promise<ToolSource> => {
    source ??= import('./mcp-source.ts').then(({ mcpSource }) => mcpSource());
    return source;
  };
  return {
    list: async (turn) =>
      source === null && Object.keys(turn.plan.servers).length === 0
        ? { offers: [], problems: [] }
        : (await loaded()).list(turn),
    call: async (turn, offer, request) => (await loaded()).call(turn, offer, request),
    close: async () => (await source)?.close(),
  };
}
