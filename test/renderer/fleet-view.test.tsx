// @vitest-environment jsdom
import { act, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { before, budgetOf, DAY, fleetOf, journalOf, limitOf, NOW, rowOf } from './fixtures.ts';
import { memoryHost, ok, refused, type MemoryHost } from './memory-client.ts';
import { rowNamed, settle, show } from './render.tsx';

beforeEach(() => {
  vi.useFakeTimers({
    now: NOW,
    toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const rows = [
  rowOf({ name: 'market-watcher', why: 'tool `browser` for 4 m' }),
  rowOf({ name: 'mail-triage', state: 'failed', tone: 'alarm', actions: ['start', 'force-recover'] }),
  rowOf({ name: 'invoice-clerk', state: 'suspended', doubts: 1, actions: ['resume', 'stop'] }),
];
const sent = journalOf({ id: 'j-sent', title: 'From Ben', access: 'read-only', format: 'promptise' });
const recorded = rowOf({
  journalId: 'j-sent',
  name: 'old-one',
  live: false,
  lastEntryAt: before(3 * DAY),
  actions: [],
  worker: null,
});

function hostWith(processes = rows, journals = [journalOf()]): MemoryHost {
  const host = memoryHost();
  host.answer('fleet.read', () => ok(fleetOf(processes, { journals })));
  return host;
}

const names = (): (string | null)[] =>
  screen
    .getAllByRole('row')
    .filter((row) => row.dataset['key'] !== undefined)
    .map((row) => row.getAttribute('aria-label'));

test('a row says its state in a word, why, and how much of its budget is used', async () => {
  await show(hostWith());
  const row = within(rowNamed('market-watcher'));
  expect(row.getByText('Running')).toBeTruthy();
  expect(row.getByText('tool `browser` for 4 m')).toBeTruthy();
  expect(row.getByText('24 %')).toBeTruthy();
  expect(row.getByText('runs in a day').title).toBe('Runs in a day: 12 of 50');
  expect(row.getByText('10 s').getAttribute('datetime')).toBe(before(12_000));
});

test('[S41] a row of a journal that nobody runs reads as last recorded, under its journal', async () => {
  await show(hostWith([...rows, recorded], [journalOf(), sent]));
  expect(within(rowNamed('old-one')).getByText('last recorded: Running, 3 d ago')).toBeTruthy();
  expect(within(rowNamed('old-one')).queryByRole('button')).toBeNull();
  expect(screen.getByText('From Ben')).toBeTruthy();
  expect(screen.getByText('read-only')).toBeTruthy();
});

test('of several limits the fullest is shown, with what is under way; without one the runs, and [P5] that the cost is unknown', async () => {
  const limits = [
    limitOf(),
    limitOf({ limit: 'max_cost_per_day', words: 'cost of a day', max: 40, spent: 37, reserved: 1.5 }),
  ];
  await show(
    hostWith([
      rowOf({ name: 'a', budget: budgetOf({ limits }) }),
      rowOf({ name: 'b', budget: budgetOf({ runs: 3 }) }),
      rowOf({ name: 'c', budget: budgetOf({ limits: [limitOf({ spent: 0.5 })] }) }),
      rowOf({ name: 'd', budget: budgetOf({ limits: [limitOf({ max: 0, spent: 0 })] }) }),
      rowOf({ name: 'e', budget: budgetOf({ limits: [limitOf({ max: 10, spent: 12 })] }) }),
    ]),
  );
  expect(within(rowNamed('a')).getByText('96 %')).toBeTruthy();
  expect(within(rowNamed('a')).getByText('cost of a day').title).toBe('Cost of a day: 38.5 of 40');
  expect(within(rowNamed('b')).getByText('3 today')).toBeTruthy();
  expect(within(rowNamed('b')).getByText('cost unknown')).toBeTruthy();
  expect(within(rowNamed('c')).getByText('< 1 %')).toBeTruthy();
  expect(within(rowNamed('d')).getByText('0 %')).toBeTruthy();
  expect(within(rowNamed('e')).getByText('120 %')).toBeTruthy();
});

test('[P5] runs that began and did not finish are no “no runs”', async () => {
  const health = { sample: 0, failures: 0, runs: [], verdict: 'unknown' } as const;
  const none = budgetOf({ runs: 0 });
  await show(
    hostWith([
      rowOf({ name: 'a', health: { ...health, runs: [], anomalies: [] }, budget: { ...none, runs: 1 } }),
      rowOf({ name: 'b', health: { ...health, runs: [], anomalies: [] }, budget: none }),
    ]),
  );
  expect(within(rowNamed('a')).getByText('none ended')).toBeTruthy();
  expect(within(rowNamed('b')).getByText('no runs yet')).toBeTruthy();
});

test('counts are filters, and an empty result says which filter emptied it and takes it away', async () => {
  await show(hostWith());
  fireEvent.click(screen.getByRole('button', { name: '1 failed' }));
  expect(names()).toEqual(['mail-triage']);
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'zzz' } });
  expect(screen.getByText('Nothing that is “failed” contains “zzz”.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Clear the text “zzz”' }));
  expect(names()).toEqual(['mail-triage']);
});

test('/ goes to the filter; Esc empties it, then leaves it', async () => {
  const console = await show(hostWith());
  fireEvent.keyDown(document.body, { key: '/' });
  const box = screen.getByRole('searchbox');
  expect(document.activeElement).toBe(box);
  fireEvent.change(box, { target: { value: 'mail' } });
  fireEvent.keyDown(box, { key: 'Escape' });
  expect(console.fleetView.getState().text).toBe('');
  fireEvent.keyDown(box, { key: 'Escape' });
  expect(document.activeElement).toBe(document.body);
});

test('j, k and arrows move, Enter opens, Esc comes back to the same row', async () => {
  const host = hostWith();
  const console = await show(host);
  fireEvent.keyDown(document.body, { key: 'j' });
  fireEvent.keyDown(document.activeElement!, { key: 'ArrowDown' });
  expect(document.activeElement).toBe(rowNamed('mail-triage'));
  expect(rowNamed('mail-triage').getAttribute('aria-selected')).toBe('true');
  fireEvent.keyDown(document.activeElement!, { key: 'Enter' });
  await settle();
  expect(console.hash()).toBe('#/j-demo/mail-triage');
  fireEvent.keyDown(document.body, { key: 'Escape' });
  await settle();
  expect(console.hash()).toBe('#/');
  expect(document.activeElement).toBe(rowNamed('mail-triage'));
});

test('Delete, Backspace and every other single key ask for nothing', async () => {
  const host = hostWith();
  const console = await show(host);
  fireEvent.keyDown(document.body, { key: 'j' });
  const asked = host.asked.length;
  for (const key of ['Delete', 'Backspace', 's', 'k', 'x', 'd', ' ']) {
    fireEvent.keyDown(document.activeElement!, { key });
  }
  await settle();
  expect(host.asked).toHaveLength(asked);
  expect(console.actions.store.getState().question).toBeNull();
});

test('the selection stays with its process when rows come before it', async () => {
  const host = hostWith();
  const console = await show(host);
  fireEvent.keyDown(document.body, { key: 'j' });
  const selected = console.fleetView.getState().selected;
  act(() => (document.activeElement as HTMLElement).blur());
  act(() => {
    host.say('fleet.changed', {
      sequence: 2,
      at: before(0),
      upserts: [rowOf({ name: 'aaa' })],
      removed: [],
      journals: null,
    });
  });
  expect(names()[0]).toBe('aaa');
  expect(console.fleetView.getState().selected).toBe(selected);
});

test('while the pointer is in the list its order holds, its values do not, and ten seconds later it moves', async () => {
  const host = hostWith();
  await show(host);
  const first = names();
  fireEvent.pointerMove(screen.getByRole('grid'));
  act(() => {
    host.say('fleet.changed', {
      sequence: 2,
      at: before(0),
      upserts: [rowOf({ name: 'aaa' }), rowOf({ name: 'market-watcher', state: 'failed' })],
      removed: [],
      journals: null,
    });
  });
  expect(names()).toEqual(first);
  expect(within(rowNamed('market-watcher')).getByText('Failed')).toBeTruthy();
  expect(screen.getByRole('button', { name: '2 failed' })).toBeTruthy();
  expect(screen.getByRole('button', { name: '1 change · apply' })).toBeTruthy();
  act(() => {
    vi.advanceTimersByTime(10_000);
  });
  expect(names()).toEqual(['aaa', ...first]);
});

test('applying moves the rows at once', async () => {
  const host = hostWith();
  await show(host);
  fireEvent.pointerMove(screen.getByRole('grid'));
  act(() => {
    host.say('fleet.changed', {
      sequence: 2,
      at: '',
      upserts: [rowOf({ name: 'aaa' })],
      removed: [],
      journals: null,
    });
  });
  fireEvent.click(screen.getByRole('button', { name: '1 change · apply' }));
  expect(names()[0]).toBe('aaa');
});

test('while an answer is awaited the row says so and not what is hoped for', async () => {
  const host = hostWith();
  host.answer('processes.suspend', () => new Promise(() => undefined));
  const console = await show(host);
  fireEvent.click(screen.getByRole('button', { name: 'Suspend: market-watcher' }));
  console.testClock.advance(2_000);
  act(() => {
    vi.advanceTimersByTime(2_000);
  });
  expect(within(rowNamed('market-watcher')).getByText('Suspending (you, 2 s)')).toBeTruthy();
  expect(within(rowNamed('market-watcher')).queryByText('Suspended')).toBeNull();
});

test('only what can be taken back is one click away; the rest is named in a menu', async () => {
  await show(hostWith());
  const row = within(rowNamed('market-watcher'));
  expect(row.getAllByRole('button').map((button) => button.getAttribute('aria-label'))).toEqual([
    'Suspend: market-watcher',
    'Trigger now: market-watcher',
    'All actions: market-watcher',
  ]);
});

test('no journal, no process and a failure each say why and what next', async () => {
  await show(hostWith([], []));
  expect(screen.getByText('No journal is open')).toBeTruthy();
  expect(screen.getAllByRole('button', { name: 'Open journal…' }).length).toBeGreaterThan(0);
});

test('a fleet that could not be read is explained and can be asked for again', async () => {
  const host = memoryHost();
  host.answer('fleet.read', () =>
    refused({ code: 'catalog.unreadable', message: 'The index could not be read.' }),
  );
  await show(host);
  expect(screen.getByText('The index could not be read.')).toBeTruthy();
  expect(screen.getByText('catalog.unreadable')).toBeTruthy();
  host.answer('fleet.read', () => ok(fleetOf(rows)));
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await settle();
  expect(names()).toHaveLength(3);
});

test('[P5] a silent host puts the age of the data over the view and turns the actions off', async () => {
  const host = hostWith();
  const console = await show(host);
  host.answer('app.info', () => new Promise(() => undefined));
  act(() => console.testClock.advance(8_000));
  expect(screen.getByText(/^Data as of \d\d:\d\d:\d\d\.$/)).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Suspend: market-watcher' }).disabled).toBe(
    true,
  );
});

test('names and reasons of a journal are text, whatever is in them', async () => {
  const evil = rowOf({ name: '<img src=x onerror=alert(1)>\u{202e}', why: '<b>bold</b>' });
  await show(hostWith([evil]));
  expect(screen.getByText('<img src=x onerror=alert(1)>⟨U+202E⟩')).toBeTruthy();
  expect(screen.getByText('<b>bold</b>')).toBeTruthy();
  expect(document.querySelector('img, b')).toBeNull();
});
