// Calls of models under limits, with real workers on a real journal: booked before they are made, counted at what they used,
// and never forgotten.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyBudget } from '../../core/model/budget-state.ts';
import { onAnotherDay } from '../../core/model/fold-budget.ts';
import { budgetOf } from '../../core/model/gauges.ts';
import { METERS } from '../../core/model/meters.ts';
import type { PriceTable } from '../../core/model/prices.ts';
import { budget, extend, isHeld } from '../support/budgets.ts';
import { bench, folded, isIdle, type Bench } from '../support/runtime.ts';

/** A million tokens are a million of them. */
const PRICES: PriceTable = {
  version: 'test-1',
  currency: 'EUR',
  models: {
    'a:one': { input: 1, cachedRead: 0.1, cachedWrite: 1.25, output: 10, maxInput: 1_000, maxOutput: 500 },
  },
};

const gaugeOf = ({ process }: Bench) =>
  budgetOf(process.snapshot, { nowMs: Date.now(), config: process.definition.config.budget });
const limitOf = (of: Bench, limit: string) => gaugeOf(of).limits.find((one) => one.limit === limit)!;

const ask = (call: string, options = ''): string =>
  `await ctx.effect('ask', { class: 'ask', model: 'a:one', ${options} }, async ({ used }) => { note('ask'); ${call} });`;

test('[S33] what a call used takes the place of what it was booked at, with the prices that it was worked out with', async () => {
  const b = await bench(
    ask(
      'used({ tokensIn: 120, tokensCachedRead: 10 }); used({ tokensOut: 30 });',
      'expects: { tokensIn: 200, tokensOut: 100 }',
    ),
    budget({ prices: PRICES, limits: { max_money_per_day: 1 } }),
  );
  await b.trigger();
  await b.until('the end', isIdle);
  const usage = {
    modelTurns: 1,
    tokens: 160,
    tokensIn: 120,
    tokensCachedRead: 10,
    tokensOut: 30,
    money: 0.000421,
  };
  expect(b.process.snapshot.budget).toMatchObject({
    spent: { runs: 1, toolCalls: 1, cost: 1, ...usage },
    reserved: {},
    currency: 'EUR',
  });
  const of = (await b.entries()).filter(({ entry_type }) => entry_type.startsWith('effect_'));
  expect(of.map(({ data }) => data)).toMatchObject([
    {
      model: 'a:one',
      prices: 'test-1',
      currency: 'EUR',
      booked: { modelTurns: 1, tokens: 300, money: 0.0012 },
      most: { tokens: 1_500, money: 0.00625 },
    },
    { end: 'done', used: { toolCalls: 1, cost: 1, ...usage }, prices: 'test-1', currency: 'EUR' },
  ]);
  expect((await folded(b)).budget).toEqual(b.process.snapshot.budget);
  const c = await b.again();
  expect(c.process.snapshot.budget.spent).toMatchObject(usage);
});

test('a call that did not happen counts for what its model used, and for nothing else', async () => {
  const b = await bench(
    `await ctx.effect('ask', { class: 'ask', model: 'a:one' }, async ({ used }) => {
       used({ tokensIn: 50 });
       throw new DidNotHappen('refused');
     }).catch(() => {});`,
    budget({ prices: PRICES }),
  );
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.process.snapshot.budget).toMatchObject({
    spent: { modelTurns: 1, tokens: 50, money: 0.00005 },
    reserved: {},
  });
  expect(b.process.snapshot.budget.spent.toolCalls).toBeUndefined();
});

test('each attempt counts for itself: one that failed, and the one that went well', async () => {
  const b = await bench(
    `await ctx.effect('ask', { class: 'retry', model: 'a:one', retry: { backoffMs: 1 } }, async ({ used, attempt }) => {
       used({ tokensIn: 10 * attempt });
       if (attempt < 3) throw new Error('timed out');
     });`,
    budget({ prices: PRICES }),
  );
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.process.snapshot.budget).toMatchObject({
    spent: { modelTurns: 3, tokens: 60, money: 0.00006 },
    reserved: {},
  });
  // Whether the first two happened nobody knows: they count as done beside their use, which is not counted twice.
  expect(b.process.snapshot.budget.spent.toolCalls).toBe(3);
});

