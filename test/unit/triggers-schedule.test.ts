// Schedules of a real runtime, on a clock that is told to go on: what is due, what was missed, and what a held process makes
// of it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeTrigger } from '../../core/host/trigger-commands.ts';
import type { ProcessConfig } from '../../core/model/process-config.ts';
import type { TriggerConfig } from '../../core/model/trigger-config.ts';
import type { TriggerView } from '../../core/runtime/trigger-set.ts';
import { bench, isIdle, OPERATOR, type Bench } from '../support/runtime.ts';
import { SteppedClock } from '../support/stepped-clock.ts';
import { cron } from '../support/triggers.ts';

const HOUR_MS = 60 * 60 * 1000;
const START = Date.UTC(2026, 0, 31, 10, 15);
const NOTE = `note([event.payload?.scheduled_time?.slice(11, 16), event.missed ?? 0].join(' '));`;

interface Scheduled extends Bench {
  readonly clock: SteppedClock;
}

async function scheduled(
  triggers: readonly TriggerConfig[],
  source = NOTE,
  config: Partial<ProcessConfig> = {},
): Promise<Scheduled> {
  const clock = new SteppedClock(START);
  return { ...(await bench(source, { triggers, ...config }, undefined, { clock })), clock };
}

/** The next life, on the same clock; with other triggers, where they are given. */
async function nextLife(b: Scheduled, triggers?: readonly TriggerConfig[]): Promise<Scheduled> {
  await b.quit();
  if (triggers === undefined) return { ...(await b.again()), clock: b.clock };
  return { ...(await bench(NOTE, { triggers }, b.directory, { clock: b.clock })), clock: b.clock };
}

const counted = (b: Bench): number =>
  b.process.triggers
    .views()
    .reduce((sum, { accepted, filtered, missed }) => sum + accepted + filtered + missed, 0);

/** Time goes by, in which one scheduled time comes; and what came of it is on record. */
async function aTick(b: Scheduled, afterMs = HOUR_MS): Promise<void> {
  const before = counted(b);
  b.clock.pass(afterMs);
  await b.until('the tick', () => counted(b) > before);
  await followed(b);
}

/** Every schedule waits for a time that is to come. */
async function followed(b: Scheduled): Promise<void> {
  b.clock.pass(0);
  await b.until('what is due', ({ triggers }) =>
    triggers.views().every(({ next }) => next === null || Date.parse(next) > b.clock.now()),
  );
}

async function typed(b: Bench, type: string): Promise<Record<string, unknown>[]> {
  await b.process.settled();
  return (await b.entries()).filter(({ entry_type }) => entry_type === type).map(({ data }) => data);
}

test('[S42] a suspended process keeps one pending event for each schedule, which is told how many it stands for', async () => {
  const b = await scheduled([cron('0 * * * *'), cron('30 * * * *')]);
  await b.process.suspend(OPERATOR);
  for (let half = 0; half < 10; half += 1) await aTick(b, HOUR_MS / 2);
  expect(b.process.snapshot.queue).toHaveLength(2);
  expect(b.process.snapshot.queue.map(({ missed }) => missed)).toEqual([4, 4]);
  expect(await typed(b, 'trigger_event')).toHaveLength(2);
  const next = await nextLife(b);
  expect(next.process.snapshot.queue.map(({ missed }) => missed)).toEqual([4, 4]);
  await next.process.resume(OPERATOR);
  await next.until('both', isIdle);
  expect(next.ledger()).toEqual(['10:30 4', '11:00 4']);
  expect(next.process.triggers.views().map(({ accepted, missed }) => [accepted, missed])).toEqual([
    [1, 4],
    [1, 4],
  ]);
});

test('[S42] a dead letter that is handled anew stands for as many times as it did', async () => {
  const b = await scheduled(
    [cron('0 * * * *')],
    `note(String(event.missed ?? 0)); if (event.missed === 2 && !existsSync(new URL('gate', import.meta.url))) throw new Error('no');`,
  );
  await b.process.suspend(OPERATOR);
  for (let hour = 0; hour < 3; hour += 1) await aTick(b);
  await b.process.resume(OPERATOR);
  await b.until('the dead letter', ({ snapshot }) => snapshot.deadLetters.length === 1);
  writeFileSync(join(b.directory, 'gate'), '');
  await b.process.desk.redeliver(b.process.snapshot.deadLetters[0]!.event.eventId, true, OPERATOR);
  await b.until('its end', ({ snapshot }) => snapshot.deadLetters.length === 0 && isIdle(b.process));
  expect(b.ledger()).toEqual(['2', '2']);
});

test('[S42] events that are no ticks all wait: only a schedule is summed up', async () => {
  const b = await scheduled([cron('0 * * * *')]);
  await b.process.suspend(OPERATOR);
  await b.trigger();
  await aTick(b);
  await b.trigger();
  await aTick(b);
  expect(b.process.snapshot.queue.map(({ triggerType, missed = 0 }) => [triggerType, missed])).toEqual([
    ['manual', 0],
    ['cron', 1],
    ['manual', 0],
  ]);
});

test('[C20] a suspended process keeps the order of its queue, and does nothing meanwhile', async () => {
  const b = await scheduled([], 'note(event.payload);');
  await b.process.suspend(OPERATOR);
  const names = Array.from({ length: 50 }, (_, at) => `event ${at}`);
  for (const name of names) await b.trigger(name);
  const { seq } = b.process.snapshot;
  const { called } = b.clock;
  b.clock.pass(HOUR_MS);
  // A heartbeat every ten seconds, and nothing besides; it wrote nothing, and started nothing.
  expect(b.clock.called - called).toBeLessThanOrEqual(HOUR_MS / 10_000 + 1);
  expect(b.process.snapshot.seq).toBe(seq);
  expect(b.process.live.worker).toBeNull();
  await b.process.resume(OPERATOR);
  await b.until('all of them', isIdle);
  expect(b.ledger()).toEqual(names);
});

