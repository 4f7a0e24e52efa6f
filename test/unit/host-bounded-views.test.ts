// Whatever a journal or a manifest holds, what crosses to a screen is bounded, and so is the work of making it.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ProcessDetail } from '../../core/contract/process-detail.ts';
import { ProcessRow } from '../../core/contract/process-row.ts';
import { TimelineRow } from '../../core/contract/timeline-views.ts';
import { cut, showCut } from '../../core/host/cut.ts';
import { entrySummary } from '../../core/host/entry-summary.ts';
import { badLineRow, processDetail, timelineRow, type DetailInput } from '../../core/host/read-model.ts';
import type { RecordedEffect } from '../../core/model/effects.ts';
import { ENTRY_TYPES } from '../../core/model/entry.ts';
import { foldEntries } from '../../core/model/fold.ts';
import { RawNumber, showJson, type Json, type JsonObject } from '../../core/model/json.ts';
import { emptySnapshot, type ProcessSnapshot } from '../../core/model/snapshot.ts';
import { anyJson } from '../support/json-arbitraries.ts';
import { invocationSaying, recordedEffect } from '../support/recorded-effects.ts';

const HUGE = '💾x'.repeat(1_000_000);
const AT = '2026-01-31T00:00:00+00:00';

describe('cut', () => {
  test('short texts stay, long ones are as long as allowed and say so', () => {
    expect(cut('abc', 3)).toBe('abc');
    expect(cut('abcd', 3)).toBe('ab…');
  });

  test('no half of a character is left at the end', () => {
    expect(cut('a💾bcd', 3)).toBe('a…');
    expect(showCut('a💾bcd', 3).text).toBe('"a');
  });
});

describe('values as text', () => {
  test('what fits is what the whole is, with every number as written', () => {
    fc.assert(
      fc.property(anyJson, fc.constantFrom(0, 2), (value, indent) => {
        const whole = showJson(value, indent === 0 ? undefined : indent);
        expect(showCut(value, 1_000_000, indent)).toEqual({ text: whole, cut: false });
      }),
    );
  });

  test('what does not fit is the beginning of the whole', () => {
    fc.assert(
      fc.property(anyJson, fc.nat(60), fc.constantFrom(0, 2), (value, max, indent) => {
        const whole = showJson(value, indent === 0 ? undefined : indent);
        const shown = showCut(value, max, indent);
        expect(shown.cut).toBe(whole.length > max);
        expect(shown.text.length).toBeLessThanOrEqual(max);
        expect(whole.startsWith(shown.text)).toBe(true);
        expect(shown.text.length).toBeGreaterThanOrEqual(Math.min(whole.length, max) - 1);
      }),
    );
  });

  test('nothing behind the limit is looked at', () => {
    let asked = 0;
    const items = new Proxy(
      Array.from({ length: 100_000 }, (_, at) => at),
      {
        get: (target, key, receiver) => {
          if (typeof key === 'string' && /^\d+$/.test(key)) asked += 1;
          return Reflect.get(target, key, receiver) as unknown;
        },
      },
    );
    expect(showCut(items as unknown as Json, 50)).toMatchObject({ cut: true });
    expect(asked).toBeLessThan(60);
  });

  test('a value of any depth is shown as far as it fits', () => {
    let deep: Json = [];
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    expect(showCut(deep, 100)).toEqual({ text: '['.repeat(100), cut: true });
    expect(showCut(deep, 16_384, 2).text).toHaveLength(16_384);
  });

  test('numbers that are none are shown as they were written', () => {
    expect(showCut({ a: new RawNumber('NaN'), b: new RawNumber('1e400') }, 50).text).toBe(
      '{"a":NaN,"b":1e400}',
    );
  });
});

const effect = (at: number, more: Partial<RecordedEffect> = {}): RecordedEffect =>
  recordedEffect({ effectId: `e/${at}`, occurrence: at, announcedAt: AT, seq: at, endSeq: at, ...more });

