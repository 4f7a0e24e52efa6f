// @vitest-environment jsdom
// Limits on the page of a process: how much of each is used, what did not fit, and more of it when somebody says so.

import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { ProcessDetail } from '../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import { amountOf, amountProblem } from '../../renderer/features/actions/amount.ts';
import { before, budgetOf, HOUR, limitOf, MINUTE, NOW, rowOf, spendingOf } from './fixtures.ts';
import { ok, refused, type MemoryHost } from './memory-client.ts';
import { dialog, done, enter, pressed, region, shown, stopClock } from './process-page.ts';
import { settle } from './render.tsx';

stopClock();

const TEXT = 'cost of a day: 37 of 40 used, 1.5 more under way, and 2.5 more is asked for (max_cost_per_day)';
const COST = limitOf({
  limit: 'max_cost_per_day',
  words: 'cost of a day',
  max: 40,
  spent: 37,
  reserved: 1.5,
});
const RUN = limitOf({
  limit: 'max_tool_calls_per_run',
  scope: 'run',
  words: 'effects in a run',
  max: 5,
  spent: 5,
});
const SPENT = budgetOf({
  runs: 31,
  cost: 38.5,
  until: before(-11 * HOUR),
  limits: [RUN, limitOf({ max: 0, spent: 0 }), COST],
  exceeded: { limit: 'max_cost_per_day', text: TEXT, missing: 1 },
});
const HOLD = { kind: 'budget', reason: 'of before', actor: 'host', since: before(6 * MINUTE) };

/** A process that waits for more of what its effects may cost. */
function held(over: Partial<ProcessRow> = {}, more: Partial<ProcessDetail> = {}): Promise<MemoryHost> {
  const row = rowOf({ state: 'suspended', budget: SPENT, actions: ['stop'], ...over });
  return shown({ holds: [HOLD], ...more }, row);
}

const extendFrom = 'Extend…: market-watcher';
const confirm = 'Extend the budget of market-watcher';

