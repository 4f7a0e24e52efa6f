// A server of tools for the sweep over a turn: speaks MCP over its standard input and output, and has what it is asked for
// done by the tool server that nobody kills, which counts it. A tool that takes a key hands it on; of the others what is
// counted goes by the tool's name.
//
//   TURN_TOOLS=<address> node bridging-mcp-server.ts

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
import type { ToolAnswer } from '../../core/agent/llm/tool.ts';
import { TURN_TOOLS } from './turn-life.ts';

const server = new McpServer({ name: 'bridge', version: '0' });
for (const tool of Object.keys(TURN_TOOLS)) {
  server.registerTool(tool, { description: tool, inputSchema: z.looseObject({}) }, async (given) => {
    const { key = tool, ...args } = given as Record<string, unknown>;
    const response = await fetch(`${process.env['TURN_TOOLS']}/call`, {
      method: 'POST',
      body: JSON.stringify({ tool, args, key }),
    });
    const { text, isError } = (await response.json()) as ToolAnswer;
    return { content: [{ type: 'text' as const, text }], isError };
  });
}
await server.connect(new StdioServerTransport());
