// @vitest-environment jsdom
// Health on the page of a process: each detector with its sample and its verdict, what holds the process, and what is to be
// done about it.

import { fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { ProcessDetail } from '../../core/contract/process-detail.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import { arrange, countsOf, FILTERS } from '../../renderer/stores/arrange.ts';
import { before, detectorOf, healthOf, HOUR, journalOf, MINUTE, rowOf } from './fixtures.ts';
import { ok, refused, type MemoryHost } from './memory-client.ts';
import { dialog, done, pressed, region, shown, stopClock } from './process-page.ts';

stopClock();

const TEXT = 'look was called 3 times in a row with the same arguments';
const AT = before(6 * MINUTE);
const HOLD = { kind: 'health', reason: TEXT, actor: 'host', since: AT };
const UNWELL = healthOf({ verdict: 'unwell', anomalies: [{ type: 'stuck', text: TEXT, at: AT }] });

const DETECTORS: ProcessDetail['detectors'] = [
  detectorOf({
    state: 'found',
    last: { description: TEXT, at: AT, action: 'pause', overAt: null },
  }),
  detectorOf({ type: 'loop', sample: 7, needed: 4, reading: 'calls without a pattern: 7' }),
  detectorOf({ type: 'empty_response', state: 'unknown', sample: 1, needed: 3, reading: 'one reply' }),
  detectorOf({
    type: 'high_error_rate',
    reading: 'runs that failed: 2 of the last 10',
    threshold: '50 % of 10 runs',
    action: 'escalate',
    last: { description: 'half failed', at: before(2 * HOUR), action: 'escalate', overAt: before(HOUR) },
    coolsUntil: before(-3 * MINUTE),
  }),
  detectorOf({ type: 'silent', state: 'off', sample: null, needed: null, reading: '', threshold: '' }),
];

function unwell(over: Partial<ProcessRow> = {}, more: Partial<ProcessDetail> = {}): Promise<MemoryHost> {
  const row = rowOf({ state: 'suspended', health: UNWELL, actions: ['resume', 'stop'], ...over });
  return shown({ holds: [HOLD], detectors: DETECTORS, ...more }, row);
}

test('[P5] each detector that is on says what it sees, from how much; too little is called unknown', async () => {
  await unwell();
  const lines = region('Health')
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);
  expect(lines).toEqual([
    `Stuckfound · 6 m ago${TEXT}`,
    'Loopokcalls without a pattern: 7',
    'Empty repliesunknown: 1 of 3one reply',
    'Failing runsokruns that failed: 2 of the last 10 · last found 2 h ago · not again before in 3 m',
  ]);
  expect(region('Health').getByText('Not as it should be').className).toContain('alarm');
});

test('the table says the same, and what it would take', async () => {
  await unwell();
  fireEvent.click(screen.getByRole('button', { name: 'Health as a table' }));
  const cell = (name: string): string =>
    screen.getByRole('rowheader', { name }).nextElementSibling!.textContent;
  expect(cell('Stuck')).toContain(TEXT);
  expect(cell('Failing runs')).toMatch(/^ok.*Found at: 50 % of 10 runs; then: escalate$/);
  expect(cell('Empty replies')).toMatch(/^unknown: 1 of 3/);
  expect(cell('Silent')).toBe('off');
});

test('held by its health: what was found, and that resuming it looks anew', async () => {
  const host = await unwell(
    {},
    { holds: [HOLD, { ...HOLD, kind: 'operator', reason: 'Maintenance', actor: 'operator:ann' }] },
  );
  const desk = region('Held by its health');
  expect(desk.getByText(`Stuck: ${TEXT}`)).toBeTruthy();
  expect(desk.getByText(/Resumed, it goes on from there/)).toBeTruthy();
  expect(region('Holds').getAllByRole('listitem')).toHaveLength(1);
  await pressed('Resume: market-watcher');
  expect(host.askedFor('processes.preview')).toMatchObject([{ action: 'resume' }]);
});

test('[P7] what was found is cleared with a reason; what the host refuses is said', async () => {
  const host = await unwell({ state: 'running' }, { holds: [] });
  host.answer('health.clear', () => refused({ code: 'health.nothing-found', message: 'Nothing is found.' }));
  await pressed('Clear…');
  const confirm = 'Clear what was found of market-watcher';
  expect(dialog().getAllByRole('listitem')[0]!.textContent).toContain(TEXT);
  await pressed(confirm);
  expect(host.askedFor('health.clear')).toEqual([]);
  await pressed('Looked into it');
  await pressed(confirm);
  expect(dialog().getByRole('alert').textContent).toContain('Not cleared. Nothing is found.');
  host.answer('health.clear', () => ok(done));
  await pressed(confirm);
  expect(host.askedFor('health.clear').at(-1)).toMatchObject({
    process: 'market-watcher',
    type: null,
    reason: 'Looked into it',
  });
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

test('[P5] [S41] where nobody runs it, what the detectors look at is unknown, and what they found is not', async () => {
  const unknown = { state: 'unknown', sample: null, needed: null, reading: '', threshold: '' } as const;
  await unwell(
    { live: false, actions: [] },
    {
      detectors: [
        detectorOf({ ...unknown, action: null }),
        detectorOf({ ...unknown, ...DETECTORS[0]!, reading: '', threshold: '', action: null }),
      ],
    },
  );
  expect(region('Health').getAllByRole('listitem')).toHaveLength(1);
  expect(region('Health').queryByRole('button', { name: 'Clear…' })).toBeNull();
  for (const name of ['Resume: market-watcher', 'Stop…: market-watcher']) {
    expect(screen.getByRole<HTMLButtonElement>('button', { name }).disabled).toBe(true);
  }
});

test('a process that is not watched says so', async () => {
  await shown({ detectors: DETECTORS.filter(({ state }) => state === 'off') }, rowOf());
  expect(region('Health').getByText('Its behaviour is not watched.')).toBeTruthy();
});

test('in the fleet those that are unwell are counted, found, and sorted before the others', () => {
  const rows = [rowOf({ name: 'a' }), rowOf({ name: 'b', health: UNWELL }), rowOf({ name: 'c' })];
  expect(countsOf(rows)).toMatchObject({ unwell: 1, failing: 0 });
  expect(FILTERS.find(({ id }) => id === 'unwell')?.always).toBe(false);
  const byKey = Object.fromEntries(rows.map((row) => [row.key, row]));
  const named = (wanted: Partial<Parameters<typeof arrange>[2]>): string[] =>
    arrange(byKey, [journalOf()], {
      text: '',
      filter: null,
      sorting: { column: 'health', descending: true },
      ...wanted,
    }).map(({ name }) => name);
  expect(named({})).toEqual(['b', 'a', 'c']);
  expect(named({ filter: 'unwell' })).toEqual(['b']);
});
