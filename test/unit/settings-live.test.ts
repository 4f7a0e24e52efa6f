// Limits that people change while a process lives, with real workers on a real journal.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHARGES, isHeld, written } from '../support/budgets.ts';
import { bench, folded, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';

const DAY = 'budget.max_tool_calls_per_day';

async function set(of: Bench, values: Record<string, number | string | null>): Promise<void> {
  await of.process.governance.changeSettings({ set: values, undo: [] }, OPERATOR);
}

const changes = async (of: Bench) =>
  (await of.entries()).filter(({ entry_type }) => entry_type === 'settings_changed');

test('[C13] [P7] [S25] a limit that is raised is an entry before it is in force, and what waited goes on', async () => {
  const b = await bench(CHARGES, written({ max_tool_calls_per_day: 2 }));
  await b.trigger('3');
  await b.until('the hold', isHeld(b));
  expect(b.ledger()).toHaveLength(2);
  await set(b, { [DAY]: 3 });
  await b.until('the end', isIdle);
  expect(b.ledger()).toHaveLength(3);
  const [changed, ...more] = await changes(b);
  expect(more).toEqual([]);
  expect(changed!.data).toEqual({
    changes: [{ path: DAY, manifest: 2, from: 2, to: 3 }],
    actor: OPERATOR.name,
    reason: OPERATOR.reason,
  });
  const third = (await b.entries()).filter(({ entry_type }) => entry_type === 'effect_started')[2]!;
  expect(third.seq).toBeGreaterThan(changed!.seq);
  expect((await folded(b)).settings).toEqual(b.process.snapshot.settings);
});

test('[S25] a limit that is lowered undoes nothing that is under way, and holds what comes after', async () => {
  const b = await bench(
    `await ctx.effect('slow', { class: 'ask' }, async () => {
       while (!existsSync(event.payload)) await delay(10);
       note('slow');
     });
     await ctx.effect('next', { class: 'ask' }, async () => void note('next'));`,
    written({ max_tool_calls_per_day: 10 }),
  );
  const gate = join(b.directory, 'gate');
  await b.trigger(gate);
  await b.until('the effect', ({ snapshot }) => snapshot.budget.reserved.toolCalls === 1);
  await set(b, { [DAY]: 1 });
  writeFileSync(gate, '');
  await b.until('the hold', isHeld(b));
  expect(b.ledger()).toEqual(['slow']);
  await set(b, { [DAY]: null });
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['slow', 'next']);
});

test('[P4] what was changed is in force after another start, and taken back it is the manifest again', async () => {
  const b = await bench(CHARGES, written({ max_tool_calls_per_day: 1 }));
  await set(b, { [DAY]: 3 });
  const c = await b.again();
  expect(c.process.settings.config.budget.limits).toEqual({ max_tool_calls_per_day: 3 });
  await c.trigger('3');
  await c.until('the end', isIdle);
  await c.process.governance.changeSettings({ set: {}, undo: [DAY] }, OPERATOR);
  expect(c.process.snapshot.settings).toEqual({});
  expect(c.process.settings.config.budget.limits).toEqual({ max_tool_calls_per_day: 1 });
  await c.trigger('1');
  await c.until('the hold', isHeld(c));
  expect(c.process.snapshot.holds[0]!.reason).toContain('3 of 1 used');
});

test('a manifest that is changed at the same place is the later word; elsewhere what was set stays', async () => {
  const b = await bench(CHARGES, written({ max_tool_calls_per_day: 1, max_runs_per_day: 5 }));
  await set(b, { [DAY]: 3, 'budget.max_runs_per_day': 7 });
  await b.quit();
  const c = await bench(CHARGES, written({ max_tool_calls_per_day: 2, max_runs_per_day: 5 }), b.directory);
  expect(c.process.settings.config.budget.limits).toEqual({
    max_tool_calls_per_day: 2,
    max_runs_per_day: 7,
  });
  expect(Object.keys((await folded(c)).settings)).toEqual(['budget.max_runs_per_day']);
});

test('what no longer goes with a changed manifest is taken back, on record, and nothing is in force in between', async () => {
  const b = await bench(CHARGES, written({ max_cost_per_day: 100 }));
  await set(b, { 'budget.max_cost_per_run': 50 });
  await b.quit();
  const c = await bench(CHARGES, written({ max_cost_per_day: 10 }), b.directory);
  expect(c.process.settings.config.budget.limits).toEqual({ max_cost_per_day: 10 });
  expect(c.process.snapshot.settings).toEqual({});
  const last = (await changes(c)).at(-1)!;
  expect(last.data).toMatchObject({
    actor: 'host',
    changes: [{ path: 'budget.max_cost_per_run', from: 50, to: null }],
  });
  expect(last.data['reason']).toContain('a run may use 50, which is more than the 10');
});

