import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callModel } from '../../core/agent/models/call-model.ts';
import { KEY_NAMES, openModel } from '../../core/agent/models/open-model.ts';
import type { AppError } from '../../core/model/errors.ts';
import { recordable } from '../../core/model/json.ts';
import { json, modelServer } from '../support/model-server.ts';
import { asked, thrownBy } from '../support/models.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const KEY = 'key-0123456789';

const anthropic = (more: object = {}) =>
  json(200, {
    id: 'msg',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 'signed' },
      { type: 'text', text: 'good day' },
      { type: 'tool_use', id: 'call-1', name: 'look', input: { at: 1 } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 7, output_tokens: 3, cache_creation_input_tokens: 11, cache_read_input_tokens: 0 },
    ...more,
  });

const openai = json(200, {
  id: 'resp',
  created_at: 1,
  model: 'm',
  output: [
    {
      type: 'message',
      role: 'assistant',
      id: 'msg',
      content: [{ type: 'output_text', text: 'good day', annotations: [] }],
    },
  ],
  usage: { input_tokens: 30, input_tokens_details: { cached_tokens: 10 }, output_tokens: 4 },
});

const google = json(200, {
  candidates: [{ content: { role: 'model', parts: [{ text: 'good day' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, thoughtsTokenCount: 3, totalTokenCount: 14 },
});

const mistral = json(200, {
  id: 'a',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'good day' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
});

describe('a model that is opened', () => {
  it.each([
    [
      'openai',
      openai,
      '/v1/responses',
      'authorization',
      `Bearer ${KEY}`,
      { tokensIn: 20, tokensCachedRead: 10, tokensOut: 4 },
    ],
    ['google', google, '/v1/models/m:generateContent', 'x-goog-api-key', KEY, { tokensIn: 9, tokensOut: 5 }],
    [
      'mistral',
      mistral,
      '/v1/chat/completions',
      'authorization',
      `Bearer ${KEY}`,
      { tokensIn: 9, tokensOut: 2 },
    ],
    [
      'anthropic',
      anthropic(),
      '/v1/messages',
      'x-api-key',
      KEY,
      { tokensIn: 7, tokensCachedRead: 0, tokensCachedWrite: 11, tokensOut: 3 },
    ],
  ] as const)(
    'of %s is asked at the address that was named, with its own key',
    async (provider, answers, path, header, value, usage) => {
      const server = await modelServer(answers);
      const opened = await openModel(`${provider}:m@${server.url}`, {
        keys: { [KEY_NAMES[provider][0]]: KEY },
      });
      const answer = await callModel({ models: [opened], prompt: { messages: asked('hello') } });
      expect(answer).toMatchObject({ text: 'good day', usage, model: opened.name });
      expect(answer.usage).toEqual(usage);
      expect(recordable(answer)).toEqual(answer);
      expect(server.calls).toHaveLength(1);
      expect(server.calls[0]!.path).toBe(path);
      expect(server.calls[0]!.headers[header]).toBe(value);
    },
  );

  it('has what was marked by the provider in the message that it goes on with', async () => {
    const server = await modelServer(anthropic());
    const opened = await openModel(`anthropic:m@${server.url}`, { keys: { ANTHROPIC_API_KEY: KEY } });
    const first = asked('hello');
    const answer = await callModel({ models: [opened], prompt: { messages: first } });
    expect(answer.toolCalls).toEqual([{ id: 'call-1', name: 'look', args: { at: 1 } }]);
    // As the journal gives it back.
    const message = JSON.parse(JSON.stringify(answer.message)) as typeof answer.message;
    await callModel({
      models: [opened],
      prompt: {
        messages: [
          ...first,
          message,
          {
            role: 'tool',
            content: [
              {
                type: 'tool-result',
                toolCallId: 'call-1',
                toolName: 'look',
                output: { type: 'text', value: 'ok' },
              },
            ],
          },
        ],
      },
    });
    expect(server.calls[1]!.body.messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'signed' },
          { type: 'text', text: 'good day' },
          { type: 'tool_use', id: 'call-1', name: 'look', input: { at: 1 } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call-1' }] },
    ]);
  });

  it('goes on from what the journal holds: nothing is left with the provider to refer to', async () => {
    const server = await modelServer(
      json(200, {
        id: 'resp',
        created_at: 1,
        model: 'gpt-5-mini',
        output: [
          {
            type: 'reasoning',
            id: 'rs-1',
            encrypted_content: 'sealed',
            summary: [{ type: 'summary_text', text: 'hm' }],
          },
          { type: 'function_call', id: 'fc-1', call_id: 'call-1', name: 'look', arguments: '{"at":1}' },
        ],
        usage: { input_tokens: 30, output_tokens: 4 },
      }),
      openai,
    );
    const opened = await openModel(`openai:gpt-5-mini@${server.url}`, { keys: { OPENAI_API_KEY: KEY } });
    const first = asked('hello');
    const answer = await callModel({ models: [opened], prompt: { messages: first } });
    const message = JSON.parse(JSON.stringify(answer.message)) as typeof answer.message;
    const output = { type: 'text' as const, value: 'ok' };
    const result = { type: 'tool-result' as const, toolCallId: 'call-1', toolName: 'look', output };
    await callModel({
      models: [opened],
      prompt: { messages: [...first, message, { role: 'tool', content: [result] }] },
    });
    expect(server.calls[0]!.body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect(server.calls[1]!.body.input).toMatchObject([
      { role: 'user' },
      { type: 'reasoning', encrypted_content: 'sealed' },
      { type: 'function_call', call_id: 'call-1', name: 'look', arguments: '{"at":1}' },
      { type: 'function_call_output', call_id: 'call-1', output: 'ok' },
    ]);
    expect(JSON.stringify(server.calls[1]!.body)).not.toContain('item_reference');
  });

  it("uses a provider's cache where it has one and is asked to", async () => {
    const messages = [{ role: 'system' as const, content: 'You watch.' }, ...asked('hello')];
    const bodyOf = async (provider: 'anthropic' | 'openai' | 'mistral', cacheKey?: string) => {
      const server = await modelServer({ anthropic: anthropic(), openai, mistral }[provider]);
      const opened = await openModel(`${provider}:m@${server.url}`, {
        keys: { [KEY_NAMES[provider][0]]: KEY },
      });
      const caching = cacheKey === undefined ? {} : { cacheKey };
      await callModel({ models: [opened], prompt: { messages, ...caching } });
      return server.calls[0]!.body;
    };
    const mark = { cache_control: { type: 'ephemeral' } };
    expect(await bodyOf('anthropic', 'p')).toMatchObject({
      system: [{ text: 'You watch.', ...mark }],
      messages: [{ role: 'user', content: [{ text: 'hello', ...mark }] }],
    });
    expect(JSON.stringify(await bodyOf('anthropic'))).not.toContain('cache_control');
    const body = await bodyOf('openai', 'my process');
    // Nothing is kept there, and a name is nobody's business.
    expect(body).toMatchObject({ store: false, prompt_cache_key: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect((await bodyOf('openai', 'my process')).prompt_cache_key).toBe(body.prompt_cache_key);
    expect((await bodyOf('openai', 'another')).prompt_cache_key).not.toBe(body.prompt_cache_key);
    expect(await bodyOf('openai')).not.toHaveProperty('prompt_cache_key');
    expect(await bodyOf('mistral', 'p')).toHaveProperty('prompt_cache_key');
  });

  it.each(['openai', 'anthropic', 'google', 'mistral'] as const)(
    'of %s takes no key and no address from the environment, and says which secret is missing',
    async (provider) => {
      const planted = {
        [KEY_NAMES[provider][0]]: 'from-the-environment',
        OPENAI_BASE_URL: 'http://127.0.0.1:9',
        ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
      };
      const before = { ...process.env };
      Object.assign(process.env, planted);
      try {
        const missing = await thrownBy(openModel(`${provider}:m`, { keys: { OTHER: KEY } }));
        expect(missing).toMatchObject({ code: 'model.no-key' });
        expect((missing as AppError).message).toContain(KEY_NAMES[provider][0]);
        const empty = await thrownBy(openModel(`${provider}:m`, { keys: { [KEY_NAMES[provider][0]]: '' } }));
        expect(empty).toMatchObject({ code: 'model.no-key' });
      } finally {
        for (const name of Object.keys(planted)) {
          if (before[name] === undefined) delete process.env[name];
          else process.env[name] = before[name];
        }
      }
    },
  );

  it('refuses a key that a header can not hold, without showing it', async () => {
    const thrown = await thrownBy(openModel('openai:m', { keys: { OPENAI_API_KEY: 'two\nlines' } }));
    expect(thrown).toMatchObject({ code: 'model.bad-key' });
    expect((thrown as AppError).message).toContain('OPENAI_API_KEY');
    expect((thrown as AppError).message).not.toContain('lines');
  });

  it('takes no key of a prototype', async () => {
    const keys = Object.create({ OPENAI_API_KEY: KEY }) as Record<string, string>;
    expect(await thrownBy(openModel('openai:m', { keys }))).toMatchObject({ code: 'model.no-key' });
  });

  it('reads a script inside of the workspace only, links followed', async () => {
    const directory = tempDirectory();
    const workspace = join(directory, 'workspace');
    mkdirSync(workspace);
    writeFileSync(join(directory, 'outside.yaml'), 'turns: [{ text: a }]');
    symlinkSync(join(directory, 'outside.yaml'), join(workspace, 'link.yaml'));
    const open = (path: string, options: object = { directory: workspace }) =>
      thrownBy(openModel(`scripted:${path}`, { keys: {}, ...options }));
    expect(await open('../outside.yaml')).toMatchObject({ code: 'model.outside-workspace' });
    expect(await open(join(directory, 'outside.yaml'))).toMatchObject({ code: 'model.outside-workspace' });
    expect(await open('link.yaml')).toMatchObject({ code: 'model.outside-workspace' });
    expect(await open('missing.yaml')).toMatchObject({ code: 'model.no-script' });
    expect(await open('.')).toMatchObject({ code: 'model.no-script' });
    expect(await open('a.yaml', {})).toMatchObject({ code: 'model.no-directory' });
  });
});
