// Entry sequences as the runtime writes them: consistent ids, legal transitions, one outcome for one announcement.
// Random numbers choose among what is possible at each step, so every sequence shrinks to a legal one.

import fc from 'fast-check';
import { applyEntry, type FoldedEntry } from '../../core/model/fold.ts';
import { HOLD_KINDS } from '../../core/model/holds.ts';
import type { Json, JsonObject } from '../../core/model/json.ts';
import { transition, type LifecycleEvent, type LifecycleState } from '../../core/model/lifecycle.ts';
import { emptySnapshot, type ProcessSnapshot } from '../../core/model/snapshot.ts';
import { timestampOf } from '../../core/model/time.ts';
import { EFFECT_CLASSES, effectIdOf } from '../../core/model/effects.ts';
import { anyJson, hostileKey } from './json-arbitraries.ts';

interface Choice {
  readonly action: number;
  readonly pick: number;
  readonly key: string;
  readonly value: Json;
}

const choice: fc.Arbitrary<Choice> = fc.record({
  action: fc.nat(1000),
  pick: fc.nat(1000),
  key: hostileKey,
  value: anyJson,
});

type Draft = readonly [entry_type: string, data: JsonObject];
type Maker = (choice: Choice) => Draft;

const EVENTS: readonly LifecycleEvent[] = [
  'start',
  'started',
  'suspend',
  'resume',
  'await',
  'wake',
  'stop',
  'stopped',
  'fail',
];

/** More likely than the others. */
const often = (times: number, maker: Maker): Maker[] => Array.from({ length: times }, () => maker);

const one = <T>(list: readonly T[], pick: number): T => list[pick % list.length]!;

