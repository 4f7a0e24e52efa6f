import { describe, expect, it } from 'vitest';
import { callModel, type CallWait } from '../../core/agent/models/call-model.ts';
import { AppError, RetryableError } from '../../core/model/errors.ts';
import { chat, closedAddress, cutAnswer, failure, hang, json, modelServer } from '../support/model-server.ts';
import { asked, at, scripted, thrownBy } from '../support/models.ts';
import { waitFor } from '../support/wait-for.ts';

const prompt = { messages: asked('hello') };
const QUICK = { firstWaitMs: 1 } as const;

describe('a model call over HTTP', () => {
  it('gives text, usage by kind, and the message to go on with', async () => {
    const server = await modelServer(
      chat('good day', {
        usage: {
          prompt_tokens: 20,
          completion_tokens: 5,
          prompt_tokens_details: { cached_tokens: 12 },
        },
      }),
    );
    const opened = await at(server.url);
    const answer = await callModel({ models: [opened], prompt });
    expect(answer).toEqual({
      model: opened.name,
      text: 'good day',
      toolCalls: [],
      message: { role: 'assistant', content: [{ type: 'text', text: 'good day' }] },
      finish: 'stop',
      usage: { tokensIn: 8, tokensCachedRead: 12, tokensOut: 5 },
      warnings: [],
      passedOver: [],
      attempts: 1,
      maybePaid: 0,
    });
    expect(server.calls).toHaveLength(1);
    expect(server.calls[0]!.path).toBe('/v1/chat/completions');
    expect(server.calls[0]!.headers.authorization).toBeUndefined();
  });

  it('tells what it does not know by leaving it out, never as 0 [P5]', async () => {
    const server = await modelServer(
      chat('none said', { usage: null }),
      chat('no cache said'),
      chat('zero said', {
        usage: { prompt_tokens: 7, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } },
      }),
      chat('lies', {
        usage: { prompt_tokens: 7, completion_tokens: -3, prompt_tokens_details: { cached_tokens: 900 } },
      }),
      chat('partly', { usage: { completion_tokens: 4 } }),
    );
    const models = [await at(server.url)];
    const usages = [];
    for (let n = 0; n < 5; n += 1) usages.push((await callModel({ models, prompt })).usage);
    expect(usages).toEqual([
      {},
      { tokensIn: 20, tokensOut: 5 },
      { tokensIn: 7, tokensCachedRead: 0, tokensOut: 0 },
      { tokensIn: 7 },
      { tokensOut: 4 },
    ]);
  });

  it('sends tools, and gives what is asked of them in order with their ids', async () => {
    const call = (id: string, name: string, args: string) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    });
    const server = await modelServer(
      chat('', {
        tool_calls: [call('b', 'write', '{"path":"x"}'), call('a', 'read', '{broken'), call('c', 'look', '')],
        finish_reason: 'tool_calls',
      }),
    );
    const answer = await callModel({
      models: [await at(server.url)],
      prompt: {
        ...prompt,
        tools: [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object', properties: {} } }],
        maxOutputTokens: 100,
      },
    });
    expect(answer.toolCalls).toEqual([
      { id: 'b', name: 'write', args: { path: 'x' } },
      { id: 'a', name: 'read', args: null, problem: 'The arguments of read are not JSON: {broken' },
      { id: 'c', name: 'look', args: {} },
    ]);
    expect(answer.finish).toBe('tool-calls');
    expect(answer.message.content).toMatchObject([
      { type: 'tool-call', toolCallId: 'b', toolName: 'write', input: { path: 'x' } },
      { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} },
      { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} },
    ]);
    expect(server.calls[0]!.body).toMatchObject({
      model: 'm',
      max_tokens: 100,
      tools: [{ type: 'function', function: { name: 'read' } }],
    });
  });
});

describe('an answer', () => {
  it.each(['', 'c1'])('in which calls have the same id (%j) gives each its own', async (id) => {
    const call = (name: string) => ({ id, type: 'function', function: { name, arguments: '{}' } });
    const server = await modelServer(
      chat('', { tool_calls: [call('one'), call('two'), call('three')], finish_reason: 'tool_calls' }),
    );
    const { toolCalls, message } = await callModel({ models: [await at(server.url)], prompt });
    const ids = toolCalls.map((asked) => asked.id);
    expect(new Set(ids).size).toBe(3);
    expect(ids).not.toContain('');
    expect(message.content).toMatchObject(ids.map((toolCallId) => ({ type: 'tool-call', toolCallId })));
  });
});

