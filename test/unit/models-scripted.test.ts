import { readFileSync } from 'node:fs';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { callModel, streamModel, type ModelAnswer } from '../../core/agent/models/call-model.ts';
import { parseScript } from '../../core/agent/models/model-script.ts';
import type { OpenedModel } from '../../core/agent/models/open-model.ts';
import { AppError, RetryableError } from '../../core/model/errors.ts';
import { asked, scripted, thrownBy } from '../support/models.ts';

const ask = (opened: OpenedModel, messages: LanguageModelV4Prompt, more = {}): Promise<ModelAnswer> =>
  callModel({ models: [opened], prompt: { messages }, firstWaitMs: 1, ...more });

const result = (answer: ModelAnswer, value: string): LanguageModelV4Prompt => [
  answer.message,
  {
    role: 'tool',
    content: answer.toolCalls.map(({ id, name }) => ({
      type: 'tool-result' as const,
      toolCallId: id,
      toolName: name,
      output: { type: 'text' as const, value },
    })),
  },
];

const FILES = `
turns:
  - match: { regex: 'dropped (?<file>\\S+)' }
    text: "I read {{file}}."
    tool_calls:
      - { tool: read_file, args: { path: "in/{{ file }}", lines: [1, "{{file}}"] } }
      - { tool: list, id: mine }
    usage: { input: 100, cached_read: 40, output: 12 }
  - match: dropped
    text: "It says: {{result}}"
  - match: [good, day]
    text: Good day to you.
`;

