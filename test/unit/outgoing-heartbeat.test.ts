// Saying somewhere else that this host is alive, with real receivers.

import { onTestFinished, expect, test, vi } from 'vitest';
import { webhookPost, type Post } from '../../core/governance/webhook-post.ts';
import {
  heartbeatInEnvironment,
  heartbeatOf,
  outgoingHeartbeat,
  type HeartbeatConfig,
} from '../../core/host/outgoing-heartbeat.ts';
import { systemClock } from '../../core/host/system-clock.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { never, receiver, status, type Receiver } from '../support/receiver.ts';
import { waitFor } from '../support/wait-for.ts';

/** Longer than any receiver here takes that answers at all. */
const PATIENCE_MS = 60_000;

function beating(one: Receiver, more: Partial<HeartbeatConfig> = {}, timeoutMs = PATIENCE_MS) {
  const changes: JsonObject[] = [];
  const failing: string[] = [];
  const heartbeat = outgoingHeartbeat({
    config: { url: one.url, everyMs: 20, allowPrivate: true, ...more },
    clock: systemClock(),
    post: webhookPost({ timeoutMs }),
    says: () => ({ type: 'heartbeat', processes: { running: 2 } }),
    onChange: (data) => changes.push(data),
    onFailing: (message) => failing.push(message),
  });
  onTestFinished(() => heartbeat[Symbol.dispose]());
  return { heartbeat, changes, failing };
}

test('it beats from the start on, says how things stand, and each change is told once', async () => {
  const one = await receiver(status(200));
  const to = `http://127.0.0.1:${one.port}/…`;
  const { changes, failing } = beating(one);
  await waitFor(() => one.received.length >= 3, { what: 'three beats' });
  expect(one.received[0]!.body).toEqual({ type: 'heartbeat', processes: { running: 2 } });
  expect(changes).toEqual([{ to, state: 'heard', reason: '', unheard: 0 }]);
  one.answer(status(500));
  const at = one.received.length;
  await waitFor(() => one.received.length >= at + 4, { what: 'beats that are not heard' });
  one.answer(status(204));
  await waitFor(() => changes.length === 3, { what: 'the recovery' });
  expect(changes).toMatchObject([
    { state: 'heard' },
    { state: 'failing', reason: 'it answered 500' },
    { state: 'heard again', reason: expect.stringMatching(/^after \d+ that were not heard$/) },
  ]);
  expect(failing).toEqual([
    expect.stringMatching(/is not heard at .*: it answered 500\. It goes on every 0\.02 s/),
  ]);
  expect(JSON.stringify([changes, failing])).not.toContain('xyzzy');
});

test('one that hangs is a beat that was not heard, and it goes on', async () => {
  const one = await receiver(never);
  const { changes } = beating(one, {}, 500);
  await waitFor(() => one.received.length >= 2, { what: 'the next beat' });
  expect(changes).toMatchObject([{ state: 'failing', reason: 'no answer within 0.5 s' }]);
});

test('a private address is refused unless it is allowed', async () => {
  const one = await receiver();
  const { changes } = beating(one, { allowPrivate: false });
  await waitFor(() => changes.length === 1, { what: 'the refusal' });
  expect(changes[0]!['reason']).toContain('not a public address');
  expect(one.received).toEqual([]);
});

test('disposed of, it is silent', async () => {
  const one = await receiver(never);
  const post = vi.fn<Post>(webhookPost({ timeoutMs: PATIENCE_MS }));
  const heartbeat = outgoingHeartbeat({
    config: { url: one.url, everyMs: 20, allowPrivate: true },
    clock: systemClock(),
    post,
    says: () => ({}),
    onChange: () => expect.unreachable(),
    onFailing: () => expect.unreachable(),
  });
  await waitFor(() => one.received.length === 1, { what: 'the beat' });
  heartbeat[Symbol.dispose]();
  await expect(post.mock.results[0]!.value).resolves.toMatchObject({ isSent: false });
  expect(post).toHaveBeenCalledTimes(1);
});

test('what is asked for is checked at once', () => {
  const url = 'https://beats.example/x';
  expect(heartbeatOf({})).toBeNull();
  expect(heartbeatOf({ url: ' ' })).toBeNull();
  expect(heartbeatOf({ url })).toEqual({ url, everyMs: 60_000, allowPrivate: false });
  expect(heartbeatOf({ url, every: '300' })).toMatchObject({ everyMs: 300_000 });
  for (const every of ['0', '-5', 'often', 'NaN', '1e9', '4.9']) {
    expect(() => heartbeatOf({ url, every })).toThrow(/every .* is not a number of seconds from 5 to 86400/);
  }
  expect(() => heartbeatOf({ every: '60' })).toThrow(/how often and not where to/);
  expect(() => heartbeatOf({ url: 'beats' })).toThrow(/an address on the web/);
  expect(() => heartbeatOf({ url: 'http://127.0.0.1/' })).toThrow(/not a public address/);
  expect(heartbeatOf({ url: 'http://127.0.0.1/', allowPrivate: true })).not.toBeNull();
  const environment = {
    HOLDFAST_HEARTBEAT_URL: url,
    HOLDFAST_HEARTBEAT_EVERY: '5',
    HOLDFAST_HEARTBEAT_PRIVATE: '1',
  };
  expect(heartbeatOf(heartbeatInEnvironment(environment))).toEqual({
    url,
    everyMs: 5_000,
    allowPrivate: true,
  });
});
