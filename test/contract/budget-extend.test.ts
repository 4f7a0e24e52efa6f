// More of a limit, as a console asks for it: what is refused, what is on record, and what the views say of it.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RequestOf } from '../../core/contract/requests.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import { readFileJournal } from '../../core/journal/index.ts';
import { FAR_HOUR } from '../support/budgets.ts';
import { command, openConsole, workspaceOf, type TestConsole } from '../support/run-host.ts';
import { waitFor } from '../support/wait-for.ts';

/** Charges as often as its event says. */
const CHARGES = `for (let n = 0; n < event.payload; n += 1) await ctx.effect('charge', { class: 'ask', args: { n } }, async () => n);`;
const MANIFEST = `budget:\n  max_tool_calls_per_day: 2\n  daily_reset_hour_utc: ${FAR_HOUR}\n  tool_costs: { charge: { cost_weight: 2.5 } }\n`;
const OVER = 'effects in a day: 2 of 2 used, and 1 more is asked for (max_tool_calls_per_day)';

type Extension = Omit<RequestOf<'budget.extend'>, 'journalId' | 'process' | 'commandId'>;

interface Held extends TestConsole {
  readonly workspace: string;
  readonly row: () => Promise<ProcessRow>;
  readonly extension: (over?: Partial<Extension>) => RequestOf<'budget.extend'>;
}

/** A process that has done two of three things. */
async function held(): Promise<Held> {
  const workspace = workspaceOf({ clerk: CHARGES }, MANIFEST);
  const console = await openConsole(workspace, null);
  const { journals } = await console.get('fleet.read', {});
  const target = { journalId: journals[0]!.id, process: 'clerk' };
  const row = async (): Promise<ProcessRow> => (await console.get('processes.read', target)).row;
  await console.get('processes.trigger', { ...target, ...command(), payloadText: '3' });
  await waitFor(async () => (await row()).budget.exceeded !== null, { what: 'the hold' });
  return {
    ...console,
    workspace,
    row,
    extension: (over) => ({
      ...target,
      ...command(),
      limit: 'max_tool_calls_per_day',
      amount: 1,
      forMs: null,
      ...over,
    }),
  };
}

test('[P4] the views tell each limit, what did not fit and how much that needs; extended, what waited goes on', async () => {
  const { get, row, extension } = await held();
  const before = await row();
  expect(before).toMatchObject({
    state: 'suspended',
    why: expect.stringContaining(`budget: ${OVER}; extend`),
  });
  expect(before.whyAt).toBe(before.budget.until);
  expect(Date.parse(before.budget.until!)).toBeGreaterThan(Date.now());
  expect(before.budget).toMatchObject({
    runs: 1,
    cost: 5,
    limits: [
      {
        limit: 'max_tool_calls_per_day',
        scope: 'day',
        words: 'effects in a day',
        max: 2,
        spent: 2,
        reserved: 0,
      },
    ],
    exceeded: { limit: 'max_tool_calls_per_day', text: OVER, missing: 1 },
  });
  const { message } = await get('budget.extend', extension({ reason: 'worth it' }));
  expect(message).toBe(
    'max_tool_calls_per_day of clerk is 1 more until its day is over: what waited for it goes on.',
  );
  await waitFor(async () => (await row()).health.sample === 1, { what: 'the end' });
  expect((await row()).budget).toMatchObject({
    cost: 7.5,
    limits: [{ max: 3, spent: 3, reserved: 0 }],
    exceeded: null,
  });
});

test('[P7] who extended what by how much and why is on record, before it was done and after; asked twice it is done once', async () => {
  const { get, workspace, row, extension } = await held();
  const request = extension({ amount: 0.5, forMs: 90_000, reason: 'a little' });
  const answers = await Promise.all([get('budget.extend', request), get('budget.extend', request)]);
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0].message).toMatch(/is 0.5 more for 90 s: what waits does not fit yet/);
  await waitFor(async () => (await row()).budget.exceeded !== null, { what: 'the hold, once more' });
  expect((await row()).budget.exceeded).toMatchObject({ missing: 0.5 });
  const entries = await readFileJournal(join(workspace, '.holdfast-journal')).read('clerk');
  const since = entries.slice(entries.findIndex(({ data }) => data['action'] === 'extend'));
  const [action, extended, ...others] = since.filter(
    ({ entry_type }) => entry_type.startsWith('operator_') || entry_type === 'budget_extended',
  );
  expect(action!.data).toMatchObject({ action: 'extend', operator: 'tester', reason: 'a little' });
  expect(extended!.data).toMatchObject({
    limit: 'max_tool_calls_per_day',
    amount: 0.5,
    until: expect.any(String),
    actor: 'operator:tester',
    reason: 'a little',
  });
  expect(others.map(({ entry_type, data }) => [entry_type, data['ok']])).toEqual([
    ['operator_outcome', true],
  ]);
});

test('what can not be granted is refused by name, and what nobody gave a reason for', async () => {
  const { ask, row, extension } = await held();
  const refused = async (over: Partial<Extension>, code: string, says: RegExp): Promise<void> => {
    const result = await ask('budget.extend', extension(over));
    expect(result).toMatchObject({ ok: false, error: { code, message: expect.stringMatching(says) } });
  };
  await refused({ limit: 'max_cost_per_day' }, 'budget.no-limit', /sets max_tool_calls_per_day/);
  await refused({ limit: '__proto__' }, 'budget.no-limit', /no limit __proto__/);
  await refused({ reason: '' }, 'request.invalid', /reason/);
  for (const amount of [0, -1, Number.NaN, Infinity, 1e13])
    await refused({ amount }, 'request.invalid', /amount/);
  for (const forMs of [0, -1, 1e15]) await refused({ forMs }, 'request.invalid', /forMs/);
  expect((await row()).budget).toMatchObject({ limits: [{ max: 2 }], exceeded: { text: OVER } });
});

test('[S41] looked at where nobody runs it, its limits are unknown and what did not fit is still told', async () => {
  const { host, workspace } = await held();
  await host.close();
  const elsewhere = await openConsole(null, null);
  const { id } = await elsewhere.get('journals.open', { path: workspace });
  const { row } = await elsewhere.get('processes.read', { journalId: id, process: 'clerk' });
  expect(row).toMatchObject({
    live: false,
    budget: { runs: 1, cost: 5, limits: [], maxRunsPerDay: null, exceeded: { text: OVER } },
  });
});
