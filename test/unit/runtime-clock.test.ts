// What waits for a while goes on waiting for that while when the clock is set under it.

import { expect, test } from 'vitest';
import { DEFAULT_DELIVERY } from '../../core/model/delivery.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { foldEntries } from '../../core/model/fold.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { OpenInvocation } from '../../core/model/snapshot.ts';
import { expiredKeys } from '../../core/model/standing.ts';
import { SteppedHost } from '../support/stepped-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const HOUR_MS = 60 * 60 * 1000;

/** Long enough that it is not over before a test has seen that it began, however slow the disk is meanwhile. */
const WHILE_MS = HOUR_MS;
/** Than the clock is set back; what a worker takes to start goes by too. */
const FAR_LESS_MS = 6 * HOUR_MS;

async function stepped(errand: string): Promise<SteppedHost> {
  const host = new SteppedHost(tempDirectory(), () => 0.5, {
    delivery: { ...DEFAULT_DELIVERY, maxRetries: 1, retryBackoffMs: WHILE_MS },
    idleTimeoutMs: 0,
  });
  await host.start();
  await trigger(host, errand);
  return host;
}

function trigger(host: SteppedHost, errand: string): Promise<string> {
  return host.outcome('the event', host.agent.trigger({ errand, timeoutMs: WHILE_MS }));
}

const first = ({ snapshot }: SteppedHost['agent']): OpenInvocation | undefined => snapshot.open[0];
/** The errand `signal` waits so long for one, and then for nothing more. */
const waits = (agent: SteppedHost['agent']): boolean => first(agent)?.waits[0]?.end === null;
const isDone = ({ snapshot }: SteppedHost['agent']): boolean =>
  snapshot.open.length + snapshot.queue.length === 0;

/** How much time goes by until it is so. */
async function timeUntil(
  host: SteppedHost,
  what: string,
  look: (agent: SteppedHost['agent']) => boolean,
): Promise<number> {
  const from = host.clock.monotonic();
  await host.until(what, look, WHILE_MS / 1_000);
  return host.clock.monotonic() - from;
}

const told = async (host: SteppedHost, type: string): Promise<readonly StoredEntry[]> =>
  (await host.entries()).filter(({ entry_type }) => entry_type === type);

test('[S22] [P4] a clock that is set back by half a day makes no relative wait longer', async () => {
  const host = await stepped('signal');
  await host.until('the wait', waits);
  host.clock.set(-12 * HOUR_MS);
  const took = await timeUntil(host, 'its end', (agent) => !waits(agent));
  expect(took).toBeLessThan(FAR_LESS_MS);
  await host.until('the end', isDone);
  const [started] = await told(host, 'timer_started');
  const [fired] = await told(host, 'timer_fired');
  const wallMs = Date.parse(fired!.timestamp) - Date.parse(started!.timestamp);
  expect(wallMs + 12 * HOUR_MS).toBeGreaterThanOrEqual(WHILE_MS);
  expect((await told(host, 'clock_changed')).map(({ data }) => data['by_ms'])).toEqual([-12 * HOUR_MS]);
  expect(await host.wrong()).toBeNull();
  await host.outcome('the quit', host.quit());
});

test('[S22] [S24] a clock that is set back by half a day makes no retry late', async () => {
  const host = await stepped('fail');
  await host.until('the failure', (agent) => first(agent)?.retryAt != null);
  host.clock.set(-12 * HOUR_MS);
  const took = await timeUntil(host, 'the next attempt', (agent) => first(agent)?.attempt !== 1);
  expect(took).toBeLessThan(FAR_LESS_MS);
  expect(await host.wrong()).toBeNull();
  await host.outcome('the quit', host.quit());
});

test('[S22] what is begun on a clock that was set back, and before anybody noticed, waits for all of its time', async () => {
  const host = await stepped('count');
  await host.until('the end', isDone);
  host.clock.set(-12 * HOUR_MS);
  await trigger(host, 'signal');
  await host.until('the wait', waits);
  await host.until('the end', isDone, WHILE_MS / 1_000);
  const [started] = await told(host, 'timer_started');
  const [fired] = await told(host, 'timer_fired');
  const wallMs = Date.parse(fired!.timestamp) - Date.parse(started!.timestamp);
  expect(wallMs).toBeGreaterThanOrEqual(WHILE_MS);
  expect(wallMs).toBeLessThan(FAR_LESS_MS);
  expect(await told(host, 'clock_changed')).toHaveLength(1);
  await host.outcome('the quit', host.quit());
});

test('[S22] [P4] what was noticed is not forgotten by a restart of the host', async () => {
  const host = await stepped('signal');
  await host.until('the wait', waits);
  host.clock.set(-12 * HOUR_MS);
  await host.outcome('the quit', host.quit());
  await host.start();
  const took = await timeUntil(host, 'its end', (agent) => !waits(agent));
  expect(took).toBeLessThan(FAR_LESS_MS);
  expect(await host.wrong()).toBeNull();
  await host.outcome('the quit', host.quit());
});

// --- the fold alone

