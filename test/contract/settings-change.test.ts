// Settings that are changed through the contract, and what the views tell of them.

import { expect, test } from 'vitest';
import { FAR_HOUR } from '../support/budgets.ts';
import { openConsole, workspaceOf, type TestConsole } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const MANIFEST = `budget:\n  max_tool_calls_per_day: 2\n  daily_reset_hour_utc: ${FAR_HOUR}\n`;
const CHARGES = `for (let n = 0; n < event.payload; n += 1) await ctx.effect('charge', { class: 'ask', args: { n } }, async () => n);`;
const DAY = 'budget.max_tool_calls_per_day';

async function opened(): Promise<
  TestConsole & { readonly target: { readonly journalId: string; readonly process: string } }
> {
  const console = await openConsole(workspaceOf({ clerk: CHARGES }, MANIFEST), tempDirectory());
  const { journals } = await console.get('fleet.read', {});
  return { ...console, target: { journalId: journals[0]!.id, process: 'clerk' } };
}

const command = (reason = 'worth it') => ({ commandId: crypto.randomUUID(), reason });

test('[P7] [S25] what is planned is what is done: the views tell what differs, of whom, why and since when', async () => {
  const { get, target } = await opened();
  const order = { set: { [DAY]: '4', 'budget.max_irreversible_per_run': '0' }, undo: [] };
  expect(await get('settings.plan', { ...target, ...order })).toEqual({
    process: 'clerk',
    changes: [
      { path: DAY, manifestText: '2', fromText: '2', toText: '4' },
      { path: 'budget.max_irreversible_per_run', manifestText: null, fromText: null, toText: '0' },
    ],
  });
  const before = await get('processes.read', target);
  expect(before.settings).toMatchObject({ changed: [], changedCount: 0 });
  expect(before.settings.limits).toContainEqual({
    limit: 'max_irreversible_per_day',
    path: 'budget.holdfast.max_irreversible_per_day',
    words: 'irreversible effects in a day',
    value: null,
  });
  const { message } = await get('settings.change', { ...target, ...command(), ...order });
  expect(message).toBe(`clerk has ${DAY} = 4, budget.max_irreversible_per_run = 0 from now on.`);
  const { settings, row } = await get('processes.read', target);
  expect(settings.changedCount).toBe(2);
  expect(settings.changed[0]).toMatchObject({
    path: DAY,
    manifestText: '2',
    valueText: '4',
    actor: 'operator:tester',
    reason: 'worth it',
  });
  expect(Date.parse(settings.changed[0]!.at)).toBeGreaterThan(Date.now() - 60_000);
  expect(settings.limits.find(({ path }) => path === DAY)).toMatchObject({ value: 4 });
  expect(row.budget.limits.map(({ max }) => max)).toEqual([0, 4]);
  await get('settings.change', { ...target, ...command(), set: {}, undo: [DAY] });
  expect((await get('processes.read', target)).settings.changed.map(({ path }) => path)).toEqual([
    'budget.max_irreversible_per_run',
  ]);
});

test('[P4] a held process goes on when its limit is raised; one that is lowered below what is used holds it', async () => {
  const { get, target } = await opened();
  await get('processes.trigger', { ...target, ...command(), payloadText: '3' });
  const row = async () => (await get('processes.read', target)).row;
  await waitFor(async () => (await row()).budget.exceeded !== null, { what: 'the hold' });
  await get('settings.change', { ...target, ...command(), set: { [DAY]: '3' }, undo: [] });
  await waitFor(async () => (await row()).invocations === 1, { what: 'the end' });
  await get('settings.change', { ...target, ...command(), set: { [DAY]: '1' }, undo: [] });
  await get('processes.trigger', { ...target, ...command(), payloadText: '1' });
  await waitFor(async () => (await row()).budget.exceeded !== null, { what: 'the hold again' });
  expect((await row()).why).toContain('3 of 1 used');
});

test.each([
  [{ [DAY]: 'lots' }, 'request.not-json'],
  [{ [DAY]: '1e999' }, 'settings.invalid'],
  [{ [DAY]: 'NaN' }, 'request.not-json'],
  [{ [DAY]: '123456789012345678901' }, 'settings.invalid'],
  [{ [DAY]: '{"a":1}' }, 'settings.invalid'],
  [{ name: '"other"' }, 'settings.invalid'],
])('what makes no sense is refused and changes nothing: %j', async (set, code) => {
  const { ask, get, target } = await opened();
  const result = await ask('settings.change', { ...target, ...command(), set, undo: [] });
  expect(result).toMatchObject({ ok: false, error: { code } });
  expect((await get('processes.read', target)).settings.changed).toEqual([]);
});
