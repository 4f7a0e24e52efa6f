// Servers from the registry, over both of their ways, as a worker has them.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { AgentContext } from '../../core/agent/define-agent.ts';
import { runTools } from '../../core/agent/llm/run-tools.ts';
import type { ToolOffer } from '../../core/agent/llm/tool.ts';
import { serverCommand } from '../../core/agent/mcp/server-command.ts';
import { StdioTransport } from '../../core/agent/mcp/stdio-transport.ts';
import type { Json } from '../../core/model/json.ts';
import {
  hostile,
  httpServer,
  mcpBench,
  programOf,
  registryServer,
  stdioServer,
  type McpBench,
} from '../support/mcp.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { freePort } from '../support/webhooks.ts';

const SLOW = { timeout: 120_000 };

test('server-filesystem works in its roots and nowhere else [S30, S32]', SLOW, async () => {
  const workspace = tempDirectory();
  mkdirSync(join(workspace, 'in'));
  writeFileSync(join(workspace, 'in', 'note.txt'), 'hello');
  writeFileSync(join(workspace, 'secret.txt'), 'not yours');
  const files = stdioServer('node', ['package:@modelcontextprotocol/server-filesystem'], {
    roots: ['in'],
    isTrusted: true,
  });
  const bench = mcpBench({ files }, { workspace });
  const { offers, problems } = await bench.list();
  expect(problems).toEqual([]);
  const classes = Object.fromEntries(offers.map((offer) => [offer.name, offer.class]));
  expect(classes).toMatchObject({
    read_text_file: 'retry',
    list_directory: 'retry',
    write_file: 'ask',
    move_file: 'ask',
  });
  const read = (path: string) => bench.call('read_text_file', { path: join(workspace, path) });
  expect(await read('in/note.txt')).toEqual({ text: 'hello', isError: false });
  for (const outside of ['secret.txt', 'in/../secret.txt', '/etc/hostname']) {
    expect(await read(outside)).toMatchObject({ isError: true, text: expect.stringMatching(/denied/i) });
  }
  await bench.call('write_file', { path: join(workspace, 'in', 'new.txt'), content: 'made' });
  expect(readFileSync(join(workspace, 'in', 'new.txt'), 'utf8')).toBe('made');
  // What a model makes up does not reach it.
  expect(await bench.call('write_file', { path: 7 })).toMatchObject({
    isError: true,
    text: expect.stringContaining('It was not called.'),
  });
});

test('what the installed app brings along runs in a thread there, and is the same server', SLOW, async () => {
  const given = { command: 'node', args: ['package:@modelcontextprotocol/server-filesystem', '/tmp'] };
  const command = serverCommand(given, { ONLY: 'this' }, true);
  expect(command).toMatchObject({ kind: 'thread', args: ['/tmp'], env: { ONLY: 'this' } });
  expect(() => serverCommand({ command: 'node', args: ['own.js'] }, { PATH: '/nowhere' }, true)).toThrow(
    /no node on the PATH/,
  );
  expect(serverCommand({ command: 'node', args: ['own.js'] }, { PATH: '/nowhere' })).toMatchObject({
    command: process.execPath,
  });
  const transport = new StdioTransport({ command, cwd: '/', maxMessageBytes: 4_000_000, onStderr: () => {} });
  const client = new Client({ name: 'test', version: '0' });
  await client.connect(transport);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('read_text_file');
  await client.close();
  expect(transport.end).toBe('it was closed');
});

test(
  'a root outside of the workspace, also behind a link, is refused unless it is named by its absolute path',
  SLOW,
  async () => {
    const workspace = tempDirectory();
    const outside = tempDirectory();
    symlinkSync(outside, join(workspace, 'link'));
    const listed = async (root: string) => {
      const files = stdioServer('node', ['package:@modelcontextprotocol/server-filesystem'], {
        roots: [root],
      });
      return mcpBench({ files }, { workspace }).list();
    };
    for (const root of ['..', 'link', '../..']) {
      expect((await listed(root)).problems).toEqual([
        expect.stringContaining(`The root ${root} lies outside of the workspace`),
      ]);
    }
    expect((await listed('missing')).problems).toEqual([
      expect.stringContaining('missing is no directory there is'),
    ]);
    expect((await listed(outside)).problems).toEqual([]);
  },
);

