// The way to a server, with the texts of the plan filled in.

import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ToolServer } from '../../model/agent-plan.ts';
import { GuardedTransport } from './guarded-transport.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { boundedMcpFetch } from './http-fetch.ts';
import { serverCommand } from './server-command.ts';
import { serverOutput } from './server-output.ts';
import { insideOf } from './server-roots.ts';
import { StdioTransport } from './stdio-transport.ts';

/** Lists of tools have to fit, however little a result may have. */
const LEAST_MESSAGE_BYTES = 4 * 1024 * 1024;
const AROUND_RESULT_BYTES = 64 * 1024;

/** Of a secret's name in a text of the plan. */
const SECRET = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The value of a secret. */
export type Fill = (name: string) => Promise<string>;

export interface OpenedTransport {
  readonly transport: Transport;
  /** How it ended, where that is known better than by its end alone. */
  readonly end: () => string | null;
}

/** The environment of a server, or its headers, with secrets in their places. */
export async function filledTexts(server: ToolServer, fill: Fill): Promise<Readonly<Record<string, string>>> {
  const filled: Record<string, string> = {};
  for (const [key, text] of Object.entries(server.kind === 'stdio' ? server.env : server.headers)) {
    const values = new Map<string, string>();
    for (const [, name] of text.matchAll(SECRET))
      if (!values.has(name!)) values.set(name!, await fill(name!));
    filled[key] = text.replaceAll(SECRET, (_, name: string) => values.get(name)!);
  }
  return filled;
}

/** @throws `mcp.*` where it can't be opened; nothing runs then */
export async function openTransport(
  name: string,
  server: ToolServer,
  workspace: string,
  filled: Readonly<Record<string, string>>,
): Promise<OpenedTransport> {
  const maxMessageBytes = Math.max(LEAST_MESSAGE_BYTES, server.maxResultBytes + AROUND_RESULT_BYTES);
  if (server.kind === 'http') {
    const { reach } = server;
    const from = reach === undefined ? fetch : guardedFetch({ allowPrivate: reach === 'named' });
    const options = {
      fetch: boundedMcpFetch(maxMessageBytes, from),
      requestInit: { headers: { ...filled } },
    };
    const url = new URL(server.url);
    const transport =
      server.transport === 'sse'
        ? new SSEClientTransport(url, options)
        : new StreamableHTTPClientTransport(url, options);
    const guarded = new GuardedTransport(transport);
    return { transport: guarded, end: () => guarded.flood };
  }
  const cwd = await insideOf(workspace, server.cwd === '' ? '.' : server.cwd, 'The directory');
  let lastLine = '';
  const output = serverOutput(name, (text) => {
    lastLine = text.trim();
    process.stderr.write(text);
  });
  const transport = new StdioTransport({
    command: serverCommand(server, filled),
    cwd,
    maxMessageBytes,
    onStderr: output,
  });
  const guarded = new GuardedTransport(transport);
  const end = (): string | null => {
    if (guarded.flood !== null) return guarded.flood;
    return transport.end === null || lastLine === ''
      ? transport.end
      : `${transport.end}; last it said: ${lastLine}`;
  };
  return { transport: guarded, end };
}
