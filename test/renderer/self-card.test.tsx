// @vitest-environment jsdom
// What an agent changed about itself, and the way back.

import { expect, test } from 'vitest';
import type { SelfChangeView, SelfView } from '../../core/contract/self-view.ts';
import { before, HOUR, rowOf } from './fixtures.ts';
import { ok } from './memory-client.ts';
import { dialog, done, enter, pressed, region, shown, stopClock } from './process-page.ts';

stopClock();

const CARD = 'Changed by itself';

function changeOf(over: Partial<SelfChangeView> = {}): SelfChangeView {
  return {
    seq: 31,
    kind: 'instructions',
    text: 'its instructions',
    reason: 'they were long',
    at: before(2 * HOUR),
    eventId: 'event-1',
    end: null,
    takesBack: [31],
    ...over,
  };
}

function selfOf(over: Partial<SelfView> = {}): SelfView {
  const changes = [
    changeOf({ seq: 44, kind: 'process', text: 'the process market-watcher.a', takesBack: [44] }),
    changeOf({ seq: 40, takesBack: [40] }),
    changeOf({ takesBack: [31, 40] }),
    changeOf({
      seq: 12,
      kind: 'trigger',
      text: 'the trigger cron-1',
      takesBack: [],
      end: { how: 'undone', actor: 'operator:ann', reason: 'no', at: before(HOUR) },
    }),
  ];
  return { changes, inForce: 3, spawned: ['market-watcher.a'], spawnedCount: 1, parent: null, ...over };
}

test('each change is told with when, why and what became of it; without any there is no card', async () => {
  await shown({ self: selfOf() });
  const items = region(CARD).getAllByRole('listitem');
  expect(items[1]!.textContent).toContain('its instructions · in force');
  expect(items[1]!.textContent).toContain('entry 40, 2 h ago: they were long');
  expect(items[3]!.textContent).toContain('the trigger cron-1 · undone by ann');
  expect(region(CARD).getByRole('link', { name: 'market-watcher.a' }).getAttribute('href')).toBe(
    '#/j-demo/market-watcher.a',
  );
  expect(region(CARD).getAllByRole('button')).toHaveLength(4);
});

test('[S41] of a journal that nobody runs it is told and not undone', async () => {
  await shown({ self: selfOf() }, rowOf({ live: false, actions: [] }));
  expect(region(CARD).queryAllByRole('button')).toEqual([]);
});

test('[P7] one change is undone with a reason, and those on top of it are named', async () => {
  const host = await shown({ self: selfOf() });
  host.answer('self.undo', () => ok(done));
  await pressed('Undo: its instructions, entry 31', region(CARD));
  expect(document.activeElement?.textContent).toBe('Cancel');
  expect(dialog().getByText('its instructions, entry 40')).toBeTruthy();
  enter('Reason', 'no');
  await pressed('Undo its instructions', dialog());
  expect(host.askedFor('self.undo')).toMatchObject([
    { process: 'market-watcher', reason: 'no', changes: [31] },
  ]);
});

test('all of it is undone, and that a process ends for good is said first', async () => {
  const host = await shown({ self: selfOf() });
  host.answer('self.undo', () => ok(done));
  await pressed('Undo all that it changed…', region(CARD));
  expect(dialog().getByText(/stopped for good/)).toBeTruthy();
  enter('Reason', 'no');
  await pressed('Undo all of market-watcher', dialog());
  expect(host.askedFor('self.undo')).toMatchObject([{ changes: null }]);
});

test('a process that another one began says so, and leads there', async () => {
  await shown({
    self: selfOf({
      changes: [],
      inForce: 0,
      spawned: [],
      spawnedCount: 0,
      parent: { process: 'chief', depth: 1 },
    }),
  });
  const link = document.querySelector<HTMLAnchorElement>('.hf-lineage a')!;
  expect(link.textContent).toBe('chief');
  expect(link.getAttribute('href')).toBe('#/j-demo/chief');
});
