// Caps on what all processes together use, with real workers on a real journal.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished, describe, expect, test } from 'vitest';
import { capLedger, type LedgerHandle } from '../../core/host/cap-ledger.ts';
import { capsIn } from '../../core/manifest/caps-schema.ts';
import type { CapConfig, CapLimits } from '../../core/model/caps.ts';
import type { AppError } from '../../core/model/errors.ts';
import { budget, CHARGES, FAR_HOUR, isHeld } from '../support/budgets.ts';
import { bench, folded, isIdle } from '../support/runtime.ts';
import { openConsole, workspaceOf } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const cap = (limits: CapLimits): CapConfig => ({ limits, resetHour: FAR_HOUR, resetZone: 'UTC' });
/** The file of a cap on so many effects in a day. */
const capOf = (most: number): string =>
  `budget: { max_tool_calls_per_day: ${most}, reset_hour: ${FAR_HOUR} }\n`;

test('[P4] what would pass the cap is not done: the process that asked is held, says which cap, and comes back so', async () => {
  const caps = { workspace: cap({ max_cost_per_day: 3 }) };
  const b = await bench(CHARGES, budget({ limits: { max_cost_per_day: 100 } }), undefined, { caps });
  await b.trigger('5');
  await b.until('the hold', isHeld(b));
  expect(b.ledger()).toHaveLength(3);
  expect(b.process.snapshot.holds[0]!.reason).toBe(
    'cost of a day: 3 of 3 used by all processes of this workspace together, and 1 more is asked for (cap of workspace: max_cost_per_day)',
  );
  const c = await b.again();
  expect(isHeld(c)()).toBe(true);
  expect(c.process.snapshot.caps.workspace).toMatchObject({ spent: { cost: 3 } });
  expect((await folded(c)).caps).toEqual(c.process.snapshot.caps);
  // More of its own limit is no more of the cap.
  await c.process.governance.extendBudget(
    { limit: 'max_cost_per_day', amount: 5, forMs: null },
    { name: 'operator:test', reason: 'worth it' },
  );
  expect(isHeld(c)()).toBe(true);
  c.runtime.changeCaps({ workspace: cap({ max_cost_per_day: 4 }) });
  await c.until('one more', () => c.ledger().length === 4);
  await c.until('the hold, once more', isHeld(c));
  c.runtime.changeCaps({});
  await c.until('the end', isIdle);
  expect(c.ledger()).toHaveLength(5);
  expect(c.process.snapshot.caps).toEqual({});
  const applied = (await c.entries()).filter(({ entry_type }) => entry_type === 'cap_applied');
  expect(applied.map(({ data }) => data['limits'])).toEqual([
    { max_cost_per_day: 3 },
    { max_cost_per_day: 4 },
    null,
  ]);
});

test('[P4] a process whose manifest says stop is held by a cap all the same: others used it up', async () => {
  const caps = { workspace: cap({ max_tool_calls_per_day: 1 }) };
  const b = await bench(CHARGES, budget({ onExceeded: 'stop' }), undefined, { caps });
  await b.trigger('2');
  await b.until('the hold', isHeld(b));
  expect(b.process.snapshot.lifecycle).toBe('suspended');
});

test('[P4] processes side by side never pass a cap together, and what one gives back the other takes', async () => {
  const workspace = workspaceOf({
    one: `for (let n = 0; n < 4; n += 1) await ctx.effect('charge', { class: 'ask', args: { n } }, async () => n);`,
    two: `for (let n = 0; n < 4; n += 1) await ctx.effect('charge', { class: 'ask', args: { n } }, async () => n);`,
  });
  writeFileSync(join(workspace, 'holdfast.yaml'), capOf(5));
  const { get } = await openConsole(workspace, tempDirectory());
  const { journals } = await get('fleet.read', {});
  const journalId = journals[0]!.id;
  const rows = async () => (await get('fleet.read', {})).processes;
  const command = () => ({ journalId, commandId: crypto.randomUUID(), reason: '' });
  await Promise.all(['one', 'two'].map((process) => get('processes.trigger', { ...command(), process })));
  await waitFor(async () => (await rows()).some(({ budget }) => budget.exceeded?.cap === 'workspace'), {
    what: 'the hold',
  });
  await waitFor(async () => (await rows()).reduce((sum, { budget }) => sum + (budget.cost ?? 0), 0) === 5, {
    what: 'all that the cap allows',
  });
  const { text } = await get('metrics.read', { journalId });
  expect(text).toContain('holdfast_cap_used{cap="workspace",limit="max_tool_calls_per_day"} 5');
  // Changed, it is in force within moments.
  writeFileSync(join(workspace, 'holdfast.yaml'), capOf(8));
  await waitFor(async () => (await rows()).every(({ budget: of }) => of.exceeded === null), {
    what: 'room',
  });
  await waitFor(async () => (await rows()).reduce((sum, { budget }) => sum + (budget.cost ?? 0), 0) === 8, {
    what: 'the end of both',
  });
});

test('a workspace whose cap makes no sense is not run, and says why', async () => {
  const workspace = workspaceOf({ one: '' });
  writeFileSync(join(workspace, 'holdfast.yaml'), 'budget: { max_cost_per_day: -1 }\n');
  const { get, notices, events } = await openConsole(workspace, tempDirectory());
  expect((await get('fleet.read', {})).processes).toEqual([]);
  await waitFor(() => notices().includes('caps.invalid'), { what: 'the notice' });
  expect(JSON.stringify(events)).toContain('budget.max_cost_per_day');
});