test(
  'nothing is inherited but the path to programs; what is named is filled in, in its own directory [S30]',
  SLOW,
  async () => {
    const workspace = tempDirectory();
    mkdirSync(join(workspace, 'sub'));
    process.env['HOLDFAST_TEST_LEAK'] = 'leaked';
    onTestFinished(() => void delete process.env['HOLDFAST_TEST_LEAK']);
    const bad = hostile({}, { env: { TOKEN: 'Bearer ${API_KEY}', PLAIN: 'x' }, cwd: 'sub' });
    const bench = mcpBench({ bad }, { workspace, secrets: { API_KEY: 's3cret' } });
    const { env, cwd } = JSON.parse((await bench.call('env')).text) as {
      env: Record<string, string>;
      cwd: string;
    };
    expect(cwd).toBe(join(workspace, 'sub'));
    expect(env).toMatchObject({ TOKEN: 'Bearer s3cret', PLAIN: 'x' });
    expect(
      Object.keys(env).filter((name) => !['TOKEN', 'PLAIN', 'PATH', 'HOLDFAST_WORKER'].includes(name)),
    ).toEqual([]);
  },
);

test(
  'a secret that is rotated reaches the server before the next invocation; one that is gone ends it',
  SLOW,
  async () => {
    const secrets: Record<string, string> = { API_KEY: 'first' };
    const bench = mcpBench({ bad: hostile({}, { env: { TOKEN: '${API_KEY}' } }) }, { secrets });
    const token = async (): Promise<unknown> =>
      (JSON.parse((await bench.call('env')).text) as { env: Record<string, string> }).env['TOKEN'];
    expect(await token()).toBe('first');
    secrets['API_KEY'] = 'second';
    expect(await token()).toBe('first');
    await bench.list();
    expect(await token()).toBe('second');
    delete secrets['API_KEY'];
    expect((await bench.list()).problems).toEqual([expect.stringContaining('there is no API_KEY')]);
    expect(bench.told.at(-1)).toMatchObject([{ state: 'down' }]);
  },
);

