// @vitest-environment jsdom
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { ProcessDetail } from '../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import { before, budgetOf, detailOf, effectOf, entryOf, invocationOf, MINUTE, rowOf } from './fixtures.ts';
import { ok, refused, type MemoryHost } from './memory-client.ts';
import { HASH, hostOf } from './process-page.ts';
import { settle, show } from './render.tsx';

function hostWith(row: ProcessRow = rowOf(), over: Partial<ProcessDetail> = {}): MemoryHost {
  const host = hostOf(row, over);
  host.answer('timeline.read', ({ before: cursor }) =>
    ok(
      cursor === null
        ? {
            rows: [entryOf(1204, { type: 'error', tone: 'alarm' }), entryOf(1203), entryOf(1202)],
            before: 'c',
          }
        : { rows: [entryOf(1201)], before: null },
    ),
  );
  return host;
}

const says = (host: MemoryHost, seqs: readonly number[]): void => {
  act(() => {
    host.say('process.changed', {
      journalId: 'j-demo',
      process: 'market-watcher',
      detail: detailOf(rowOf()),
      rows: seqs.map((seq) => entryOf(seq)),
      gap: false,
    });
  });
};

test('the buttons are exactly what the host allows; what goes with a worker stands last, so none takes its place', async () => {
  await show(hostWith(rowOf({ actions: ['resume', 'kill-worker', 'force-recover'] })), HASH);
  const group = within(screen.getByRole('group', { name: 'Actions' }));
  expect(group.getAllByRole('button').map((button) => button.textContent)).toEqual([
    'Resume',
    'Force-recover…',
    'Kill worker…',
  ]);
});

test('the lifecycle shows the live state and where it may go', async () => {
  await show(hostWith(), HASH);
  const name = 'Lifecycle. Now Running. From here: Suspended, Awaiting, Stopping, Failed.';
  expect(screen.getByRole('img', { name })).toBeTruthy();
});

test('[S41] nothing of a journal that nobody runs is called present', async () => {
  await show(hostWith(rowOf({ live: false, actions: [], worker: null })), HASH);
  expect(screen.getByRole('img', { name: /^Lifecycle\. Last recorded: Running\./ })).toBeTruthy();
  expect(screen.queryByRole('group', { name: 'Actions' })).toBeNull();
});

test('gauges are meters with a table that says the same, and [P5] an unmetered cost is unknown', async () => {
  await show(
    hostWith(
      rowOf({ health: { sample: 2, failures: 1, runs: [true, false], verdict: 'ok', anomalies: [] } }),
    ),
    HASH,
  );
  await waitFor(() => expect(screen.getAllByRole('meter')).toHaveLength(2));
  const [runs, health] = screen.getAllByRole('meter');
  expect(runs?.getAttribute('aria-valuenow')).toBe('12');
  expect(runs?.getAttribute('aria-valuemax')).toBe('50');
  expect(runs?.getAttribute('aria-valuetext')).toBe('12 spent and 0 reserved of 50');
  expect(health?.getAttribute('aria-valuetext')).toBe('1 of the last 2 runs failed');
  expect(screen.getByText('Cost unknown until it is metered')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Health as a table' }));
  expect(screen.getByRole('row', { name: 'Oldest to newest ok, failed' })).toBeTruthy();
});

test('without a limit there is no share to show, and so no meter', async () => {
  await show(hostWith(rowOf({ budget: budgetOf({ runs: 3 }) })), HASH);
  await waitFor(() => expect(screen.getAllByRole('meter')).toHaveLength(1));
  expect(screen.getByText(/no limit set/)).toBeTruthy();
});

test('a doubt shows what it was, and the operator’s answer goes out with its reason', async () => {
  const host = hostWith(rowOf({ state: 'suspended', doubts: 1, actions: ['stop'] }), {
    holds: [{ kind: 'in_doubt', reason: 'charge_card has no outcome', actor: 'host', since: before(MINUTE) }],
    open: [
      invocationOf({
        standing: 'in-doubt',
        effects: [
          effectOf(),
          effectOf({ effectId: 'ev-41/fetch#0', name: 'fetch', end: 'done', needsOperator: false }),
        ],
      }),
    ],
  });
  host.answer('effects.resolve', () => ok({ state: 'running', message: 'The invocation goes on.' }));
  await show(host, HASH);
  const doubts = within(screen.getByRole('region', { name: 'Effects in doubt' }));
  expect(doubts.getByText('charge_card')).toBeTruthy();
  expect(doubts.getByText(/"amount":12900/)).toBeTruthy();
  expect(doubts.queryByText('fetch')).toBeNull();
  fireEvent.click(doubts.getByRole('button', { name: 'It happened…: charge_card' }));
  const confirm = screen.getByRole<HTMLButtonElement>('button', { name: 'Record that charge_card happened' });
  expect(confirm.disabled).toBe(true);
  fireEvent.change(screen.getByLabelText('Result, as JSON'), { target: { value: '{"ok":' } });
  fireEvent.click(screen.getByRole('button', { name: 'Seen in the other system' }));
  expect(confirm.disabled).toBe(true);
  fireEvent.change(screen.getByLabelText('Result, as JSON'), { target: { value: '{"ok":true}' } });
  fireEvent.click(confirm);
  await settle();
  expect(host.askedFor('effects.resolve')[0]).toMatchObject({
    effectId: 'ev-41/charge_card#0',
    reason: 'Seen in the other system',
    resolution: { kind: 'happened', resultText: '{"ok":true}' },
  });
});

test('[P5] what an effect in doubt said is shown, in its card and in the question', async () => {
  const error = 'timeout of 30 s exceeded';
  const invocation = invocationOf({ standing: 'in-doubt', effects: [effectOf({ error })] });
  await show(hostWith(rowOf({ doubts: 1 }), { open: [invocation] }), HASH);
  const doubts = within(screen.getByRole('region', { name: 'Effects in doubt' }));
  expect(doubts.getByText(`It said: ${error}`)).toBeTruthy();
  expect(doubts.queryByText(/nobody recorded how it ended/)).toBeNull();
  fireEvent.click(doubts.getByRole('button', { name: 'It happened…: charge_card' }));
  expect(within(screen.getByRole('alertdialog')).getByText(`It said: ${error}`)).toBeTruthy();
});

test('the reason is not said twice', async () => {
  const why = 'in doubt: charge_card';
  await show(hostWith(rowOf({ why }), { reason: why }), HASH);
  expect(screen.getAllByText(why, { exact: false })).toHaveLength(1);
});

test('a process that opens takes the focus to its heading', async () => {
  await show(hostWith(), HASH);
  expect(document.activeElement?.tagName).toBe('H1');
});

test('the timeline says how much of the journal it shows, and goes on towards the beginning', async () => {
  await show(hostWith(), HASH);
  expect(screen.getByText('Showing 3 of 1204 entries.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Load older' }));
  await settle();
  expect(screen.getByText('That is the beginning: all 4 lines shown.')).toBeTruthy();
});

