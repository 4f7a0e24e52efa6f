// Entry sequences as the runtime writes them: consistent ids, legal transitions, one outcome for one announcement.
// Random numbers choose among what is possible at each step, so every sequence shrinks to a legal one.

import fc from 'fast-check';
import { LIMIT_NAMES, LIMITS, type LimitName } from '../../core/model/budget.ts';
import { CAUSE_KINDS } from '../../core/model/escalation.ts';
import { applyEntry, type FoldedEntry } from '../../core/model/fold.ts';
import { heardFrom } from '../../core/model/fold-invocation.ts';
import { ANOMALY_TYPES, ON_ANOMALY } from '../../core/model/health.ts';
import { HOLD_KINDS } from '../../core/model/holds.ts';
import { INBOX_PRIORITIES, INBOX_TYPES } from '../../core/model/inbox.ts';
import type { Json, JsonObject } from '../../core/model/json.ts';
import { LIFECYCLE_EVENTS, transition, type LifecycleState } from '../../core/model/lifecycle.ts';
import { MISSION_OUTCOMES } from '../../core/model/mission-state.ts';
import { ON_COMPLETE } from '../../core/model/mission.ts';
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

const START = Date.UTC(2026, 0, 5, 23, 0);

/** More likely than the others. */
const often = (times: number, maker: Maker): Maker[] => Array.from({ length: times }, () => maker);

const one = <T>(list: readonly T[], pick: number): T => list[pick % list.length]!;

/** What an effect is booked at; some at nothing. */
const bookedAt = (pick: number): JsonObject =>
  pick % 7 === 0
    ? {}
    : {
        toolCalls: 1,
        cost: (pick % 9) / 4,
        ...(pick % 5 === 0 ? { irreversible: 1 } : {}),
        ...(pick % 2 === 0
          ? { modelTurns: 1, tokens: 30, tokensIn: 10, tokensOut: 20, money: pick / 1e6 }
          : {}),
        ...(pick % 6 === 0 ? { unpriced: 1 } : {}),
      };

/** Of a call of a model, which some are. */
const calledAt = (pick: number): JsonObject =>
  pick % 2 === 0
    ? {
        model: 'a:one',
        prices: 'test-1',
        currency: 'EUR',
        ...(pick % 4 === 0 ? { most: { tokens: 500, money: 0.5 } } : {}),
      }
    : {};

/** Days and limits, those of a run of one that is open. */
function ofBudget({ open, budget }: ProcessSnapshot): Maker[] {
  const end = Date.parse(budget.period?.until ?? timestampOf(START));
  const ofRun = (limit: LimitName, pick: number): JsonObject =>
    LIMITS[limit].scope === 'day' || open.length === 0 ? {} : { event_id: one(open, pick).event.eventId };
  const reached =
    (type: string, more: JsonObject): Maker =>
    ({ pick }) => {
      const limit = one(LIMIT_NAMES, pick);
      return [type, { limit, ...more, ...ofRun(limit, pick) }];
    };
  return [
    ({ pick }) => [
      'budget_period_started',
      { id: timestampOf(end - 1_000), until: timestampOf(end + (pick - 200) * 60_000) },
    ],
    reached('budget_warning', { max: 5, spent: 4, reserved: 0 }),
    reached('budget_exceeded', { max: 5, spent: 4, reserved: 1, asked: 1 }),
    reached('budget_exceeded', { max: 5, spent: 4, reserved: 1, asked: 0, model: 'a:one' }),
    reached('budget_exceeded', { max: 5, spent: 4, reserved: 1, asked: 1, cap: 'workspace' }),
    ...[{}, { until: timestampOf(START) }].map((until) =>
      reached('budget_extended', { amount: 2.5, ...until, actor: 'operator:test', reason: 'worth it' }),
    ),
  ];
}

