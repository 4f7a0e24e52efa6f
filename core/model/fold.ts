// The one fold [P3]: recovery, the live process, the console and the tests all build state here and nowhere else.
// It sees entries only: no clock, no file, no configuration of today [S21]. Order is seq, never time [S22].

import { checkpointToSnapshot } from './checkpoint.ts';
import { isEffectClass, type EffectEnd, type RecordedEffect } from './effects.ts';
import { isKnownType, type EntryType, type StoredEntry, type TriggerEvent } from './entry.ts';
import { isHoldKind } from './holds.ts';
import { define, numberAt, objectAt, showJson, textAt, type Json, type JsonObject } from './json.ts';
import type { SpillReference } from './ports.ts';
import { emptySnapshot, HEALTH_WINDOW, type OpenInvocation, type ProcessSnapshot } from './snapshot.ts';
import { dayOf } from './time.ts';

/** The rules below have a number; a checkpoint says which built it, so that a change of rules can be gated [S21]. */
export const FOLD_VERSION = 1;

export type FoldedEntry = Pick<StoredEntry, 'seq' | 'timestamp' | 'entry_type' | 'data'>;

/** Builds the state after `entries`, starting from `from`, which it takes over. */
export function foldEntries(
  entries: Iterable<FoldedEntry>,
  from: ProcessSnapshot = emptySnapshot(),
): ProcessSnapshot {
  let state = from;
  for (const entry of entries) state = applyEntry(state, entry);
  return state;
}

/**
 * The state after one more entry. `state` is taken over and usually changed in place; use what is returned. An
 * entry whose data make no sense changes nothing but the position.
 */
export function applyEntry(state: ProcessSnapshot, entry: FoldedEntry): ProcessSnapshot {
  const next = isKnownType(entry.entry_type) ? applyKnown(state, entry.entry_type, entry) : state;
  next.seq = entry.seq;
  next.lastEntryType = entry.entry_type;
  next.lastEntryAt = entry.timestamp;
  return next;
}

function applyKnown(state: ProcessSnapshot, type: EntryType, entry: FoldedEntry): ProcessSnapshot {
  const { data, timestamp } = entry;
  switch (type) {
    case 'checkpoint':
      return checkpointToSnapshot(data, state);
    case 'state_transition':
      transitioned(state, data, timestamp);
      return state;
    case 'context_update':
      contextWritten(state, data);
      return state;
    case 'hold_placed':
      holdPlaced(state, data, timestamp);
      return state;
    case 'hold_lifted':
      state.holds = state.holds.filter((hold) => hold.kind !== data['hold']);
      return state;
    case 'trigger_event':
      state.queue.push(eventOf(data, timestamp));
      return state;
    case 'dead_letter':
      eventEnded(state, textAt(data, 'event_id'));
      return state;
    case 'invocation_start':
      invocationStarted(state, data, timestamp);
      return state;
    case 'invocation_result':
      invocationSucceeded(state, data, timestamp);
      return state;
    case 'error':
      invocationFailed(state, data, timestamp);
      return state;
    case 'effect_started':
      effectStarted(state, data, timestamp);
      return state;
    case 'effect_finished':
      if (data['unpermitted'] === true) effectWithdrawn(state, data);
      else effectEnded(state, data, endOf(data));
      return state;
    case 'effect_value_lost':
      effectValueLost(state, textAt(data, 'effect_id'));
      return state;
    case 'effect_resolved':
      effectEnded(state, data, resolvedEnd(data));
      return state;
    case 'worker_started':
      state.generation = numberAt(data, 'generation');
      state.workers.push({
        generation: state.generation,
        pid: numberAt(data, 'pid'),
        startTime: textAt(data, 'start_time'),
      });
      return state;
    case 'worker_exited':
      state.workers = state.workers.filter((worker) => worker.generation !== data['generation']);
      state.generation = Math.max(state.generation, numberAt(data, 'generation'));
      if (data['expected'] !== true) {
        state.workerDeaths += 1;
        state.lastWorkerDeath = textAt(data, 'reason');
      }
      return state;
    case 'restart':
      if (typeof data['attempt'] === 'number') state.restarts = data['attempt'];
      state.restart = 'pending';
      return state;
    case 'restart_exhausted':
      state.restart = 'exhausted';
      return state;
    case 'operator_action':
    case 'operator_outcome':
    case 'foreign_lines':
    case 'journal_adopted':
    case 'journal_full':
    case 'segments_dropped':
    case 'log':
      return state;
    case 'journal_repaired':
      journalRepaired(state, data, timestamp);
      return state;
    case 'recovered':
      state.lifecycleReason = textAt(data, 'reason', state.lifecycleReason);
      return state;
    case 'configured':
      state.configHash = textAt(data, 'hash');
      return state;
    case 'writer_opened':
      state.writer = {
        epoch: numberAt(data, 'epoch'),
        hostId: textAt(data, 'host_id'),
        pid: numberAt(data, 'pid'),
        startTime: textAt(data, 'start_time'),
        build: textAt(data, 'build'),
      };
      return state;
  }
}