/** Gives what the last call gives, after everything else. */
async function checkEverything(bench: ReturnType<typeof mcpBench>): Promise<string> {
  const { offers } = await bench.list();
  expect(offers.length).toBeGreaterThan(8);
  expect(await bench.call('echo', { message: 'hi' })).toEqual({ text: 'Echo: hi', isError: false });
  expect((await bench.call('get-tiny-image')).text).toMatch(/\[image, image\/png, \d+ bytes: left out\]/);
  expect((await bench.call('get-structured-content', { location: 'Chicago' })).text).toContain('temperature');
  expect((await bench.call('get-resource-links', { count: 2 })).text).toMatch(
    /\[resource .*: demo:\/\/resource/,
  );
  expect((await bench.call('get-resource-reference', { resourceType: 'Text', resourceId: 1 })).text).toMatch(
    /\[resource demo:/,
  );
  const annotated = await bench.call('get-annotated-message', { messageType: 'error', includeImage: true });
  expect(annotated.text).toMatch(/left out/);
  const slow = bench.call('trigger-long-running-operation', { duration: 1, steps: 4 });
  expect((await slow).text).toContain('completed');
  const late = new AbortController();
  const off = bench.call('trigger-long-running-operation', { duration: 30, steps: 2 }, late.signal).then(
    () => 'done',
    (error: unknown) => String(error),
  );
  late.abort(new Error('too late'));
  expect(await off).toContain('too late');
  return (await bench.call('echo', { message: 'on' })).text;
}

test(
  'server-everything over its standard input: all kinds of content, progress, and calling off',
  SLOW,
  async () => {
    expect(await checkEverything(mcpBench({ all: registryServer('server-everything', ['stdio']) }))).toBe(
      'Echo: on',
    );
  },
);

async function startHttp(kind: 'streamableHttp' | 'sse'): Promise<number> {
  const port = await freePort();
  const server = spawn(process.execPath, [programOf('server-everything'), kind], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await new Promise((resolve) =>
      server.exitCode === null && server.signalCode === null ? server.once('exit', resolve) : resolve(null),
    );
  });
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  await waitFor(() => said.includes(String(port)), { what: 'the server' });
  return port;
}

test('server-everything over streamable HTTP', SLOW, async () => {
  const port = await startHttp('streamableHttp');
  expect(await checkEverything(mcpBench({ all: httpServer(`http://127.0.0.1:${port}/mcp`) }))).toBe(
    'Echo: on',
  );
});

test('server-everything over SSE', SLOW, async () => {
  const port = await startHttp('sse');
  const bench = mcpBench({ all: httpServer(`http://127.0.0.1:${port}/sse`, { transport: 'sse' }) });
  expect((await bench.list()).problems).toEqual([]);
  expect(await bench.call('echo', { message: 'hi' })).toEqual({ text: 'Echo: hi', isError: false });
});

test('server-memory keeps what it is told, and a large answer is cut with a note', SLOW, async () => {
  const workspace = tempDirectory();
  const memory = registryServer('server-memory', [], {
    env: { MEMORY_FILE_PATH: join(workspace, 'memory.jsonl') },
    maxResultBytes: 2_000,
  });
  const bench = mcpBench({ memory }, { workspace });
  const entities = Array.from({ length: 200 }, (_, at) => ({
    name: `n${at}`,
    entityType: 'number',
    observations: [`it is ${at}`],
  }));
  await bench.call('create_entities', { entities });
  const found = await bench.call('search_nodes', { query: 'n7' });
  expect(found.text).toContain('it is 7');
  const all = await bench.call('read_graph');
  expect(all.cutFromBytes).toBeGreaterThan(2_000);
  expect(all.text).toMatch(/\[Cut here: the answer has \d+ bytes, and these are the first \d+\.\]$/);
  expect(Buffer.byteLength(all.text)).toBeLessThan(2_200);
});

test(
  'servers that offer the same names keep them apart; a rule by the bare name only makes them stricter',
  SLOW,
  async () => {
    const bench = mcpBench(
      { one: hostile(), 'two.x': hostile() },
      { plan: { tools: { echo: { class: 'retry' }, die: { isDisabled: true } } } },
    );
    const { offers } = await bench.list();
    const names = offers.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['one_echo', 'two_x_echo']));
    expect(names.some((name) => name.endsWith('die'))).toBe(false);
    expect(offers.find(({ name }) => name === 'one_echo')).toMatchObject({
      class: 'ask',
      decidedBy: 'default',
    });
    const said = bench.next({ tools: { one_echo: { class: 'idempotent', keyArgument: 'text' } } });
    const echo = (await said.list()).offers.find(({ name }) => name === 'one_echo')!;
    expect(echo).toMatchObject({ class: 'idempotent', keyArgument: 'text', inputSchema: { properties: {} } });
    expect((await said.call('one_echo', { text: 'mine' })).text).toBe('{"text":"key-1"}');
  },
);

test('[S32] a key reaches a tool that allows no arguments but its own', SLOW, async () => {
  const toolsIn = join(tempDirectory(), 'tools.json');
  const properties = { amount: { type: 'number' }, id: { type: 'string' } };
  const inputSchema = { type: 'object', properties, required: ['amount', 'id'], additionalProperties: false };
  writeFileSync(toolsIn, JSON.stringify([{ name: 'pay', inputSchema }]));
  const tools = { pay: { class: 'idempotent', keyArgument: 'id' } } as const;
  const bench = mcpBench({ shop: hostile({ toolsIn }) }, { plan: { tools } });
  const offer = await bench.offer('pay');
  const given = await turnTools(bench, offer, { amount: 3 });
  expect(given).toBe('{"amount":3,"id":"key of pay"}');
  expect(await turnTools(bench, offer, { amount: 3, id: 'mine' })).toContain(
    'id is not known; there are: amount',
  );
});

/** What the loop of an agent makes of one call of a tool: the text that the model gets to read. */
async function turnTools(bench: McpBench, offer: ToolOffer, args: Json): Promise<string> {
  const effect: AgentContext['effect'] = (name, { args: asked }, perform) =>
    perform({
      args: asked as never,
      key: `key of ${name}`,
      attempt: 1,
      signal: new AbortController().signal,
      used: () => {},
    });
  const turn = { ...bench.turn, ctx: { ...bench.turn.ctx, effect } };
  const [part] = await runTools({
    turn,
    tools: new Map([[offer.name, { offer, source: bench.source }]]),
    approver: null,
    calls: [{ id: 'c1', name: offer.name, args }],
    said: '',
  });
  const { output } = part!;
  return 'value' in output && typeof output.value === 'string' ? output.value : '';
}
