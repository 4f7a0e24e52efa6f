// Limits on what a process does, with real workers on a real journal: nothing is done that does not fit, and nothing is
// forgotten of what was.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { budget, CHARGES, extend, isHeld } from '../support/budgets.ts';
import { bench, folded, isIdle, OPERATOR } from '../support/runtime.ts';

test('[P4] what would pass a limit is not done: the process waits for more, and goes on exactly where it was', async () => {
  const b = await bench(CHARGES, budget({ limits: { max_tool_calls_per_day: 3 } }));
  await b.trigger('5');
  await b.until('the hold', isHeld(b));
  expect(b.ledger()).toHaveLength(3);
  expect(b.process.snapshot).toMatchObject({
    lifecycle: 'suspended',
    budget: { spent: { toolCalls: 3, cost: 3 }, reserved: {}, exceeded: { limit: 'max_tool_calls_per_day' } },
  });
  expect(b.process.snapshot.holds[0]!.reason).toBe(
    'effects in a day: 3 of 3 used, and 1 more is asked for (max_tool_calls_per_day)',
  );
  await extend(b, 'max_tool_calls_per_day', 1);
  await b.until('the hold, once more', isHeld(b));
  expect(b.ledger()).toHaveLength(4);
  await extend(b, 'max_tool_calls_per_day', 1);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['charge 0', 'charge 1', 'charge 2', 'charge 3', 'charge 4']);
  expect(b.process.snapshot.budget).toMatchObject({ spent: { toolCalls: 5 }, exceeded: null });
  expect((await folded(b)).budget).toEqual(b.process.snapshot.budget);
});

test('[C2] [P4] ninety percent used, and another life: ninety percent used, and the hold with its reason', async () => {
  const limits = { max_tool_calls_per_day: 10 };
  const b = await bench(CHARGES, budget({ limits }));
  await b.trigger('9');
  await b.until('the end', isIdle);
  const { spent, period } = b.process.snapshot.budget;
  expect(spent).toMatchObject({ toolCalls: 9, runs: 1 });
  const c = await b.again();
  expect(c.process.snapshot.budget).toMatchObject({ spent, period });
  await c.trigger('2');
  await c.until('the hold', isHeld(c));
  expect(c.ledger()).toHaveLength(10);
  const d = await c.again();
  expect(d.process.snapshot.lifecycle).toBe('suspended');
  expect(isHeld(d)()).toBe(true);
  await extend(d, 'max_tool_calls_per_day', 5);
  await d.until('the end', isIdle);
  expect(d.ledger()).toHaveLength(11);
});

test('[C18] runs side by side have a count of their own each, and share that of the day', async () => {
  const b = await bench(CHARGES, {
    concurrency: 2,
    ...budget({ limits: { max_tool_calls_per_run: 4, max_tool_calls_per_day: 100 } }),
  });
  await Promise.all([b.trigger('4'), b.trigger('4'), b.trigger('3')]);
  await b.until('the end', isIdle);
  expect(b.ledger()).toHaveLength(11);
  expect(b.process.snapshot.budget.spent).toMatchObject({ toolCalls: 11, runs: 3 });
  await b.trigger('5');
  await b.until('the hold', isHeld(b));
  expect(b.ledger()).toHaveLength(15);
  await extend(b, 'max_tool_calls_per_run', 1);
  await b.until('the end', isIdle);
  expect(b.ledger()).toHaveLength(16);
  // What was granted to that run is granted to no other.
  await b.trigger('5');
  await b.until('the hold of the next', isHeld(b));
  expect(b.ledger()).toHaveLength(20);
});

test('[P4] what is under way counts before it has ended: side by side they can not pass a limit together', async () => {
  const b = await bench(
    `await Promise.all([1, 2, 3, 4, 5, 6].map((n) =>
       ctx.effect('charge', { class: 'ask', args: { n } }, async () => { note('charge ' + n); await delay(5); })));`,
    budget({ limits: { max_tool_calls_per_run: 4 } }),
  );
  await b.trigger();
  await b.until('the hold', isHeld(b));
  await b.until('the end of the four', ({ snapshot }) => snapshot.budget.spent.toolCalls === 4);
  expect(b.ledger()).toHaveLength(4);
  await extend(b, 'max_tool_calls_per_run', 2);
  await b.until('the end', isIdle);
  expect(b.ledger()).toHaveLength(6);
});

