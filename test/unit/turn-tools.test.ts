// Whatever becomes of a call of a tool, its model reads it, and what is harmless to others stays so.

import { describe, expect, it } from 'vitest';
import { textAt } from '../../core/model/json.ts';
import type { WireAnswer, WireQuestion } from '../support/wire-forms.ts';
import { budget, isHeld } from '../support/budgets.ts';
import type { HttpTool } from '../support/http-tools.ts';
import { isIdle, OPERATOR } from '../support/runtime.ts';
import type { ServedTool } from '../support/tool-server.ts';
import {
  effectsIn,
  KEYS,
  toolServer,
  turnBench,
  turnOf,
  type TurnSetting,
  wireModel,
} from '../support/turns.ts';
import { call, steps } from '../support/wire-model.ts';

/** One answer with these calls, and then what was made of them. */
async function afterCalls(
  calls: NonNullable<WireAnswer['calls']>,
  tools: Readonly<Record<string, HttpTool>>,
  acts: Readonly<Record<string, ServedTool['act']>>,
  more: Partial<TurnSetting> = {},
) {
  const server = await toolServer(acts);
  const model = await wireModel(steps({ calls }, { text: 'done' }));
  const b = await turnBench({ models: [model.name('chat')], server, tools, ...more });
  expect(await turnOf(b)).toBe('done');
  return { b, server, results: resultsIn(model.asked.at(-1)!.question), model };
}

function resultsIn({ turns }: WireQuestion): readonly string[] {
  return turns.flatMap((turn) => (turn.role === 'tool' ? [turn.text] : []));
}