describe('a scripted model', () => {
  it('finds its turn by what the user said last, and by the answers since', async () => {
    const opened = await scripted(FILES);
    const first = asked('a file was dropped report.txt');
    const answer = await ask(opened, first);
    expect(answer).toMatchObject({
      model: 'scripted:answers.yaml',
      text: 'I read report.txt.',
      finish: 'tool-calls',
      usage: { tokensIn: 100, tokensCachedRead: 40, tokensOut: 12 },
    });
    expect(answer.toolCalls).toEqual([
      {
        id: expect.stringMatching(/^call-\w+-0$/),
        name: 'read_file',
        args: { path: 'in/report.txt', lines: [1, 'report.txt'] },
      },
      { id: 'mine', name: 'list', args: {} },
    ]);
    const second = await ask(opened, [...first, ...result(answer, 'all is well')]);
    expect(second).toMatchObject({ text: 'It says: all is well', finish: 'stop', usage: {} });
    const day = await ask(opened, [
      ...first,
      ...result(answer, ''),
      second.message,
      ...asked('good old day'),
    ]);
    expect(day.text).toBe('Good day to you.');
  });

  it('answers the same call the same, in another worker too: nothing is counted [P3]', async () => {
    const messages = asked('dropped x');
    const answers = [];
    for (const opened of [await scripted(FILES), await scripted(FILES)]) {
      answers.push(await ask(opened, messages), await ask(opened, messages));
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  it('says when it has no answer, and to what', async () => {
    const opened = await scripted(FILES);
    const unmatched = await thrownBy(ask(opened, asked('something else')));
    expect(unmatched).toMatchObject({ code: 'model.script-ended' });
    expect((unmatched as AppError).message).toContain('"something else"');
    const ended = await thrownBy(
      ask(opened, asked('good day', { role: 'assistant', content: [{ type: 'text', text: 'hi' }] })),
    );
    expect(ended).not.toBeInstanceOf(RetryableError);
    expect((ended as AppError).message).toContain('1 turn for "good day", and this would be number 2');
  });

  it('fails as it is told, so often and no more', async () => {
    const opened = await scripted(
      `
      turns:
        - { match: limit, text: done, error: { kind: rate_limited, retry_after: 0.01, times: 2 } }
        - { match: credit, error: { kind: bad_key } }
        - { match: cut, text: one two three four, error: { kind: cut, times: 1 } }
    `,
    );
    const waits: string[] = [];
    const onWait = ({ text }: { readonly text: string }): number => waits.push(text);
    expect(await ask(opened, asked('limit'), { onWait })).toMatchObject({
      text: 'done',
      attempts: 3,
      maybePaid: 0,
    });
    expect(waits[1]).toBe('scripted:answers.yaml is rate limited: retry 2/5 in 1 s');
    expect(await ask(opened, asked('limit'))).toMatchObject({ attempts: 3 });
    expect(await thrownBy(ask(opened, asked('credit')))).toMatchObject({ code: 'model.bad-key' });
    const slow = await scripted('turns: [{ error: { kind: timeout } }]', { timeoutMs: 50 });
    expect(await thrownBy(ask(slow, asked('slow'), { retries: 0 }))).toMatchObject({ code: 'model.timeout' });
    const seen: string[] = [];
    const answer = await streamModel({
      models: [opened],
      prompt: { messages: asked('cut') },
      firstWaitMs: 1,
      see: (glimpse) => seen.push(glimpse.kind),
    });
    expect(answer).toMatchObject({ text: 'one two three four', attempts: 2, maybePaid: 1 });
    expect(seen).toContain('again');
    expect(seen.indexOf('text')).toBeLessThan(seen.indexOf('again'));
  });

  it('is slow where it is told to be, and can be called off meanwhile', async () => {
    const opened = await scripted(`
      turns:
        - { match: later, text: at last, delay: 0.2 }
        - { match: words, text: one two, chunk_delay: 0.1 }
        - { match: never, text: never, delay: 3000 }
    `);
    const began = performance.now();
    await ask(opened, asked('later'));
    expect(performance.now() - began).toBeGreaterThan(190);
    const signal = AbortSignal.timeout(50);
    expect(await thrownBy(ask(opened, asked('never'), { signal }))).toMatchObject({
      code: 'model.called-off',
    });
    expect((await ask(opened, asked('words'))).text).toBe('one two');
  });

  it('sends arguments that are no JSON where it is told to', async () => {
    const opened = await scripted('turns: [{ tool_calls: [{ tool: read, args_text: "{broken" }] }]');
    const { toolCalls } = await ask(opened, asked('x'));
    expect(toolCalls[0]).toMatchObject({
      args: null,
      problem: 'The arguments of read are not JSON: {broken',
    });
  });

  it("is a model for the AI SDK's own loop and stream", async () => {
    const { model } = await scripted(FILES);
    const tools = {
      read_file: tool({
        inputSchema: jsonSchema<{ path: string }>({
          type: 'object',
          properties: { path: { type: 'string' } },
        }),
        execute: ({ path }) => `content of ${path}`,
      }),
      list: tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 'nothing else' }),
    };
    const { text, steps } = await generateText({
      model,
      tools,
      prompt: 'dropped a.txt',
      stopWhen: ({ steps: done }) => done.length === 2,
    });
    expect(text).toBe('It says: nothing else');
    expect(steps[0]!.usage).toMatchObject({ inputTokens: 140, outputTokens: 12 });
    const pieces: string[] = [];
    for await (const piece of streamText({ model, prompt: 'good day' }).textStream) pieces.push(piece);
    expect(pieces.join('')).toBe('Good day to you.');
    expect(pieces.length).toBeGreaterThan(1);
  });
});

describe('a script', () => {
  it('is as the guide says', async () => {
    const guide = readFileSync(new URL('../../resources/guide/models.md', import.meta.url), 'utf8');
    const opened = await scripted(/```yaml\n([^]*?)```/.exec(guide)![1]!);
    const first = asked('was dropped: dropped in/a.txt');
    const answer = await ask(opened, first);
    expect(answer).toMatchObject({
      text: 'Let me read in/a.txt.',
      toolCalls: [{ args: { path: 'in/a.txt' } }],
    });
    expect((await ask(opened, [...first, ...result(answer, 'hi')])).text).toBe('It says: hi');
    expect((await ask(opened, asked('hm'))).text).toBe('I do not know what to say to that.');
  });

  it.each<[string, string, readonly string[]]>([
    ['no YAML', 'turns: [', ['line 1']],
    ['empty', '', ['the script']],
    ['a list', '- text: a', ['the script']],
    ['without turns', 'turns: []', ['turns']],
    [
      'with an unknown key',
      'turns:\n  - text: a\n  - txt: b\n    text: c',
      ['line 3', 'turns.1 has "txt"', 'tool_calls', 'chunk_delay'],
    ],
    [
      'with an unknown key in a call',
      'turns:\n  - tool_calls:\n      - tool: a\n        arguments: {}',
      ['line 4', 'turns.0.tool_calls.0 has "arguments"', 'args_text'],
    ],
    [
      'with a turn that says nothing',
      'turns:\n  - text: a\n  - match: b',
      ['line 3', 'turns.1: says nothing'],
    ],
    [
      'with an error that leads nowhere',
      'turns:\n  - error: { kind: cut, times: 1 }',
      ['after 1 errors it has to answer'],
    ],
    [
      'with an unknown error',
      'turns:\n  - text: a\n    error:\n      kind: sad',
      ['line 4', 'turns.0.error.kind', 'rate_limited'],
    ],
    [
      'with a wait that has no place',
      'turns:\n  - text: a\n    error: { kind: cut, retry_after: 1 }',
      ['retry_after is for'],
    ],
    [
      'with a negative count',
      'turns:\n  - text: a\n    usage:\n      input: -1',
      ['line 4', 'turns.0.usage.input'],
    ],
    ['with an absurd delay', 'turns:\n  - text: a\n    delay: 1e9', ['line 3', 'turns.0.delay']],
    ['with a broken pattern', 'turns:\n  - match: { regex: "(" }\n    text: a', ['line 2', 'turns.0.match']],
    [
      'with a name nobody gives',
      'turns:\n  - match: { regex: "(?<file>a)" }\n    text: "{{path}}"',
      ['{{path}}', 'result and file'],
    ],
    ['with the same key twice', 'turns:\n  - text: a\n    text: b', ['line 3']],
    [
      'with both kinds of arguments',
      'turns:\n  - tool_calls: [{ tool: a, args: {}, args_text: "" }]',
      ['exclude each other'],
    ],
  ])('%s is refused, with place and line', (_, yaml, words) => {
    const refuse = (): unknown => parseScript('answers.yaml', yaml);
    expect(refuse).toThrow(AppError);
    expect(refuse).toThrow(/^The script answers\.yaml can't be used: /);
    for (const word of words) expect(refuse).toThrow(word);
  });

  it('says everything that is wrong at once', () => {
    const refuse = (): unknown => parseScript('a.yaml', 'turns:\n  - text: 1\n  - delay: x\n    text: a');
    expect(refuse).toThrow(/line 2: turns\.0\.text.*line 3: turns\.1\.delay/);
  });

  it('that stands for more than it holds is refused', () => {
    const levels = Array.from({ length: 12 }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n},`.repeat(9)}]`);
    const refuse = (): unknown => parseScript('a.yaml', `l0: &l0 [a]\n${levels.join('\n')}`);
    expect(refuse).toThrow(AppError);
  });
});
