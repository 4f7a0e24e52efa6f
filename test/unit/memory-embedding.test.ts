// Memory by meaning: a real HTTP server gives the vectors, and real workers ask for them.

import { expect, test } from 'vitest';
import { memoryAgent, type MemoryAgent } from '../support/memory-agents.ts';
import { failure, hang, json, modelServer, type Behaviour } from '../support/model-server.ts';
import { isIdle } from '../support/runtime.ts';

/** One number for each word that it knows: texts about the same are alike, whatever words they have. */
const MEANINGS = [/tea|drink|beverage|thirst/, /car|drive|vehicle|wheel/, /money|pay|invoice/];
const embed: Behaviour = (response, call) => {
  const [text] = call.body['input'] as string[];
  const embedding = MEANINGS.map((words) => (words.test(text!) ? 1 : 0.01));
  return json(200, {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding }],
    usage: { prompt_tokens: 7, total_tokens: 7 },
  })(response, call);
};

const once = async (agent: MemoryAgent, payload: string): Promise<void> => {
  const before = agent.process.snapshot.invocationCount;
  await agent.trigger(payload);
  await agent.until(
    'the invocation',
    (process) => process.snapshot.invocationCount > before && isIdle(process),
  );
};
const LEARN = `if (event.payload.startsWith('learn ')) await tool('store_memory', { text: event.payload.slice(6) });
  else note(String(await memory.recall(turn, event.payload)).split('\\n').filter((line) => line.startsWith('[mem')).map((line) => line.replace(/^.*score /, '')).join(' | '));`;

test('what means the same is found without a word in common; the paid call is an effect with its model', async () => {
  const server = await modelServer(embed);
  const embeddingModel = `openai-compatible:m@${server.url}`;
  const agent = await memoryAgent(LEARN, { memory: { embeddingModel, minScore: 0.3 } });
  await once(agent, 'learn Anna likes tea');
  await once(agent, 'learn The car needs a wheel');
  await once(agent, 'a beverage');
  expect(agent.ledger()).toEqual([expect.stringMatching(/^0\.70\] Anna likes tea$/)]);
  expect(server.calls).toHaveLength(3);
  const started = (await agent.entries()).filter(({ entry_type }) => entry_type === 'effect_started');
  const paid = started.filter(({ data }) => data['name'] === 'memory.embed');
  expect(paid.map(({ data }) => [data['class'], data['model']])).toEqual(
    Array.from({ length: 3 }, () => ['retry', embeddingModel]),
  );
});

test.each([
  ['that refuses', () => failure(400, { type: 'invalid_request_error' })],
  ['that fails', () => failure(500, {})],
  ['that answers nonsense', () => json(200, { data: [{ embedding: [] }] })],
  ['that says nothing', () => hang],
] as const)('with a model %s words alone decide, and the turn goes on', async (_, behaviour) => {
  const server = await modelServer(behaviour());
  const embeddingModel = `openai-compatible:m@${server.url}`;
  const agent = await memoryAgent(LEARN, {
    // Its time is that of looking in the memory too, which a busy machine may keep from it for seconds.
    memory: { embeddingModel, timeoutMs: 5_000 },
    config: { journalLevel: 'full' },
  });
  await once(agent, 'learn Anna likes tea');
  await once(agent, 'tea');
  expect(agent.ledger()).toEqual([expect.stringMatching(/^0\.\d\d\] Anna likes tea$/)]);
  const logs = (await agent.entries()).filter(({ entry_type }) => entry_type === 'log');
  expect(logs.map(({ data }) => data['text'])).toEqual(
    Array.from({ length: 2 }, () => expect.stringContaining('memory goes by words alone')),
  );
});

test('a name that is no embedding model is said to be none, and nothing is sent', async () => {
  const agent = await memoryAgent(LEARN, { memory: { embeddingModel: 'anthropic:claude' } });
  await once(agent, 'learn Anna likes tea');
  await once(agent, 'tea');
  expect(agent.ledger()).toHaveLength(1);
  const ended = (await agent.entries()).filter(({ entry_type }) => entry_type === 'effect_finished');
  expect(JSON.stringify(ended.map(({ data }) => data))).toContain('ANTHROPIC_API_KEY');
});
