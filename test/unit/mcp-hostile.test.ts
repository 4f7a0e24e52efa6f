// A server of tools that means harm does it to nobody but itself: its own calls end, each in the way that is known of it [S28],
// and those of another server beside it never notice.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DidNotHappen } from '../../core/agent/effect-errors.ts';
import { StdioTransport } from '../../core/agent/mcp/stdio-transport.ts';
import { boundedMessages } from '../../core/agent/mcp/bounded-messages.ts';
import { codeOf } from '../../core/model/errors.ts';
import { caught, hostile, mcpBench, type McpBench } from '../support/mcp.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

/** Both servers have the same tools, so each is called by its server's name too. */
const beside = (bad: Parameters<typeof hostile>, more = {}): McpBench =>
  mcpBench({ bad: hostile(...bad), good: hostile() }, more);

async function goodStillWorks(bench: McpBench): Promise<void> {
  const name = (await bench.list()).offers.find(
    ({ source, tool }) => source === 'mcp:good' && tool === 'echo',
  )!.name;
  expect(await bench.call(name, { text: 'here' })).toEqual({ text: '{"text":"here"}', isError: false });
}

describe.each(['initialize', 'tools/list'] as const)('a server at %s', (at) => {
  test('that hangs offers nothing, and says why', { timeout: 120_000 }, async () => {
    const bench = beside([{ hangsAt: at }, { timeoutMs: 700 }]);
    const { problems } = await bench.list();
    expect(problems).toEqual([expect.stringMatching(/^bad is down: it did not answer within 0\.7 s/)]);
    await goodStillWorks(bench);
  });

  test(
    'that dies offers nothing, is told as down, and is not tried again at once',
    { timeout: 120_000 },
    async () => {
      const began = Date.now();
      const bench = beside([{ diesAt: at, says: 'bad config: \u001b[31mno key\u001b[0m' }]);
      const { offers, problems } = await bench.list();
      expect(problems).toEqual(['bad is down: it ended with code 7; last it said: [bad] bad config: no key']);
      expect(offers.every(({ source }) => source === 'mcp:good')).toBe(true);
      const [bad] = bench.told.at(-1)!;
      expect(bad).toMatchObject({
        server: 'bad',
        state: 'down',
        why: expect.stringContaining('ended with code 7'),
      });
      expect(bad!.retryAt).toBeGreaterThan(began);
      await goodStillWorks(bench);
    },
  );
});

test(
  '[S28] what dies during a call leaves it in doubt; what is called while it is down did not happen',
  { timeout: 120_000 },
  async () => {
    const bench = mcpBench({ bad: hostile() });
    const doubt = await caught(bench.call('die'));
    expect(codeOf(doubt)).toBe('mcp.lost');
    expect(String(doubt)).toContain('bad was lost during the call: it ended with code 7');
    const refused = await caught(bench.call('echo'));
    expect(refused).toBeInstanceOf(DidNotHappen);
    expect(String(refused)).toMatch(/bad is down: it ended with code 7; it is not tried again for 1 s/);
    // And then it is.
    await waitFor(() => Date.now() > bench.told.at(-1)![0]!.retryAt!, { what: 'its time' });
    expect((await bench.call('echo', { text: 'back' })).text).toBe('{"text":"back"}');
  },
);

test('[S28] a call that hangs is called off at its time, told to the server, and in doubt; others go on', async () => {
  const ledger = join(tempDirectory(), 'ledger');
  const bench = mcpBench({ bad: hostile({ ledger }) });
  const late = new AbortController();
  const hung = caught(bench.call('hang', {}, late.signal));
  await waitFor(() => existsSync(ledger) && readFileSync(ledger, 'utf8').includes('hang'), {
    what: 'the call',
  });
  expect((await bench.call('echo', { text: 'meanwhile' })).text).toContain('meanwhile');
  late.abort(new Error('too late'));
  const doubt = await hung;
  expect(doubt).toBeInstanceOf(Error);
  expect(doubt).not.toBeInstanceOf(DidNotHappen);
  await waitFor(() => readFileSync(ledger, 'utf8').includes('cancelled'), { what: 'word of it' });
  expect((await bench.call('echo', { text: 'after' })).text).toContain('after');
});

test(
  'a result of 100 MB is let by without being kept, and only its own call ends with that',
  { timeout: 120_000 },
  async () => {
    const bench = mcpBench({ bad: hostile() });
    const answer = await bench.call('huge');
    expect(answer).toMatchObject({ isError: true, cutFromBytes: expect.any(Number) });
    expect(answer.text).toContain('nothing of its answer was kept');
    expect((await bench.call('echo', { text: 'still' })).text).toContain('still');
  },
);