test.each([
  ['skip', [], 3],
  ['once', ['13:00 2'], 0],
  ['all', ['11:00 0', '12:00 0', '13:00 0'], 0],
] as const)('[C22] [S22] what was due while the host was down: %s', async (policy, ledger, missed) => {
  const b = await scheduled([cron('0 * * * *', policy)]);
  await b.quit();
  b.clock.pass(3 * HOUR_MS);
  const next = await nextLife(b);
  await followed(next);
  await next.until('their ends', isIdle);
  expect(next.ledger()).toEqual(ledger);
  expect(next.process.triggers.views()[0]).toMatchObject({ missed, next: '2026-01-31T14:00:00.000Z' });
  // And none of them again, in the life after that.
  const last = await nextLife(next);
  await aTick(last);
  await last.until('its end', isIdle);
  expect(last.ledger()).toEqual([...ledger, '14:00 0']);
});

test('[S22] a clock that is set back makes nothing due again, and one that is set forward nothing twice', async () => {
  const b = await scheduled([cron('0 * * * *', 'all')]);
  await aTick(b);
  b.clock.set(-2 * HOUR_MS);
  b.clock.pass(HOUR_MS);
  await b.until('the end', isIdle);
  const next = await nextLife(b);
  next.clock.pass(HOUR_MS / 2);
  expect(next.process.triggers.views()[0]).toMatchObject({ problem: { code: 'trigger.clock-behind' } });
  expect(next.process.triggers.views()[0]!.accepted).toBe(1);
  expect(next.ledger()).toEqual(['11:00 0']);
});

test('[C22] what a stopped process did not run for is not caught up when it is started again', async () => {
  const b = await scheduled([cron('0 * * * *', 'all')]);
  await b.process.stop(OPERATOR);
  b.clock.pass(5 * HOUR_MS);
  await b.process.start(OPERATOR);
  await aTick(b);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['16:00 0']);
});

test('a schedule that is new in the manifest of an old process owes nothing for the time before', async () => {
  const b = await scheduled([cron('30 * * * *', 'all')]);
  await aTick(b, HOUR_MS / 2);
  await b.until('its end', isIdle);
  await b.quit();
  b.clock.pass(HOUR_MS);
  const next = await nextLife(b, [cron('0 * * * *', 'all'), cron('30 * * * *', 'all')]);
  await followed(next);
  await aTick(next, HOUR_MS / 2);
  await next.until('its end', isIdle);
  expect(next.ledger()).toEqual(['10:30 0', '11:30 0', '12:00 0']);
});

test('[A10] a filter on a schedule: the time is done with, and not looked at again', async () => {
  const b = await scheduled([cron('0 * * * *', 'all', "'T11:' in scheduled_time")]);
  await aTick(b);
  await aTick(b);
  await b.until('the end', isIdle);
  const next = await nextLife(b);
  await aTick(next);
  expect(next.process.triggers.views()[0]).toMatchObject({ accepted: 1, filtered: 2 });
  expect(next.ledger()).toEqual(['11:00 0']);
  expect(await typed(next, 'trigger_filtered')).toMatchObject([
    { scheduled_time: '2026-01-31T12:00:00.000Z' },
    { scheduled_time: '2026-01-31T13:00:00.000Z' },
  ]);
});

test('whoever fires a schedule by hand may name any time, and the schedule goes on as it was', async () => {
  const b = await scheduled([cron('0 * * * *', 'all')]);
  const { id } = b.process.triggers.views()[0]!;
  const payload = { scheduled_time: '2099-01-01T00:00:00.000Z' };
  await b.process.accept({ triggerId: id, triggerType: 'cron', payload, metadata: { fired_by: 'somebody' } });
  await b.until('the end', isIdle);
  const next = await nextLife(b);
  await aTick(next);
  await next.until('the end', isIdle);
  expect(next.ledger()).toEqual(['00:00 0', '11:00 0']);
});

test('a schedule that is fired by hand without a payload gives its own, and is due when it was', async () => {
  const b = await scheduled([cron('0 * * * *', 'all')], `note(Object.keys(event.payload).join(' '));`);
  const [{ id, next }] = b.process.triggers.views() as [TriggerView];
  const request = { journalId: 'any', process: 'agent', commandId: crypto.randomUUID(), reason: '' };
  await changeTrigger('triggers.fire', b.directory, b.process, { ...request, triggerId: id }, OPERATOR);
  await b.until('the run', ({ snapshot }) => snapshot.invocationCount === 1);
  await b.until('its end', isIdle);
  expect(b.process.triggers.views()[0]!.next).toBe(next);
  await aTick(b);
  await b.until('the end', isIdle);
  const keys = 'scheduled_time cron_expression timezone';
  expect(b.ledger()).toEqual([keys, keys]);
});

test('[C19] an event wakes a process that was suspended for having nothing to do', async () => {
  const b = await scheduled([cron('0 * * * *')], NOTE, { idleTimeoutMs: 60_000 });
  b.clock.pass(5 * 60_000);
  await b.until('the hold', ({ snapshot }) => snapshot.lifecycle === 'suspended');
  await aTick(b);
  await b.until('the run', ({ snapshot }) => snapshot.invocationCount === 1);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['11:00 0']);
});