test('[S33] what may have been paid stays reserved at its booking until somebody knows, and what is known counts at once', async () => {
  const b = await bench(
    `await Promise.all([
       ctx.effect('told', { class: 'ask', model: 'a:one', expects: { tokensIn: 100 } }, async ({ used }) => {
         used({ tokensIn: 300 });
         throw new Error('lost');
       }),
       ctx.effect('silent', { class: 'ask', model: 'a:one', expects: { tokensIn: 100 } }, async () => { throw new Error('lost'); }),
     ]);`,
    budget({ prices: PRICES, limits: { max_tokens_per_day: 1_000 } }),
  );
  await b.trigger();
  await b.until('the doubts', ({ snapshot, live }) => {
    const effects = snapshot.open.flatMap((open) => open.effects);
    return effects.length === 2 && effects.every(({ end }) => end?.kind === 'in_doubt') && live.running === 0;
  });
  expect(b.process.snapshot.budget).toMatchObject({
    spent: { modelTurns: 1, tokens: 300, money: 0.0003 },
    reserved: { toolCalls: 2, modelTurns: 1, tokens: 100, money: 0.0001 },
  });
  expect(limitOf(b, 'max_tokens_per_day')).toMatchObject({ spent: 300, reserved: 100, overshoot: 0 });
  const c = await b.again();
  expect(c.process.snapshot.budget).toMatchObject({ spent: { tokens: 300 }, reserved: { tokens: 100 } });
  for (const effect of c.process.snapshot.open[0]!.effects) {
    await c.process.desk.resolveEffect(
      effect.effectId,
      { kind: 'skip' },
      { name: 'operator:t', reason: 'known' },
    );
  }
  await c.until('the end', isIdle);
  expect(c.process.snapshot.budget).toMatchObject({
    spent: { toolCalls: 2, modelTurns: 2, tokens: 400, money: 0.0004 },
    reserved: {},
  });
});

test('a limit of tokens is passed by one call at most, by no more than was shown before it, and then nothing begins', async () => {
  const b = await bench(
    `for (let n = 0; n < 3; n += 1) {
       ${ask('while (!existsSync(event.payload)) await delay(5); used({ tokensIn: 900, tokensOut: 500 });')}
     }`,
    budget({ prices: PRICES, limits: { max_tokens_per_run: 1_000, max_money_per_day: 5 } }),
  );
  const gate = join(b.directory, 'gate');
  await b.trigger(gate);
  await b.until('the call', () => b.ledger().length === 1);
  expect(limitOf(b, 'max_tokens_per_run')).toMatchObject({ spent: 0, reserved: 0, overshoot: 500 });
  expect(limitOf(b, 'max_money_per_day')).toMatchObject({ overshoot: 0, unpriced: 1 });
  writeFileSync(gate, '');
  await b.until('the hold', isHeld(b));
  expect(b.ledger()).toHaveLength(1);
  expect(limitOf(b, 'max_tokens_per_run')).toMatchObject({ spent: 1_400, reserved: 0, overshoot: 400 });
  expect(b.process.snapshot.holds[0]!.reason).toBe(
    'tokens in a run: 1400 of 1000 used, and 1 more is asked for (max_tokens_per_run)',
  );
  // Not enough for another, and then enough.
  await extend(b, 'max_tokens_per_run', 400);
  await b.until('the hold, once more', isHeld(b));
  expect(b.ledger()).toHaveLength(1);
  await extend(b, 'max_tokens_per_run', 1);
  await b.until('the second call', () => b.ledger().length === 2);
  await b.until('the last hold', isHeld(b));
});

test('calls side by side can not pass a limit together by what they expect; what they do not use makes room', async () => {
  const b = await bench(
    `await Promise.all([1, 2, 3, 4].map((n) => ctx.effect('ask', { class: 'ask', args: { n }, model: 'a:one', expects: { tokensIn: 400 } },
       async ({ used }) => { note('ask'); while (!existsSync(event.payload)) await delay(5); used({ tokensIn: 100 }); })));`,
    budget({ prices: PRICES, limits: { max_tokens_per_day: 1_000 } }),
  );
  const gate = join(b.directory, 'gate');
  await b.trigger(gate);
  await b.until('the hold', isHeld(b));
  await b.until('two calls', () => b.ledger().length === 2);
  expect(limitOf(b, 'max_tokens_per_day')).toMatchObject({ spent: 0, reserved: 800, overshoot: 2_000 });
  writeFileSync(gate, '');
  await b.until('the end', isIdle);
  expect(b.ledger()).toHaveLength(4);
  expect(b.process.snapshot).toMatchObject({ holds: [], budget: { spent: { tokens: 400 }, exceeded: null } });
});

test('max_llm_turns_per_run counts calls of models and no other effects', async () => {
  const b = await bench(
    `for (let n = 0; n < 3; n += 1) {
       await ctx.effect('look', { class: 'retry' }, async () => null);
       ${ask('used({ tokensIn: 1 });')}
     }`,
    budget({ prices: PRICES, limits: { max_llm_turns_per_run: 2 } }),
  );
  await b.trigger();
  await b.until('the hold', isHeld(b));
  expect(b.ledger()).toHaveLength(2);
  expect(b.process.snapshot.budget.spent).toMatchObject({ modelTurns: 2, toolCalls: 5 });
});