/** Causes that are raised, told and over. */
function ofEscalations({ escalations }: ProcessSnapshot, count: number): Maker[] {
  const open = escalations.filter(({ overAt }) => overAt === null);
  const pending = escalations.flatMap(({ id, key, deliveries }) =>
    deliveries
      .filter(({ status }) => status === 'pending')
      .map(({ target, to }) => ({ id, key, target, to })),
  );
  return [
    ({ pick, value }) => [
      'escalation_raised',
      {
        key: `budget/${pick % 4}`,
        id: `escalation-${count}`,
        kind: one(CAUSE_KINDS, pick),
        summary: 'it is too much',
        detail: { value },
        targets: ['webhook', 'event', 'pigeon'].slice(0, pick % 4).map((target) => ({
          target,
          to: target,
          ...(pick % 3 === 0 ? { due_at: timestampOf(START + pick) } : {}),
        })),
      },
    ],
    ...open.flatMap(({ key, id }): Maker[] => [
      ({ pick }) => ['escalation_raised', { key, repeated: pick % 5 }],
      ({ pick }) => [
        'escalation_over',
        { key, id, reason: 'gone', ...(pick % 2 === 0 ? { repeated: 2 } : {}) },
      ],
    ]),
    ...pending.slice(0, 4).flatMap((delivery): Maker[] => [
      () => ['escalation_sent', { ...delivery, attempt: 1, status: 204 }],
      ({ pick }) => [
        'escalation_failed',
        {
          ...delivery,
          attempt: 1 + (pick % 3),
          reason: 'it answered 500',
          ...(pick % 2 === 0 ? { status: 500, retry_at: timestampOf(START + pick) } : {}),
        },
      ],
    ]),
    ({ pick }) => [
      'heartbeat_changed',
      { to: 'https://ops.example', state: 'failing', reason: 'gone', unheard: pick },
    ],
  ];
}

/** A mission, its judge, and whoever decides about it. */
function ofMission({ mission, invocationCount }: ProcessSnapshot): Maker[] {
  const start: Maker = ({ pick }) => [
    'mission_started',
    { objective: `objective ${pick % 3}`, success_criteria: '', actor: 'host' },
  ];
  if (mission === null) return [start, start];
  const run = Math.max(1, mission.runs);
  const about = { run, invocation: invocationCount };
  const end = { actor: 'operator:test', reason: 'asked' };
  return [
    start,
    ({ pick }) => ['mission_judging', { ...about, booked: pick % 3 === 0 ? {} : { cost: (pick % 9) / 4 } }],
    ({ pick }) => [
      'mission_judging',
      {
        ...about,
        booked: { cost: 1, modelTurns: 1, unpriced: 1 },
        model: `openai:${pick}`,
        prices: 'p1',
        currency: 'EUR',
        ...(pick % 2 === 0 ? { most: { tokens: 1_000 + pick, money: 1 } } : {}),
      },
    ],
    ({ pick }) => [
      'mission_evaluated',
      {
        ...about,
        achieved: pick % 3 === 0,
        confidence: (pick % 11) / 10,
        ...(pick % 2 === 0 ? { progress: (pick % 7) / 6 } : {}),
        reasoning: `because of ${pick}`,
        outcome: one(MISSION_OUTCOMES, pick),
        ...(pick % 5 === 0 ? { used: { cost: 1, modelTurns: 1, tokens: pick, tokensIn: pick } } : {}),
      },
    ],
    ({ pick }) => [
      'mission_evaluated',
      {
        ...about,
        unknown: 'no idea',
        ...(pick % 3 === 0 ? { called_off: true, used: {} } : {}),
        ...(pick % 5 === 0 ? { waits_for_budget: true } : {}),
      },
    ],
    ({ pick }) => ['mission_completed', { ...end, next: one(ON_COMPLETE, pick) }],
    () => ['mission_failed', { ...end, why: 'timeout', next: 'suspend' }],
    ({ pick }) => ['mission_changed', { ...end, to: one(['paused', 'active', 'withdrawn'], pick) }],
  ];
}

/** What detectors find, of a run that is open where there is one. */
function ofHealth({ open }: ProcessSnapshot): Maker[] {
  const type = (pick: number): string => one(ANOMALY_TYPES, pick);
  return [
    ({ pick }) => [
      'health_anomaly',
      {
        anomaly_type: type(pick),
        description: `found ${pick}`,
        details: {},
        action: one(ON_ANOMALY, pick),
        cooldown_ms: pick * 1_000,
        ...(open.length === 0 || pick % 2 === 0 ? {} : { event_id: one(open, pick).event.eventId }),
      },
    ],
    ({ pick }) => ['health_recovered', { anomaly_type: type(pick) }],
    ({ pick }) => [
      'health_cleared',
      {
        ...(pick % 3 === 0 ? {} : { anomaly_type: type(pick) }),
        actor: 'operator:test',
        reason: 'seen',
      },
    ],
  ];
}

