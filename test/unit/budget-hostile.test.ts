// What happens to a limit, to what waits for it and to whoever waits, when everything else happens as well: with real
// workers on a real journal.

import { expect, test } from 'vitest';
import { textAt } from '../../core/model/json.ts';
import type { ProcessConfig } from '../../core/model/process-config.ts';
import { budget, CHARGES, extend, isHeld } from '../support/budgets.ts';
import { bench, folded, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';

const holdsOf = (of: Bench): readonly string[] => of.process.snapshot.holds.map(({ kind }) => kind);

/** The same process under another manifest. */
async function again(of: Bench, source: string, config: Partial<ProcessConfig>): Promise<Bench> {
  await of.quit();
  return bench(source, config, of.directory);
}

/** Three were charged, and a fourth waits. */
async function waiting(config: Partial<ProcessConfig> = {}): Promise<Bench> {
  const b = await bench(CHARGES, { ...budget({ limits: { max_tool_calls_per_day: 3 } }), ...config });
  await b.trigger('4');
  await b.until('the hold', isHeld(b));
  expect(b.ledger()).toHaveLength(3);
  return b;
}

async function count(of: Bench, type: string): Promise<number> {
  return (await of.entries()).filter(({ entry_type }) => entry_type === type).length;
}

const ALL = ['charge 0', 'charge 1', 'charge 2', 'charge 3'];

test('a limit of nothing irreversible lets everything else be done, and is near to nobody', async () => {
  const b = await bench(
    `await ctx.effect('look', { class: 'ask' }, async () => void note('look'));
     await ctx.effect('delete', { class: 'ask' }, async () => void note('delete'));`,
    budget({
      limits: { max_irreversible_per_run: 0 },
      effectCosts: { delete: { cost: 1, isIrreversible: true } },
    }),
  );
  await b.trigger();
  await b.until('the hold', isHeld(b));
  expect(b.ledger()).toEqual(['look']);
  expect(b.process.snapshot.holds[0]!.reason).toBe(
    'irreversible effects in a run: 0 of 0 used, and 1 more is asked for (max_irreversible_per_run)',
  );
  expect(await count(b, 'budget_warning')).toBe(0);
  await extend(b, 'max_irreversible_per_run', 1);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['look', 'delete']);
});

test('costs that are fractions fill a limit exactly', async () => {
  const b = await bench(
    CHARGES,
    budget({
      limits: { max_cost_per_run: 0.3 },
      effectCosts: { charge: { cost: 0.1, isIrreversible: false } },
    }),
  );
  await b.trigger('4');
  await b.until('the hold', isHeld(b));
  expect(b.ledger()).toHaveLength(3);
  await extend(b, 'max_cost_per_run', 0.1);
  await b.until('the end', isIdle);
  expect(b.process.snapshot.budget.spent).toEqual({ runs: 1, toolCalls: 4, cost: 0.4 });
});

test('[S25] a manifest that lowers a limit below what is used acts at once', async () => {
  const b = await bench(CHARGES, budget({ limits: { max_tool_calls_per_day: 5 } }));
  await b.trigger('4');
  await b.until('the end', isIdle);
  const c = await again(b, CHARGES, budget({ limits: { max_tool_calls_per_day: 2 } }));
  await c.trigger('1');
  await c.until('the hold', isHeld(c));
  expect(c.ledger()).toHaveLength(4);
  expect(c.process.snapshot.holds[0]!.reason).toContain('4 of 2 used');
  await extend(c, 'max_tool_calls_per_day', 3);
  await c.until('the end', isIdle);
  expect(c.ledger()).toHaveLength(5);
});

test.each([
  ['raises', { max_tool_calls_per_day: 4 }],
  ['removes', {}],
])('[S25] a manifest that %s the limit that is waited for sets it going', async (_, limits) => {
  const b = await waiting();
  const c = await again(b, CHARGES, budget({ limits }));
  await c.until('the end', isIdle);
  expect(c.ledger()).toEqual(ALL);
  expect(c.process.snapshot).toMatchObject({ holds: [], budget: { exceeded: null } });
  expect((await folded(c)).budget).toEqual(c.process.snapshot.budget);
});

test('[C13] each change of a limit is an entry, with who and why; a manifest is one as well', async () => {
  const b = await waiting();
  const asked = Date.now();
  await b.process.governance.extendBudget(
    { limit: 'max_tool_calls_per_day', amount: 1, forMs: 60_000 },
    { name: 'operator:ada', reason: 'a busy day' },
  );
  await b.until('the end', isIdle);
  const c = await again(b, CHARGES, budget({ limits: { max_tool_calls_per_day: 9 } }));
  const entries = await c.entries();
  const [extended] = entries.filter(({ entry_type }) => entry_type === 'budget_extended');
  expect(extended!.data).toMatchObject({
    limit: 'max_tool_calls_per_day',
    amount: 1,
    actor: 'operator:ada',
    reason: 'a busy day',
  });
  const begins = Date.parse(textAt(extended!.data, 'until')) - 60_000;
  expect(begins).toBeGreaterThanOrEqual(asked);
  expect(begins).toBeLessThanOrEqual(Date.parse(extended!.timestamp));
  const configured = entries.filter(({ entry_type }) => entry_type === 'configured');
  expect(configured.map(({ data }) => data['config'])).toMatchObject([
    { budget: { limits: { max_tool_calls_per_day: 3 } } },
    { budget: { limits: { max_tool_calls_per_day: 9 } } },
  ]);
});