describe('a call of a tool', () => {
  it('that makes no sense is told to the model, announced nowhere, and harms no other', async () => {
    const { b, server, results, model } = await afterCalls(
      [
        call('c1', 'look', '{"at": '),
        call('c2', 'nothing', {}),
        call('c3', 'look', { at: 7 }),
        call('c4', 'look', {}),
        call('c5', 'look', { at: 'north' }),
        call('c6', 'look', '[1]'),
        call('c7', 'look', '{"at": 1e999}'),
        call('c8', 'look', `{"at": ${'['.repeat(300)}${']'.repeat(300)}}`),
      ],
      {
        look: {
          class: 'retry',
          inputSchema: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
        },
      },
      { look: () => 'warm' },
    );
    expect(results).toEqual([
      expect.stringMatching(/^The arguments of look are not JSON: .*Nothing was done\.$/),
      'There is no tool "nothing". There are: look. Nothing was done.',
      'The arguments of look do not fit: at must be a text. Nothing was done.',
      'The arguments of look do not fit: at is missing. Nothing was done.',
      'warm',
      'The arguments of look do not fit: The arguments of a tool are an object. Nothing was done.',
      expect.stringMatching(/^The arguments of look can't be used: .*Nothing was done\.$/),
      expect.stringMatching(/^The arguments of look can't be used: .*Nothing was done\.$/),
    ]);
    expect(server.done).toHaveLength(1);
    // Nor was anything paid twice for that.
    expect(model.asked).toHaveLength(2);
    expect(effectsIn(await b.entries()).filter((line) => line.startsWith('look'))).toHaveLength(2);
  });

  it('has a name, texts and ids that its provider takes again', async () => {
    const model = await wireModel(
      steps(
        {
          text: 'half \ud83d',
          calls: [call('c1', 'functions.look', '{"at": "\\ud83d"}'), call('c1', 'look', '{"at": "\\ud83d"}')],
        },
        { text: 'done \ud83d' },
      ),
    );
    const server = await toolServer({ look: (args) => JSON.stringify(args) });
    const tools = { look: { class: 'retry' } } as const;
    const b = await turnBench({ models: [model.name('responses')], server, tools, config: { ...KEYS } });
    expect(await turnOf(b)).toBe('done \ufffd');
    await turnOf(b);
    const sent = JSON.stringify(model.asked.map(({ question }) => question));
    expect(sent).not.toContain('\\ud83d');
    const [said] = model.asked[1]!.question.turns.filter(({ role }) => role === 'assistant');
    expect(said).toMatchObject({
      text: 'half \ufffd',
      calls: [{ name: 'functions_look' }, { name: 'look', args: '{"at":"\ufffd"}' }],
    });
    const ids = said?.role === 'assistant' ? said.calls.map(({ id }) => id) : [];
    expect(new Set(ids).size).toBe(2);
    expect(resultsIn(model.asked[1]!.question)).toEqual([
      expect.stringMatching(/There is no tool .*functions_look/),
      '{"at":"\ufffd"}',
    ]);
  });

  it("is done where the tool says that it failed, and the model reads the tool's own words", async () => {
    const { b, results } = await afterCalls(
      [call('c1', 'look')],
      { look: {} },
      {
        look: () => {
          throw new Error('no such place');
        },
      },
    );
    expect(results).toEqual(['Error: no such place']);
    expect(effectsIn(await b.entries())).toContain('look#0 done');
  });

  it('that did not happen is told so', async () => {
    const { b, server, results } = await afterCalls([call('c1', 'refuses')], { refuses: {} }, {});
    expect(results).toEqual(['It failed. refuses: it never begins']);
    expect(server.done).toEqual([]);
    expect(effectsIn(await b.entries())).toContain('refuses#0 did_not_happen');
  });

  it('carries its key in the argument that the manifest names, which is not shown to the model [S32]', async () => {
    const { b, server, model } = await afterCalls(
      [call('c1', 'pay', { amount: 3 })],
      {
        pay: {
          class: 'idempotent',
          keyArgument: 'request_id',
          inputSchema: {
            type: 'object',
            properties: { amount: { type: 'number' }, request_id: { type: 'string' } },
            required: ['amount', 'request_id'],
            additionalProperties: false,
          },
        },
      },
      { pay: () => 'paid' },
    );
    const started = (await b.entries()).find(({ data }) => data['name'] === 'pay')!;
    expect(server.done[0]!.args).toEqual({ amount: 3, request_id: started.data['key'] });
    expect(model.asked[0]!.question.tools).toEqual(['pay']);
  });

  it('of a name that the loop uses itself is told apart from what it does', async () => {
    const { b } = await afterCalls([call('c1', 'model')], { model: {} }, { model: () => 'ok' });
    expect(effectsIn(await b.entries())).toContain('model (tool)#0 done');
  });

  it('is cut and cleaned before the model reads it, whatever its server sends', async () => {
    const { results } = await afterCalls(
      [call('c1', 'flood'), call('c2', 'paint')],
      { flood: { class: 'retry' }, paint: { class: 'retry' } },
      { flood: () => 'x'.repeat(3_000_000), paint: () => '\u001b[31mred\u001b[0m \u202edlrow\u{e0041}' },
    );
    expect(results[0]!.length).toBeLessThan(101_000);
    expect(results[0]).toMatch(/… \[cut: 3000000 characters in all\]$/);
    expect(results[1]).toBe('red dlrow');
  });

  it('in doubt holds the invocation until an operator has decided, and then goes on from there [S34]', async () => {
    const server = await toolServer({ mail: () => new Promise<string>(() => {}) });
    const model = await wireModel(steps({ calls: [call('c1', 'mail')] }, { text: 'sent' }));
    const b = await turnBench({ models: [model.name('chat')], server, tools: { mail: { timeoutMs: 50 } } });
    await b.trigger();
    await b.until('the hold', ({ snapshot }) => snapshot.holds.some(({ kind }) => kind === 'in_doubt'));
    const [effect] = b.process.snapshot.open[0]!.effects.filter(({ name }) => name === 'mail');
    const result = { text: 'it went out', isError: false };
    await b.process.desk.resolveEffect(effect!.effectId, { kind: 'happened', result }, OPERATOR);
    await b.until('the end', isIdle);
    expect(resultsIn(model.asked.at(-1)!.question)).toEqual(['it went out']);
    expect(model.asked).toHaveLength(2);
    // On a machine that is busy the time may be over before it is heard.
    expect(server.done.length).toBeLessThanOrEqual(1);
  });

  it('that would pass the limit of the budget is not seen by its server, and waits [S33]', async () => {
    const server = await toolServer({ pay: () => 'paid' });
    const model = await wireModel(
      steps({ calls: [call('c1', 'pay')] }, { calls: [call('c2', 'pay')] }, { text: 'done' }),
    );
    const b = await turnBench({
      models: [model.name('chat')],
      server,
      tools: { pay: {} },
      config: budget({ limits: { max_tool_calls_per_run: 1 } }),
    });
    await b.trigger();
    await b.until('the hold', isHeld(b));
    expect(server.done).toHaveLength(1);
    await b.process.governance.extendBudget(
      { limit: 'max_tool_calls_per_run', amount: 1, forMs: null },
      OPERATOR,
    );
    await b.until('the end', isIdle);
    expect(server.done).toHaveLength(2);
    expect(b.process.snapshot.budget.spent).toMatchObject({ toolCalls: 2, modelTurns: 3 });
  });

  it('asks whoever has to approve it: a refusal is told, other arguments are used', async () => {
    const approver = `approver: async (turn, offer, args, why) =>
      offer.name === 'drop' ? { isApproved: false, why: 'not today' } : { isApproved: true, args: { to: why } }`;
    const { server, results } = await afterCalls(
      [call('c1', 'drop'), call('c2', 'mail', { to: 'all' })],
      { drop: { asks: true }, mail: { asks: true } },
      { mail: () => 'sent' },
      { parts: approver },
    );
    expect(results).toEqual([
      'It was not approved, and nothing was done: not today',
      '[A person changed the arguments before it was called: {"to":""}]\nsent',
    ]);
    expect(server.done.map(({ args }) => args)).toEqual([{ to: '' }]);
  });

  it('is left out of an answer that asks for too many at once', async () => {
    const calls = Array.from({ length: 40 }, (_, at) => call(`c${at}`, 'look'));
    const { server, results } = await afterCalls(calls, { look: { class: 'retry' } }, { look: () => 'ok' });
    expect(server.done).toHaveLength(32);
    expect(results).toHaveLength(40);
    expect(results.at(-1)).toContain('At most 32 tools are called at once');
  });
});

describe('a model that talks without end', () => {
  it('has its beginning in the reply, and in what later turns are told', async () => {
    const model = await wireModel(() => ({ text: 'x'.repeat(1_200_000) }));
    const b = await turnBench({ models: [model.name('chat')] });
    await turnOf(b);
    const content = textAt(b.process.snapshot.conversation.at(-1)!, 'content');
    expect(content.length).toBeLessThan(201_000);
    expect(content).toMatch(/… \[cut: 1200000 characters in all\]$/);
    expect(model.asked).toHaveLength(1);
  });
});

describe('a model that only calls tools', () => {
  const onlyTools = () => ({ calls: [call(`c${Math.random()}`, 'look')] });

  it('has to answer in words with its last call', async () => {
    const server = await toolServer({ look: () => 'ok' });
    const model = await wireModel((question) => (question.mayCall ? onlyTools() : { text: 'enough' }));
    const b = await turnBench({
      models: [model.name('chat')],
      server,
      tools: { look: { class: 'retry' } },
      plan: { maxSteps: 3 },
    });
    expect(await turnOf(b)).toBe('enough');
    expect(model.asked).toHaveLength(3);
    expect(server.done).toHaveLength(2);
  });

  it('fails where it does not', async () => {
    const server = await toolServer({ look: () => 'ok' });
    const model = await wireModel(onlyTools);
    const b = await turnBench({
      models: [model.name('chat')],
      server,
      tools: { look: { class: 'retry' } },
      plan: { maxSteps: 2 },
    });
    await b.trigger();
    await b.until('the end', isIdle);
    expect(b.process.snapshot.lastError).toMatchObject({ code: 'agent.too-many-steps' });
  });
});