/** What an agent changes about itself, and what is taken back of it. */
function ofSelf(): Maker[] {
  const by = (pick: number): JsonObject => ({
    ...(pick % 3 === 0 ? {} : { key: `key-${pick % 30}`, event_id: `event-${pick % 4}` }),
    ...(pick % 5 === 0 ? { undoes: [pick % 60] } : {}),
    actor: 'agent:test',
    reason: 'asked',
  });
  return [
    ({ pick }) => [
      'settings_changed',
      {
        changes: [{ path: 'instructions', manifest: 'a', from: `${pick % 4}`, to: `${pick % 5}` }],
        ...by(pick),
      },
    ],
    ({ pick }) => [
      'trigger_added',
      { trigger_id: `own-${pick % 3}`, config: { type: 'manual' }, ...by(pick) },
    ],
    ({ pick }) => ['trigger_removed', { trigger_id: `own-${pick % 3}`, ...by(pick) }],
    ({ pick }) => ['server_connected', { name: `server-${pick % 3}`, server: { kind: 'http' }, ...by(pick) }],
    ({ pick }) => ['server_disconnected', { name: `server-${pick % 3}`, ...by(pick) }],
    ({ pick }) => [
      'process_spawned',
      {
        child: `child-${pick % 4}`,
        instructions: 'help',
        task: '',
        triggers: [{ type: 'manual' }],
        secrets: ['ONE'],
        ...by(pick),
      },
    ],
    ({ pick }) => [
      'process_discarded',
      { child: `child-${pick % 4}`, spent: { cost: 1 + (pick % 9) }, ...by(pick) },
    ],
    ({ pick }) => ['spawned', { parent: 'parent', depth: 1 + (pick % 3) }],
    () => ['discarded', { actor: 'agent:test', reason: 'asked' }],
  ];
}

/** Settings and caps, and the configuration that takes some of them back. */
function ofSettings({ open }: ProcessSnapshot): Maker[] {
  return [
    ({ pick, value }) => [
      'settings_changed',
      {
        changes: [
          { path: 'budget.max_cost_per_day', manifest: 5, from: 5, to: pick % 3 === 0 ? 5 : pick },
          { path: `budget.tool_costs.${pick % 4}`, manifest: null, from: null, to: value },
        ],
        actor: 'operator:test',
        reason: 'asked',
      },
    ],
    ({ pick }) => ['agent_planned', { plan: pick % 3 === 0 ? null : { models: [`scripted:${pick}.yaml`] } }],
    ({ pick }) => [
      'tools_listed',
      {
        ...(open.length === 0 ? {} : { event_id: one(open, pick).event.eventId }),
        hash: `list-${pick % 3}`,
        problems: pick % 2 === 0 ? [] : ['files: it is down'],
        ...(pick % 5 === 0
          ? {}
          : {
              offers: [
                {
                  name: `tool-${pick % 3}`,
                  source: 'mcp:files',
                  tool: 'read',
                  fingerprint: `print-${pick % 2}`,
                  decidedBy: pick % 4 === 0 ? 'default' : 'annotation',
                },
              ],
            }),
      },
    ],
    ({ pick }) => [
      'configured',
      { hash: `hash-${pick}`, config: { written: { budget: { max_cost_per_day: 5 + (pick % 2) } } } },
    ],
    ({ pick }) => [
      'cap_applied',
      {
        cap: one(['workspace', 'all', 'of tomorrow'], pick),
        limits: pick % 5 === 0 ? null : { max_cost_per_day: pick, max_of_tomorrow: 1 },
        id: timestampOf(START + (pick % 3) * 1_000),
        until: timestampOf(START + pick * 60_000),
      },
    ],
    ({ pick }) => [
      pick % 2 === 0 ? 'trigger_paused' : 'trigger_resumed',
      { workspace: pick, reason: 'asked', actor: 'operator:test' },
    ],
  ];
}

function ofSecrets(): Maker[] {
  const names = ['API_KEY', 'db.password', '__proto__'];
  const by = (pick: number): JsonObject => ({
    actor: pick % 2 === 0 ? 'host' : 'operator:test',
    reason: 'asked',
  });
  return [
    ({ pick }) => [
      'secret_resolved',
      {
        names: names.slice(pick % 2),
        resolved: { [one(names, pick)]: pick % 3 === 0 ? null : timestampOf(START) },
      },
    ],
    ({ pick }) => [
      'secret_read',
      { name: one(names, pick), event_id: 'event-1', ...(pick % 3 === 0 ? { refused: 'expired' } : {}) },
    ],
    ({ pick }) => [
      'secret_rotated',
      { name: one(names, pick), expires_at: timestampOf(START + pick), ...by(pick) },
    ],
    ({ pick }) => ['secret_revoked', { name: one(['*', ...names], pick), ...by(pick) }],
  ];
}

