// @vitest-environment jsdom
import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { before, lineOf, MINUTE, rowOf } from './fixtures.ts';
import { ok, refused } from './memory-client.ts';
import { dialog, pressed, region, shown, stopClock, tab } from './process-page.ts';

stopClock();

const fact = (name: string): string | null =>
  region('Worker').getByText(name).parentElement?.querySelector('dd')?.textContent ?? null;

test('[P5] what the system does not tell of a worker is unknown, never 0', async () => {
  await shown({
    workerDetail: {
      pid: 4112,
      generation: 3,
      startedAt: before(3 * MINUTE),
      rssBytes: null,
      cpuPercent: null,
      isAnswering: false,
    },
  });
  await tab('Worker');
  expect(fact('Process id')).toBe('4112');
  expect(fact('Started')).toBe('3 m ago');
  expect(fact('Memory')).toBe('unknown');
  expect(fact('CPU')).toBe('unknown');
  expect(fact('Heartbeat')).toBe('does not answer');
});

test('[P5] of a worker in a journal that is only looked at nobody knows, wherever it is told', async () => {
  await shown({}, rowOf({ live: false, actions: [], worker: null }));
  const atAGlance = within(screen.getByRole('complementary', { name: 'At a glance' }));
  expect(atAGlance.getByText('Worker').parentElement?.textContent).toBe('Workerunknown');
  await tab('Worker');
  expect(fact('Process id')).toMatch(/^unknown/);
});

test('workers that keep dying say how, how often and when the next one starts', async () => {
  await shown(
    { workerDeaths: 4, lastWorkerDeath: 'killed by SIGKILL after 3 s', respawnsAt: before(-24_000) },
    rowOf({ worker: null, restarts: 2 }),
  );
  await tab('Worker');
  const loop = region('Crash loop');
  expect(loop.getByText('4 workers died in a row, without progress.')).toBeTruthy();
  expect(loop.getByText('killed by SIGKILL after 3 s')).toBeTruthy();
  expect(loop.getByText('in 24 s')).toBeTruthy();
});

test('the worker is killed from its tab, with the question of before', async () => {
  await shown();
  await tab('Worker');
  await pressed('Kill worker of market-watcher…');
  expect(dialog().getByRole('button', { name: 'Kill the worker of market-watcher' })).toBeTruthy();
});

test('output is text, with what would hide or reorder made visible, and older lines on demand', async () => {
  const host = await shown();
  host.answer('output.read', ({ before: cursor }) =>
    ok(
      cursor === null
        ? { lines: [lineOf(2, { text: '<b>\u{1b}[31mred\u{202e}' })], before: 'c' }
        : { lines: [lineOf(1)], before: null },
    ),
  );
  await tab('Worker');
  expect(screen.getByText('<b>⟨U+001B⟩[31mred⟨U+202E⟩')).toBeTruthy();
  await pressed('Load older');
  expect(screen.getByText('line 1')).toBeTruthy();
  expect(screen.getByText('That is the oldest line that is kept.')).toBeTruthy();
});

test('output that can’t be read says why and can be asked for again', async () => {
  const host = await shown();
  host.answer('output.read', () =>
    refused({ code: 'output.unreadable', message: 'The folder can not be read.' }),
  );
  await tab('Worker');
  expect(screen.getByText(/The folder can not be read\./)).toBeTruthy();
  host.answer('output.read', () => ok({ lines: [lineOf(1)], before: null }));
  await pressed('Try again');
  expect(screen.getByText('line 1')).toBeTruthy();
  expect(screen.queryByText(/could not be read/)).toBeNull();
});