test('each limit is a meter in words: what is spent, what is reserved, of how much, and whether it is reached', async () => {
  await held();
  const meters = region('Budget').getAllByRole('meter');
  expect(meters.map((meter) => [meter.ariaLabel, meter.getAttribute('aria-valuetext')])).toEqual([
    ['Effects in a run', '5 spent and 0 reserved of 5: the limit is reached'],
    ['Effects in a day', '0 spent and 0 reserved of 0'],
    ['Cost of a day', '37 spent and 1.5 reserved of 40'],
  ]);
  expect(meters.map((meter) => [meter.ariaValueMin, meter.ariaValueNow, meter.ariaValueMax])).toEqual([
    ['0', '5', '5'],
    ['0', '0', '1'],
    ['0', '38.5', '40'],
  ]);
  expect(region('Budget').getByText('38.5 of 40')).toBeTruthy();
  expect(region('Budget').getByText('1.5 of it reserved: under way, not ended')).toBeTruthy();
  expect(region('Budget').getByText(/^Its day ends at/).textContent).toMatch(/\d\d:00:00, in 11 h$/);
  expect(region('Budget').getByText('Cost 38.5')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Budget as a table' }));
  expect(screen.getByRole('row', { name: 'Cost of a day 37 spent and 1.5 reserved of 40' })).toBeTruthy();
  expect(screen.getByRole('row', { name: `Did not fit ${TEXT}` })).toBeTruthy();
});

test('[P5] what nobody knows is called unknown: the cost, the end of the day, and limits that only a host can tell', async () => {
  await shown({}, rowOf({ live: false, actions: [], worker: null, budget: budgetOf({ runs: null }) }));
  const budget = region('Budget');
  expect(budget.queryAllByRole('meter')).toEqual([]);
  expect(budget.getByText(/^Runs today unknown/)).toBeTruthy();
  expect(budget.getByText('Cost unknown until it is metered')).toBeTruthy();
  expect(budget.getByText('When its day ends is unknown')).toBeTruthy();
  expect(budget.queryByRole('button', { name: /Extend/ })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Budget as a table' }));
  expect(screen.getByRole('row', { name: 'Limits unknown' })).toBeTruthy();
});

test('held by its budget: what did not fit, and that another day makes room too', async () => {
  await held(
    {},
    { holds: [HOLD, { ...HOLD, kind: 'operator', reason: 'Maintenance', actor: 'operator:ann' }] },
  );
  const desk = region('Held by its budget');
  expect(desk.getByText(TEXT)).toBeTruthy();
  expect(desk.getByText(/or for the next day of the budget at/)).toBeTruthy();
  expect(desk.queryByText(/of before/)).toBeNull();
  expect(region('Holds').getAllByRole('listitem')).toHaveLength(1);
  await pressed('Stop…: market-watcher');
  expect(dialog().getByRole('button', { name: 'Stop market-watcher' })).toBeTruthy();
});

test('held by a cap: more of its own limits would change nothing, and the file of the cap is named', async () => {
  const exceeded = { limit: 'max_cost_per_day', text: TEXT, missing: 1, cap: 'workspace' } as const;
  await held({ budget: { ...SPENT, exceeded } });
  const desk = region('Held by its budget');
  const isOff = (name: string): boolean => desk.getByRole<HTMLButtonElement>('button', { name }).disabled;
  expect([isOff(extendFrom), isOff('Half an hour more…: market-watcher')]).toEqual([true, true]);
  expect(desk.getByText(/a higher one in the holdfast\.yaml of the workspace/)).toBeTruthy();
});

test('what reached the limit of a run waits for more, and for no day', async () => {
  const exceeded = {
    limit: 'max_tool_calls_per_run',
    text: 'effects in a run: 5 of 5 used',
    missing: 1,
  } as const;
  await held({ budget: { ...SPENT, exceeded } });
  expect(region('Held by its budget').queryByText(/next day/)).toBeNull();
  await pressed(extendFrom);
  expect(dialog().getByRole('option', { name: 'Until the run is over' })).toBeTruthy();
  enter('How much more', '1');
  expect(dialog().getByText(/from 5 to 6 for the run that reached it, and no other/)).toBeTruthy();
});

test('[P7] a limit is extended with an amount and a reason; what did not fit is preselected', async () => {
  const host = await held();
  host.answer('budget.extend', () => ok(done));
  await pressed(extendFrom);
  expect(document.activeElement?.textContent).toBe('Cancel');
  expect(dialog().getByLabelText<HTMLSelectElement>('Limit').value).toBe('max_cost_per_day');
  expect(dialog().getByText('What waits needs 1 more, at least.')).toBeTruthy();
  expect(dialog().getByRole<HTMLButtonElement>('button', { name: confirm }).disabled).toBe(true);
  enter('How much more', '0.5');
  expect(dialog().getByText(/from 40 to 40.5 until its day is over, at/)).toBeTruthy();
  expect(dialog().getByText(/not enough for what waits/)).toBeTruthy();
  enter('How much more', '5');
  expect(dialog().getByText(/It is enough for what waits/)).toBeTruthy();
  await pressed(confirm);
  expect(host.askedFor('budget.extend')).toEqual([]);
  await pressed('It is worth it');
  await pressed(confirm);
  expect(host.askedFor('budget.extend')).toMatchObject([
    {
      process: 'market-watcher',
      limit: 'max_cost_per_day',
      amount: 5,
      forMs: null,
      reason: 'It is worth it',
    },
  ]);
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

test('for half an hour only, and of another limit', async () => {
  const host = await held();
  host.answer('budget.extend', () => ok(done));
  await pressed('Extend a limit…');
  enter('Limit', 'max_tool_calls_per_run');
  enter('For how long', 'half-hour');
  enter('How much more', '3');
  await pressed('An exception today');
  await pressed(confirm);
  expect(host.askedFor('budget.extend')).toMatchObject([
    { limit: 'max_tool_calls_per_run', amount: 3, forMs: 1_800_000 },
  ]);
});

test('what the host refuses is said in the dialog, and what was typed stays', async () => {
  const host = await held();
  host.answer('budget.extend', () => refused({ code: 'budget.no-run', message: 'None is under way.' }));
  await pressed(extendFrom);
  enter('How much more', '7');
  await pressed('It is worth it');
  await pressed(confirm);
  expect(dialog().getByRole('alert').textContent).toContain('Not extended. None is under way.');
  expect(dialog().getByLabelText<HTMLInputElement>('How much more').value).toBe('7');
  enter('How much more', '8');
  expect(dialog().queryByRole('alert')).toBeNull();
});

test('that there is room again meanwhile is said while somebody still thinks about it', async () => {
  const host = await held();
  await pressed(extendFrom);
  expect(dialog().queryByText(/has room again/)).toBeNull();
  const row = rowOf({ budget: { ...SPENT, exceeded: null } });
  host.say('fleet.changed', { sequence: 2, at: before(0), upserts: [row], removed: [], journals: null });
  await settle();
  expect(dialog().getByText(/has room again/)).toBeTruthy();
});

test('an amount is a number above nothing, and what is none is named', () => {
  expect(['1', ' 2.5 ', '0.000001', '1000000000000'].map(amountOf)).toEqual([1, 2.5, 0.000001, 1e12]);
  for (const text of ['0', '0.0', '-1', '1e9', '1,5', 'five', '1000000000001', '.5']) {
    expect(amountOf(text), text).toBeNull();
    expect(amountProblem(text), text).toMatch(/above 0/);
  }
  expect(amountProblem('')).toBeNull();
});

test('[S41] of what nobody runs here nothing is extended', async () => {
  await held({ live: false, actions: [] });
  const desk = within(screen.getByRole('region', { name: 'Held by its budget' }));
  for (const button of desk.getAllByRole<HTMLButtonElement>('button')) expect(button.disabled).toBe(true);
});

const MONEY = limitOf({
  limit: 'max_money_per_day',
  words: 'money of a day',
  max: 25,
  spent: 18.4,
  reserved: 0.1,
  overshoot: 0.84,
  unpriced: 2,
});
const TOKENS = limitOf({ limit: 'max_tokens_per_day', words: 'tokens in a day', max: 900, overshoot: null });
const PAID = budgetOf({
  until: before(-11 * HOUR),
  limits: [MONEY, TOKENS],
  models: { turns: 3, tokens: 50, money: 18.5, unpriced: 2 },
  currency: 'USD',
});

test('[P5] money is at least what is known, with how far it may be passed, how fast it is used and when it runs out', async () => {
  const spending = spendingOf(NOW, [1, 2, 3]);
  await shown({ spending }, rowOf({ budget: PAID }));
  const budget = region('Budget');
  expect(budget.getAllByRole('meter').map((meter) => meter.getAttribute('aria-valuetext'))).toEqual([
    '≥ $18.40 spent and $0.10 reserved of $25.00, 2 calls unpriced',
    '50 spent and 0 reserved of 900',
  ]);
  expect(budget.getByText('2 calls unpriced: it is at least that')).toBeTruthy();
  expect(budget.getByText('May be passed by $0.84 at most')).toBeTruthy();
  expect(budget.getByText('How far it may be passed is unknown')).toBeTruthy();
  expect(budget.getByText(/^\$0\.05 a minute, runs out at \d\d:10:00$/)).toBeTruthy();
  expect(budget.getByText('3 model calls, 50 tokens, ≥ $18.50 (2 calls unpriced)')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Budget as a table' }));
  expect(screen.getByRole('row', { name: 'Money ≥ $18.50 (2 calls unpriced)' })).toBeTruthy();
  expect(screen.getAllByRole('row', { name: /^Money from \d\d:\d\d:\d\d \$\d\.\d\d$/ })).toHaveLength(3);
});

test('what it spent is copied for a spreadsheet; a host that can not say is believed', async () => {
  const spending = spendingOf(NOW, [1, 2, 3]);
  const host = await shown({ spending }, rowOf({ budget: PAID }));
  const copied: string[] = [];
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: async (text: string) => void copied.push(text) },
  });
  host.answer('costs.read', () => ok({ csv: 'period,time', rows: 1, count: 3 }));
  await pressed('Copy costs as CSV');
  expect(copied).toEqual(['period,time']);
  expect(region('Budget').getByText('the newest 1 of 3 rows copied')).toBeTruthy();
  host.answer('costs.read', () => refused({ code: 'journal.damaged', message: 'It can not be read.' }));
  await pressed('Copy costs as CSV');
  expect(region('Budget').getByText('It can not be read.')).toBeTruthy();
});

test('half an hour more is one press away from its amount and its reason', async () => {
  await held();
  await pressed('Half an hour more…: market-watcher');
  expect(dialog().getByLabelText<HTMLSelectElement>('For how long').value).toBe('half-hour');
  enter('How much more', '2');
  expect(dialog().getByText(/for half an hour, and no longer than its day/)).toBeTruthy();
  expect(dialog().getByRole<HTMLButtonElement>('button', { name: confirm }).disabled).toBe(true);
});