const START = Date.parse('2026-01-01T00:00:00Z');
const at = (ms: number): string => new Date(START + ms).toISOString().replace('Z', '+00:00');
type Told = readonly [string, JsonObject];

/** The open invocation after these, with what it waits for by name. */
function after(...told: readonly Told[]): {
  readonly open: OpenInvocation;
  readonly due: Record<string, number | null>;
} {
  const begun: readonly Told[] = [
    ['trigger_event', { event_id: 'e' }],
    ['invocation_start', { event_id: 'e', invocation: 1, attempt: 1 }],
  ];
  const state = foldEntries(
    [...begun, ...told].map(([entry_type, data], n) => ({ seq: n + 1, timestamp: at(0), entry_type, data })),
  );
  const open = state.open[0]!;
  return {
    open,
    due: Object.fromEntries(
      open.waits.map(({ waitId, dueAt }) => [waitId, dueAt === null ? null : dueAt - START]),
    ),
  };
}
const timer = (id: string, more: JsonObject = {}): Told => [
  'timer_started',
  { event_id: 'e', timer_id: id, name: 'sleep', fires_at: at(10_000), ...more },
];
const promise = (id: string, more: JsonObject): Told => [
  'promise_created',
  { event_id: 'e', promise_id: id, ...more },
];
const changed = (by_ms: unknown): Told => ['clock_changed', { by_ms } as JsonObject];
const relative = { in_ms: 10_000 };

test('[S22] set back, only what was given as a duration is due earlier; a moment stays the moment', () => {
  const { due, open } = after(
    timer('while', relative),
    timer('moment'),
    promise('expiring', { expires_at: at(20_000), in_ms: 20_000 }),
    promise('lasting', { expires_at: null, in_ms: 1 }),
    timer('over', relative),
    ['timer_fired', { event_id: 'e', timer_id: 'over' }],
    ['error', { event_id: 'e', final: false, retry_at: at(500) }],
    changed(-5_000),
    timer('later', relative),
  );
  expect(due).toEqual({
    while: 5_000,
    moment: 10_000,
    expiring: 15_000,
    lasting: null,
    over: 10_000,
    later: 10_000,
  });
  expect(Date.parse(open.retryAt!)).toBe(START - 4_500);
});

test('[S22] set forward nothing is due later, since the machine may have slept; and set back again all is as it was', () => {
  expect(after(timer('a', relative), changed(7_000)).due).toEqual({ a: 10_000 });
  expect(after(timer('a', relative), changed(7_000), changed(-7_000)).due).toEqual({ a: 10_000 });
  expect(after(timer('a', relative), changed(7_000), changed(-9_000)).due).toEqual({ a: 8_000 });
  expect(after(timer('a', relative), changed(-9_000), changed(4_000)).due).toEqual({ a: 5_000 });
});

test('[P2] [S31] a clock that is set back makes no key younger, set forward no older one than it says, also of what was given up', () => {
  const announced = (id: string, more: JsonObject = {}): Told => [
    'effect_started',
    { event_id: 'e', effect_id: id, name: id, class: 'idempotent', key_ttl_ms: HOUR_MS, attempt: 1, ...more },
  ];
  const told: readonly Told[] = [
    announced('doubt'),
    announced('done'),
    ['effect_finished', { event_id: 'e', effect_id: 'done', end: 'done', result: 1 }],
    announced('keyless', { class: 'ask', key_ttl_ms: null }),
  ];
  const expired = (open: OpenInvocation, ms: number): readonly string[] =>
    expiredKeys(open, START + ms).map(({ effectId }) => effectId);
  const { open } = after(...told, changed(-2 * HOUR_MS));
  expect(expired(open, -HOUR_MS - 1)).toEqual([]);
  expect(expired(open, -HOUR_MS)).toEqual(['doubt']);
  expect(open.effects.map(({ announcedAt }) => Date.parse(announcedAt) - START)).toEqual([
    -2 * HOUR_MS,
    0,
    0,
  ]);
  expect(expired(after(...told, changed(2 * HOUR_MS)).open, HOUR_MS - 1)).toEqual([]);
  // Announced again it is as old as the first time.
  const again = after(...told, changed(-2 * HOUR_MS), announced('doubt', { attempt: 2 })).open;
  expect(expired(again, -HOUR_MS)).toEqual(['doubt']);
  const redelivered = after(
    ...told,
    ['error', { event_id: 'e', final: true, dead_letter: true }],
    changed(-2 * HOUR_MS),
    ['dead_letter_redelivered', { event_id: 'e' }],
  ).open;
  expect(expired(redelivered, -HOUR_MS)).toEqual(['doubt']);
});

test.each([Number.MAX_VALUE, -Number.MAX_VALUE, 'x', null, undefined, [1]])(
  '[S22] a change of the clock by %j, as a hand-written journal may have it, leaves moments that are moments',
  (by) => {
    const { due, open } = after(
      timer('a', relative),
      ['error', { event_id: 'e', final: false, retry_at: at(500) }],
      changed(by),
    );
    expect(due).toEqual({ a: 10_000 });
    expect(open.retryAt).toBe(at(500));
  },
);
