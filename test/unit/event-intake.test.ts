// Where events come in, while something is done to their process or their trigger: what waited meanwhile finds it as it is.

import { expect, test } from 'vitest';
import { AppError, codeOf } from '../../core/model/errors.ts';
import type { EntryType } from '../../core/model/entry.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { TriggerAnswer } from '../../core/triggers/trigger-sink.ts';
import type { KnownTrigger } from '../../core/runtime/trigger-list.ts';
import { SteppedClock } from '../support/stepped-clock.ts';
import { cron, intakeOn, knownTrigger, type Intake } from '../support/triggers.ts';
import { webhookConfig } from '../support/webhooks.ts';

const START = Date.UTC(2026, 0, 31, 10, 15);
const clock = (): SteppedClock => new SteppedClock(START);
const by = { actor: 'operator:tester', reason: 'test' };

const ORDERS = webhookConfig(9_090, { filter: "kind == 'order'" });
const PRICES = {
  type: 'event',
  eventType: 'price.*',
  eventSource: null,
  filter: "data == 'order'",
} as const;
const from = { process: 'market', number: 1 };

/** What a call comes to that waited while this was done. */
function calledDuring(
  on: Intake,
  known: KnownTrigger,
  type: EntryType,
  data: JsonObject = {},
): Promise<TriggerAnswer | string> {
  const call = { payload: { kind: 'order' }, metadata: {}, key: 'one' };
  return on.during(type, { ...data, ...by }, () => on.intake.take(known, call).catch(codeOf));
}

const queued = ({ recorder }: Intake): readonly string[] =>
  recorder.snapshot.queue.map(({ triggerId }) => triggerId);

test.each([
  ['one of the manifest is taken away', false, 'trigger_removed', true],
  ['one that was added is taken away', true, 'trigger_removed', true],
  ['it is paused', false, 'trigger_paused', true],
  ['all of them are paused', false, 'trigger_paused', false],
] as const)(
  '[C23] [S29] %s while a request waits: nothing is accepted, and it may be sent again',
  async (_, isAdded, type, isNamed) => {
    const on = intakeOn(clock());
    const known = knownTrigger(ORDERS, isAdded);
    if (isAdded) await on.recorder.record('trigger_added', { trigger_id: known.id, config: {}, ...by });
    const data = isNamed ? { trigger_id: known.id } : {};
    expect(await calledDuring(on, known, type, data)).toBe('trigger.closed');
    expect(queued(on)).toEqual([]);
    expect(on.recorder.snapshot.triggers.known[known.id]?.accepted ?? 0).toBe(0);
  },
);

test('[A10] [C23] a call that waited meets the filter that its trigger was opened with', async () => {
  const on = intakeOn(clock());
  const known = knownTrigger(webhookConfig(9_090, { filter: "kind == 'other'" }));
  const answer = await calledDuring(on, known, 'trigger_resumed', { trigger_id: known.id });
  expect(answer).toMatchObject({ kind: 'filtered' });
});

test.each([
  ['taken away', false, 'trigger_removed'],
  ['taken away, one that was added', true, 'trigger_removed'],
  ['paused', false, 'trigger_paused'],
] as const)(
  '[C23] [S38] what a process says while who listens is %s is not heard, past no filter',
  async (_, isAdded, type) => {
    const known = knownTrigger(PRICES, isAdded);
    // Whoever looks it up afterwards finds none, and no filter.
    const on = intakeOn(clock(), []);
    if (isAdded) await on.recorder.record('trigger_added', { trigger_id: known.id, config: {}, ...by });
    const tick = { triggerId: known.id, triggerType: 'event', payload: { data: 'noise' } };
    await on.during(type, { trigger_id: known.id, ...by }, () => on.intake.hear(tick, from));
    expect(queued(on)).toEqual([]);
  },
);