describe('where another try may help, a call', () => {
  it('waits as long as the provider asks, and says why', async () => {
    const server = await modelServer(
      failure(429, { type: 'rate_limit_error' }, { 'retry-after': '1' }),
      failure(429, {}, { 'retry-after-ms': '20', 'retry-after': '50' }),
      chat('at last'),
    );
    const opened = await at(server.url);
    const waits: CallWait[] = [];
    const began = performance.now();
    const answer = await callModel({ models: [opened], prompt, onWait: (wait) => waits.push(wait) });
    expect(performance.now() - began).toBeGreaterThan(1_000);
    expect(answer).toMatchObject({ text: 'at last', attempts: 3, maybePaid: 0 });
    expect(waits).toEqual([
      {
        model: opened.name,
        code: 'model.rate-limited',
        retry: 1,
        of: 5,
        waitMs: 1_000,
        text: `${opened.name} is rate limited: retry 1/5 in 1 s`,
      },
      expect.objectContaining({ retry: 2, waitMs: 20 }),
    ]);
  });

  it('reads a date in Retry-After', async () => {
    const server = await modelServer(
      failure(503, {}, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }),
    );
    const error = await thrownBy(callModel({ models: [await at(server.url)], prompt }));
    expect(error).toBeInstanceOf(RetryableError);
    expect(error).toMatchObject({ code: 'model.overloaded' });
    const { retryAfterMs } = (error as AppError).detail;
    expect(retryAfterMs).toBeGreaterThan(3_500_000);
    expect(retryAfterMs).toBeLessThanOrEqual(3_600_000);
  });

  it('counts a date in Retry-After from the clock of who says it: ours may have been set back', async () => {
    const date = new Date(Date.now() + 40 * 86_400_000);
    const after = new Date(date.getTime() + 7_200_000);
    const server = await modelServer(
      failure(503, {}, { date: date.toUTCString(), 'retry-after': after.toUTCString() }),
    );
    const error = await thrownBy(callModel({ models: [await at(server.url)], prompt }));
    expect(error).toMatchObject({ detail: { retryAfterMs: 7_200_000 } });
  });

  it.each(['0', '-5', 'Thu, 01 Jan 1970 00:00:00 GMT', 'soon', '5 May', '9'.repeat(400)])(
    'waits by itself where Retry-After is %s',
    async (after) => {
      const server = await modelServer(failure(429, {}, { 'retry-after': after }), chat('at last'));
      const waits: CallWait[] = [];
      const models = [await at(server.url)];
      await callModel({ models, prompt, firstWaitMs: 20, onWait: (wait) => waits.push(wait) });
      expect(waits).toHaveLength(1);
      expect(waits[0]!.waitMs).toBeGreaterThanOrEqual(20);
      expect(waits[0]!.waitMs).toBeLessThan(60);
    },
  );

  it.each([{ 'retry-after': '31536000' }, { 'retry-after-ms': '9'.repeat(400) }])(
    'asks to be asked again after a day at most: %j',
    async (headers) => {
      const server = await modelServer(failure(429, {}, headers));
      const error = await thrownBy(callModel({ models: [await at(server.url)], prompt }));
      expect(error).toMatchObject({ detail: { retryAfterMs: 86_400_000 } });
    },
  );

  it('does not wait for longer than it may, and says when', async () => {
    const server = await modelServer(failure(429, {}, { 'retry-after': '3600' }), chat('never asked'));
    const error = await thrownBy(callModel({ models: [await at(server.url)], prompt }));
    expect(error).toBeInstanceOf(RetryableError);
    expect(error).toMatchObject({
      code: 'model.rate-limited',
      detail: { attempts: 1, maybePaid: 0, retryAfterMs: 3_600_000 },
    });
    expect(server.calls).toHaveLength(1);
  });

  it.each([
    ['a server error', failure(500, {}), 'model.server-error'],
    ['an answer that is no JSON', json(200, '<html>oops'), 'model.nonsense'],
    ['an answer of another shape', json(200, { hello: 'world' }), 'model.nonsense'],
    ['a connection that breaks', cutAnswer, 'model.cut'],
  ])('tries again after %s, which may have been paid [S33]', async (_, broken, code) => {
    const server = await modelServer(broken, chat('at last'));
    const waits: CallWait[] = [];
    const answer = await callModel({
      models: [await at(server.url)],
      prompt,
      ...QUICK,
      onWait: (wait) => waits.push(wait),
    });
    expect(answer).toMatchObject({ text: 'at last', attempts: 2, maybePaid: 1 });
    expect(waits.map((wait) => wait.code)).toEqual([code]);
  });

  it('gives up a provider that stays silent, lets go of it, and tries again', async () => {
    const server = await modelServer(hang, chat('at last'));
    const models = [await at(server.url, { timeoutMs: 3_000 })];
    const answer = await callModel({ models, prompt, ...QUICK });
    expect(answer).toMatchObject({ text: 'at last', attempts: 2, maybePaid: 1 });
    await waitFor(() => server.gone() === 1);
  });

  it('is tried so often and not more, and the SDK tries nothing by itself', async () => {
    const server = await modelServer(failure(500, {}));
    const error = await thrownBy(callModel({ models: [await at(server.url)], prompt, ...QUICK, retries: 3 }));
    expect(error).toBeInstanceOf(RetryableError);
    expect(error).toMatchObject({ code: 'model.server-error', detail: { attempts: 4, maybePaid: 4 } });
    expect(server.calls).toHaveLength(4);
  });

  it('knows that nothing was sent where nobody listens', async () => {
    const models = [await at(await closedAddress())];
    const error = await thrownBy(callModel({ models, prompt, ...QUICK, retries: 1 }));
    expect(error).toBeInstanceOf(RetryableError);
    expect(error).toMatchObject({ code: 'model.unreachable', detail: { attempts: 2, maybePaid: 0 } });
  });
});

