// The way to a server, with the texts of the plan filled in.

import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ToolServer } from '../../model/agent-plan.ts';
import { AppError } from '../../model/errors.ts';
import { GuardedTransport } from './guarded-transport.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { boundedMcpFetch, refusingFetch } from './http-fetch.ts';
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

/** What can't be in it, of which whoever takes it would tell with the whole value. */
const KINDS = {
  http: { what: 'The header', not: /[^\t\u0020-\u007e\u0080-\u00ff]/ },
  stdio: { what: 'The variable', not: /\u0000/ },
} as const;

/**
 * The server with secrets in the places of their names. One that the agent connected itself gets none: who chose its address
 * chose what it is sent.
 * @throws `mcp.bad-text`, and what `fill` throws
 */
export async function filledServer(server: ToolServer, fill: Fill): Promise<ToolServer> {
  const values = new Map<string, string>();
  const filled = async (text: string, formOf = (value: string): string => value): Promise<string> => {
    for (const [, name] of text.matchAll(SECRET))
      if (!values.has(name!)) values.set(name!, await fill(name!));
    return text.replaceAll(SECRET, (_, name: string) => formOf(values.get(name)!));
  };
  const all = async (texts: Readonly<Record<string, string>>): Promise<Record<string, string>> => {
    const found: Record<string, string> = {};
    const { what, not } = KINDS[server.kind];
    for (const [key, text] of Object.entries(texts)) {
      found[key] = await filled(text);
      // What fetch leaves out around a header, as the end of a file that a secret came from.
      if (not.test(found[key].trim())) throw badText(`${what} ${key}`, text);
    }
    return found;
  };
  if (server.kind === 'http') {
    if (server.reach !== undefined) return server;
    return {
      ...server,
      url: await filled(server.url, encodeURIComponent),
      headers: await all(server.headers),
    };
  }
  const env = await all(server.env);
  const args: string[] = [];
  for (const arg of server.args) {
    const whole = await filled(arg);
    if (KINDS.stdio.not.test(whole)) throw badText('An argument', arg);
    args.push(whole);
  }
  return { ...server, env, args };
}

function badText(what: string, written: string): AppError {
  const secrets = [...written.matchAll(SECRET)].map(([, name]) => name!);
  const whose = secrets.length === 0 ? 'its text' : `what the secret ${secrets.join(' or ')} fills in`;
  return new AppError(
    'mcp.bad-text',
    `${what} can't be given to it: ${whose} holds a line break, or another character that has no place there. Set it again.`,
    { secrets },
  );
}

/**
 * @param server as it is filled in
 * @throws `mcp.*` where it can't be opened; nothing runs then
 */
export async function openTransport(
  name: string,
  server: ToolServer,
  workspace: string,
): Promise<OpenedTransport> {
  const maxMessageBytes = Math.max(LEAST_MESSAGE_BYTES, server.maxResultBytes + AROUND_RESULT_BYTES);
  if (server.kind === 'http') {
    const { reach } = server;
    const from = reach === undefined ? fetch : guardedFetch({ allowPrivate: reach === 'named' });
    const fetchFrom = boundedMcpFetch(maxMessageBytes, from);
    const requestInit = { headers: { ...server.headers } };
    const url = new URL(server.url);
    const transport =
      server.transport === 'sse'
        ? new SSEClientTransport(url, { fetch: refusingFetch(fetchFrom), requestInit })
        : new StreamableHTTPClientTransport(url, { fetch: fetchFrom, requestInit });
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
    command: serverCommand(server, server.env),
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
