// A list that is cut tells how many there are, and whoever has to answer finds among what is shown what is asked [P5].

import { describe, expect, test } from 'vitest';
import { ProcessDetail } from '../../core/contract/process-detail.ts';
import { type TriggerView } from '../../core/contract/trigger-views.ts';
import { previewOf } from '../../core/host/preview.ts';
import { asRecorded, processDetail } from '../../core/host/read-model.ts';
import type { EffectClass, RecordedEffect } from '../../core/model/effects.ts';
import { emptySnapshot, openedInvocation, type OpenInvocation } from '../../core/model/snapshot.ts';
import type { DurableWait } from '../../core/model/waits.ts';
import { recordedEffect } from '../support/recorded-effects.ts';

const AT = '2026-01-31T00:00:00+00:00';
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

const eventAt = (at: number) => ({
  eventId: `e${at}`,
  triggerId: 'manual',
  triggerType: 'manual',
  payload: null,
  acceptedAt: AT,
});

const effectAt = (at: number, effectClass: EffectClass, isDone: boolean): RecordedEffect =>
  recordedEffect({
    effectId: `e/${effectClass}#${at}`,
    name: effectClass,
    occurrence: at,
    effectClass,
    announcedAt: AT,
    seq: at,
    endSeq: isDone ? at : null,
    end: isDone ? { kind: 'done', result: null } : null,
  });

const promiseAt = (at: number): DurableWait => ({
  waitId: `p${at}`,
  kind: 'promise',
  name: 'approval',
  occurrence: at,
  createdAt: AT,
  dueAt: null,
  data: null,
  seq: at,
  end: null,
  endSeq: null,
});

const openAt = (at: number, more: Partial<OpenInvocation> = {}): OpenInvocation => ({
  ...openedInvocation({
    event: eventAt(at),
    invocation: at,
    attempt: 1,
    attemptSeq: at,
    startedAt: AT,
    codeHash: '',
    seed: '',
    inbox: [],
    conversationFrom: 0,
  }),
  ...more,
});

const triggerAt = (at: number): TriggerView => ({
  id: `cron-${at}`,
  type: 'cron',
  description: '',
  next: null,
  address: null,
  filter: null,
  isAdded: false,
  paused: at === 320 ? { reason: 'why', actor: 'ann', at: AT } : null,
  problem: at === 330 ? { code: 'trigger.port-taken', message: 'taken', at: AT } : null,
  accepted: 0,
  filtered: 0,
  missed: 0,
  lastEventAt: null,
});

describe('a detail', () => {
  const snapshot = {
    ...emptySnapshot(),
    context: Object.fromEntries(times(700, (at) => [`k${at}`, at])),
    queue: times(200, eventAt),
    deadLetters: times(140, (at) => ({
      event: eventAt(at),
      open: null,
      reason: '',
      error: '',
      attempts: 1,
      at: AT,
    })),
    open: times(340, (at) =>
      openAt(at, {
        effects: at === 300 ? times(250, (n) => effectAt(n, 'ask', n > 0)) : [],
        waits: at === 310 ? times(120, promiseAt) : [],
      }),
    ),
  };
  const detail = processDetail({ ...asRecorded('j', 'a', snapshot), triggers: times(340, triggerAt) });

  test('counts what it cuts', () => {
    ProcessDetail.parse(detail);
    expect(detail.counts).toEqual({
      context: 700,
      open: 340,
      promises: 120,
      deadLetters: 140,
      triggers: 340,
    });
    expect(detail.row).toMatchObject({ queued: 200, doubts: 1 });
    const { context, open, queue, deadLetters, triggers } = detail;
    expect([context, open, queue, deadLetters, triggers].map(({ length }) => length)).toEqual([
      500, 100, 100, 100, 100,
    ]);
  });

  test('[S28] has the invocations that wait for somebody, and then the oldest, in their order', () => {
    expect(detail.open.slice(-2)).toMatchObject([{ eventId: 'e300' }, { eventId: 'e310' }]);
    expect(detail.open.slice(0, 98).map(({ invocation }) => invocation)).toEqual(times(98, (at) => at));
    expect(detail.open[98]).toMatchObject({ effectCount: 250 });
    expect(detail.open[98]!.effects[0]).toMatchObject({ needsOperator: true });
  });

  test('has the triggers that are paused or have a problem, and then the first, in their order', () => {
    expect(detail.triggers.slice(-2)).toMatchObject([{ id: 'cron-320' }, { id: 'cron-330' }]);
    expect(detail.triggers.slice(0, 98).map(({ id }) => id)).toEqual(times(98, (at) => `cron-${at}`));
  });
});

test('[S28] what would be asked of the operator is among the doubts that are listed, and all are counted', () => {
  const effects = [...times(150, (at) => effectAt(at, 'retry', false)), effectAt(150, 'ask', false)];
  const snapshot = { ...emptySnapshot(), lifecycle: 'suspended', open: [openAt(1, { effects })] };
  const found = previewOf({ action: 'resume', snapshot, worker: null, nowMs: 0 });
  expect(found.doubtCount).toBe(151);
  expect(found.doubts).toHaveLength(100);
  expect(found.doubts.at(-1)).toMatchObject({ name: 'ask', next: 'asked of you' });
  expect(found.steps.at(-1)).toBe('51 more effects in doubt, each as its class says.');
});
