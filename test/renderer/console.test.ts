import { expect, test } from 'vitest';
import { bridgeClient, UNREACHABLE } from '../../renderer/client/bridge-client.ts';
import type { Bridge } from '../../core/contract/client.ts';
import { shownNotices, withNotice, type NewNotice, type Notice } from '../../renderer/stores/notices.ts';
import { hashOf, placeOf, type Place } from '../../renderer/stores/place.ts';
import { detailOf, fleetOf, NOW, rowOf } from './fixtures.ts';
import { memoryHost, ok, refused, testConsole, type MemoryHost } from './memory-client.ts';

function readyHost(): MemoryHost {
  const host = memoryHost();
  host.answer('fleet.read', () => ok(fleetOf([rowOf()])));
  host.answer('processes.read', ({ process }) => ok(detailOf(rowOf({ name: process }))));
  return host;
}

test.each<[Place, string]>([
  [{ view: 'fleet' }, '#/'],
  [{ view: 'journals' }, '#/journals'],
  [{ view: 'process', target: { journalId: 'j-1', process: 'a/b #é' } }, '#/j-1/a%2Fb%20%23%C3%A9'],
  [{ view: 'process', target: { journalId: 'journals', process: '..' } }, '#/journals/..'],
])('a place has an address, and the address leads back to it: %j', (place, hash) => {
  expect(hashOf(place)).toBe(hash);
  expect(placeOf(hash)).toEqual(place);
});

test.each(['', '#', '#/nowhere', '#/a/b/c', '#/a/%E0%A4%A', '#//'])(
  'what is no address is the fleet: %j',
  (hash) => {
    expect(placeOf(hash)).toEqual({ view: 'fleet' });
  },
);

test('a reload comes back to the process of its address, and the host may send the console elsewhere', async () => {
  const host = readyHost();
  const console = testConsole(host, NOW, '#/j-demo/market-watcher');
  await expect.poll(() => console.process.store.getState().detail?.row.name).toBe('market-watcher');
  host.say('console.show', { target: { journalId: 'j-demo', process: 'other' } });
  expect(console.hash()).toBe('#/j-demo/other');
  await expect.poll(() => console.process.store.getState().detail?.row.name).toBe('other');
  host.say('console.show', { target: null });
  expect(console.hash()).toBe('#/');
  expect(console.process.store.getState().phase).toBe('idle');
});

const news = (over: Partial<NewNotice> = {}): NewNotice => ({
  tone: 'alarm',
  title: 'Failed',
  message: 'because',
  code: 'x',
  ...over,
});

test('the same notice again is counted, not repeated', () => {
  const twice = withNotice(withNotice([], news(), 1), news(), 2);
  expect(twice).toMatchObject([{ id: 2, count: 2 }]);
});

test('at most three notices are shown, and good news give way first', () => {
  let notices: readonly Notice[] = [];
  notices = withNotice(notices, news({ title: 'a' }), 1);
  notices = withNotice(notices, news({ title: 'b' }), 2);
  notices = withNotice(notices, news({ title: 'c', tone: 'done' }), 3);
  notices = withNotice(notices, news({ title: 'd' }), 4);
  expect(shownNotices(notices).map(({ title }) => title)).toEqual(['a', 'b', 'd']);
});

test('good news leave by themselves', () => {
  const console = testConsole(readyHost(), NOW);
  console.notices.push(news({ tone: 'done' }));
  console.testClock.advance(8_000);
  expect(console.notices.store.getState().notices).toEqual([]);
});

test('[P5] a host that is silent for more than five seconds makes the data old, and its return reads them anew', async () => {
  const host = readyHost();
  const console = testConsole(host, NOW, '#/j-demo/market-watcher');
  const live = () => console.liveness.store.getState();
  await expect.poll(() => live().heardAtMs).toBe(NOW);
  let answer = (): void => undefined;
  host.answer(
    'app.info',
    () =>
      new Promise((resolve) => {
        answer = () => resolve(ok({ version: '0.1.0', host: 'a test', isStandIn: false, platform: 'linux' }));
      }),
  );
  console.testClock.advance(4_000);
  expect(live().silent).toBe(false);
  console.testClock.advance(2_000);
  expect(live().silent).toBe(true);
  expect(live().heardAtMs).toBe(NOW);
  const read = host.askedFor('fleet.read').length;
  answer();
  await expect.poll(() => live().silent).toBe(false);
  expect(host.askedFor('fleet.read')).toHaveLength(read + 1);
  await expect.poll(() => host.askedFor('processes.watch').length).toBe(2);
});

test('any word of the host proves that it lives', async () => {
  const host = readyHost();
  const console = testConsole(host, NOW);
  await expect.poll(() => console.fleet.store.getState().phase).toBe('ready');
  host.answer('app.info', () => new Promise(() => undefined));
  for (const sequence of [2, 3, 4]) {
    console.testClock.advance(4_000);
    host.say('fleet.changed', { sequence, at: '', upserts: [], removed: [], journals: null });
  }
  expect(console.liveness.store.getState()).toMatchObject({ silent: false, heardAtMs: NOW + 12_000 });
});

test('a channel that refuses is silence too', async () => {
  const host = readyHost();
  const console = testConsole(host, NOW);
  await expect.poll(() => console.liveness.store.getState().heardAtMs).toBe(NOW);
  host.answer('app.info', () => refused({ code: UNREACHABLE, message: '' }));
  for (let at = 0; at < 4; at += 1) {
    console.testClock.advance(2_000);
    await Promise.resolve();
  }
  expect(console.liveness.store.getState().silent).toBe(true);
});

test('a question that nobody ever answers is given up, and the host is asked anew', async () => {
  const host = readyHost();
  const console = testConsole(host, NOW);
  const live = () => console.liveness.store.getState();
  await expect.poll(() => live().heardAtMs).toBe(NOW);
  host.answer('app.info', () => new Promise(() => undefined));
  console.testClock.advance(6_000);
  expect(live().silent).toBe(true);
  host.answer('app.info', () =>
    ok({ version: '0.1.0', host: 'a test', isStandIn: false, platform: 'linux' }),
  );
  console.testClock.advance(6_000);
  await expect.poll(() => live().silent).toBe(false);
});

test('a hidden window asks nothing, and its own silence is not held against the host', async () => {
  const host = readyHost();
  const console = testConsole(host, NOW);
  await expect.poll(() => console.liveness.store.getState().heardAtMs).toBe(NOW);
  console.hide(true);
  const asked = host.asked.length;
  console.testClock.advance(3_600_000);
  expect(host.asked).toHaveLength(asked);
  console.hide(false);
  expect(console.liveness.store.getState().silent).toBe(false);
  expect(host.asked).toHaveLength(asked + 1);
});

test('a thread that was held up does not take its own silence for the host’s', async () => {
  const host = readyHost();
  const console = testConsole(host, NOW);
  await expect.poll(() => console.liveness.store.getState().heardAtMs).toBe(NOW);
  console.testClock.stall(20_000);
  console.testClock.advance(0);
  expect(console.liveness.store.getState().silent).toBe(false);
});

test('a bridge that throws is an error like any other', async () => {
  const bridge = {
    requests: { 'app.info': () => Promise.reject(new Error('channel closed')) },
  } as unknown as Bridge;
  expect(await bridgeClient(bridge).request('app.info', {})).toMatchObject({
    ok: false,
    error: { code: UNREACHABLE, message: expect.stringContaining('channel closed') },
  });
});