test('what was reserved and did not happen makes room for what waits', async () => {
  const b = await bench(
    `await Promise.all([
       ctx.effect('first', { class: 'ask' }, async () => {
         while (!existsSync(event.payload)) await delay(10);
         throw new DidNotHappen('refused', { retryable: false });
       }).catch(() => {}),
       ctx.effect('second', { class: 'ask' }, async () => void note('second')),
     ]);`,
    budget({ limits: { max_tool_calls_per_run: 1 } }),
  );
  const gate = join(b.directory, 'gate');
  await b.trigger(gate);
  await b.until('the hold', isHeld(b));
  expect(b.process.snapshot.budget).toMatchObject({ spent: {}, reserved: { toolCalls: 1 } });
  writeFileSync(gate, '');
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['second']);
  expect(b.process.snapshot).toMatchObject({ holds: [], budget: { spent: { toolCalls: 1 }, reserved: {} } });
});

test('a run that would be one too many does not begin; its event stays in the queue', async () => {
  const b = await bench(CHARGES, budget({ limits: { max_runs_per_day: 2 } }));
  for (let n = 0; n < 3; n += 1) await b.trigger('1');
  await b.until('the hold', isHeld(b));
  expect(b.ledger()).toHaveLength(2);
  expect(b.process.snapshot).toMatchObject({ open: [], queue: [{ payload: '1' }] });
  await extend(b, 'max_runs_per_day', 1);
  await b.until('the end', isIdle);
  expect(b.ledger()).toHaveLength(3);
});

test('costs and irreversible effects are those of the manifest; what did not happen costs nothing', async () => {
  const b = await bench(
    `await ctx.effect('look', { class: 'retry' }, async () => null);
     await ctx.effect('pay', { class: 'ask' }, async () => null);
     await ctx.effect('pay', { class: 'ask' }, async () => { throw new DidNotHappen('refused', { retryable: false }); }).catch(() => {});
     await ctx.effect('delete', { class: 'ask' }, async () => null);`,
    budget({
      limits: { max_cost_per_run: 100 },
      effectCosts: { pay: { cost: 2.5, isIrreversible: false }, delete: { cost: 0.1, isIrreversible: true } },
    }),
  );
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.process.snapshot.budget).toMatchObject({
    spent: { toolCalls: 3, cost: 3.6, irreversible: 1 },
    reserved: {},
  });
});

test('a limit that is near is told once, of the day and of each run', async () => {
  const b = await bench(
    CHARGES,
    budget({ limits: { max_tool_calls_per_run: 5, max_tool_calls_per_day: 10 }, warnAt: 0.8 }),
  );
  await b.trigger('5');
  await b.until('the end', isIdle);
  await b.trigger('5');
  await b.until('the end', isIdle);
  const told = (await b.entries())
    .filter(({ entry_type }) => entry_type === 'budget_warning')
    .map(({ data }) => [data['limit'], data['spent'], data['reserved']]);
  expect(told).toEqual([
    ['max_tool_calls_per_run', 3, 1],
    ['max_tool_calls_per_day', 7, 1],
    ['max_tool_calls_per_run', 3, 1],
  ]);
});

test('with on_exceeded stop the process stops instead of waiting', async () => {
  const b = await bench(CHARGES, budget({ limits: { max_tool_calls_per_run: 2 }, onExceeded: 'stop' }));
  await b.trigger('3');
  await b.until('the end', ({ snapshot }) => snapshot.lifecycle === 'stopped');
  expect(b.ledger()).toHaveLength(2);
  expect(b.process.snapshot.lifecycleReason).not.toBe('');
});

test('what can not be granted is refused by name, and changes nothing', async () => {
  const b = await bench(CHARGES, budget({ limits: { max_tool_calls_per_run: 2, max_cost_per_day: 9 } }));
  await b.trigger('1');
  await b.until('the end', isIdle);
  const before = (await b.entries()).length;
  const refused = (limit: string, amount: number, forMs: number | null = null) =>
    b.process.governance.extendBudget({ limit, amount, forMs }, OPERATOR).then(
      () => null,
      (error: unknown) => error,
    );
  expect(await refused('max_tokens', 1)).toMatchObject({
    code: 'budget.no-limit',
    message: expect.stringContaining('max_tool_calls_per_run, max_cost_per_day'),
  });
  expect(await refused('max_runs_per_day', 1)).toMatchObject({ code: 'budget.no-limit' });
  expect(await refused('max_tool_calls_per_run', 1)).toMatchObject({ code: 'budget.no-run' });
  for (const amount of [0, -1, Number.NaN, Infinity]) {
    expect(await refused('max_cost_per_day', amount)).toMatchObject({ code: 'budget.bad-amount' });
  }
  expect(await refused('max_cost_per_day', 1, 0)).toMatchObject({ code: 'budget.bad-duration' });
  expect((await b.entries()).length).toBe(before);
});