/** Texts of millions of characters wherever a foreign journal could have them. */
function hugeSnapshot(): ProcessSnapshot {
  const opened = invocationSaying(HUGE);
  const { event } = opened;
  const names = { effectId: HUGE, name: HUGE, argsPreview: HUGE, key: HUGE, announcedAt: HUGE };
  const message = {
    messageId: HUGE,
    messageType: 'directive' as const,
    content: HUGE,
    sender: HUGE,
    priority: 'normal' as const,
    createdAt: HUGE,
    expiresAt: HUGE,
  };
  const invocation = {
    ...opened,
    retryAt: HUGE,
    waits: Array.from({ length: 1_000 }, (_, at) => ({
      waitId: HUGE,
      kind: 'promise' as const,
      name: HUGE,
      occurrence: at,
      createdAt: HUGE,
      dueAt: Number.NaN,
      data: HUGE,
      seq: at,
      end: null,
      endSeq: null,
    })),
  };
  const letter = { event, open: null, reason: HUGE, error: HUGE, attempts: 1, at: HUGE };
  return {
    ...emptySnapshot(),
    lifecycle: HUGE,
    lifecycleSince: HUGE,
    lifecycleReason: HUGE,
    lifecycleActor: HUGE,
    holds: Array.from({ length: 1_000 }, () => ({
      kind: 'operator',
      reason: HUGE,
      actor: HUGE,
      since: HUGE,
    })),
    context: Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [`${at}${'k'.repeat(5_000)}`, HUGE]),
    ),
    queue: Array.from({ length: 1_000 }, () => event),
    open: [{ ...invocation, effects: Array.from({ length: 1_000 }, (_, at) => effect(at, names)) }],
    inbox: Array.from({ length: 1_000 }, () => message),
    escalations: Array.from({ length: 1_000 }, () => ({
      id: HUGE,
      key: HUGE,
      kind: 'health' as const,
      summary: HUGE,
      detail: { HUGE },
      at: HUGE,
      repeats: 1.5,
      overAt: null,
      overWhy: HUGE,
      deliveries: Array.from({ length: 1_000 }, () => ({
        target: 'webhook' as const,
        to: HUGE,
        status: 'pending' as const,
        attempts: 1.5,
        lastAt: HUGE,
        dueAt: HUGE,
        answer: 1.5,
        reason: HUGE,
      })),
    })),
    deadLetters: Array.from({ length: 1_000 }, () => letter),
    lastError: { code: HUGE, message: HUGE, at: HUGE },
    writer: { epoch: 1, hostId: HUGE, pid: 1, startTime: HUGE, build: HUGE },
    lastEntryType: HUGE,
    lastEntryAt: HUGE,
  };
}

const inputOf = (snapshot: ProcessSnapshot, more: Partial<DetailInput> = {}): DetailInput => ({
  journalId: 'j',
  name: 'clerk',
  description: '',
  snapshot,
  live: null,
  unknown: null,
  budget: null,
  receivers: null,
  health: null,
  nowMs: 0,
  mission: null,
  triggers: [],
  journalLevel: 'full',
  workerDetail: null,
  secrets: [],
  memory: null,
  ...more,
});

