// @vitest-environment jsdom
import { act, fireEvent, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { before, detailOf, effectOf, entryOf, invocationOf, MINUTE, rowOf } from './fixtures.ts';
import { ok } from './memory-client.ts';
import { HASH, hostOf, pressed, shown, stopClock, tab } from './process-page.ts';
import { show } from './render.tsx';

stopClock();

test('the ledger says of each effect what it was, how it ended and under which key', async () => {
  await shown({
    open: [
      invocationOf({
        effects: [
          effectOf({ effectId: 'a', name: 'fetch', effectClass: 'retry', end: 'done', needsOperator: false }),
          effectOf({ attempts: 3, error: 'timeout' }),
        ],
      }),
    ],
  });
  await tab('Effects (1 in doubt)');
  const grid = within(screen.getByRole('grid', { name: 'Effects' }));
  expect(grid.getAllByRole('row')).toHaveLength(3);
  const row = within(grid.getByRole('row', { name: 'charge_card, In doubt' }));
  expect(row.getByText('ask')).toBeTruthy();
  expect(row.getByText('3')).toBeTruthy();
  expect(row.getByText(/"amount":12900/)).toBeTruthy();
  const key = row.getByText(/…/);
  expect(key.dataset['copy']).toBe(effectOf().key);
  expect(row.getByText('3 m ago').getAttribute('datetime')).toBe(before(3 * MINUTE));
});

test('an effect opens to all of its arguments, its key and its answers', async () => {
  await shown({ open: [invocationOf({ effects: [effectOf()] })] });
  await tab(/Effects/);
  const toggle = screen.getByRole('button', { name: 'Details of charge_card' });
  expect(toggle.getAttribute('aria-expanded')).toBe('false');
  fireEvent.click(toggle);
  expect(toggle.getAttribute('aria-expanded')).toBe('true');
  expect(screen.getByLabelText('Arguments of charge_card').textContent).toContain('"amount": 12900');
  const grid = within(screen.getByRole('grid'));
  expect(grid.getByRole('button', { name: 'Copy the key of charge_card' })).toBeTruthy();
  expect(grid.getByRole('group', { name: 'Answers: charge_card' })).toBeTruthy();
});

test('the filter in doubt leaves those, and an empty one says which filter emptied it', async () => {
  await shown({
    open: [invocationOf({ effects: [effectOf({ end: 'done', needsOperator: false })] })],
  });
  await tab('Effects');
  await pressed('0 in doubt');
  expect(screen.getByText('None of 1 effect fits')).toBeTruthy();
  await pressed('Show all effects');
  expect(screen.getByRole('row', { name: 'charge_card, Done' })).toBeTruthy();
});

test('no effects says why', async () => {
  await shown();
  await tab('Effects');
  expect(screen.getByText(/No invocation is open, and the journal tells of none\./)).toBeTruthy();
});

test('of ten thousand effects those in sight are drawn, and the keys still lead to the last', async () => {
  const effects = Array.from({ length: 10_000 }, (_, at) =>
    effectOf({
      effectId: `e${at}`,
      name: `step-${at}`,
      announcedAt: before(at * 1_000),
      end: 'done',
      needsOperator: false,
    }),
  );
  await shown({ open: [invocationOf({ effects })] });
  await tab('Effects');
  const grid = screen.getByRole('grid');
  expect(grid.getAttribute('aria-rowcount')).toBe('10001');
  expect(within(grid).getAllByRole('row').length).toBeLessThan(100);
  const first = within(grid).getByRole('row', { name: 'step-0, Done' });
  first.focus();
  fireEvent.keyDown(first, { key: 'ArrowDown' });
  expect(document.activeElement?.getAttribute('aria-label')).toBe('step-1, Done');
  fireEvent.keyDown(document.activeElement!, { key: 'End' });
  expect(document.activeElement?.getAttribute('aria-label')).toBe('step-9999, Done');
  expect(document.activeElement?.getAttribute('aria-rowindex')).toBe('10001');
});

test('while somebody points at the effects, new ones wait for him, and ends are told at once', async () => {
  const fetch = effectOf({ effectId: 'a', name: 'fetch', end: 'open', needsOperator: false });
  const host = await shown({ open: [invocationOf({ effects: [fetch] })] });
  await tab('Effects');
  fireEvent.pointerMove(screen.getByRole('grid'));
  const later = effectOf({ effectId: 'b', name: 'later', announcedAt: before(0), needsOperator: false });
  act(() => {
    host.say('process.changed', {
      journalId: 'j-demo',
      process: 'market-watcher',
      detail: detailOf(rowOf(), { open: [invocationOf({ effects: [{ ...fetch, end: 'done' }, later] })] }),
      rows: [],
      gap: false,
    });
  });
  expect(screen.getByRole('row', { name: 'fetch, Done' })).toBeTruthy();
  expect(screen.queryByRole('row', { name: /^later/ })).toBeNull();
  await pressed('1 change · apply');
  expect(screen.getByRole('row', { name: /^later/ })).toBeTruthy();
});

test('an effect of an invocation that ended is known from the timeline', async () => {
  const host = hostOf();
  host.answer('timeline.read', () =>
    ok({
      rows: [
        entryOf(9, {
          type: 'effect_finished',
          dataText: '{"effect_id":"ev-1/notify#0","end":"done","result":1}',
        }),
      ],
      before: 'c',
    }),
  );
  await show(host, HASH);
  await tab('Effects');
  expect(screen.getByRole('row', { name: 'notify, Done' })).toBeTruthy();
  expect(screen.getByText(/the newest 1 entry of the journal/)).toBeTruthy();
});
