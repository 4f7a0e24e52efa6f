// @vitest-environment jsdom
// The mission on the page of a process: what it is after, what the judge says of it, and what a person may decide.

import { fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { before, HOUR, MINUTE, missionOf, rowOf, verdictOf } from './fixtures.ts';
import { ok, refused } from './memory-client.ts';
import { dialog, done, pressed, region, shown, stopClock } from './process-page.ts';

stopClock();

test('what it is after, how it stands, and when it is judged next, in words beside the chart', async () => {
  await shown({ mission: missionOf() });
  const card = region('Mission');
  expect(card.getByText('Every order of today is shipped.')).toBeTruthy();
  expect(card.getByText('Active')).toBeTruthy();
  expect(card.getByRole('img').getAttribute('aria-label')).toBe(
    'Confidence and progress in 4 verdicts; the last: not achieved, confidence 40\u{202f}%, progress 50\u{202f}%',
  );
  expect(card.getByText('Confidence 40 %')).toBeTruthy();
  expect(card.getByText('Counts from 80 %')).toBeTruthy();
  expect(card.getByText(/^Last advance/).textContent).toBe('Last advance 1 h ago');
  expect(card.getByText('Next verdict: after 1 more run')).toBeTruthy();
  expect(card.getByText(/^Its time is over at/).textContent).toMatch(/in 19 h$/);
});

test('the table says the same, each verdict in a row', async () => {
  await shown({ mission: missionOf() });
  fireEvent.click(screen.getByRole('button', { name: 'Mission as a table' }));
  const row = (name: string) => screen.getByRole('row', { name });
  expect(row('Runs 9 of 40')).toBeTruthy();
  expect(row('Judged after every 2 runs')).toBeTruthy();
  expect(
    row('Verdict 2 after invocation 36: not achieved, confidence 30\u{202f}%, progress unknown'),
  ).toBeTruthy();
  expect(
    row('Verdict 4 after invocation 40: not achieved, confidence 40\u{202f}%, progress 50\u{202f}%'),
  ).toBeTruthy();
});

test('a model that judges is named', async () => {
  await shown({ mission: missionOf({ terms: { ...missionOf().terms!, evalModel: 'openai:gpt-5-mini' } }) });
  fireEvent.click(screen.getByRole('button', { name: 'Mission as a table' }));
  expect(screen.getByRole('row', { name: 'Judged by openai:gpt-5-mini, after every 2 runs' })).toBeTruthy();
});

test('without an advance for too long it says that it drifts', async () => {
  const terms = { ...missionOf().terms!, driftsAt: before(MINUTE) };
  await shown({ mission: missionOf({ advancedAt: before(2 * HOUR), terms }) });
  expect(region('Mission').getByText(/^Drifting/).textContent).toBe('Drifting: last advance 2 h ago');
});

test('[P5] no verdict is said as that, and is no number', async () => {
  const unknown = { reason: 'the judge threw: no idea', at: before(MINUTE), attempts: 2, isForBudget: false };
  await shown({ mission: missionOf({ history: [], evaluations: 0, unknown }) });
  const card = region('Mission');
  expect(card.queryByRole('img')).toBeNull();
  expect(card.getByText(/^No verdict/).textContent).toBe('No verdict 1 m ago: the judge threw: no idea');
  expect(card.getByText(/^Started/)).toBeTruthy();
});

test('[P5] what nobody runs here has no terms and no orders, and says that they are unknown', async () => {
  const row = rowOf({ live: false, actions: [], worker: null });
  await shown({ mission: missionOf({ terms: null, orders: [] }) }, row);
  const card = region('Mission');
  expect(card.getByText('Next verdict: unknown')).toBeTruthy();
  expect(card.queryByText(/Counts from/)).toBeNull();
  expect(card.queryByRole('group')).toBeNull();
});

test('held by its mission: how it ended, and the two ways on; the reason is not said twice', async () => {
  const reason = 'all 40 runs of the mission are used';
  const host = await shown(
    {
      mission: missionOf({ status: 'failed', reason, orders: ['resume'] }),
      holds: [{ kind: 'mission', reason, actor: 'host', since: before(MINUTE) }],
    },
    rowOf({ state: 'suspended', why: `mission: ${reason}`, actions: ['resume', 'stop'] }),
  );
  const desk = region('Held by its mission');
  expect(screen.getAllByText(reason, { exact: false })).toHaveLength(1);
  await pressed('Resume: market-watcher', desk);
  expect(host.askedFor('processes.preview')).toMatchObject([{ action: 'resume' }]);
});

test('a mission that is over is taken up again from where the process is held for it', async () => {
  await shown(
    {
      mission: missionOf({ status: 'failed', orders: ['resume'] }),
      holds: [{ kind: 'mission', reason: '', actor: 'host', since: before(MINUTE) }],
    },
    rowOf({ state: 'suspended', actions: ['stop'] }),
  );
  const desk = region('Held by its mission');
  expect(desk.getByText('Its mission is over')).toBeTruthy();
  expect(desk.getByRole<HTMLButtonElement>('button', { name: 'Resume: market-watcher' }).disabled).toBe(true);
  await pressed('Resume the mission…: market-watcher', desk);
  expect(dialog().getByText(/its time and runs are counted from now/)).toBeTruthy();
});

test('where there is no mission there is no card', async () => {
  await shown();
  expect(screen.queryByRole('region', { name: 'Mission' })).toBeNull();
  expect(region('Facts').getByText('Mission').nextElementSibling!.textContent).toBe('none in its manifest');
});

test('hostile text stays text', async () => {
  const evil = '<img src=x onerror=alert(1)> \u{202e}';
  await shown({ mission: missionOf({ objective: evil, history: [verdictOf({ reasoning: evil })] }) });
  expect(document.querySelector('img')).toBeNull();
  expect(region('Mission').getAllByText(/<img src=x/)).toHaveLength(2);
});

test('[P7] a mission is failed with a reason; what comes of it is said before', async () => {
  const host = await shown({ mission: missionOf() });
  host.answer('mission.change', () => ok(done));
  await pressed('Fail the mission…');
  expect(document.activeElement?.textContent).toBe('Cancel');
  expect(dialog().getByText(/is held until somebody resumes it/)).toBeTruthy();
  await pressed('Fail the mission of market-watcher');
  expect(host.askedFor('mission.change')).toEqual([]);
  await pressed('No longer wanted');
  await pressed('Fail the mission of market-watcher');
  expect(host.askedFor('mission.change')).toMatchObject([
    { process: 'market-watcher', order: 'fail', reason: 'No longer wanted' },
  ]);
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

test('what the host refuses is said in the dialog', async () => {
  const host = await shown({ mission: missionOf({ status: 'completed', orders: ['resume'] }) });
  host.answer('mission.change', () => refused({ code: 'mission.not-now', message: 'It is active.' }));
  await pressed('Resume the mission…');
  expect(dialog().getByText(/its time and runs are counted from now/)).toBeTruthy();
  await pressed('It can go on');
  await pressed('Resume the mission of market-watcher');
  expect(dialog().getByRole('alert').textContent).toContain('Not done. It is active.');
});
