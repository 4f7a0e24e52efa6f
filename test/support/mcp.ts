// Servers of tools for tests, real ones, and a turn that uses them without a whole process around it.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { AgentContext } from '../../core/agent/define-agent.ts';
import type { ToolAnswer, ToolList, ToolOffer, ToolSource, Turn } from '../../core/agent/llm/tool.ts';
import { mcpTools } from '../../core/agent/mcp/mcp-tools.ts';
import { DEFAULT_PLAN, type AgentPlan, type ToolServer } from '../../core/model/agent-plan.ts';
import type { Json } from '../../core/model/json.ts';
import { Scrubber } from '../../core/model/scrubber.ts';
import type { ServerStatus } from '../../core/model/tools.ts';
import { hostileServer, type HostileOptions } from './hostile-mcp-server.ts';
import { tempDirectory } from './temp-directory.ts';

const HOSTILE = fileURLToPath(new URL('./hostile-mcp-server.ts', import.meta.url));
const require = createRequire(import.meta.url);

type More = Partial<ToolServer>;

const COMMON = { isTrusted: false, roots: [], timeoutMs: 20_000, maxResultBytes: 1024 * 1024 };

export function stdioServer(command: string, args: readonly string[], more: More = {}): ToolServer {
  return { kind: 'stdio', command, args, env: {}, cwd: '', ...COMMON, ...more } as ToolServer;
}

export function httpServer(url: string, more: More = {}): ToolServer {
  return { kind: 'http', url, transport: 'streamable-http', headers: {}, ...COMMON, ...more } as ToolServer;
}

/** Of the registry, by the package that each comes in. */
const PROGRAMS = {
  'server-everything': require.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  'server-memory': require.resolve('@modelcontextprotocol/server-memory/dist/index.js'),
} as const;
type RegistryServer = keyof typeof PROGRAMS;

export function registryServer(
  name: RegistryServer,
  args: readonly string[] = [],
  more: More = {},
): ToolServer {
  return stdioServer(process.execPath, [programOf(name), ...args], more);
}

export function programOf(name: RegistryServer): string {
  return PROGRAMS[name];
}

export function hostile(options: HostileOptions = {}, more: More = {}): ToolServer {
  return stdioServer(process.execPath, [HOSTILE, JSON.stringify(options)], more);
}

/**
 * The same over HTTP; as a stream of events where `isStream`. What dies breaks its connection, or, where `isQuiet`, ends its
 * answer as if it were whole. Its address.
 */
export async function hostileHttp(
  options: HostileOptions = {},
  isStream = false,
  isQuiet = false,
): Promise<string> {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const message = JSON.parse(body) as { readonly id?: number };
      if (message.id === undefined) {
        response.writeHead(202).end();
        answer(message, () => {});
        return;
      }
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      answer(
        message,
        (said) => {
          const text = typeof said === 'string' ? said : JSON.stringify(said);
          if (isStream) response.write(`data: ${text}\n\n`);
          else response.end(text);
          const isAnswer = typeof said !== 'string' && (said as { readonly id?: unknown }).id === message.id;
          if (isStream && isAnswer) response.end();
        },
        () => void (isQuiet ? response.end() : response.destroy()),
      );
    });
  });
  const answer = (message: object, say: (said: object | string) => void, exit = (): void => {}): void =>
    hostileServer(options, say, exit)(message);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** Over HTTP, refusing messages of some methods with a status. */
export async function refusingHttp(
  transport: 'streamable-http' | 'sse',
  statusOf: (method: string) => number | null,
): Promise<string> {
  let say: (message: object | string) => void = () => {};
  const answer = hostileServer(
    {},
    (message) => say(message),
    () => {},
  );
  const server = createServer((request, response) => {
    if (request.method === 'GET' && transport === 'sse') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages\n\n');
      say = (message) => void response.write(`data: ${JSON.stringify(message)}\n\n`);
      return;
    }
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const message = (body === '' ? {} : JSON.parse(body)) as {
        readonly id?: number;
        readonly method?: string;
      };
      const status = request.method === 'POST' ? statusOf(message.method ?? '') : 405;
      if (status !== null) response.writeHead(status).end('no');
      else if (transport === 'sse' || message.id === undefined) response.writeHead(202).end();
      else {
        response.writeHead(200, { 'content-type': 'application/json' });
        say = (said) => void response.end(JSON.stringify(said));
      }
      if (status === null) answer(message);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

export interface McpBench {
  readonly workspace: string;
  readonly source: ToolSource;
  readonly turn: Turn;
  /** What was told of the servers, the last last. */
  readonly told: (readonly ServerStatus[])[];
  list(): Promise<ToolList>;
  offer(name: string): Promise<ToolOffer>;
  call(name: string, args?: Json, signal?: AbortSignal): Promise<ToolAnswer>;
  /** The same source with another plan, as a later invocation has it. */
  next(plan: Partial<AgentPlan>, believed?: Readonly<Record<string, string>>): McpBench;
}

export interface McpBenchOptions {
  readonly plan?: Partial<AgentPlan>;
  readonly workspace?: string;
  readonly secrets?: Record<string, string>;
  readonly believed?: Readonly<Record<string, string>>;
}

/** Everything that it started ends with the test. */
export function mcpBench(
  servers: Readonly<Record<string, ToolServer>>,
  { plan = {}, workspace = tempDirectory(), secrets = {}, believed = {} }: McpBenchOptions = {},
): McpBench {
  const source = mcpTools();
  onTestFinished(() => source.close());
  const told: (readonly ServerStatus[])[] = [];
  const secret = (name: string): Promise<string> =>
    secrets[name] === undefined
      ? Promise.reject(new Error(`there is no ${name}`))
      : Promise.resolve(secrets[name]);
  const benchOf = (of: AgentPlan, knows: Readonly<Record<string, string>>): McpBench => {
    const turn = {
      ctx: { secret } as unknown as AgentContext,
      event: {
        eventId: 'e',
        triggerId: 't',
        triggerType: 'manual',
        payload: '',
        acceptedAt: '',
        isUntrusted: false,
      },
      plan: of,
      workspace,
      told: {},
      show: () => {},
      secrets: new Scrubber(),
      askHost: () => Promise.reject(new Error('nobody asks the host here')),
      listed: (find) => find(),
      toolDesk: { believed: knows, tellServers: (status) => void told.push(status) },
    } satisfies Turn;
    let listed: Promise<ToolList> | null = null;
    const bench: McpBench = {
      workspace,
      source,
      turn,
      told,
      list: () => (listed = source.list(turn)),
      offer: async (name) => {
        const { offers, problems } = await (listed ?? bench.list());
        const offer = offers.find((one) => one.name === name);
        if (offer === undefined)
          throw new Error(`no ${name} among ${offers.map((one) => one.name).join()}: ${problems.join()}`);
        return offer;
      },
      call: async (name, args = {}, signal = NEVER) =>
        source.call(turn, await bench.offer(name), { args, key: 'key-1', attempt: 1, signal }),
      next: (more, since = knows) => benchOf({ ...of, ...more }, since),
    };
    return bench;
  };
  return benchOf({ ...DEFAULT_PLAN, ...plan, servers }, believed);
}

const NEVER = new AbortController().signal;

/** What it fails with; null where it does not. */
export function caught(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  );
}