test.each<[string, (of: Bench) => Promise<void>]>([
  ['its worker is killed', ({ process }) => process.killWorker()],
  ['the process is recovered by force', ({ process }) => process.forceRecover(OPERATOR)],
  ['the process is stopped and started', ({ process }) => process.restart(OPERATOR)],
  [
    'its worker is killed while an operator holds it too',
    async ({ process }) => {
      await process.suspend(OPERATOR);
      await process.killWorker();
      await process.resume(OPERATOR);
    },
  ],
])('[P2] [P4] what waits for more stays held and is done once when %s meanwhile', async (_, happen) => {
  const b = await waiting();
  await happen(b);
  const isStill = ({ live, snapshot }: Bench['process']): boolean =>
    snapshot.lifecycle === 'suspended' && live.worker === null;
  await b.until('no worker', isStill);
  expect(isHeld(b)()).toBe(true);
  expect(b.process.snapshot.budget).toMatchObject({ spent: { toolCalls: 3 }, reserved: {} });
  await extend(b, 'max_tool_calls_per_day', 1);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(ALL);
  expect((await folded(b)).budget).toEqual(b.process.snapshot.budget);
});

test('[S39] a rewind past what waits leaves what was used, and what is asked for again waits again', async () => {
  const b = await waiting();
  const at = (await b.entries()).find(({ entry_type }) => entry_type === 'trigger_event')!.seq - 1;
  await b.process.rewinds.apply({ to: at, isHandledAgain: true }, null, OPERATOR);
  expect(holdsOf(b)).toEqual(['budget', 'operator']);
  expect(b.process.snapshot.budget.spent).toMatchObject({ toolCalls: 3 });
  await b.process.resume(OPERATOR);
  expect(holdsOf(b)).toEqual(['budget']);
  await extend(b, 'max_tool_calls_per_day', 1);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(ALL);
  expect((await folded(b)).budget).toEqual(b.process.snapshot.budget);
});

test('[S34] resuming lifts no hold for the budget, and says what would', async () => {
  const b = await waiting();
  await expect(b.process.resume(OPERATOR)).rejects.toMatchObject({
    code: 'process.held-by-budget',
    message: expect.stringContaining('3 of 3 used'),
  });
  expect(isHeld(b)()).toBe(true);
});

test('[S34] held for its budget and by an operator: what is granted waits for the operator as well', async () => {
  const b = await waiting();
  await b.process.suspend(OPERATOR);
  await extend(b, 'max_tool_calls_per_day', 1);
  expect(holdsOf(b)).toEqual(['operator']);
  expect(b.process.snapshot.lifecycle).toBe('suspended');
  expect(b.ledger()).toHaveLength(3);
  await b.process.resume(OPERATOR);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(ALL);
});

test('with on_exceeded stop it stops each time that it is started without more', async () => {
  const b = await bench(CHARGES, budget({ limits: { max_tool_calls_per_day: 3 }, onExceeded: 'stop' }));
  await b.trigger('4');
  const isStopped = ({ snapshot }: Bench['process']): boolean => snapshot.lifecycle === 'stopped';
  await b.until('the first end', isStopped);
  for (const time of [2, 3]) {
    await b.process.start(OPERATOR);
    await b.until('another end', isStopped);
    expect(await count(b, 'budget_exceeded')).toBe(time);
  }
  expect(b.ledger()).toHaveLength(3);
  await extend(b, 'max_tool_calls_per_day', 1);
  await b.process.start(OPERATOR);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(ALL);
});

test('without a journal its limits are kept for as long as the host lives', async () => {
  const b = await bench(CHARGES.replace(`'ask'`, `'retry'`), {
    journalLevel: 'none',
    ...budget({ limits: { max_tool_calls_per_day: 3 } }),
  });
  await b.trigger('4');
  await b.until('the hold', isHeld(b));
  await extend(b, 'max_tool_calls_per_day', 1);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(ALL);
  expect(await b.entries()).toEqual([]);
});

