// What the journal tells of triggers: which were added, taken away and paused, how far a schedule was followed, and what came
// of their calls.

import { eventEnded } from './fold-invocation.ts';
import { define, isObject, numberAt, objectAt, textAt, type Json, type JsonObject } from './json.ts';
import type { ProcessSnapshot } from './snapshot.ts';
import { emptyTrigger, REMEMBERED, type Pause, type TakenKey, type TriggerRecord } from './trigger-record.ts';

/** More are remembered of the last while, which is longer than a signature is good for unless a manifest says otherwise. */
const REMEMBERED_MS = 15 * 60 * 1000;
const MOST_REMEMBERED = 5_000;
/** Forgetting is done for so many at once. */
const STEP = 100;

export function triggerOf(
  { triggers }: Readonly<ProcessSnapshot>,
  triggerId: string,
): Readonly<TriggerRecord> {
  return Object.hasOwn(triggers.known, triggerId) ? triggers.known[triggerId]! : emptyTrigger();
}

function recordOf(state: ProcessSnapshot, data: JsonObject): TriggerRecord {
  const triggerId = textAt(data, 'trigger_id');
  const { known } = state.triggers;
  if (!Object.hasOwn(known, triggerId)) define(known, triggerId, emptyTrigger());
  return known[triggerId]!;
}

/** An event was accepted: of a schedule, its time is done with. */
export function triggerCalled(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const record = recordOf(state, data);
  record.accepted += 1;
  record.lastEventAt = timestamp;
  const key = textAt(data, 'key');
  if (key !== '') keyTaken(record, { key, atMs: momentOf(timestamp) ?? 0 });
  // Of a schedule's own events; whoever fires it by hand may say in its payload what they like.
  scheduleFollowed(record, textAt(data, 'scheduled_time'));
}

function keyTaken({ keys }: TriggerRecord, taken: TakenKey): void {
  keys.push(taken);
  if (keys.length <= REMEMBERED || keys.length % STEP !== 0) return;
  const old = keys.findIndex(({ atMs }) => atMs > taken.atMs - REMEMBERED_MS);
  const most = keys.length - REMEMBERED;
  keys.splice(0, Math.max(keys.length - MOST_REMEMBERED, Math.min(most, old < 0 ? most : old)));
}

function scheduleFollowed(record: TriggerRecord, scheduled: string): void {
  const scheduledMs = Date.parse(scheduled);
  if (!Number.isFinite(scheduledMs)) return;
  record.lastScheduledMs = Math.max(scheduledMs, record.lastScheduledMs ?? Number.NEGATIVE_INFINITY);
}

/** Scheduled times that nothing ran for; those that an event waits for already are told to it [S42]. */
export function scheduleMissed(state: ProcessSnapshot, data: JsonObject): void {
  const record = recordOf(state, data);
  const count = numberAt(data, 'count');
  record.missed += count;
  scheduleFollowed(record, textAt(data, 'last'));
  const eventId = textAt(data, 'event_id');
  if (eventId === '') return;
  state.queue = state.queue.map((event) =>
    event.eventId === eventId ? { ...event, missed: (event.missed ?? 0) + count } : event,
  );
}

export function callFiltered(state: ProcessSnapshot, data: JsonObject): void {
  const record = recordOf(state, data);
  record.filtered += 1;
  scheduleFollowed(record, textAt(data, 'scheduled_time'));
}

/** Its invocation looked at it, and took it for nothing to act on. */
export function eventRefused(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const open = eventEnded(state, textAt(data, 'event_id'), timestamp);
  if (open !== undefined) recordOf(state, { trigger_id: open.event.triggerId }).filtered += 1;
}

function pauseOf(data: JsonObject, at: string): Pause {
  return { reason: textAt(data, 'reason'), actor: textAt(data, 'actor'), at };
}

/** Without an id: all of them, and with a number those of all processes at once. */
export function triggerPaused(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const all = data['workspace'];
  if (typeof all === 'number') state.triggers.switch = { number: all, pause: pauseOf(data, timestamp) };
  else if (textAt(data, 'trigger_id') === '') state.triggers.allPaused = pauseOf(data, timestamp);
  else recordOf(state, data).paused = pauseOf(data, timestamp);
}

/** From now on: what was due in between is over. */
export function triggerResumed(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const isAll = textAt(data, 'trigger_id') === '';
  const all = data['workspace'];
  if (typeof all === 'number') state.triggers.switch = { number: all, pause: null };
  else if (isAll) state.triggers.allPaused = null;
  const resumed = isAll ? Object.values(state.triggers.known) : [recordOf(state, data)];
  for (const record of resumed) {
    if (!isAll) record.paused = null;
    record.sinceMs = momentOf(timestamp);
    record.lastScheduledMs = null;
  }
  if (isAll) state.triggers.sinceMs = momentOf(timestamp);
}

export function triggerAdded(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const id = textAt(data, 'trigger_id');
  const config = objectAt(data, 'config');
  if (id === '' || !isObject(config)) return;
  const { triggers } = state;
  triggers.added = [...triggers.added.filter((other) => other.id !== id), { id, config }];
  define(triggers.known, id, { ...emptyTrigger(), sinceMs: momentOf(timestamp) });
}

export function triggerRemoved(state: ProcessSnapshot, data: JsonObject): void {
  const id = textAt(data, 'trigger_id');
  const { triggers } = state;
  const left = triggers.added.filter((other) => other.id !== id);
  // One of the manifest's that stood behind it was taken away before.
  if (left.length === triggers.added.length && !triggers.removed.includes(id)) {
    triggers.removed = [...triggers.removed, id];
  }
  triggers.added = left;
  delete triggers.known[id];
}

/** A process that begins after somebody had ended it owes nothing for the time between. */
export function triggersBegan({ triggers }: ProcessSnapshot, timestamp: string): void {
  triggers.sinceMs = momentOf(timestamp);
  for (const record of Object.values(triggers.known)) record.sinceMs = triggers.sinceMs;
}

/** Those that its manifest did not have before: nothing was due of them until now. */
export function triggersConfigured({ triggers }: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const ids = data['trigger_ids'];
  if (!Array.isArray(ids)) return;
  for (const id of ids as readonly Json[]) {
    if (typeof id !== 'string' || Object.hasOwn(triggers.known, id)) continue;
    define(triggers.known, id, { ...emptyTrigger(), sinceMs: momentOf(timestamp) });
  }
}

function momentOf(timestamp: string): number | null {
  const epochMs = Date.parse(timestamp);
  return Number.isFinite(epochMs) ? epochMs : null;
}