test('new rows go in while nothing is being read, and wait as a pill while an entry is open', async () => {
  const host = hostWith();
  await show(host, HASH);
  says(host, [1205]);
  expect(screen.getByText('entry 1205')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: /1203/ }));
  says(host, [1207, 1206]);
  expect(screen.queryByText('entry 1206')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: '2 new' }));
  expect(screen.getByText('entry 1206')).toBeTruthy();
});

test('an opened entry shows its data as written, with what would hide made visible', async () => {
  const host = hostWith();
  host.answer('timeline.read', () =>
    ok({
      rows: [entryOf(2, { dataText: '{"n":12345678901234567890,"evil":"\u{202e}gnp"}', cut: true })],
      before: null,
    }),
  );
  await show(host, HASH);
  const line = screen.getByRole('button', { name: /entry 2/ });
  expect(line.getAttribute('aria-expanded')).toBe('false');
  fireEvent.click(line);
  expect(line.getAttribute('aria-expanded')).toBe('true');
  const data = screen.getByLabelText('Data of entry 2').textContent;
  expect(data).toContain('12345678901234567890');
  expect(data).toContain('⟨U+202E⟩gnp');
  expect(screen.getByText(/Cut at the host’s limit/)).toBeTruthy();
});

test('a line that can’t be read is a row of its own, explained', async () => {
  const host = hostWith();
  const reason = 'not JSON: unexpected end';
  host.answer('timeline.read', () =>
    ok({
      rows: [
        entryOf(7, {
          type: '',
          verification: 'unreadable',
          summary: reason,
          dataText: reason,
          tone: 'alarm',
        }),
      ],
      before: null,
    }),
  );
  await show(host, HASH);
  expect(screen.getByText('unreadable line')).toBeTruthy();
  expect(screen.getByText(reason)).toBeTruthy();
});

test('the state is shown key by key as it is written', async () => {
  await show(hostWith(), HASH);
  fireEvent.click(screen.getByRole('tab', { name: 'State' }));
  expect(screen.getByRole('row', { name: /big 123456789012345678901234567890/ })).toBeTruthy();
});

test('a process that is not there is explained, not a crash', async () => {
  const host = hostWith();
  host.answer('processes.read', () =>
    refused({ code: 'process.unknown', message: 'There is no such process.' }),
  );
  await show(host, HASH);
  expect(screen.getByText('There is no such process.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
});

test('a process of a journal that was closed says so', async () => {
  await show(hostWith(), '#/j-gone/market-watcher');
  expect(screen.getByText('This journal is not open')).toBeTruthy();
});

test('the selected process alone is announced', async () => {
  const host = hostWith();
  await show(host, HASH);
  const live = document.querySelector('[aria-live="polite"]');
  expect(live?.textContent).toBe('market-watcher: Running');
});

test('where much needs a person at once, it is summed up above, and each leads to its own', async () => {
  const effects = Array.from({ length: 5 }, (_, at) =>
    effectOf({ effectId: `e${at}`, name: `charge-${at}` }),
  );
  const holds = [{ kind: 'in_doubt', reason: 'charge-0', actor: 'host', since: before(MINUTE) }];
  await show(hostWith(rowOf(), { open: [invocationOf({ effects })], holds }), HASH);
  const matters = within(screen.getByRole('group', { name: 'What needs a person' }));
  expect(matters.getAllByRole('button').map((button) => button.textContent)).toEqual([
    '5 effects in doubt',
    '1 hold',
  ]);
  const shown: (string | null)[] = [];
  const scroll = vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function see(
    this: Element,
  ) {
    shown.push(this.getAttribute('aria-label'));
  });
  fireEvent.click(matters.getByRole('button', { name: '1 hold' }));
  expect(shown).toEqual(['Holds']);
  scroll.mockRestore();
});

test('one doubt and its hold are seen at a glance, and not summed up', async () => {
  const holds = [{ kind: 'in_doubt', reason: 'charge_card', actor: 'host', since: before(MINUTE) }];
  await show(hostWith(rowOf(), { open: [invocationOf({ effects: [effectOf()] })], holds }), HASH);
  expect(screen.getByRole('region', { name: 'Holds' })).toBeTruthy();
  expect(screen.queryByRole('group', { name: 'What needs a person' })).toBeNull();
});
