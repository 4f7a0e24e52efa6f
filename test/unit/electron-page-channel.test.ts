import { expect, test } from 'vitest';
import type { ConsoleEvent } from '../../core/contract/console-host.ts';
import { createPageChannel } from '../../electron/main/page-channel.ts';

const show: ConsoleEvent = { name: 'console.show', payload: { target: null } };
const notice = (code: string): ConsoleEvent => ({
  name: 'console.notice',
  payload: { code, message: '', tone: 'attention' },
});
const change: ConsoleEvent = {
  name: 'fleet.changed',
  payload: { sequence: 1, at: '', upserts: [], removed: [], journals: null },
};

function channel() {
  const sent: ConsoleEvent[] = [];
  return { sent, page: createPageChannel((event) => sent.push(event)) };
}

test('what happens once waits for the page; changes do not, for a page begins by reading everything', () => {
  const { sent, page } = channel();
  page.deliver(change);
  page.deliver(show);
  page.deliver(notice('a'));
  expect(sent).toEqual([]);
  page.opened();
  expect(sent).toEqual([show, notice('a')]);
  page.opened();
  page.deliver(change);
  expect(sent).toEqual([show, notice('a'), change]);
});

test('a page that is gone is not written to, and the next gets what was said meanwhile', () => {
  const { sent, page } = channel();
  page.opened();
  page.lost();
  page.deliver(change);
  page.deliver(notice('b'));
  expect(sent).toEqual([]);
  page.opened();
  expect(sent).toEqual([notice('b')]);
});

test('what waits is bounded, and the newest is kept', () => {
  const { sent, page } = channel();
  for (let n = 0; n < 100; n++) page.deliver(notice(String(n)));
  page.opened();
  expect(sent).toHaveLength(20);
  expect(sent.at(-1)).toEqual(notice('99'));
});
