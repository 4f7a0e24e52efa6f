// What goes wrong with models, over real wire formats: waited for, asked again, passed over, and never forgotten.

import { describe, expect, it } from 'vitest';
import { budget } from '../support/budgets.ts';
import { hastyClock } from '../support/hasty-clock.ts';
import { DEFAULT_DELIVERY } from '../../core/model/delivery.ts';
import { isIdle, OPERATOR } from '../support/runtime.ts';
import { effectsIn, KEYS, toolServer, turnBench, turnOf, wireModel } from '../support/turns.ts';
import { call, steps, stepOf, type WireFault } from '../support/wire-model.ts';
import { waitFor } from '../support/wait-for.ts';
import type { WireForm } from '../support/wire-forms.ts';

/** The first time that the same is asked. */
const once =
  (fault: WireFault, text = 'well') =>
  (_: unknown, asked: number) =>
    asked === 0 ? fault : { text };

const FORMS: readonly WireForm[] = ['chat', 'responses', 'messages'];

describe('a model that fails', () => {
  it.each(FORMS)('with 429 is asked again when it says, and nothing of that is paid: %s', async (form) => {
    const model = await wireModel(once({ fault: 'status', status: 429, retryAfter: '1' }));
    const b = await turnBench({ models: [model.name(form)], config: { ...KEYS } });
    expect(await turnOf(b)).toBe('well');
    expect(model.asked).toHaveLength(2);
    expect(effectsIn(await b.entries())).toEqual(['model#0 begins', 'model#0 done']);
    expect(b.process.snapshot.budget.spent).toMatchObject({ modelTurns: 1, tokens: 25 });
  });

  it('shows why nothing comes while its provider is waited for', async () => {
    // For longer than a busy machine may stand still, and with it whoever looks.
    const model = await wireModel(once({ fault: 'status', status: 429, retryAfter: '8' }));
    const name = model.name('chat');
    const b = await turnBench({ models: [name] });
    const began = Date.now();
    await b.trigger();
    const saying = await waitFor(() => b.process.live.saying?.wait && b.process.live.saying, {
      what: 'the wait',
    });
    expect(saying).toMatchObject({ model: name, wait: { text: `${name} is rate limited: retry 1/5` } });
    expect(saying.wait!.untilMs!).toBeGreaterThan(began);
    await b.until('the end', isIdle);
    expect(b.process.live.saying).toBeNull();
  });

  it('and asks to be asked much later is waited for by a durable timer, also over a restart [S25]', async () => {
    const model = await wireModel(once({ fault: 'status', status: 429, retryAfter: '3600' }));
    const name = model.name('chat');
    const setting = {
      models: [name],
      clock: hastyClock(600),
      config: {
        workerHangMs: 0,
        workerLimits: { memoryMb: null, startDeadlineMs: 1e9, stopDeadlineMs: 1e7 },
      },
    };
    const first = await turnBench(setting);
    await first.trigger();
    await first.until('the timer', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
    expect(first.process.snapshot.open[0]!.waits).toMatchObject([
      { kind: 'timer', name: `${name} to take calls again` },
    ]);
    expect(first.process.snapshot.budget.reserved).toEqual({});
    const b = await first.again();
    await b.until('the end', isIdle);
    expect(model.asked).toHaveLength(2);
    expect(effectsIn(await b.entries())).toEqual([
      'model#0 begins',
      'model#0 done',
      'model#1 begins',
      'model#1 done',
    ]);
    expect(b.process.snapshot.budget.spent).toMatchObject({ modelTurns: 2, tokens: 25 });
  });

  it.each([
    ['500', { fault: 'status', status: 500 }],
    ['a cut stream', { fault: 'cut' }],
  ] as const)('with %s may have been paid: that is on record and stays counted [S33]', async (_, fault) => {
    const model = await wireModel(once(fault));
    const b = await turnBench({ models: [model.name('chat')], plan: { maxOutputTokens: 100 } });
    expect(await turnOf(b)).toBe('well');
    expect(effectsIn(await b.entries())).toEqual([
      'model#0 begins',
      'model#0 in_doubt',
      'model#0 begins',
      'model#0 done',
    ]);
    const { spent } = b.process.snapshot.budget;
    expect(spent).toMatchObject({ modelTurns: 2 });
    expect(spent.tokensOut).toBe(105);
  });

  it('with silence is given up after its time, and the next of the plan is asked', async () => {
    const silent = await wireModel(() => ({ fault: 'silence' }));
    const model = await wireModel(steps({ text: 'well' }));
    const b = await turnBench({
      models: [silent.name('chat'), model.name('responses')],
      plan: { modelTimeoutMs: 1_500 },
      config: { ...KEYS },
    });
    expect(await turnOf(b)).toBe('well');
    // On a machine that is busy the time may be over before it is heard, and once more for the next one.
    expect(silent.asked.length).toBeLessThanOrEqual(3);
    const tries = effectsIn(await b.entries()).filter((line) => !line.endsWith('begins'));
    expect(tries.length).toBeGreaterThanOrEqual(4);
    expect(tries).toEqual([...Array<string>(tries.length - 1).fill('model#0 in_doubt'), 'model#0 done']);
    expect(b.process.snapshot.budget.spent).toMatchObject({ modelTurns: tries.length });
  });

  it('for good is passed over, in every step anew, and the answer says which one gave it', async () => {
    const tools = await toolServer({ look: () => 'warm' });
    const refusing = await wireModel(() => ({ fault: 'status', status: 400 }));
    const model = await wireModel(steps({ calls: [call('c1', 'look')] }, { text: 'warm' }));
    const b = await turnBench({
      models: [refusing.name('chat'), model.name('chat')],
      server: tools,
      tools: { look: { class: 'retry' } },
    });
    expect(await turnOf(b)).toBe('warm');
    expect([refusing.asked.length, model.asked.length]).toEqual([2, 2]);
    const models = (await b.entries()).flatMap(({ entry_type, data }) =>
      entry_type === 'effect_started' && data['name'] === 'model' ? [data['model']] : [],
    );
    expect(new Set(models)).toEqual(new Set(['openai-compatible:m']));
    expect(b.process.snapshot.budget.spent).toMatchObject({ modelTurns: 2 });
  });

  it('where no other is left fails the run with what its provider said', async () => {
    const model = await wireModel(() => ({ fault: 'status', status: 401 }));
    const b = await turnBench({ models: [model.name('chat')] });
    await b.trigger();
    await b.until('the failure', ({ snapshot }) => snapshot.lastError !== null);
    expect(b.process.snapshot.lastError).toMatchObject({ code: 'model.bad-key' });
    expect(model.asked).toHaveLength(1);
  });

  it('in a later step leaves what was answered before it to the next attempt, whichever model gave that [S24]', async () => {
    const tools = await toolServer({ look: () => 'warm' });
    let isDown = true;
    const down = { fault: 'status', status: 400 } as const;
    const first = await wireModel((question) => (isDown ? down : { text: `first, ${stepOf(question)}` }));
    const second = await wireModel((question) => {
      if (stepOf(question) === 0) return { calls: [call('c1', 'look')] };
      if (!isDown) return { text: 'second' };
      // The last one that the first attempt asks: the next one may begin at once.
      isDown = false;
      return down;
    });
    const b = await turnBench({
      models: [first.name('chat'), second.name('chat')],
      server: tools,
      tools: { look: {} },
      config: { delivery: { ...DEFAULT_DELIVERY, maxRetries: 1, retryBackoffMs: 1 } },
    });
    await b.trigger();
    await b.until('the end', ({ snapshot }) => snapshot.invocationCount === 1 && isIdle(b.process));
    expect(b.process.snapshot.conversation.at(-1)).toEqual({ role: 'assistant', content: 'first, 1' });
    expect(second.asked.filter(({ question }) => stepOf(question) === 0)).toHaveLength(1);
    expect(tools.done).toHaveLength(1);
  });

  it('without a key says which secret is missing, and asks nobody', async () => {
    const model = await wireModel(steps({ text: 'well' }));
    const b = await turnBench({ models: [model.name('messages')] });
    await b.trigger();
    await b.until('the failure', ({ snapshot }) => snapshot.lastError !== null);
    expect(b.process.snapshot.lastError).toMatchObject({
      code: 'model.no-key',
      message: expect.stringContaining('needs the secret ANTHROPIC_API_KEY') as unknown,
    });
    expect(model.asked).toEqual([]);
    expect(b.process.snapshot.budget.spent).toEqual({ runs: 1 });
  });
});

describe('a model that answers', () => {
  it('nothing ends the turn, and leaves nothing in later prompts', async () => {
    const model = await wireModel((question) => ({ text: question.turns.length === 1 ? '' : 'here' }));
    const b = await turnBench({ models: [model.name('chat')] });
    expect(await turnOf(b, 'one')).toBe('');
    expect(await turnOf(b, 'two')).toBe('here');
    expect(model.asked[1]!.question.turns.map(({ role }) => role)).toEqual(['user', 'user']);
  });

  it('is asked with a key that was rotated since the last call', async () => {
    const model = await wireModel(steps({ text: 'well' }));
    const b = await turnBench({ models: [model.name('responses')], config: { ...KEYS } });
    await turnOf(b);
    const order = { name: 'OPENAI_API_KEY', value: 'sk-test-9999', ttlMs: undefined };
    await b.process.governance.rotateSecret(order, OPERATOR);
    await turnOf(b);
    expect(model.asked.map(({ key }) => key)).toEqual(['Bearer sk-test-0001', 'Bearer sk-test-9999']);
  });

  it('is booked at what its prompt and answer may take, so that a limit is checked beforehand', async () => {
    const model = await wireModel(steps({ text: 'well' }));
    const b = await turnBench({
      models: [model.name('chat')],
      plan: { maxOutputTokens: 500 },
      config: budget({ limits: { max_output_tokens_per_run: 400 } }),
    });
    await b.trigger();
    await b.until('the hold', ({ snapshot }) => snapshot.holds.some(({ kind }) => kind === 'budget'));
    expect(model.asked).toEqual([]);
  });

  it('is heard while it speaks, and what it says is in no journal before its end', async () => {
    const words = Array.from({ length: 60 }, (_, at) => `word-${at}`).join(' ');
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    const model = await wireModel(steps({ text: words }), {
      beside: (phase) => (phase === 'middle' ? rest : Promise.resolve()),
    });
    const b = await turnBench({ models: [model.name('chat')] });
    await b.trigger();
    const saying = await waitFor(
      () => b.process.live.saying?.text.includes('word-3') && b.process.live.saying,
      {
        what: 'the first words',
      },
    );
    expect(saying.wait).toBeNull();
    expect((await b.entries()).every(({ data }) => !JSON.stringify(data).includes('word-3'))).toBe(true);
    goOn();
    await b.until('the end', isIdle);
    expect(b.process.live.saying).toBeNull();
    expect(stepOf(model.asked[0]!.question)).toBe(0);
  });
});