describe('views', () => {
  test('a row is small whatever its texts are', () => {
    for (const lifecycle of ['failed', 'suspended', 'running', 'stopping', 'stopped', HUGE]) {
      const { row } = processDetail(inputOf({ ...hugeSnapshot(), lifecycle }, { description: HUGE }));
      expect(ProcessRow.parse(row).description.length).toBeLessThanOrEqual(500);
      expect(JSON.stringify(row).length).toBeLessThan(5_000);
    }
  });

  test('the trouble of a process is one line', () => {
    const live = {
      trouble: HUGE,
      worker: null,
      hasWorker: false,
      isSpawning: false,
      isAnswering: true,
      isInLine: false,
      isRunning: () => false,
      respawnsAt: null,
      restartsAt: null,
      nextTrigger: null,
    };
    expect(processDetail(inputOf(emptySnapshot(), { live })).row.why.length).toBeLessThanOrEqual(500);
  });

  test('a name stays whole up to what a request takes', () => {
    const name = 'n'.repeat(4_096);
    expect(processDetail(inputOf(emptySnapshot(), { name })).row.name).toBe(name);
    expect(processDetail(inputOf(emptySnapshot(), { name: HUGE })).row.name.length).toBeLessThanOrEqual(
      4_096,
    );
  });

  test('a detail is bounded, each value and all of them together', () => {
    const triggers = Array.from({ length: 1_000 }, () => ({
      id: 'c',
      type: 'cron',
      description: HUGE,
      next: null,
      address: HUGE,
      filter: HUGE,
      isAdded: false,
      paused: { reason: HUGE, actor: HUGE, at: '' },
      problem: { code: 'trigger.port-taken', message: HUGE, at: '' },
      accepted: 0,
      filtered: 0,
      missed: 0,
      lastEventAt: null,
    }));
    const detail = processDetail(inputOf(hugeSnapshot(), { triggers }));
    ProcessDetail.parse(detail);
    expect(detail.context).toHaveLength(500);
    expect(detail.context.every((value) => value.cut && value.text.length >= 199)).toBe(true);
    expect(JSON.stringify(detail).length).toBeLessThan(3_200_000);
  });

  test.each([1.5, -1, 1e300, Number.NaN])('a count that is %d stops nobody from seeing the rest', (count) => {
    const letter = { event_id: 'e', trigger_id: 't', trigger_type: 'manual', payload: null };
    const effectId = 'e/x#0';
    const said: readonly (readonly [string, JsonObject])[] = [
      ['trigger_event', { ...letter, missed: count }],
      ['invocation_start', { event_id: 'e', invocation: count, attempt: count }],
      ['worker_started', { generation: count, pid: count, start_time: '1' }],
      ['effect_started', { event_id: 'e', effect_id: effectId, name: 'x', class: 'ask', attempt: count }],
      ['effect_finished', { event_id: 'e', effect_id: effectId, end: 'in_doubt', attempt: count }],
      ['worker_exited', { generation: count, pid: count, code: count }],
      ['dead_letter', { event_id: 'e', dead_letter_size: count }],
    ];
    const entries = said.map(([entry_type, data], at) => ({ seq: at + 1, timestamp: AT, entry_type, data }));
    for (let length = 1; length <= entries.length; length += 1) {
      const snapshot = foldEntries(entries.slice(0, length));
      expect(ProcessDetail.safeParse(processDetail(inputOf(snapshot))).error).toBeUndefined();
    }
  });

  test('[S28] among very many effects those that wait for an operator are shown', () => {
    const snapshot = hugeSnapshot();
    const effects = Array.from({ length: 1_000 }, (_, at) => effect(at, at === 3 ? { end: null } : {}));
    const detail = processDetail(inputOf({ ...snapshot, open: [{ ...snapshot.open[0]!, effects }] }));
    const shown = detail.open[0]!.effects;
    expect(shown).toHaveLength(200);
    expect(shown[0]).toMatchObject({ effectId: 'e/3', needsOperator: true });
    expect(shown.at(-1)!.effectId).toBe('e/999');
  });

  test('an entry of any type is small in a timeline', () => {
    const keys = [
      'from_state',
      'to_state',
      'reason',
      'key',
      'value',
      'trigger_id',
      'payload',
      'response',
      'error',
    ];
    const more = [
      'error_type',
      'name',
      'class',
      'args_preview',
      'effect_id',
      'operator',
      'text',
      'message',
      'hold',
    ];
    const data: JsonObject = Object.fromEntries(
      [...keys, ...more, 'event_id', 'end'].map((key) => [key, HUGE]),
    );
    for (const type of [...ENTRY_TYPES, HUGE]) {
      const row = timelineRow({
        entry_id: HUGE,
        process_id: 'clerk',
        timestamp: HUGE,
        entry_type: type,
        data,
        seq: 1,
        verification: 'unverified',
        offset: 0,
        sizeBytes: 1,
      });
      TimelineRow.parse(row);
      expect(row.summary.length).toBeLessThanOrEqual(160);
      expect(JSON.stringify(row).length).toBeLessThan(60_000);
    }
    expect(JSON.stringify(badLineRow({ seq: 1, offset: 0, sizeBytes: 1, reason: HUGE })).length).toBeLessThan(
      9_000,
    );
  });

  test('a summary says what it said before it was bounded', () => {
    const of = (entry_type: string, data: JsonObject): string => entrySummary({ entry_type, data }).summary;
    expect(of('context_update', { key: 'n', value: { a: [1, 'x'] } })).toBe('n = {"a":[1,"x"]}');
    expect(of('effect_finished', { effect_id: 'e/a/b#0', end: 'done', result: 5 })).toBe('a/b#0 done · 5');
    expect(of('budget_violation', { tool: 'x', spent: 2.5 })).toBe('tool: x · spent: 2.5');
    const more = { limit: 'max_cost_per_day', amount: 2.5, actor: 'operator:ann', reason: 'worth it' };
    expect(of('budget_extended', more)).toBe('max_cost_per_day extended by 2.5, by operator:ann · worth it');
    expect(of('log', { text: 'y'.repeat(200) })).toBe(`${'y'.repeat(159)}…`);
  });
});