test('answers to nobody, garbage and questions of its own are nobody else’s answer', async () => {
  const ledger = join(tempDirectory(), 'ledger');
  const bench = mcpBench({ bad: hostile({ ledger }) });
  const all = await Promise.all([bench.call('wrong-id'), bench.call('garbage'), bench.call('asks')]);
  expect(all.map(({ text }) => text)).toEqual(['for you', 'after garbage', 'asked']);
  // It asked for a model's answer and for a password, and was refused both.
  await waitFor(
    () =>
      readFileSync(ledger, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('answered')).length === 2,
    {
      what: 'the refusals',
    },
  );
  expect(readFileSync(ledger, 'utf8').match(/"code":-32601/g)).toHaveLength(2);
});

test.each(['notifications', 'answers', 'garbage', 'before initialize'] as const)(
  'a flood of %s ends its connection and nothing else',
  { timeout: 120_000 },
  async (floods) => {
    const bench = beside([{ floods }]);
    await bench.list();
    await waitFor(() => bench.told.at(-1)?.find(({ server }) => server === 'bad')?.state === 'down', {
      what: 'its end',
    });
    expect(bench.told.at(-1)!.find(({ server }) => server === 'bad')!.why).toMatch(/without end|no messages/);
    await goodStillWorks(bench);
  },
);

test('a flood of its standard error is cut, and it goes on', { timeout: 120_000 }, async () => {
  const heard = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => heard.mockRestore());
  const bench = beside([{ floods: 'stderr' }]);
  await bench.list();
  await goodStillWorks(bench);
  const name = (await bench.list()).offers.find(
    ({ source, tool }) => source === 'mcp:bad' && tool === 'echo',
  )!.name;
  expect((await bench.call(name, { text: 'me too' })).text).toContain('me too');
  await waitFor(() => heard.mock.calls.some(([line]) => /^\[bad\] … \d+ lines left out/.test(String(line))), {
    what: 'a cut',
  });
  // 64 KiB at once, and 4 KiB in each second of this test.
  const bytes = heard.mock.calls.reduce((sum, [line]) => sum + String(line).length, 0);
  expect(bytes).toBeLessThan(64 * 1024 + 90 * 4 * 1024);
});

test('[S28] what a server does not read is not kept for it without end, and was not sent', async () => {
  const transport = new StdioTransport({
    command: {
      kind: 'process',
      command: process.execPath,
      args: ['-e', 'setInterval(() => {}, 1000)'],
      env: {},
    },
    cwd: tempDirectory(),
    maxMessageBytes: 1_024,
    onStderr: () => {},
  });
  onTestFinished(() => transport.close());
  await transport.start();
  const text = 'x'.repeat(4 * 1024 * 1024);
  const send = () => transport.send({ jsonrpc: '2.0', method: 'notifications/message', params: { text } });
  await Promise.allSettled(Array.from({ length: 6 }, send));
  expect(await caught(send())).toMatchObject({
    code: 'mcp.not-sent',
    message: 'it does not read what it is sent',
  });
});

test('a gigabyte in one line leaves nothing behind, and says whose answer it was', () => {
  const seen: unknown[] = [];
  const take = boundedMessages(1_000, {
    onLine: (line) => seen.push(line),
    onOverlong: (line) => seen.push(line),
  });
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  const before = process.memoryUsage().rss;
  take(Buffer.from('first\n{"result":{"text":"'));
  for (let count = 0; count < 1_024; count += 1) take(chunk);
  take(Buffer.from('"},"jsonrpc":"2.0","i'));
  take(Buffer.from('d":42}\nlast\n'));
  expect(seen).toEqual(['first', { bytes: 1_073_741_870, answers: 42 }, 'last']);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
});

test('escape sequences, controls and marks that turn text around reach nobody', async () => {
  const bench = mcpBench({ bad: hostile() });
  const { offers } = await bench.list();
  expect(offers.find(({ name }) => name === 'echo')!.description).toBe('echo');
  expect(offers.find(({ name }) => name === 'ansi')!.description).toHaveLength(2_000);
  expect(await bench.call('ansi')).toEqual({ text: 'plain text', isError: false });
});