test('[P4] hosts side by side share the cap on all workspaces of a user, also with one that is gone', () => {
  const data = tempDirectory();
  const failed: AppError[] = [];
  const ledgerOf = (id: string): LedgerHandle => capLedger(data, id, (error) => failed.push(error));
  const [a, b] = [ledgerOf('a'), ledgerOf('b')];
  onTestFinished(() => {
    a[Symbol.dispose]();
    b[Symbol.dispose]();
  });
  expect(a.take({ cost: 2 }, 1_000, 0, ({ cost = 0 }) => cost === 0)).toBe(true);
  expect(b.others(0)).toEqual({ cost: 2 });
  expect(b.take({ cost: 5 }, 1_000, 0, ({ cost = 0 }) => cost + 5 <= 6)).toBe(false);
  expect(a.others(0)).toEqual({});
  a[Symbol.dispose]();
  expect(b.take({ cost: 4 }, 1_000, 0, ({ cost = 0 }) => cost + 4 <= 6)).toBe(true);
  // Of a day that is over nothing counts.
  expect(b.others(1_000)).toEqual({});
  expect(failed).toEqual([]);
});

test('[P4] a ledger that can not be used any more is told, and fails no effect: others count as they were last known', () => {
  const data = tempDirectory();
  const failed: string[] = [];
  const [a, b] = ['a', 'b'].map((id) => capLedger(data, id, (error) => failed.push(error.message)));
  onTestFinished(() => {
    a![Symbol.dispose]();
    b![Symbol.dispose]();
  });
  expect(a!.take({ cost: 2 }, 1_000, 0, () => true)).toBe(true);
  expect(b!.others(0)).toEqual({ cost: 2 });
  const database = new Database(join(data, 'caps.sqlite'));
  database.exec('DROP TABLE used');
  database.close();
  expect(b!.others(0)).toEqual({ cost: 2 });
  expect(b!.take({ cost: 5 }, 1_000, 0, ({ cost = 0 }) => cost + 5 <= 6)).toBe(false);
  expect(b!.take({ cost: 4 }, 1_000, 0, ({ cost = 0 }) => cost + 4 <= 6)).toBe(true);
  expect(failed).toHaveLength(3);
  expect(failed[0]).toMatch(/caps\.sqlite: no such table.*Mend that file/);
});

describe('the file of a cap', () => {
  test.each([
    ['budget: { max_cost_per_day: 0 }', /budget\.max_cost_per_day/],
    ['budget: { max_cost_per_day: .nan }', /budget\.max_cost_per_day/],
    ['budget: { max_tool_calls_per_day: 1.5 }', /max_tool_calls_per_day/],
    [
      'budget: { max_cost_per_run: 1 }',
      /"max_cost_per_run".*there are max_tool_calls_per_day, max_runs_per_day/,
    ],
    ['budgets: {}', /the file has "budgets", which is not a setting; there are budget/],
    ['budget: { max_cost_per_day: 1, reset_timezone: Mars/Olympus }', /no such time zone/],
    ['budget: { max_cost_per_day: 1, reset_hour: 24 }', /reset_hour/],
    ['budget: [', /it is not YAML/],
  ])('%s is refused', (text, says) => {
    expect(() => capsIn('holdfast.yaml', text)).toThrow(says);
  });

  test('may say nothing, or when its day ends', () => {
    expect(capsIn('f', '')).toBeNull();
    expect(capsIn('f', 'budget: {}')).toBeNull();
    expect(
      capsIn('f', 'budget: { max_cost_per_day: 2, reset_hour: 5, reset_timezone: Europe/Berlin }'),
    ).toEqual({
      limits: { max_cost_per_day: 2 },
      resetHour: 5,
      resetZone: 'Europe/Berlin',
    });
  });
});

test('[P4] a cap in the data folder of the user holds across workspaces that run side by side', async () => {
  const data = tempDirectory();
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, 'holdfast.yaml'), capOf(5));
  const body = `for (let n = 0; n < 4; n += 1) await ctx.effect('charge', { class: 'ask', args: { n } }, async () => n);`;
  const consoles = await Promise.all(
    ['one', 'two'].map((name) => openConsole(workspaceOf({ [name]: body }), data)),
  );
  const rows = async () =>
    (await Promise.all(consoles.map(({ get }) => get('fleet.read', {})))).flatMap(
      ({ processes }) => processes,
    );
  for (const [at, { get }] of consoles.entries()) {
    const { journals } = await get('fleet.read', {});
    const command = { journalId: journals[0]!.id, commandId: crypto.randomUUID(), reason: '' };
    await get('processes.trigger', { ...command, process: ['one', 'two'][at]! });
  }
  await waitFor(async () => (await rows()).some(({ budget }) => budget.exceeded?.cap === 'all'), {
    what: 'the hold',
  });
  await waitFor(async () => (await rows()).reduce((sum, { budget }) => sum + (budget.cost ?? 0), 0) === 5, {
    what: 'all that the cap allows',
  });
  expect((await rows()).map(({ why }) => why).join()).toContain('by all workspaces of this user together');
});