test.each([
  [{ [DAY]: -1 }, /budget\.max_tool_calls_per_day = -1: .*>=1/],
  [{ [DAY]: 0 }, /budget\.max_tool_calls_per_day = 0/],
  [{ [DAY]: 1e20 }, /budget\.max_tool_calls_per_day = 100000000000000000000/],
  [{ [DAY]: 2.5 }, /expected int/],
  [{ [DAY]: 'many' }, /budget\.max_tool_calls_per_day = "many": .*expected number/],
  [
    { 'budget.max_cost_per_run': 9, 'budget.max_cost_per_day': 3 },
    /a run may use 9, which is more than the 3/,
  ],
  [{ 'budget.max_lunches': 1 }, /budget has no setting "max_lunches"; there are .*max_cost_per_day/],
  [{ 'budget.holdfast.reset_timezone': 'Mars/Olympus' }, /= "Mars\/Olympus": there is no such time zone/],
  [{ 'config.concurrency': 2 }, /config can't be changed while it lives; there are instructions, budget/],
  [{ 'budget.tool_costs.pay.cost_weight': 0 }, /budget\.tool_costs\.pay\.cost_weight = 0/],
  [{ [DAY]: 5, 'budget.warn_at': 0.5 }, /budget has no setting "warn_at"/],
  [{ __proto__: null, ['__proto__.x']: 1 }, /__proto__ can't be changed/],
  [{ '': 1 }, / can't be changed while it lives/],
])(
  'what makes no sense changes nothing, and is told with path, value and what may be: %j',
  async (values, says) => {
    const b = await bench(CHARGES, written({ max_tool_calls_per_day: 4 }));
    await expect(set(b, values as Record<string, number>)).rejects.toThrow(says);
    await expect(set(b, values as Record<string, number>)).rejects.toMatchObject({
      code: 'settings.invalid',
    });
    expect(b.process.settings.config.budget.limits).toEqual({ max_tool_calls_per_day: 4 });
    expect(await changes(b)).toEqual([]);
  },
);

test('what is as the manifest has it can not be taken back, and what is set to that is no change', async () => {
  const b = await bench(CHARGES, written({ max_tool_calls_per_day: 4 }));
  await expect(b.process.governance.changeSettings({ set: {}, undo: [DAY] }, OPERATOR)).rejects.toMatchObject(
    {
      code: 'settings.not-changed',
    },
  );
  await set(b, { [DAY]: 4 });
  expect(await changes(b)).toEqual([]);
  await set(b, { [DAY]: 5 });
  await set(b, { [DAY]: 4 });
  expect(b.process.snapshot.settings).toEqual({});
});

test('the cost of an effect, its name with a dot in it, and the nearness that is told can be changed too', async () => {
  const b = await bench(
    `await ctx.effect('mail.send', { class: 'ask' }, async () => void note('sent'));`,
    written({ max_cost_per_day: 100 }),
  );
  await set(b, {
    'budget.tool_costs.mail\\.send.cost_weight': 40,
    'budget.holdfast.warn_at': 0.3,
  });
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.process.snapshot.budget).toMatchObject({ spent: { cost: 40 }, warned: ['max_cost_per_day'] });
  // Of a higher limit its nearness is told anew.
  await set(b, { 'budget.max_cost_per_day': 200 });
  expect(b.process.snapshot.budget.warned).toEqual([]);
});

test('[S3] where no journal is kept nothing is set that would be forgotten', async () => {
  const b = await bench(CHARGES, { ...written({ max_tool_calls_per_day: 4 }), journalLevel: 'none' });
  await expect(set(b, { [DAY]: 5 })).rejects.toMatchObject({ code: 'journal.required' });
  expect(b.process.settings.config.budget.limits).toEqual({ max_tool_calls_per_day: 4 });
});

test('[S25] instructions that are changed are for the next invocation: what is under way keeps its own, also in a re-run', async () => {
  const b = await bench(
    `note('told ' + ctx.instructions);
     await ctx.effect('wait', { class: 'retry' }, async () => { while (!existsSync(event.payload)) await delay(10); });
     note('still ' + ctx.instructions);`,
    { instructions: 'be brief', written: { instructions: 'be brief' } },
  );
  const gate = join(b.directory, 'gate');
  await b.trigger(gate);
  await b.until('the effect', () => b.ledger().length === 1);
  await set(b, { instructions: 'be thorough' });
  await b.process.killWorker();
  await b.until('the re-run', () => b.ledger().length === 2);
  writeFileSync(gate, '');
  await b.until('the end', isIdle);
  await b.trigger(gate);
  await b.until('the end of the next', () => b.ledger().length === 5);
  expect(b.ledger()).toEqual([
    'told be brief',
    'told be brief',
    'still be brief',
    'told be thorough',
    'still be thorough',
  ]);
  const c = await b.again();
  await c.trigger(gate);
  await c.until('the end of another life', () => c.ledger().length === 7);
  expect(c.ledger().at(-1)).toBe('still be thorough');
});