describe('where no other try helps, a call', () => {
  it.each([
    [401, { type: 'authentication_error' }, 'model.bad-key'],
    [403, {}, 'model.bad-key'],
    [404, {}, 'model.not-found'],
    [402, {}, 'model.out-of-credit'],
    [429, { code: 'insufficient_quota', type: 'insufficient_quota' }, 'model.out-of-credit'],
    [400, { code: 'context_length_exceeded' }, 'model.prompt-too-long'],
    [413, {}, 'model.prompt-too-long'],
    [400, {}, 'model.refused'],
    [422, {}, 'model.refused'],
  ])('ends at once: %i %o is %s', async (status, error, code) => {
    const server = await modelServer(failure(status, error), chat('never asked'));
    const thrown = await thrownBy(callModel({ models: [await at(server.url)], prompt }));
    expect(thrown).toBeInstanceOf(AppError);
    expect(thrown).not.toBeInstanceOf(RetryableError);
    expect(thrown).toMatchObject({ code, detail: { attempts: 1, maybePaid: 0 } });
    expect((thrown as AppError).message).toContain(`status ${status}`);
    expect(server.calls).toHaveLength(1);
  });

  it('does not follow a redirect, which would carry the prompt elsewhere', async () => {
    const elsewhere = await modelServer(chat('stolen'));
    const server = await modelServer(json(307, {}, { location: `${elsewhere.url}/chat/completions` }));
    const thrown = await thrownBy(callModel({ models: [await at(server.url)], prompt }));
    expect(thrown).toMatchObject({ code: 'model.redirected', detail: { maybePaid: 0 } });
    expect(elsewhere.calls).toHaveLength(0);
  });

  it.each([
    ['announced', { 'content-length': '9000000' }],
    ['not announced', {}],
  ])('reads no more of a huge answer than it may, %s', async (_, headers) => {
    const server = await modelServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      const write = (): void => {
        if (response.destroyed) return;
        response.write('x'.repeat(100_000), () => setImmediate(write));
      };
      write();
    });
    const opened = await at(server.url, { maxAnswerBytes: 1_000_000 });
    const thrown = await thrownBy(callModel({ models: [opened], prompt }));
    expect(thrown).toMatchObject({ code: 'model.answer-too-large', detail: { attempts: 1, maybePaid: 1 } });
    await waitFor(() => server.gone() === 1);
  });

  it('tells neither the key nor the prompt, whatever the provider repeats', async () => {
    const key = 'sk-planted-0123456789';
    const server = await modelServer(
      failure(401, { message: `\u001b[31mwrong key ${key}\r\n${'x'.repeat(5_000)}` }),
    );
    const opened = await at(server.url, { keys: { OPENAI_COMPATIBLE_API_KEY: key } });
    const thrown = await thrownBy(
      callModel({ models: [opened], prompt: { messages: asked('my own prompt') } }),
    );
    expect(server.calls[0]!.headers.authorization).toBe(`Bearer ${key}`);
    const { message, detail, cause } = thrown as AppError;
    expect(message).toContain('wrong key [key]');
    expect(message.length).toBeLessThan(500);
    expect(message).not.toMatch(/[\u0000-\u001f]/);
    expect(JSON.stringify([message, detail])).not.toContain(key);
    expect(cause).toBeUndefined();
  });
});