/** What may be written next, given what is written already. */
function possible(state: ProcessSnapshot, count: number): Maker[] {
  const lifecycle = state.lifecycle as LifecycleState;
  const makers: Maker[] = [
    ({ pick }) => {
      const event = one(
        EVENTS.filter((candidate) => transition(lifecycle, candidate).ok),
        pick,
      );
      const next = transition(lifecycle, event);
      return [
        'state_transition',
        {
          from_state: lifecycle,
          to_state: next.ok ? next.state : lifecycle,
          reason: `because of ${event}`,
          actor: 'operator:test',
        },
      ];
    },
    ({ pick, value }) => [
      'trigger_event',
      {
        event_id: `event-${count}`,
        trigger_id: `manual-${pick % 3}`,
        trigger_type: 'manual',
        payload: value,
      },
    ],
    ({ pick }) => ['hold_placed', { hold: one(HOLD_KINDS, pick), reason: 'asked', actor: 'operator:test' }],
    ({ pick }) => ['hold_lifted', { hold: one(HOLD_KINDS, pick), reason: 'over', actor: 'operator:test' }],
    () => [
      'worker_started',
      { generation: state.generation + 1, pid: 100 + count, start_time: String(count) },
    ],
    ({ pick }) => ['restart', { reason: 'failed', attempt: pick % 2 === 0 ? (pick % 4) + 1 : null }],
    () => ['configured', { hash: `hash-${count}`, config: {} }],
    () => [
      'writer_opened',
      { epoch: count, host_id: 'host', pid: 1, start_time: '1', build: '0.1.0', fold_version: 1 },
    ],
    ({ value }) => ['log', { level: 'info', text: JSON.stringify(value) }],
    ({ key, value }) => [
      'operator_action',
      { action: 'suspend', operator: 'test', reason: key, request: value },
    ],
    () => ['recovered', { from: lifecycle, reason: 'host restarted' }],
    ({ key, value }) => ['a_type_of_tomorrow', { [key]: value }],
    ({ key, value, pick }) => [
      'context_update',
      { key, value, ...(pick % 5 === 0 ? { deleted: true } : {}) },
    ],
  ];
  const [queued] = state.queue;
  if (queued !== undefined) {
    makers.push(
      ...often(6, ({ pick }) => [
        'invocation_start',
        {
          event_id: queued.eventId,
          invocation: state.invocationCount + 1,
          attempt: (pick % 3) + 1,
          code_hash: 'code',
        },
      ]),
      () => ['dead_letter', { event_id: queued.eventId, reason: 'too often' }],
    );
  }
  if (state.workers.length > 0) {
    makers.push(({ pick }) => [
      'worker_exited',
      { generation: one(state.workers, pick).generation, reason: 'gone', expected: pick % 2 === 0 },
    ]);
  }
  for (const open of state.open) {
    const { eventId } = open.event;
    const inDoubt = open.effects.filter((effect) => effect.end === null || effect.end.kind === 'in_doubt');
    makers.push(
      ...often(6, ({ key, value, pick }) => [
        'context_update',
        {
          key,
          value,
          event_id: eventId,
          ordinal: open.writes.length,
          ...(pick % 4 === 0 ? { deleted: true } : {}),
        },
      ]),
      ...often(4, ({ pick, value }) => {
        const name = one(['mail', 'pay'], pick);
        const occurrence = open.effects.filter((effect) => effect.name === name).length;
        return [
          'effect_started',
          {
            event_id: eventId,
            effect_id: effectIdOf(eventId, name, occurrence),
            name,
            occurrence,
            class: one(EFFECT_CLASSES, pick),
            args_hash: String(pick),
            args_preview: JSON.stringify(value).slice(0, 20),
            key: `key-${count}`,
            attempt: 1,
          },
        ];
      }),
      ({ pick }) => [
        'invocation_result',
        { event_id: eventId, invocation: open.invocation, duration_ms: pick, response: '' },
      ],
      ({ pick }) => [
        'error',
        {
          event_id: eventId,
          error_type: 'boom',
          error: 'it broke',
          final: pick % 2 === 0,
          ...(pick % 3 === 0 ? {} : { duration_ms: pick }),
        },
      ],
    );
    for (const { effectId, attempts } of inDoubt) {
      makers.push(
        ...often(3, ({ pick, value }) => [
          'effect_finished',
          pick % 3 === 0
            ? { effect_id: effectId, end: 'done', result: value }
            : { effect_id: effectId, end: pick % 3 === 1 ? 'did_not_happen' : 'in_doubt', error: 'why' },
        ]),
        ({ pick, value }) => [
          'effect_resolved',
          {
            effect_id: effectId,
            resolution: one(['happened', 'did_not_happen', 'skip'], pick),
            result: value,
            operator: 'test',
            reason: 'seen',
          },
        ],
        () => [
          'effect_started',
          {
            ...repeated(open.effects.find((effect) => effect.effectId === effectId)!),
            event_id: eventId,
            attempt: attempts + 1,
          },
        ],
      );
    }
  }
  return makers;
}

function repeated(effect: ProcessSnapshot['open'][number]['effects'][number]): JsonObject {
  return {
    effect_id: effect.effectId,
    name: effect.name,
    occurrence: effect.occurrence,
    class: effect.effectClass,
    args_hash: effect.argsHash,
    args_preview: effect.argsPreview,
    key: effect.key,
  };
}

const START = Date.UTC(2026, 0, 5, 23, 0);

function entriesOf(choices: readonly Choice[]): FoldedEntry[] {
  const entries: FoldedEntry[] = [];
  let state = emptySnapshot();
  for (const [at, step] of choices.entries()) {
    const makers = possible(state, at + 1);
    const [entry_type, data] = makers[step.action % makers.length]!(step);
    // Order is the number's; the clock may go back and jump over midnight [S22].
    const timestamp = timestampOf(START + at * 600_000 - (step.pick % 7 === 0 ? 3_600_000 : 0));
    const entry = { seq: at + 1, timestamp, entry_type, data };
    entries.push(entry);
    state = applyEntry(state, entry);
  }
  return entries;
}

export const legalEntries = (maxLength: number): fc.Arbitrary<FoldedEntry[]> =>
  fc.array(choice, { maxLength, size: 'max' }).map(entriesOf);