test('[P5] where money is limited, a call without a price waits for one, and says so; without such a limit it counts as at least', async () => {
  const source = `await ctx.effect('ask', { class: 'ask', model: 'b:two' }, async ({ used }) => { note('ask'); used({ tokensIn: 7 }); });`;
  const limited = budget({ prices: PRICES, limits: { max_money_per_day: 5 } });
  const b = await bench(source, limited);
  await b.trigger();
  await b.until('the hold', isHeld(b));
  expect(b.ledger()).toEqual([]);
  expect(b.process.snapshot.holds[0]!.reason).toContain('nobody knows what b:two costs');
  expect(b.process.snapshot.budget.exceeded).toMatchObject({ limit: 'max_money_per_day', model: 'b:two' });
  // More money does not help, and another life without a price does not either.
  await extend(b, 'max_money_per_day', 1);
  await b.until('the hold, once more', isHeld(b));
  const c = await b.again();
  expect(isHeld(c)()).toBe(true);
  await c.quit();
  // The same journal, and prices that know it.
  const models = { ...PRICES.models, 'b:two': PRICES.models['a:one']! };
  const known = budget({
    prices: { ...PRICES, version: 'test-2', models },
    limits: { max_money_per_day: 5 },
  });
  const d = await bench(source, known, b.directory);
  await d.until('the end', isIdle);
  expect(d.ledger()).toEqual(['ask']);
  expect(d.process.snapshot.budget.spent).toMatchObject({ tokens: 7, money: 0.000007 });
  expect(
    (await d.entries()).findLast(({ entry_type }) => entry_type === 'effect_finished')!.data,
  ).toMatchObject({
    prices: 'test-2',
  });
  expect(d.process.snapshot.budget.spent.unpriced).toBeUndefined();
});

test('[P5] with unpriced: allow, and without a limit of money, it is made, and money is at least what is known', async () => {
  const source = `await ctx.effect('ask', { class: 'ask', model: 'b:two' }, async ({ used }) => used({ tokensIn: 7 }));
    ${ask('used({ tokensIn: 1_000 });')}`;
  for (const config of [
    { unpriced: 'allow', limits: { max_money_per_day: 5 } },
    { unpriced: 'hold', limits: { max_tokens_per_day: 5_000 } },
  ] as const) {
    const b = await bench(source, budget({ prices: PRICES, ...config }));
    await b.trigger();
    await b.until('the end', isIdle);
    expect(gaugeOf(b).models).toEqual({ turns: 2, tokens: 1_007, money: 0.001, unpriced: 1 });
    expect(gaugeOf(b).currency).toBe('EUR');
    const [limit] = gaugeOf(b).limits;
    expect(limit).toMatchObject(
      config.unpriced === 'allow' ? { unpriced: 1, overshoot: null } : { unpriced: 0, overshoot: 0 },
    );
  }
});

test.each([
  ['expects: { tokensIn: 5 }', /expects tokens and names no model/],
  ["model: ''", /must name its model/],
  ["model: 'a:one', expects: { tokensIn: NaN }", /expects what is no number of tokens/],
  ["model: 'a:one', expects: { tokensIn: -1 }", /expects what is no number of tokens/],
  ["model: 'a:one', expects: { tokensIn: 1e13 }", /expects what is no number of tokens/],
  ["model: 'a:one', expects: { prompt: 5 }", /expects what is no number of tokens/],
])('an effect with %s is refused before anything is done', async (options, message) => {
  const b = await bench(`await ctx.effect('ask', { class: 'ask', ${options} }, async () => note('ask'));`);
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.process.snapshot.lastError?.message).toMatch(message);
  expect(b.ledger()).toEqual([]);
});

test('[P5] use that is no number leaves no doubt about what was done: it is recorded as not known', async () => {
  const b = await bench(
    ask('used({ tokensIn: 50, tokensOut: NaN });', 'expects: { tokensIn: 100, tokensOut: 10 }'),
    budget({ prices: PRICES }),
  );
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.process.snapshot.budget.spent).toMatchObject({ tokens: 110, money: 0.0002, unpriced: 1 });
});

test('[C18] runs side by side have counts of their own of what their models use, and share those of the day', async () => {
  const b = await bench(
    `for (let n = 0; n < Number(event.payload); n += 1) { ${ask('used({ tokensIn: 100 });', 'args: { n }, expects: { tokensIn: 100 }')} }`,
    {
      concurrency: 2,
      ...budget({ prices: PRICES, limits: { max_tokens_per_run: 300, max_money_per_run: 0.0003 } }),
    },
  );
  await Promise.all([b.trigger('3'), b.trigger('3')]);
  await b.until('the end', isIdle);
  expect(b.process.snapshot.budget.spent).toMatchObject({ modelTurns: 6, tokens: 600, money: 0.0006 });
  await b.trigger('4');
  await b.until('the hold', isHeld(b));
  expect(b.ledger()).toHaveLength(9);
});

test('[C18] another day begins with nothing of anything that is counted, and what is under way stays reserved', () => {
  const all = Object.fromEntries(METERS.map((meter) => [meter, 2]));
  const begun = { id: '2026-03-28T09:00:00.000+00:00', until: '2026-03-29T09:00:00.000+00:00' };
  const state = { ...emptyBudget(), period: begun, spent: all, reserved: all };
  expect(onAnotherDay(state, Date.parse(begun.until))).toMatchObject({ spent: {}, reserved: all });
});