function transitioned(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const to = textAt(data, 'to_state');
  if (to === '') return;
  state.lifecycle = to;
  state.lifecycleSince = timestamp;
  state.lifecycleReason = textAt(data, 'reason');
  state.lifecycleActor = textAt(data, 'actor');
  if (to === 'starting') {
    state.restart = 'none';
    progressed(state);
    state.consecutiveFailures = 0;
  }
}

function contextWritten(state: ProcessSnapshot, data: JsonObject): void {
  const key = data['key'];
  if (key === undefined || key === null) return;
  const name = typeof key === 'string' ? key : showJson(key);
  const value = data['value'] ?? null;
  for (const open of state.open) {
    if (!Object.hasOwn(open.before, name)) {
      define(open.before, name, Object.hasOwn(state.context, name) ? { value: state.context[name]! } : null);
    }
  }
  const writer = state.open.find((open) => open.event.eventId === data['event_id']);
  writer?.writes.push({
    ordinal: numberAt(data, 'ordinal'),
    key: name,
    value,
    deleted: data['deleted'] === true,
  });
  if (data['deleted'] === true) delete state.context[name];
  else define(state.context, name, value);
}

function holdPlaced(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const kind = textAt(data, 'hold');
  if (!isHoldKind(kind)) return;
  state.holds = [
    ...state.holds.filter((hold) => hold.kind !== kind),
    { kind, reason: textAt(data, 'reason'), actor: textAt(data, 'actor'), since: timestamp },
  ];
}

/** Entries are missing from where the state was built: nobody knows what they told of, so everything unfinished is asked [S14]. */
function journalRepaired(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  if (data['held'] !== true) return;
  const reason = textAt(data, 'reason', 'the journal was repaired, and entries are missing');
  holdPlaced(state, { hold: 'gap', reason, actor: 'holdfast' }, timestamp);
  for (const open of state.open) {
    open.effects = open.effects.map((effect) => ({ ...effect, effectClass: 'ask' }));
  }
}

function eventOf(data: JsonObject, timestamp: string): TriggerEvent {
  return {
    eventId: textAt(data, 'event_id'),
    triggerId: textAt(data, 'trigger_id'),
    triggerType: textAt(data, 'trigger_type'),
    payload: data['payload'] ?? null,
    acceptedAt: timestamp,
  };
}

function eventEnded(state: ProcessSnapshot, eventId: string): OpenInvocation | undefined {
  const open = state.open.find((invocation) => invocation.event.eventId === eventId);
  state.queue = state.queue.filter((event) => event.eventId !== eventId);
  state.open = state.open.filter((invocation) => invocation !== open);
  return open;
}

function runCounted(state: ProcessSnapshot, timestamp: string): void {
  const day = dayOf(timestamp);
  const runs = state.runsToday?.day === day ? state.runsToday.runs + 1 : 1;
  state.runsToday = { day, runs };
}

function invocationStarted(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const eventId = textAt(data, 'event_id');
  runCounted(state, timestamp);
  const event = state.queue.find((queued) => queued.eventId === eventId);
  // A foreign journal may say that something began that it never said was accepted.
  if (event === undefined) return;
  state.queue = state.queue.filter((queued) => queued !== event);
  state.open.push({
    event,
    invocation: numberAt(data, 'invocation'),
    attempt: numberAt(data, 'attempt', 1),
    startedAt: timestamp,
    codeHash: textAt(data, 'code_hash'),
    effects: [],
    writes: [],
    before: {},
  });
}

/** Work got somewhere, so what killed workers before is over. */
function progressed(state: ProcessSnapshot): void {
  state.workerDeaths = 0;
  state.lastWorkerDeath = null;
}

function ran(
  state: ProcessSnapshot,
  eventId: string,
  ok: boolean,
  at: string,
  durationMs: number | null,
): void {
  state.recentRuns = [...state.recentRuns, { eventId, ok, at, durationMs }].slice(-HEALTH_WINDOW);
}

