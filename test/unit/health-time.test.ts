// Health while time goes by, on a clock that stands still until it is told to go on.

import { expect, test } from 'vitest';
import { DEFAULT_BUDGET } from '../../core/model/budget.ts';
import { DEFAULT_DELIVERY } from '../../core/model/delivery.ts';
import { seeded } from '../crash/random.ts';
import { health, toldOf } from '../support/health.ts';
import { HealthLife } from '../support/health-life.ts';
import { OPERATOR } from '../support/runtime.ts';
import { startStepped, type SteppedHost } from '../support/stepped-host.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const life = (...more: Parameters<typeof health>): HealthLife => new HealthLife(health(...more).health);
const types = ({ acted }: HealthLife): string[] => acted.map(({ type }) => type);

test('silent: a run that says nothing is found once; a word of it is the end of that', async () => {
  const a = life('pause', { silentAfterMs: MINUTE_MS, slow: null });
  const run = a.handOver(a.begin());
  a.clock.pass(MINUTE_MS - 1_000);
  a.keeper.heard(run);
  a.clock.pass(MINUTE_MS - 1_000);
  expect(a.acted).toEqual([]);
  a.clock.pass(2_000);
  expect(a.acted).toMatchObject([{ type: 'silent', action: 'pause', details: { threshold_seconds: 60 } }]);
  a.clock.pass(10 * MINUTE_MS);
  a.keeper.heard(run);
  expect(toldOf(await a.entries())).toEqual(['silent', '-silent']);
  expect(a.health.found.silent?.overAt).not.toBeNull();
});

test('[S22] a clock that is set back or on by an hour finds nothing, and silences nothing', async () => {
  const a = life('log', { silentAfterMs: MINUTE_MS, slow: null, cooldownMs: 5 * MINUTE_MS });
  const run = a.handOver(a.begin());
  a.clock.set(HOUR_MS);
  a.clock.pass(MINUTE_MS / 2);
  a.clock.set(-2 * HOUR_MS);
  a.clock.pass(MINUTE_MS / 2 - 1_000);
  expect(a.acted).toEqual([]);
  a.clock.pass(2_000);
  expect(types(a)).toEqual(['silent']);
  a.keeper.heard(run);
  // Its cooldown lasts as long as it was to last, whatever the clock says meanwhile.
  a.clock.set(-HOUR_MS);
  a.clock.pass(2 * MINUTE_MS);
  expect(types(a)).toEqual(['silent']);
  a.clock.set(3 * HOUR_MS);
  a.clock.pass(MINUTE_MS);
  expect(types(a)).toEqual(['silent']);
  a.clock.pass(3 * MINUTE_MS);
  expect(types(a)).toEqual(['silent', 'silent']);
  expect((await a.folded()).health).toEqual(a.health);
});

test('[S34] what is held, and what waits, is expected to be silent; let go, it has all its time again', () => {
  const a = life('log', { silentAfterMs: MINUTE_MS, slow: null });
  const run = a.handOver(a.begin());
  a.clock.pass(MINUTE_MS / 2);
  a.keeper.rest();
  a.clock.pass(10 * HOUR_MS);
  a.keeper.goOn();
  a.clock.pass(MINUTE_MS - 1_000);
  expect(a.acted).toEqual([]);
  // Parked meanwhile, it does not move.
  a.moving = [];
  a.clock.pass(HOUR_MS);
  a.moving = [run];
  a.keeper.heard(run);
  a.clock.pass(MINUTE_MS - 1_000);
  expect(a.acted).toEqual([]);
  a.clock.pass(2_000);
  expect(types(a)).toEqual(['silent']);
});

test('nothing is looked at where nothing moves: no timer wakes the host', () => {
  const a = life('log');
  const event = a.begin();
  const run = a.handOver(event);
  a.clock.pass(5_000);
  a.over(event, true, null);
  a.clock.pass(5_000);
  expect(a.clock.pending).toBe(0);
  a.keeper.heard(run);
  expect(a.clock.pending).toBe(1);
});

test('slow: while it is under way, longer than nearly all before it; its end is the end of that', async () => {
  const a = life('log', { silentAfterMs: null, slow: { percentile: 99, minSamples: 5, minMs: 1_000 } });
  const event = a.begin();
  for (let n = 0; n < 5; n += 1) a.perform(event, 'look', 1_800 + n);
  const effect = a.announce(event, 'look', 'one more');
  a.keeper.permitted(effect, event, 'look');
  a.clock.pass(2_000);
  expect(a.acted).toEqual([]);
  a.clock.set(HOUR_MS);
  a.clock.pass(1_000);
  expect(a.acted).toMatchObject([{ type: 'slow', details: { usual_ms: 2_000, sample_size: 5 } }]);
  expect(a.health.found.slow).toMatchObject({ eventId: event, effectId: effect, overAt: null });
  a.end(event, effect);
  expect(toldOf(await a.entries())).toEqual(['slow', '-slow']);
  const took = (await a.entries()).findLast(({ data }) => 'took_ms' in data)?.data['took_ms'];
  expect(took).toBe(3_000);
  expect((await a.folded()).health).toEqual(a.health);
});

