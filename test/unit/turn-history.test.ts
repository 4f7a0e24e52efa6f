// What a turn is told of before it: conversation, state, budget, mission and inbox; and what becomes of a long conversation.

import { describe, expect, it } from 'vitest';
import { budget } from '../support/budgets.ts';
import { folded, isIdle, OPERATOR } from '../support/runtime.ts';
import { effectsIn, toolServer, turnBench, turnOf, wireModel } from '../support/turns.ts';
import { call, stepOf, steps } from '../support/wire-model.ts';

describe('a turn', () => {
  it('goes on with the conversation, and is told how things stood when it began [S23] [S25]', async () => {
    const model = await wireModel((question) => ({ text: `answer ${question.turns.length}` }));
    const b = await turnBench({
      models: [model.name('chat')],
      config: {
        ...budget({ limits: { max_runs_per_day: 5, max_tool_calls_per_run: 3 } }),
        instructions: 'Be brief.',
        initialState: { mood: 'calm' },
      },
    });
    await turnOf(b, 'one');
    expect(await turnOf(b, 'two')).toBe('answer 3');
    const { system, turns } = model.asked[1]!.question;
    expect(system).toContain('Be brief.');
    expect(system).toContain('[Context State]\n{\n  "mood": "calm"\n}');
    expect(system).toContain('[Budget Remaining]\neffects in a run: 3 of 3 left\nruns in a day: 3 of 5 left');
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(turns[1]).toMatchObject({ text: 'answer 1' });
    const [start] = (await b.entries()).filter(({ entry_type }) => entry_type === 'invocation_start');
    expect(start!.data['told']).toEqual({
      budget: 'effects in a run: 3 of 3 left\nruns in a day: 4 of 5 left',
    });
  });

  it('is told nothing of the budget and begins without history where its plan says so', async () => {
    const model = await wireModel(steps({ text: 'ok' }));
    const b = await turnBench({
      models: [model.name('chat')],
      plan: { tellsBudget: false, hasHistory: false },
      config: budget({ limits: { max_runs_per_day: 5 } }),
    });
    await turnOf(b, 'one');
    await turnOf(b, 'two');
    const { system, turns } = model.asked[1]!.question;
    expect(system).not.toContain('[Budget Remaining]');
    expect(turns).toHaveLength(1);
  });

  it('reads what people wrote to its agent', async () => {
    const model = await wireModel(steps({ text: 'ANSWER Q1: blue' }));
    const b = await turnBench({ models: [model.name('chat')] });
    await b.process.desk.writeInbox(
      { messageId: 'm-1', type: 'question', content: 'Which colour?', priority: 'normal', expiresInMs: null },
      OPERATOR,
    );
    await turnOf(b);
    expect(model.asked[0]!.question.system).toContain('QUESTION Q1 from');
  });

  it('whose conversation is too long has the older part put into words, once, and the words stand for it [S23]', async () => {
    const long = 'l'.repeat(2_000);
    const model = await wireModel((question) =>
      question.system.startsWith('You put the older part') ? { text: 'SHORT: it was long' } : { text: long },
    );
    const b = await turnBench({ models: [model.name('chat')], plan: { compactAboveTokens: 1_500 } });
    for (const payload of ['one', 'two', 'three']) await turnOf(b, payload);
    const before = b.process.snapshot.conversationCount;
    await turnOf(b, 'four');
    const asked = model.asked.map(({ question }) => question);
    expect(asked.filter(({ system }) => system.startsWith('You put the older part'))).toHaveLength(1);
    const last = asked.at(-1)!;
    expect(last.turns[0]!.text).toBe('[What was said before, in short]\nSHORT: it was long');
    expect(effectsIn(await b.entries()).filter((line) => line.startsWith('summary'))).toEqual([
      'summary#0 begins',
      'summary#0 done',
    ]);
    const { compaction, conversation, conversationCount } = b.process.snapshot;
    expect(compaction).toMatchObject({ summary: 'SHORT: it was long' });
    expect(conversationCount).toBe(before + 2);
    expect(conversation).toHaveLength(conversationCount - compaction!.until);
    await turnOf(b, 'five');
    expect(model.asked.at(-1)!.question.turns[0]!.text).toContain('SHORT: it was long');
    expect(await folded(b)).toEqual(b.process.snapshot);
  });

  it('that is handled again where less of the conversation is kept goes on with what was answered [S24]', async () => {
    const look = { class: 'retry' } as const;
    const server = await toolServer({ look: () => 'warm' });
    let isHanging = false;
    const model = await wireModel(async (question) => {
      if (!isHanging) return { text: 'well' };
      if (stepOf(question) === 0) return { calls: [call('c1', 'look')] };
      return new Promise<never>(() => {});
    });
    const setting = { models: [model.name('chat')], server, tools: { look } };
    const first = await turnBench({ ...setting, config: { conversationMaxMessages: 10 } });
    for (const payload of ['one', 'two', 'three']) await turnOf(first, payload);
    isHanging = true;
    await first.trigger('four');
    await first.until('the second call', () => model.asked.length === 5);
    isHanging = false;
    await first.quit();
    const { directory } = first;
    const b = await turnBench({ ...setting, directory, config: { conversationMaxMessages: 2 } });
    await b.until('the end', isIdle);
    expect(b.process.snapshot.lastError).toBeNull();
    expect(model.asked).toHaveLength(6);
    expect(server.done).toHaveLength(1);
  });

  it('that is handled again after a crash sees the conversation as it was when it began [S23]', async () => {
    let isHanging = false;
    let hung = 0;
    const long = 'l'.repeat(2_000);
    const model = await wireModel(async (question) => {
      if (question.system.startsWith('You put the older part')) return { text: 'SHORT' };
      if (isHanging) {
        hung += 1;
        await new Promise<never>(() => {});
      }
      return { text: long };
    });
    const first = await turnBench({ models: [model.name('chat')], plan: { compactAboveTokens: 1_500 } });
    for (const payload of ['one', 'two', 'three']) await turnOf(first, payload);
    isHanging = true;
    await first.trigger('four');
    await first.until('the call', () => hung === 1);
    isHanging = false;
    const b = await first.again();
    await b.until('the end', isIdle);
    expect(b.process.snapshot.lastError).toBeNull();
    expect(
      model.asked.filter(({ question }) => question.system.startsWith('You put the older part')),
    ).toHaveLength(1);
    expect(model.asked.at(-1)!.content).toBe(model.asked.at(-2)!.content);
    expect(await folded(b)).toEqual(b.process.snapshot);
  });
});