function invocationSucceeded(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const eventId = textAt(data, 'event_id');
  if (eventEnded(state, eventId) === undefined) runCounted(state, timestamp);
  state.invocationCount += 1;
  state.consecutiveFailures = 0;
  state.restarts = 0;
  progressed(state);
  const durationMs = data['duration_ms'];
  ran(state, eventId, true, timestamp, typeof durationMs === 'number' ? durationMs : null);
}

/** One per failed attempt; only the last one ends the event. Promptise's carry no `final` and always end it. */
function invocationFailed(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const eventId = textAt(data, 'event_id');
  state.lastError = { code: textAt(data, 'error_type'), message: textAt(data, 'error'), at: timestamp };
  if (data['final'] === false) return;
  if (eventEnded(state, eventId) === undefined) runCounted(state, timestamp);
  state.consecutiveFailures += 1;
  progressed(state);
  const durationMs = data['duration_ms'];
  ran(state, eventId, false, timestamp, typeof durationMs === 'number' ? durationMs : null);
}

function effectStarted(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const open = state.open.find((invocation) => invocation.event.eventId === data['event_id']);
  if (open === undefined) return;
  const effectClass = textAt(data, 'class');
  const effect: RecordedEffect = {
    effectId: textAt(data, 'effect_id'),
    name: textAt(data, 'name'),
    occurrence: numberAt(data, 'occurrence'),
    effectClass: isEffectClass(effectClass) ? effectClass : 'ask',
    argsHash: textAt(data, 'args_hash'),
    argsPreview: textAt(data, 'args_preview'),
    key: textAt(data, 'key'),
    attempts: numberAt(data, 'attempt', 1),
    announcedAt: timestamp,
    end: null,
  };
  const at = open.effects.findIndex((other) => other.effectId === effect.effectId);
  if (at < 0) open.effects.push(effect);
  else open.effects[at] = { ...effect, announcedAt: open.effects[at]!.announcedAt };
}

/** Announced, and its worker was gone before it was allowed to act: as if it had never been asked for. */
function effectWithdrawn(state: ProcessSnapshot, data: JsonObject): void {
  for (const open of state.open) {
    open.effects = open.effects.filter(
      (effect) => effect.effectId !== data['effect_id'] || effect.attempts > 1,
    );
  }
}

function effectEnded(state: ProcessSnapshot, data: JsonObject, end: EffectEnd | null): void {
  if (end === null) return;
  const effectId = textAt(data, 'effect_id');
  for (const open of state.open) {
    const at = open.effects.findIndex((effect) => effect.effectId === effectId);
    if (at < 0) continue;
    open.effects[at] = { ...open.effects[at]!, end };
    if (end.kind !== 'in_doubt') progressed(state);
  }
}

/** It happened, so it is never run again; what it gave has to be said by somebody who knows [S16]. */
function effectValueLost(state: ProcessSnapshot, effectId: string): void {
  const end: EffectEnd = { kind: 'in_doubt', error: 'it happened, and what it gave is lost', happened: true };
  for (const open of state.open) {
    open.effects = open.effects.map((effect) =>
      effect.effectId === effectId ? { ...effect, effectClass: 'ask', end } : effect,
    );
  }
}

function spilledOf(data: JsonObject): SpillReference | null {
  const spilled = objectAt(data, 'spilled');
  if (spilled === null) return null;
  return {
    id: textAt(spilled, 'id'),
    sha256: textAt(spilled, 'sha256'),
    bytes: numberAt(spilled, 'bytes'),
  };
}

function endOf(data: JsonObject): EffectEnd | null {
  const result: Json = data['result'] ?? null;
  const spilled = spilledOf(data);
  switch (textAt(data, 'end')) {
    case 'done':
      return spilled === null ? { kind: 'done', result } : { kind: 'done', result, spilled };
    case 'did_not_happen':
      return { kind: 'did_not_happen', error: textAt(data, 'error') };
    case 'in_doubt':
      return { kind: 'in_doubt', error: textAt(data, 'error') };
    default:
      return null;
  }
}

function resolvedEnd(data: JsonObject): EffectEnd | null {
  switch (textAt(data, 'resolution')) {
    case 'happened':
      return { kind: 'done', result: data['result'] ?? null };
    case 'skip':
      return { kind: 'done', result: null };
    case 'did_not_happen':
      return { kind: 'did_not_happen', error: textAt(data, 'reason') };
    default:
      return null;
  }
}
