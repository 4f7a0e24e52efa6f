import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { streamModel } from '../../core/agent/models/call-model.ts';
import type { Glimpse } from '../../core/agent/models/collect-stream.ts';
import { openModel } from '../../core/agent/models/open-model.ts';
import { AppError, RetryableError } from '../../core/model/errors.ts';
import { chat, chatStream, events, failure, json, modelServer } from '../support/model-server.ts';
import { asked, at, scripted, thrownBy } from '../support/models.ts';
import { waitFor } from '../support/wait-for.ts';

const prompt = { messages: asked('hello') };
const NO_USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
const QUICK = { firstWaitMs: 1 } as const;

const words = (...texts: string[]) => texts.map((content) => ({ content }));

function looking(): { readonly seen: Glimpse[]; readonly see: (glimpse: Glimpse) => void } {
  const seen: Glimpse[] = [];
  return { seen, see: (glimpse) => seen.push(glimpse) };
}

describe('a streamed call', () => {
  it('shows what comes while it comes, and gives the same answer in the end', async () => {
    const gate = Promise.withResolvers<void>();
    const server = await modelServer(
      chatStream({
        deltas: words('good ', 'day'),
        before: () => gate.promise,
        usage: { prompt_tokens: 9, completion_tokens: 2 },
      }),
    );
    const opened = await at(server.url);
    const { seen, see } = looking();
    const call = streamModel({ models: [opened], prompt, see });
    await waitFor(() => seen.length > 0);
    expect(seen).toEqual([{ kind: 'text', text: 'good ' }]);
    gate.resolve();
    expect(await call).toEqual({
      model: opened.name,
      text: 'good day',
      toolCalls: [],
      message: { role: 'assistant', content: [{ type: 'text', text: 'good day' }] },
      finish: 'stop',
      usage: { tokensIn: 9, tokensOut: 2 },
      warnings: [],
      passedOver: [],
      attempts: 1,
      maybePaid: 0,
    });
    expect(seen.at(-1)).toEqual({ kind: 'text', text: 'day' });
    expect(server.calls[0]!.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it('puts tool calls together from their pieces, in order with their ids', async () => {
    const piece = (index: number, more: object, args: string) => ({
      tool_calls: [
        { index, ...more, function: { ...('name' in more ? { name: more.name } : {}), arguments: args } },
      ],
    });
    const server = await modelServer(
      chatStream({
        deltas: [
          { reasoning_content: 'let me see' },
          piece(0, { id: 'one', name: 'read' }, '{"pa'),
          piece(1, { id: 'two', name: 'write' }, '{'),
          piece(0, {}, 'th":"a"}'),
          piece(1, {}, '"n":1}'),
        ],
        finish: 'tool_calls',
      }),
    );
    const { seen, see } = looking();
    const answer = await streamModel({ models: [await at(server.url)], prompt, see });
    expect(answer.toolCalls).toEqual([
      { id: 'one', name: 'read', args: { path: 'a' } },
      { id: 'two', name: 'write', args: { n: 1 } },
    ]);
    expect(answer.message.content).toMatchObject([
      { type: 'reasoning', text: 'let me see' },
      { type: 'tool-call', toolCallId: 'one' },
      { type: 'tool-call', toolCallId: 'two' },
    ]);
    expect(seen).toEqual([
      { kind: 'reasoning', text: 'let me see' },
      { kind: 'tool', id: 'one', name: 'read' },
      { kind: 'tool', id: 'two', name: 'write' },
    ]);
  });

  it.each([
    ['is cut', { ending: 'cut' as const }, 'broke off'],
    ['ends before the answer does', { finish: null }, 'broke off'],
    ['falls silent', { ending: 'silence' as const }, 'did not answer in time'],
    ['turns into nonsense', { raw: ['{broken'] }, 'answered what is no answer'],
    [
      'ends in an error of the provider',
      { raw: ['{"error":{"message":"boom","type":"server_error"}}'] },
      'failed',
    ],
  ])('that %s begins anew, and says that what was seen is void [S33]', async (_, broken, words_) => {
    const server = await modelServer(
      chatStream({ deltas: words('half of'), ...broken }),
      chatStream({ deltas: words('whole') }),
    );
    const { seen, see } = looking();
    const opened = await at(server.url);
    const answer = await streamModel({ models: [opened], prompt, see, silenceMs: 3_000, ...QUICK });
    expect(answer).toMatchObject({ text: 'whole', attempts: 2, maybePaid: 1 });
    expect(seen).toEqual([
      { kind: 'text', text: 'half of' },
      { kind: 'again', why: `${opened.name} ${words_}: retry 1/5 in 1 s` },
      { kind: 'text', text: 'whole' },
    ]);
  });

  it.each([
    ['rate_limit_exceeded', 'model.rate-limited', true],
    ['overloaded_error', 'model.overloaded', true],
    ['insufficient_quota', 'model.out-of-credit', false],
    ['invalid_request_error', 'model.refused', false],
  ])('knows the error %s in the middle of a stream as %s', async (type, code, isRetryable) => {
    const raw = [JSON.stringify({ error: { message: 'boom', type } })];
    const server = await modelServer(chatStream({ deltas: words('half'), raw }));
    const models = [await at(server.url)];
    const thrown = await thrownBy(streamModel({ models, prompt, see: () => undefined, retries: 0 }));
    expect(thrown).toMatchObject({ code, detail: { attempts: 1, maybePaid: 1 } });
    expect(thrown instanceof RetryableError).toBe(isRetryable);
  });

  it('waits for a rate limit and goes on with the next model as the other does', async () => {
    const first = await modelServer(failure(429, {}, { 'retry-after-ms': '5' }), failure(401, {}));
    const second = await modelServer(chatStream({ deltas: words('mine') }));
    const models = [await at(first.url), await at(second.url)];
    const { seen, see } = looking();
    const answer = await streamModel({ models, prompt, see });
    expect(answer).toMatchObject({ model: models[1]!.name, text: 'mine', attempts: 3, maybePaid: 0 });
    expect(seen.map(({ kind }) => kind)).toEqual(['again', 'again', 'text']);
  });

  it('reads no more than it may, be it a stream without an end', async () => {
    const server = await modelServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(50_000) } }] })}\n\n`;
      const write = (): void => {
        if (response.destroyed) return;
        response.write(chunk, () => setImmediate(write));
      };
      write();
    });
    const opened = await at(server.url, { maxAnswerBytes: 500_000 });
    const thrown = await thrownBy(streamModel({ models: [opened], prompt, see: () => undefined }));
    expect(thrown).toMatchObject({ code: 'model.answer-too-large', detail: { attempts: 1, maybePaid: 1 } });
    await waitFor(() => server.gone() === 1);
  });

  it('has an end even where something always comes', async () => {
    const server = await modelServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x' } }] })}\n\n`;
      const timer = setInterval(() => response.write(chunk), 20);
      response.on('close', () => clearInterval(timer));
    });
    const opened = await at(server.url, { timeoutMs: 500 });
    const thrown = await thrownBy(
      streamModel({ models: [opened], prompt, see: () => undefined, retries: 0, silenceMs: 30_000 }),
    );
    expect(thrown).toMatchObject({ code: 'model.timeout' });
    await waitFor(() => server.gone() === server.calls.length);
  });

  it('that is called off lets go of the connection at once', async () => {
    const server = await modelServer(chatStream({ deltas: words('half'), ending: 'silence' }));
    const controller = new AbortController();
    const thrown = await thrownBy(
      streamModel({
        models: [await at(server.url)],
        prompt,
        see: () => controller.abort(),
        signal: controller.signal,
      }),
    );
    expect(thrown).toMatchObject({ code: 'model.called-off', detail: { attempts: 1, maybePaid: 1 } });
    await waitFor(() => server.gone() === 1);
  });

  it('ends with what a watcher throws, and asks no one else', async () => {
    const server = await modelServer(
      chatStream({ deltas: words('half'), ending: 'silence' }),
      chat('never asked'),
    );
    const broken = new AppError('console.gone', 'Nobody looks any more.');
    const thrown = await thrownBy(
      streamModel({
        models: [await at(server.url), await at(server.url)],
        prompt,
        see: () => {
          throw broken;
        },
      }),
    );
    expect(thrown).toBe(broken);
    expect(server.calls).toHaveLength(1);
  });

  it('of an answer that is no stream is nonsense, not an empty answer', async () => {
    const server = await modelServer(json(200, '<html>hello</html>'));
    const call = streamModel({ models: [await at(server.url)], prompt, see: () => undefined, retries: 0 });
    expect(await thrownBy(call)).toMatchObject({ code: 'model.cut', detail: { maybePaid: 1 } });
  });

  it.each<[string, string, LanguageModelV4StreamPart[]]>([
    ['without having said so is cut', 'model.cut', []],
    [
      'because its provider gave up is no answer',
      'model.nonsense',
      [{ type: 'finish', usage: NO_USAGE, finishReason: { unified: 'error', raw: undefined } }],
    ],
  ])('that ends %s, whatever the package of its provider makes of that', async (_, code, end) => {
    const opened = await scripted('turns: [{ text: never asked }]');
    const half = new ReadableStream<LanguageModelV4StreamPart>({
      start: (controller) => {
        controller.enqueue({ type: 'text-start', id: '1' });
        controller.enqueue({ type: 'text-delta', id: '1', delta: 'half' });
        for (const part of end) controller.enqueue(part);
        controller.close();
      },
    });
    const model = { ...opened.model, doStream: () => Promise.resolve({ stream: half }) };
    const call = streamModel({ models: [{ ...opened, model }], prompt, see: () => undefined, retries: 0 });
    expect(await thrownBy(call)).toMatchObject({ code, detail: { maybePaid: 1 } });
  });

  it('is the same for a script, piece by piece', async () => {
    const { seen, see } = looking();
    const opened = await scripted('turns: [{ text: "one two  three ", usage: { input: 3, output: 2 } }]');
    const answer = await streamModel({ models: [opened], prompt, see });
    expect(answer).toMatchObject({ text: 'one two  three ', usage: { tokensIn: 3, tokensOut: 2 } });
    expect(seen.map((glimpse) => ('text' in glimpse ? glimpse.text : ''))).toEqual([
      'one',
      ' two',
      '  three',
      ' ',
    ]);
  });
});