describe('a chain of models', () => {
  it('goes on with the next, and says which one answered and why', async () => {
    const first = await modelServer(failure(500, {}));
    const second = await modelServer(failure(401, {}));
    const third = await modelServer(chat('mine'));
    const models = [await at(first.url), await at(second.url), await at(third.url)];
    const told: string[] = [];
    const answer = await callModel({
      models,
      prompt,
      ...QUICK,
      retries: 1,
      onFallback: ({ code }, next) => told.push(`${code} > ${next}`),
    });
    expect(answer).toMatchObject({ model: models[2]!.name, text: 'mine', attempts: 4, maybePaid: 2 });
    expect(answer.passedOver).toEqual([
      { model: models[0]!.name, code: 'model.server-error', why: `${models[0]!.name} failed: status 500` },
      {
        model: models[1]!.name,
        code: 'model.bad-key',
        why: `${models[1]!.name} does not accept the key: status 401`,
      },
    ]);
    expect(told).toEqual([`model.server-error > ${models[1]!.name}`, `model.bad-key > ${models[2]!.name}`]);
  });

  it('fails with what the last one says, and counts all of them', async () => {
    const first = await modelServer(failure(401, {}));
    const second = await modelServer(failure(404, {}));
    const models = [await at(first.url), await at(second.url)];
    const thrown = await thrownBy(callModel({ models, prompt }));
    expect(thrown).toMatchObject({
      code: 'model.not-found',
      detail: { model: models[1]!.name, attempts: 2 },
    });
  });

  it('of none is an error', async () => {
    expect(await thrownBy(callModel({ models: [], prompt }))).toMatchObject({ code: 'model.none' });
  });
});

describe('a call that is called off', () => {
  it('in the middle of an answer ends at once, and may have been paid [S33]', async () => {
    const server = await modelServer(hang);
    const controller = new AbortController();
    const call = thrownBy(
      callModel({ models: [await at(server.url), await at(server.url)], prompt, signal: controller.signal }),
    );
    await waitFor(() => server.calls.length === 1);
    controller.abort();
    expect(await call).toMatchObject({ code: 'model.called-off', detail: { attempts: 1, maybePaid: 1 } });
    await waitFor(() => server.gone() === 1);
    expect(server.calls).toHaveLength(1);
  });

  it('while it waits ends at once', async () => {
    const server = await modelServer(failure(429, {}, { 'retry-after': '50' }));
    const controller = new AbortController();
    const thrown = await thrownBy(
      callModel({
        models: [await at(server.url)],
        prompt,
        signal: controller.signal,
        onWait: () => controller.abort(),
      }),
    );
    expect(thrown).toMatchObject({ code: 'model.called-off', detail: { attempts: 1, maybePaid: 0 } });
  });

  it('before it began asks nobody', async () => {
    const server = await modelServer(chat('never asked'));
    const signal = AbortSignal.abort();
    const thrown = await thrownBy(callModel({ models: [await at(server.url)], prompt, signal }));
    expect(thrown).toMatchObject({ code: 'model.called-off', detail: { attempts: 0 } });
    expect(server.calls).toHaveLength(0);
  });

  it('leaves no listener behind', async () => {
    const controller = new AbortController();
    let listening = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>): void => {
      listening += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>): void => {
      listening -= 1;
      remove(...args);
    };
    const opened = await scripted('turns: [{ text: yes }]');
    await callModel({ models: [opened], prompt, signal });
    expect(listening).toBe(0);
  });
});
