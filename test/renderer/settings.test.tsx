// @vitest-environment jsdom
// What a process has beside its manifest, its limits from now on, and the one switch for all triggers.

import { act, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import {
  before,
  budgetOf,
  fleetOf,
  HOUR,
  journalOf,
  pauseOf,
  rowOf,
  settingOf,
  settingsOf,
} from './fixtures.ts';
import { memoryHost, ok, refused, type MemoryHost } from './memory-client.ts';
import { dialog, done, enter, pressed, region, shown, stopClock } from './process-page.ts';
import { settle, show } from './render.tsx';

stopClock();

const CARD = 'Settings beside the manifest';
const CONFIRM = 'Change the limits of market-watcher';

test('what differs is told: the value, the manifest’s, of whom, since when and why', async () => {
  await shown({
    settings: settingsOf({
      changed: [
        settingOf(),
        settingOf({ path: 'budget.holdfast.warn_at', manifestText: null, valueText: null }),
      ],
      changedCount: 9,
    }),
  });
  const items = region(CARD).getAllByRole('listitem');
  expect(items[0]!.textContent).toContain('budget.max_cost_per_day');
  expect(items[0]!.textContent).toContain('60 · manifest: 40');
  expect(items[0]!.textContent).toContain('ann, 2 h ago: a busy week');
  expect(items[1]!.textContent).toContain('not set · manifest: not set');
  expect(region(CARD).getByText('and 7 more')).toBeTruthy();
});

test('[S41] of a journal that nobody runs it is told and not changed; where nothing differs nothing is told', async () => {
  await shown({ settings: settingsOf({ limits: [] }) }, rowOf({ live: false, actions: [] }));
  expect(region(CARD).queryAllByRole('button')).toEqual([]);
  expect(region(CARD).getByText('budget.max_cost_per_day')).toBeTruthy();
});

test('[P7] limits are changed with a reason, only those that are others now; Cancel has the focus', async () => {
  const host = await shown({ settings: settingsOf() });
  host.answer('settings.change', () => ok(done));
  await pressed('Limits…', region('Budget'));
  expect(document.activeElement?.textContent).toBe('Cancel');
  expect(dialog().getByLabelText<HTMLInputElement>('Cost of a day').value).toBe('60');
  expect(dialog().getByText('Change a limit first.')).toBeTruthy();
  enter('Runs in a day', '12');
  expect(dialog().getByText('There was no limit.')).toBeTruthy();
  enter('Reason', 'too many');
  await pressed(CONFIRM, dialog());
  expect(host.askedFor('settings.change')).toMatchObject([
    { process: 'market-watcher', set: { 'budget.max_runs_per_day': '12' }, undo: [], reason: 'too many' },
  ]);
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

test('limits of a day and of a run are in groups of their own, and money is of a currency', async () => {
  const limits = [
    { limit: 'max_money_per_day', path: 'budget.max_money_per_day', words: 'money of a day', value: 25 },
    { limit: 'max_cost_per_run', path: 'budget.max_cost_per_run', words: 'cost of a run', value: null },
  ] as const;
  await shown(
    { settings: settingsOf({ limits: [...limits] }) },
    rowOf({ budget: budgetOf({ currency: 'EUR' }) }),
  );
  await pressed('Limits…', region('Budget'));
  const group = (name: string) => within(dialog().getByRole('group', { name }));
  expect(group('Of a day').getByLabelText<HTMLInputElement>('Money of a day, EUR').value).toBe('25');
  expect(group('Of a run').getByLabelText<HTMLInputElement>('Cost of a run').value).toBe('');
});

test('where all is as the manifest has it there is no card, and limits are still changed at the budget', async () => {
  await shown({ settings: settingsOf({ changed: [] }) });
  expect(screen.queryByRole('region', { name: CARD })).toBeNull();
  expect(region('Budget').getByRole('button', { name: 'Limits…' })).toBeTruthy();
});

test.each(['-1', 'lots', 'NaN', '1e999', '01', '.5', '0x10'])(
  '%s is no limit, and is said to be none',
  async (text) => {
    await shown({ settings: settingsOf() });
    await pressed('Limits…', region('Budget'));
    enter('Cost of a day', text);
    expect(dialog().getByText('A number from 0 up, as in 20 or 2.5; empty for no limit.')).toBeTruthy();
    expect(dialog().getByRole('button', { name: CONFIRM }).hasAttribute('disabled')).toBe(true);
  },
);

test('a limit that is emptied is taken away; what the host refuses is said in the question, and what was typed stays', async () => {
  const host = await shown({ settings: settingsOf() });
  const why = 'Nothing was changed: budget.max_cost_per_day makes no sense.';
  host.answer('settings.change', () => refused({ code: 'settings.invalid', message: why }));
  await pressed('Limits…', region('Budget'));
  enter('Cost of a day', '');
  enter('Reason', 'no more');
  await pressed(CONFIRM, dialog());
  expect(host.askedFor('settings.change')[0]!.set).toEqual({ 'budget.max_cost_per_day': 'null' });
  expect(dialog().getByRole('alert').textContent).toContain(why);
  expect(dialog().getByLabelText<HTMLInputElement>('Reason').value).toBe('no more');
});

test('a setting goes back to the manifest’s, with a reason', async () => {
  const host = await shown({ settings: settingsOf() });
  host.answer('settings.change', () => ok(done));
  await pressed("Back to the manifest's: budget.max_cost_per_day", region(CARD));
  enter('Reason', 'calm again');
  await pressed('Set budget.max_cost_per_day back', dialog());
  expect(host.askedFor('settings.change')).toMatchObject([
    { set: {}, undo: ['budget.max_cost_per_day'], reason: 'calm again' },
  ]);
});

test('held by a cap, extending its own limit is not offered', async () => {
  const text = 'cost of a day: 90 of 90 used by all processes of this workspace together';
  await shown(
    { holds: [{ kind: 'budget', reason: text, actor: 'host', since: before(HOUR) }] },
    rowOf({
      state: 'suspended',
      actions: ['stop'],
      budget: budgetOf({ exceeded: { limit: 'max_cost_per_day', text, missing: 1, cap: 'workspace' } }),
    }),
  );
  expect(screen.getByRole('button', { name: 'Extend…: market-watcher' }).hasAttribute('disabled')).toBe(true);
  expect(screen.getByText(/a higher one in the holdfast\.yaml of the workspace/)).toBeTruthy();
});

const switched = (held: boolean) =>
  ok({ held, reached: 2, failed: [], message: 'The triggers of 2 processes.' });

async function fleet(over: Parameters<typeof journalOf>[0] = {}): Promise<MemoryHost> {
  const host = memoryHost();
  host.answer('fleet.read', () => ok(fleetOf([rowOf()], { journals: [journalOf(over)] })));
  await show(host);
  return host;
}

test('[P7] all triggers are held with a reason; Cancel has the focus, and what the host refuses is said', async () => {
  const host = await fleet();
  const answers = [refused({ code: 'host.closing', message: 'It closes.' }), switched(true)];
  host.answer('workspace.hold-triggers', () => answers.shift()!);
  await pressed('Hold all triggers…');
  expect(document.activeElement?.textContent).toBe('Cancel');
  enter('Reason', 'a bad night');
  await pressed('Hold all triggers of Demo workspace', dialog());
  expect(dialog().getByRole('alert').textContent).toContain('It closes.');
  await pressed('Hold all triggers of Demo workspace', dialog());
  const asked = host.askedFor('workspace.hold-triggers');
  expect(asked[0]).toMatchObject({ journalId: 'j-demo', reason: 'a bad night' });
  // Nobody may know whether the first arrived: it is the same command.
  expect(asked[1]).toEqual(asked[0]);
  expect(screen.queryByRole('alertdialog')).toBeNull();
  expect(screen.getByText('All triggers are held')).toBeTruthy();
});

test('while they are held every view says so, by whom and why, and lets go with one press', async () => {
  const host = await fleet({ triggersHeld: pauseOf({ reason: 'a bad night', actor: 'operator:ann' }) });
  host.answer('workspace.release-triggers', () => switched(false));
  const banner = screen.getByRole('region', { name: 'All triggers are held' });
  // Announced once, and not again with every minute that it lasts.
  expect(within(banner).getByRole('status').textContent).toMatch(/^All triggers are held.*processes\.$/);
  expect(banner.textContent).toMatch(/All triggers are held in Demo workspace.* By ann, .* ago: a bad night/);
  expect(screen.queryByRole('button', { name: 'Hold all triggers…' })).toBeNull();
  await act(async () => within(banner).getByRole('button', { name: 'Release all triggers' }).click());
  await settle();
  expect(host.askedFor('workspace.release-triggers')).toHaveLength(1);
  expect(screen.getByText('All triggers are on again')).toBeTruthy();
});

test('[P6] where nothing is run there is nothing to hold', async () => {
  await fleet({ access: 'read-only' });
  expect(screen.queryByRole('button', { name: 'Hold all triggers…' })).toBeNull();
});