describe("a stream in Anthropic's own protocol", () => {
  const start = {
    type: 'message_start',
    message: {
      id: 'msg',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      usage: {
        input_tokens: 7,
        cache_read_input_tokens: 30,
        cache_creation_input_tokens: 0,
        output_tokens: 1,
      },
    },
  };
  const block = (index: number, content_block: object, ...deltas: readonly object[]) => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
  const end = [
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 25 } },
    { type: 'message_stop' },
  ];
  const open = (url: string) => openModel(`anthropic:m@${url}`, { keys: { ANTHROPIC_API_KEY: 'key-01234' } });

  it('keeps what signs a thought, and the order of what is said and called', async () => {
    const server = await modelServer(
      events([
        start,
        ...block(
          0,
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'thinking_delta', thinking: 'let me ' },
          { type: 'thinking_delta', thinking: 'see' },
          { type: 'signature_delta', signature: 'signed' },
        ),
        ...block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'I look.' }),
        ...block(
          2,
          { type: 'tool_use', id: 'call-1', name: 'look', input: {} },
          { type: 'input_json_delta', partial_json: '{"at"' },
          { type: 'input_json_delta', partial_json: ':1}' },
        ),
        ...end,
      ]),
    );
    const { seen, see } = looking();
    const answer = await streamModel({ models: [await open(server.url)], prompt, see });
    expect(answer).toMatchObject({
      text: 'I look.',
      toolCalls: [{ id: 'call-1', name: 'look', args: { at: 1 } }],
      finish: 'tool-calls',
      usage: { tokensIn: 7, tokensCachedRead: 30, tokensCachedWrite: 0, tokensOut: 25 },
    });
    expect(answer.message.content).toMatchObject([
      { type: 'reasoning', text: 'let me see', providerOptions: { anthropic: { signature: 'signed' } } },
      { type: 'text', text: 'I look.' },
      { type: 'tool-call', toolCallId: 'call-1', input: { at: 1 } },
    ]);
    expect(seen.map(({ kind }) => kind)).toEqual(['reasoning', 'reasoning', 'text', 'tool']);
  });

  it('begins anew where the provider is overloaded in the middle of it', async () => {
    const server = await modelServer(
      events([
        start,
        ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'half' }),
        { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as {
          readonly type: string;
        },
      ]),
      events([start, ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'whole' }), ...end]),
    );
    const { seen, see } = looking();
    const opened = await open(server.url);
    const answer = await streamModel({ models: [opened], prompt, see, ...QUICK });
    expect(answer).toMatchObject({ text: 'whole', attempts: 2, maybePaid: 1 });
    expect(seen).toContainEqual({ kind: 'again', why: `${opened.name} is overloaded: retry 1/5 in 1 s` });
  });
});