test('[P4] of effects that are harmless to repeat, side by side, no more are done than fit', async () => {
  const b = await bench(
    `await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((n) =>
       ctx.effect('charge', { class: n % 2 ? 'retry' : 'idempotent', args: { n } }, async () => void note('charge ' + n))));`,
    budget({ limits: { max_tool_calls_per_run: 3 } }),
  );
  await b.trigger();
  await b.until('the hold', isHeld(b));
  await b.until('the end of three', ({ snapshot }) => snapshot.budget.spent.toolCalls === 3);
  for (let most = 4; most <= 8; most += 1) {
    await extend(b, 'max_tool_calls_per_run', 1);
    await b.until('one more', ({ snapshot }) => snapshot.budget.spent.toolCalls === most);
    expect(b.ledger()).toHaveLength(most);
  }
  await b.until('the end', isIdle);
});

test('[S30] an effect that is found not to have happened is asked for again in the room that it had', async () => {
  const b = await bench(
    `await ctx.effect('order', {
       class: 'reconcile',
       reconcile: async () => { note('asked'); return { happened: false }; },
     }, async () => {
       note('begins');
       if (ctx.attempt < 2 && !existsSync(event.payload)) { appendFileSync(event.payload, ''); process.kill(process.pid, 'SIGKILL'); await delay(60_000); }
     });`,
    budget({ limits: { max_tool_calls_per_run: 1 } }),
  );
  await b.trigger(`${b.directory}/was-here`);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['begins', 'asked', 'begins']);
  expect(await count(b, 'budget_exceeded')).toBe(0);
  expect(b.process.snapshot.budget).toMatchObject({ spent: { toolCalls: 1, cost: 1 }, reserved: {} });
});

test('[P6] to ask it something counts nothing', async () => {
  const b = await bench(
    `ctx.onQuery('how far', () => 'so far');
     await ctx.effect('charge', { class: 'ask' }, async () => void note('charge'));
     await ctx.promise('approval', { data: null });
     await ctx.effect('charge', { class: 'ask' }, async () => void note('charge'));`,
    { workerIdleMs: 1, ...budget({ limits: { max_tool_calls_per_day: 9 } }) },
  );
  const eventId = await b.trigger();
  await b.until(
    'the wait',
    ({ snapshot, live }) => snapshot.lifecycle === 'awaiting' && live.worker === null,
  );
  const before = structuredClone(b.process.snapshot.budget);
  expect(await b.process.queries.ask('how far', null, eventId)).toBe('so far');
  expect(b.process.snapshot.budget).toEqual(before);
  expect(b.ledger()).toEqual(['charge']);
});

test('runs that are near their number are told also where they do nothing', async () => {
  const b = await bench('', budget({ limits: { max_runs_per_day: 5 } }));
  for (let n = 0; n < 5; n += 1) await b.trigger();
  await b.until('the end', isIdle);
  const told = (await b.entries()).filter(({ entry_type }) => entry_type === 'budget_warning');
  expect(told.map(({ data }) => data)).toEqual([
    { limit: 'max_runs_per_day', max: 5, spent: 4, reserved: 0 },
  ]);
});

test('[S28] what an operator says did not happen makes room at once for what waits', async () => {
  const b = await bench(
    `await ctx.effect(event.payload, { class: 'ask' }, async () => {
       if (event.payload === 'unclear') throw new Error('no answer');
       note(event.payload);
     });`,
    { concurrency: 2, heartbeatIntervalMs: 600_000, ...budget({ limits: { max_tool_calls_per_day: 1 } }) },
  );
  await b.trigger('unclear');
  await b.until('the doubt', () => holdsOf(b).includes('in_doubt'));
  const [open] = b.process.snapshot.open;
  await b.process.desk.resolveEffect(open!.effects[0]!.effectId, { kind: 'did_not_happen' }, OPERATOR);
  await b.until('the doubt again', () => holdsOf(b).includes('in_doubt'));
  expect(b.process.snapshot.budget.reserved).toEqual({ toolCalls: 1, cost: 1 });
  await b.process.desk.resolveEffect(open!.effects[0]!.effectId, { kind: 'skip' }, OPERATOR);
  await b.until('the end', isIdle);
  expect(b.process.snapshot.budget).toMatchObject({ spent: { toolCalls: 1 }, reserved: {} });
});

test('[S34] held again in the moment in which it goes on, for another limit, it begins nothing new', async () => {
  const b = await bench(CHARGES, {
    concurrency: 2,
    ...budget({ limits: { max_tool_calls_per_day: 2, max_tool_calls_per_run: 2 } }),
  });
  await b.trigger('3');
  await b.until('the hold', isHeld(b));
  await b.trigger('0');
  const first = b.process.snapshot.budget.exceeded!.limit;
  await extend(b, first, 1);
  await b.until('the other hold', ({ snapshot }) => (snapshot.budget.exceeded?.limit ?? first) !== first);
  expect(b.process.snapshot.lifecycle).toBe('suspended');
  expect(b.process.snapshot.queue).toHaveLength(1);
  const begun = (await b.entries()).filter(({ entry_type: type }) => type === 'invocation_start');
  expect(begun).toHaveLength(1);
  await extend(b, b.process.snapshot.budget.exceeded!.limit, 1);
  await b.until('the end', isIdle);
  expect(b.ledger()).toHaveLength(3);
});