test('[P4] how long effects take is known to the next host, and what was slow is over with its run', async () => {
  const a = life('log', { silentAfterMs: null, slow: { percentile: 99, minSamples: 5, minMs: 1_000 } });
  const event = a.begin();
  for (let n = 0; n < 5; n += 1) a.perform(event, 'look', 1_500);
  await a.crash();
  const effect = a.announce(event, 'look', 'one more');
  a.keeper.permitted(effect, event, 'look');
  a.clock.pass(3_000);
  expect(types(a)).toEqual(['slow']);
  await a.crash();
  expect(a.health.found.slow?.overAt).toBeNull();
  a.over(event, false, null);
  expect(a.health.found.slow?.overAt).not.toBeNull();
});

test('a host that stood still says nothing about what it watches', () => {
  const a = life('log', { silentAfterMs: 10_000, slow: null });
  const run = a.handOver(a.begin());
  // As a machine that sleeps: the timer comes late, and the monotonic clock went on.
  a.clock.lateMs = 60_000;
  a.keeper.rest();
  a.keeper.goOn();
  a.clock.pass(60_000 + 1_000);
  a.clock.lateMs = 0;
  expect(a.acted).toEqual([]);
  a.keeper.heard(run);
  a.clock.pass(60_000);
  a.clock.pass(12_000);
  expect(types(a)).toEqual(['silent']);
});

test('a cooldown lasts for its type alone, and ends when an operator begins anew', async () => {
  const a = life('escalate', { cooldownMs: 5 * MINUTE_MS, silentAfterMs: null });
  const calls = (...letters: readonly string[]): void => {
    const event = a.begin();
    for (const letter of letters) a.announce(event, letter, letter);
    a.over(event, true, null);
  };
  calls('a', 'a', 'a');
  calls('b', 'b', 'b');
  calls('a', 'b', 'a', 'b');
  expect(types(a)).toEqual(['stuck', 'loop']);
  a.clock.pass(5 * MINUTE_MS);
  calls('b', 'b', 'b');
  expect(types(a)).toEqual(['stuck', 'loop', 'stuck']);
  a.keeper.beginAnew(OPERATOR);
  calls('b', 'b', 'b');
  expect(types(a)).toEqual(['stuck', 'loop', 'stuck', 'stuck']);
  expect((await a.folded()).health).toEqual(a.health);
});

test('within one run it is told once, however long it goes on', () => {
  const a = life('log', { cooldownMs: 0, silentAfterMs: null });
  const event = a.begin();
  for (let n = 0; n < 20; n += 1) a.announce(event, 'look', 'same');
  expect(types(a)).toEqual(['stuck']);
});

test('two runs that are silent side by side are not told in turn, again and again', () => {
  const a = life('log', { silentAfterMs: MINUTE_MS, slow: null, cooldownMs: 0 });
  const first = a.handOver(a.begin());
  a.handOver(a.begin());
  a.clock.pass(10 * MINUTE_MS);
  expect(types(a)).toEqual(['silent']);
  a.keeper.heard(first);
  a.clock.pass(2_000);
  expect(types(a)).toEqual(['silent', 'silent']);
});

/** A silence of an hour, so that no disk is as slow as that on this clock, where a turn takes five milliseconds. */
async function stepped(more: Parameters<typeof startStepped>[1] = {}): Promise<SteppedHost> {
  const host = await startStepped(seeded(5), {
    ...health('pause', { silentAfterMs: HOUR_MS, slow: null }),
    idleTimeoutMs: 0,
    workerHangMs: 0,
    ...more,
  });
  host.world.isKind = true;
  return host;
}

const isIdle = ({ snapshot }: SteppedHost['agent']): boolean =>
  snapshot.open.length + snapshot.queue.length === 0;

test('a promise is waited for in silence, which is expected', async () => {
  const host = await stepped();
  await host.outcome('accepting', host.agent.trigger({ errand: 'promise' }));
  await host.until('the wait', ({ snapshot }) => snapshot.lifecycle === 'awaiting');
  await host.turns(200, MINUTE_MS);
  const [wait] = host.agent.snapshot.open[0]!.waits;
  const settlement = { status: 'resolved', value: 'yes' } as const;
  await host.outcome('settling', host.agent.desk.settlePromise(wait!.waitId, settlement, OPERATOR));
  await host.until('the end', isIdle);
  await host.settled();
  expect(toldOf(await host.entries())).toEqual([]);
});

test('a failed attempt that is to be tried again later is expected to be silent', async () => {
  const backoff = { retryBackoffMs: 2 * HOUR_MS, retryBackoffMaxMs: 2 * HOUR_MS };
  const host = await stepped({ delivery: { ...DEFAULT_DELIVERY, maxRetries: 1, ...backoff } });
  await host.outcome('accepting', host.agent.trigger({ errand: 'fail' }));
  await host.until('the first attempt', ({ snapshot }) => snapshot.open[0]?.retryAt != null);
  await host.turns(100, MINUTE_MS);
  host.clock.pass(Date.parse(host.agent.snapshot.open[0]!.retryAt!) - host.clock.now());
  await host.until('the end', isIdle);
  await host.settled();
  expect(toldOf(await host.entries())).toEqual([]);
});

test('a run that waits for room in its budget is expected to be silent', async () => {
  const limits = { max_tool_calls_per_run: 1 };
  const host = await stepped({ budget: { ...DEFAULT_BUDGET, limits } });
  await host.outcome('accepting', host.agent.trigger({ errand: 'effects' }));
  await host.until('the hold', ({ snapshot }) => snapshot.budget.exceeded !== null);
  await host.turns(100, MINUTE_MS);
  await host.settled();
  expect(toldOf(await host.entries())).toEqual([]);
});