const dueAt = (...hours: readonly number[]) => ({
  fire: hours.map((hour) => ({ scheduledMs: Date.UTC(2026, 0, 31, hour), missed: 0 })),
  skipped: 0,
  isAtLeast: false,
  lastMs: Date.UTC(2026, 0, 31, Math.max(...hours)),
});

test.each([
  ['trigger_paused', true],
  ['trigger_paused', false],
  ['trigger_removed', true],
] as const)('[C23] a time that comes due while %s is being done wakes nothing', async (type, isNamed) => {
  const on = intakeOn(clock());
  const known = knownTrigger(cron('0 * * * *'));
  const data = { ...(isNamed ? { trigger_id: known.id } : {}), ...by };
  await on.during(type, data, () => on.intake.due(known, dueAt(11)));
  expect(queued(on)).toEqual([]);
});

test('[S22] a time that two followers of one schedule bring, as around a recovery, is handled once', async () => {
  const on = intakeOn(clock());
  const known = knownTrigger(cron('0 * * * *', 'all'));
  await Promise.all([on.intake.due(known, dueAt(11, 12)), on.intake.due(known, dueAt(11, 12, 13))]);
  await on.intake.due(known, dueAt(12, 13));
  const scheduled = on.recorder.snapshot.queue.map(
    ({ payload }) => (payload as JsonObject)['scheduled_time'],
  );
  expect(scheduled).toEqual(['11', '12', '13'].map((hour) => `2026-01-31T${hour}:00:00.000Z`));
});

test('[S22] where the rest of what was missed is refused, what was taken of it is not taken again', async () => {
  const on = intakeOn(clock());
  const known = knownTrigger(cron('0 * * * *', 'all'));
  const due = on.intake.due(known, dueAt(11, 12));
  on.recorder.note('trigger_resumed', {}); // its journal is busy for a moment
  while (on.recorder.snapshot.queue.length === 0) await Promise.resolve();
  on.state = 'failed';
  await expect(due).rejects.toThrow(AppError);
  on.state = 'running';
  await on.intake.due(known, dueAt(11, 12));
  expect(on.recorder.snapshot.triggers.known[known.id]).toMatchObject({ accepted: 2 });
});

test('[A10] [S42] of a held process: a time that the filter leaves out is not told to the event that waits', async () => {
  const on = intakeOn(clock());
  const known = knownTrigger(cron('0 * * * *', 'once', "'T12:' not in scheduled_time"));
  on.state = 'suspended';
  for (const hour of [11, 12, 13]) await on.intake.due(known, dueAt(hour));
  expect(on.recorder.snapshot.queue).toMatchObject([{ missed: 1 }]);
  expect(on.recorder.snapshot.triggers.known[known.id]).toMatchObject({
    accepted: 1,
    filtered: 1,
    missed: 1,
  });
});

test('[A15] a signature that may have been used and forgotten is refused; a new one is not', async () => {
  const time = clock();
  const on = intakeOn(time);
  const known = knownTrigger(webhookConfig(9_090, { secret: 'a', scheme: 'stripe' }));
  const take = (key: string, sinceMs: number): Promise<unknown> =>
    on.intake.take(known, { payload: null, metadata: {}, key, sinceMs }).then(
      ({ kind }) => kind,
      (error: unknown) => codeOf(error),
    );
  const first = time.now();
  expect(await take('first', first)).toBe('accepted');
  expect(await take('first', first)).toBe('known');
  // So many that the first is forgotten, while its manifest may say that it is good for a day.
  for (let more = 0; more < 1_100; more += 1) {
    time.pass(1_000);
    expect(await take(`more ${more}`, time.now())).toBe('accepted');
    const [event] = on.recorder.snapshot.queue;
    await on.recorder.record('dead_letter', { event_id: event!.eventId, dead_letter_size: 0 });
  }
  expect(await take('first', first)).toBe('trigger.signature-too-old');
  expect(await take('new', time.now())).toBe('accepted');
});