/** What may be written next, given what is written already. */
function possible(state: ProcessSnapshot, count: number): Maker[] {
  const lifecycle = state.lifecycle as LifecycleState;
  const makers: Maker[] = [
    ({ pick }) => {
      const event = one(
        LIFECYCLE_EVENTS.filter((candidate) => transition(lifecycle, candidate).ok),
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
        ...(pick % 4 === 0 ? { key: `call-${pick % 50}` } : {}),
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
    ({ pick }) => ['clock_changed', { by_ms: pick - 500 }],
    ...ofBudget(state),
    ...ofEscalations(state, count),
    ...ofMission(state),
    ...ofHealth(state),
    ...ofSettings(state),
    ...ofSecrets(),
    ({ pick }) => ['rewind', { target_seq: 1 + (pick % Math.max(1, count)), handled_again: pick % 2 === 0 }],
    ({ pick }) => ['forked', { process: 'other', journal_id: 'journal', seq: 1 + pick }],
    ({ pick }) => ['trigger_filtered', { trigger_id: `manual-${pick % 3}` }],
    ({ pick }) => [
      'trigger_missed',
      {
        trigger_id: `manual-${pick % 3}`,
        count: 1 + (pick % 5),
        last: timestampOf(START + pick),
        ...(state.queue[0] === undefined ? {} : { event_id: state.queue[0].eventId }),
      },
    ],
    ...['trigger_paused', 'trigger_resumed'].map((type): Maker => ({ pick }) => [
      type,
      {
        ...(pick % 4 === 0 ? {} : { trigger_id: `manual-${pick % 3}` }),
        reason: 'asked',
        actor: 'operator:test',
      },
    ]),
    ({ pick }) => ['trigger_added', { trigger_id: `manual-${pick % 3}`, config: { type: 'manual' } }],
    ({ pick }) => ['trigger_removed', { trigger_id: `manual-${pick % 3}` }],
    ...ofSelf(),
    ({ pick }) => [
      'inbox_message',
      {
        message_id: `message-${pick % 20}`,
        message_type: one(INBOX_TYPES, pick),
        content: `text ${count}`,
        sender: 'operator:test',
        priority: one(INBOX_PRIORITIES, pick),
        expires_at: pick % 2 === 0 ? null : timestampOf(START + pick),
      },
    ],
    ({ pick }) => [
      'inbox_answered',
      {
        event_id: `event-${pick % 5}`,
        message_id: state.inboxRead.at(-1)?.message.messageId ?? `message-${pick % 20}`,
        answer: `answer ${count}`,
      },
    ],
    ({ pick, value }) => [
      'trigger_event',
      {
        event_id: `sent-${count}`,
        trigger_id: 'message-0',
        trigger_type: 'message',
        payload: value,
        from: { process: `sender-${pick % 2}`, number: heardFrom(state, `sender-${pick % 2}`) + 1 },
      },
    ],
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
          seed: `seed-${count}`,
          ...(pick % 3 === 0 ? { told: { budget: `${pick} left` } } : {}),
          ...(pick % 2 === 0 ? { conversation_max: pick % 5 } : {}),
          inbox: state.inbox.slice(0, pick % 3).map(({ messageId }) => messageId),
          inbox_expired: state.inbox.slice(2, 3).map(({ messageId }) => messageId),
        },
      ]),
      () => ['dead_letter', { event_id: queued.eventId, reason: 'too often' }],
    );
  }
  for (const { event } of state.deadLetters) {
    makers.push(
      ...often(2, () => ['dead_letter_redelivered', { event_id: event.eventId, operator: 'test' }]),
      () => ['dead_letter_dropped', { event_id: event.eventId, operator: 'test' }],
    );
  }
  for (const { number } of state.outbox) {
    makers.push(() => ['message_delivered', { number, to: ['receiver'], refused: [] }]);
  }
  if (state.open.length > 0) {
    makers.push(({ pick, value }) => [
      'signal_received',
      {
        signal_id: `signal-${pick % 30}`,
        name: 'go',
        payload: value,
        event_ids: state.open.map(({ event }) => event.eventId),
      },
    ]);
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
            booked: bookedAt(pick),
            ...calledAt(pick),
          },
        ];
      }),
      ({ pick }) => [
        'invocation_result',
        {
          event_id: eventId,
          invocation: open.invocation,
          duration_ms: pick,
          response: '',
          ...(pick % 2 === 0 ? { reply_chars: pick } : {}),
        },
      ],
      ({ pick }) => [
        'error',
        {
          event_id: eventId,
          error_type: 'boom',
          error: 'it broke',
          final: pick % 2 === 0,
          ...(pick % 3 === 0 ? {} : { duration_ms: pick }),
          ...(pick % 4 === 0 ? { dead_letter: true, reason: 'retries exhausted', dead_letter_size: 3 } : {}),
          ...(pick % 4 === 1 ? { retry_at: timestampOf(START + pick) } : {}),
        },
      ],
      () => ['event_refused', { event_id: eventId, trigger_id: 'manual-0', why: 'nothing to act on' }],
      ...open.effects.slice(0, 2).map(({ effectId }): Maker => ({ pick }) => [
        'effect_unlike',
        { event_id: eventId, effect_id: effectId, args_hash: String(pick), args_preview: 'other' },
      ]),
      ({ pick }) => ['invocation_waiting', { event_id: eventId, for: pick % 2 === 0 ? [] : ['x'] }],
      ({ pick }) => ['clock_read', { event_id: eventId, ordinal: open.clock.length, at: pick }],
      ({ key, pick }) => ['version_chosen', { event_id: eventId, name: key, version: pick % 4 }],
      ({ key, pick }) => [
        'conversation_appended',
        { event_id: eventId, ordinal: open.sayings.length, role: 'user', content: key, max: (pick % 4) + 1 },
      ],
      ({ key, pick }) => [
        'conversation_compacted',
        { event_id: eventId, ordinal: pick % 3, keep: pick % 4, count: (pick % 3) + 1, summary: key },
      ],
      ({ pick, value }) => [
        'message_sent',
        {
          event_id: eventId,
          number: state.sent + 1,
          kind: pick % 2 === 0 ? 'event' : 'message',
          topic: 'x',
          occurrence: open.sends.length,
          data: value,
          args_hash: String(pick),
        },
      ],
      ({ pick, value }) => [
        'promise_created',
        {
          event_id: eventId,
          promise_id: `p_${count}`,
          name: 'approve',
          occurrence: open.waits.length,
          data: value,
          expires_at: pick % 2 === 0 ? null : timestampOf(START + pick),
        },
      ],
      ({ pick }) => [
        'timer_started',
        {
          event_id: eventId,
          timer_id: `t_${count}`,
          name: 'sleep',
          occurrence: open.waits.length,
          fires_at: timestampOf(START + pick),
        },
      ],
    );
    if (open.retryAt !== null) {
      makers.push(...often(4, () => ['invocation_start', { event_id: eventId, attempt: open.attempt + 1 }]));
    }
    for (const { waitId, kind, end } of open.waits) {
      if (end !== null) continue;
      makers.push(({ pick, value }) =>
        kind === 'timer'
          ? ['timer_fired', { event_id: eventId, timer_id: waitId, late_ms: pick }]
          : [
              'promise_settled',
              {
                event_id: eventId,
                promise_id: waitId,
                ...one(
                  [{ status: 'resolved', value }, { status: 'rejected', error: 'no' }, { status: 'expired' }],
                  pick,
                ),
              },
            ],
      );
    }
    for (const { effectId, attempts } of inDoubt) {
      makers.push(
        ...often(3, ({ pick, value }) => [
          'effect_finished',
          pick % 3 === 0
            ? {
                effect_id: effectId,
                end: 'done',
                result: value,
                ...(pick % 2 === 0 ? { used: bookedAt(pick) } : {}),
                ...(pick % 5 === 0 ? {} : { took_ms: pick * 1.5 }),
              }
            : {
                effect_id: effectId,
                end: pick % 3 === 1 ? 'did_not_happen' : 'in_doubt',
                error: 'why',
                ...(pick % 2 === 0 ? { used: { modelTurns: 1, tokens: 5, money: 0.5 } } : {}),
              },
        ]),
        ({ pick, value }) => [
          'effect_resolved',
          {
            effect_id: effectId,
            resolution: one(['happened', 'did_not_happen', 'skip'], pick),
            result: value,
            ...(pick % 2 === 0 ? { again: true } : {}),
            operator: 'test',
            reason: 'seen',
          },
        ],
        () => ['effect_expired', { event_id: eventId, effect_id: effectId }],
        () => ['effect_value_lost', { event_id: eventId, effect_id: effectId }],
        ({ pick }) => [
          'effect_finished',
          {
            effect_id: effectId,
            end: 'in_doubt',
            error: 'why',
            ...(pick % 2 === 0 ? { reconciled: true } : { given_up: true }),
          },
        ],
        () => [
          'effect_finished',
          { effect_id: effectId, end: 'did_not_happen', error: 'not permitted', unpermitted: true },
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