test('a structured answer that is not what the tool declares is told, and is an answer all the same', async () => {
  const bench = mcpBench({ bad: hostile() });
  const { text, isError } = await bench.call('lies');
  expect(text).toMatch(
    /\{"sum":"many"\}\n\n\[The structured answer does not fit the schema that the tool declares: .*number/,
  );
  expect(isError).toBe(false);
});

test('[S28] an error that it answers with is an answer, whatever its number', async () => {
  const bench = mcpBench({ bad: hostile() });
  expect(await bench.call('errs')).toMatchObject({
    text: expect.stringContaining('no such luck'),
    isError: true,
  });
});

const bomb = (levels: number): object =>
  Object.fromEntries([
    ['type', 'object'],
    ['properties', { x: { $ref: '#/definitions/d0' } }],
    [
      'definitions',
      Object.fromEntries(
        Array.from({ length: levels }, (_, at) => [
          `d${at}`,
          at === levels - 1
            ? { type: 'string' }
            : { allOf: Array.from({ length: 10 }, () => ({ $ref: `#/definitions/d${at + 1}` })) },
        ]),
      ),
    ],
  ]);

const nested = (depth: number): object =>
  depth === 0 ? {} : { type: 'object', properties: { a: nested(depth - 1) } };

test(
  'a schema that is a bomb, is none, or looks elsewhere costs its tool and no other',
  { timeout: 120_000 },
  async () => {
    const toolsIn = join(tempDirectory(), 'tools.json');
    const tools = [
      { name: 'fine', inputSchema: { type: 'object' } },
      { name: 'deep', inputSchema: nested(200) },
      { name: 'wide', inputSchema: { type: 'object', enum: Array.from({ length: 50_000 }, (_, at) => at) } },
      {
        name: 'elsewhere',
        inputSchema: { type: 'object', properties: { a: { $ref: 'http://127.0.0.1:1/x' } } },
      },
      { name: 'nonsense', inputSchema: { type: 'object', properties: { a: { type: 'tree' } } } },
      { name: 'none' },
      { name: 'list', inputSchema: { type: 'array' } },
      {
        name: 'regex',
        inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
      },
      { name: 'bomb', inputSchema: bomb(12) },
      {
        name: 'nowhere',
        inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/none' } } },
      },
      { name: 'before', inputSchema: { type: 'object', properties: { a: { items: [{ type: 'string' }] } } } },
      { name: 'no-regex', inputSchema: { type: 'object', properties: { a: { pattern: '(' } } } },
      'no tool at all',
      { name: 'fine', inputSchema: { type: 'object' } },
    ];
    writeFileSync(toolsIn, JSON.stringify(tools));
    const bench = mcpBench({ bad: hostile({ toolsIn }) });
    const { offers, problems } = await bench.list();
    const names = offers.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['fine', 'regex', 'bomb', 'before']));
    for (const gone of ['deep', 'wide', 'elsewhere', 'nonsense', 'none', 'list', 'nowhere', 'no-regex']) {
      expect(names).not.toContain(gone);
      expect(problems.some((problem) => problem.startsWith(`${gone} of bad is left out`))).toBe(true);
    }
    expect(problems[0]).toBe('bad: 2 tools are left out, which have no name or that of another');
    // What would take for ever is never run: the call goes through, and what comes of it is the server's own affair.
    expect((await bench.call('regex', { a: `${'a'.repeat(40)}!` })).text).toContain('aaa!');
    expect((await bench.call('bomb', { x: 'y' })).text).toBe('{"x":"y"}');
    expect((await bench.call('fine')).isError).toBe(false);
  },
);

test(
  'a list without end is read as far as anybody could use it; one that goes in circles is none',
  { timeout: 120_000 },
  async () => {
    const endless = await mcpBench({ bad: hostile({ endlessPages: 60 }) }).list();
    expect(endless.offers).toHaveLength(128);
    expect(endless.problems).toEqual(['372 tools are left out: 128 are the most. Disable what it needs not']);
    const circle = await mcpBench({ bad: hostile({ endlessPages: 0 }) }).list();
    expect(circle.problems).toEqual([expect.stringContaining('goes in circles')]);
  },
);

test('a server that hangs once it has its roots is down at its time', async () => {
  const bench = mcpBench({ bad: hostile({ hangsAt: 'ping' }, { timeoutMs: 1_000, roots: ['.'] }) });
  const { problems } = await bench.list();
  expect(problems).toEqual([expect.stringMatching(/^bad is down: it did not answer within 1 s/)]);
});
