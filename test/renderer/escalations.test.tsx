// @vitest-environment jsdom
// Who is told when something is wrong, on the page of a process.

import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { EscalationView } from '../../core/contract/escalation-view.ts';
import { before, MINUTE, rowOf } from './fixtures.ts';
import { ok, refused } from './memory-client.ts';
import { dialog, done, pressed, region, shown, stopClock } from './process-page.ts';

stopClock();

type Delivery = EscalationView['deliveries'][number];
const HOOK = { target: 'webhook', to: 'https://ops.example/…' } as const;
const EVENT = { target: 'event', to: 'ops.alert' } as const;

const delivery = (over: Partial<Delivery>): Delivery => ({
  ...HOOK,
  status: 'sent',
  attempts: 1,
  lastAt: before(MINUTE),
  dueAt: null,
  answer: 204,
  reason: '',
  ...over,
});

const cause = (over: Partial<EscalationView>): EscalationView => ({
  id: 'e1',
  key: 'budget/max_cost_per_day',
  kind: 'budget',
  summary: 'market-watcher is held by its budget',
  at: before(6 * MINUTE),
  repeats: 0,
  overAt: null,
  overWhy: '',
  deliveries: [delivery({})],
  ...over,
});

test('what is open comes first, with whoever was told, and who was not and why', async () => {
  await shown({
    receivers: [HOOK, EVENT],
    escalations: [
      cause({ id: 'e2', overAt: before(2 * MINUTE), overWhy: 'it was decided', summary: 'it was in doubt' }),
      cause({
        repeats: 4,
        deliveries: [
          delivery({
            status: 'pending',
            attempts: 2,
            answer: 503,
            reason: 'it answered 503',
            dueAt: before(-MINUTE),
          }),
          delivery({ ...EVENT, answer: null }),
        ],
      }),
      cause({
        id: 'e3',
        summary: 'agent failed',
        deliveries: [delivery({ status: 'failed', attempts: 1, answer: 302, reason: 'it answered 302' })],
      }),
    ],
  });
  const card = region('Who is told');
  expect(card.getByText('The webhook https://ops.example/… and the event ops.alert.')).toBeTruthy();
  const items = card.getAllByRole('listitem').map((item) => item.textContent ?? '');
  expect(items[0]).toMatch(/^market-watcher is held by its budget ?open for 6 m.*came up 4 more times/);
  expect(items[1]).toMatch(
    /^https:\/\/ops\.example\/… is to be told in 1 m.* after 2 attempts: it answered 503$/,
  );
  expect(items[2]).toBe('ops.alert was told after 1 attempt');
  expect(
    items.some((text) => text === 'https://ops.example/… was not told after 1 attempt: it answered 302'),
  ).toBe(true);
  expect(items.at(-2)).toMatch(/^it was in doubt ?over for 2 m.*it was decided/);
});

test('[P5] nobody, and nobody knows, are told apart; then there is nothing to test', async () => {
  await shown({ receivers: [] });
  expect(region('Facts').getByText('Who is told').nextElementSibling!.textContent).toBe('nobody outside');
  expect(screen.queryByRole('region', { name: 'Who is told' })).toBeNull();
});

test('[P5] of a journal that is only looked at it is unknown', async () => {
  await shown({ receivers: null }, rowOf({ live: false, actions: [], worker: null }));
  expect(region('Facts').getByText('Who is told').nextElementSibling!.textContent).toBe('unknown');
  expect(screen.queryByRole('region', { name: 'Who is told' })).toBeNull();
});

test('a test is asked for, sent once, and what the host refuses is said in the question', async () => {
  const host = await shown({ receivers: [HOOK] });
  host.answer('escalation.test', () => refused({ code: 'process.busy', message: 'Not now.' }));
  await pressed('Send a test…');
  expect(
    dialog().getByText('The webhook https://ops.example/…: told once that this is a test.'),
  ).toBeTruthy();
  await pressed('Send a test for market-watcher');
  expect(dialog().getByText('Not now.')).toBeTruthy();
  host.answer('escalation.test', () => ok(done));
  await pressed('Send a test for market-watcher');
  expect(host.askedFor('escalation.test')).toHaveLength(2);
});
