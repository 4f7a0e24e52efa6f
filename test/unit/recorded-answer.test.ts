// What a model answered stands in its record once, and answers that were recorded with all of it still count [S24, P8].

import { expect, test } from 'vitest';
import {
  answerAsRecorded,
  recordedAnswer,
  type RecordedAnswer,
} from '../../core/agent/llm/recorded-answer.ts';
import type { ModelAnswer } from '../../core/agent/models/call-model.ts';
import { answerOf } from '../../core/agent/models/model-answer.ts';
import { isObject } from '../../core/model/json.ts';
import { toolServer, turnBench, turnOf, wireModel } from '../support/turns.ts';
import { call, steps } from '../support/wire-model.ts';

type Said = Parameters<typeof answerOf>[0];

const answerTo = (content: Said['content'], more: Partial<Said> = {}): ModelAnswer => ({
  ...answerOf({
    content,
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
    ...more,
  }),
  model: 'openai:m',
  passedOver: [],
  attempts: 1,
  maybePaid: 0,
});
const toolCall = (id: string, input: string, more = {}) =>
  ({ type: 'tool-call', toolCallId: id, toolName: 'look', input, ...more }) as const;

const ANSWERS: readonly (readonly [string, ModelAnswer])[] = [
  [
    'words',
    answerTo([
      { type: 'text', text: 'one ' },
      { type: 'text', text: 'two' },
    ]),
  ],
  ['nothing', answerTo([])],
  ['calls', answerTo([{ type: 'text', text: 'I look.' }, toolCall('a', '{"at":"x"}'), toolCall('b', '')])],
  [
    'calls that make no sense',
    answerTo([toolCall('a', '{"at":'), toolCall('b', '{"at":1}'), toolCall('c', '{')]),
  ],
  [
    "a provider's own call",
    answerTo([toolCall('a', '{}', { providerExecuted: true }), toolCall('b', '[{"at":1}]')]),
  ],
  [
    'words apart from its message',
    answerTo([{ type: 'text', text: '{"a":1}' }], { structuredOutputText: '1' }),
  ],
];

test.each(ANSWERS)('%s: what is recorded gives the same answer, as JSON', (_, answer) => {
  const recorded = JSON.parse(JSON.stringify(recordedAnswer(answer))) as RecordedAnswer;
  expect(answerAsRecorded(recorded)).toEqual(JSON.parse(JSON.stringify(answer)));
  expect(recorded).not.toHaveProperty('toolCalls');
});

test.each(ANSWERS)('%s: one that was recorded whole is that', (_, answer) => {
  const before = JSON.parse(JSON.stringify(answer)) as RecordedAnswer;
  expect(answerAsRecorded(before)).toEqual(before);
});

test('arguments and words of an answer stand in the journal once before its tools are called', async () => {
  const server = await toolServer({ look: () => 'seen' });
  const model = await wireModel(
    steps({ text: 'WORDS-OF-IT', calls: [call('c1', 'look', { at: 'THIS-PLACE' })] }, { text: 'done' }),
  );
  const b = await turnBench({ models: [model.name('chat')], server, tools: { look: { class: 'retry' } } });
  expect(await turnOf(b)).toBe('done');
  const [first] = (await b.entries()).flatMap(({ entry_type, data }) =>
    entry_type === 'effect_finished' && isObject(data['result'] ?? null) ? [JSON.stringify(data)] : [],
  );
  expect(first!.split('THIS-PLACE')).toHaveLength(2);
  expect(first!.split('WORDS-OF-IT')).toHaveLength(2);
});
