// What the journal tells of escalations. Nothing is changed in place: states share what did not change.

import {
  isCauseKind,
  isDeliveryTarget,
  isPending,
  MAX_OVER,
  MAX_RAISED,
  openCause,
  type EscalationDelivery,
  type RaisedCause,
} from './escalation-state.ts';
import { numberAt, objectAt, objectsAt, textAt, type JsonObject } from './json.ts';
import type { ProcessSnapshot } from './snapshot.ts';

/** A cause is open from here on; or, with a count, it came up again so often. */
export function causeRaised(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const key = textAt(data, 'key');
  const kind = textAt(data, 'kind');
  const id = textAt(data, 'id');
  const open = openCause(state, key);
  if (open !== undefined) {
    replace(state, { ...open, repeats: open.repeats + Math.max(0, numberAt(data, 'repeated')) });
    return;
  }
  if (key === '' || id === '' || !isCauseKind(kind) || Object.hasOwn(data, 'repeated')) return;
  const cause: RaisedCause = {
    id,
    key,
    kind,
    summary: textAt(data, 'summary'),
    detail: objectAt(data, 'detail') ?? {},
    at: timestamp,
    repeats: 0,
    overAt: null,
    overWhy: '',
    deliveries: objectsAt(data, 'targets').flatMap(deliveryOf),
  };
  state.escalations = bounded([...state.escalations, settled(cause)]);
}

function deliveryOf(data: JsonObject): readonly EscalationDelivery[] {
  const target = textAt(data, 'target');
  if (!isDeliveryTarget(target)) return [];
  const dueAt = textAt(data, 'due_at');
  return [
    {
      target,
      to: textAt(data, 'to'),
      status: 'pending',
      attempts: 0,
      lastAt: null,
      dueAt: dueAt === '' ? null : dueAt,
      answer: null,
      reason: '',
    },
  ];
}

export function escalationSent(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  withDelivery(state, data, (delivery) => ({
    ...delivery,
    status: 'sent',
    attempts: numberAt(data, 'attempt', delivery.attempts + 1),
    lastAt: timestamp,
    dueAt: null,
    answer: answerIn(data),
    reason: '',
  }));
}

/** The event is in its own process's record, from which it is delivered [S38]: nobody has to send it again. */
export function eventOfCauseSent(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const id = textAt(data, 'escalation_id');
  if (id !== '') escalationSent(state, { id, target: 'event' }, timestamp);
}

export function escalationFailed(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const dueAt = textAt(data, 'retry_at');
  withDelivery(state, data, (delivery) => ({
    ...delivery,
    status: dueAt === '' ? 'failed' : 'pending',
    attempts: numberAt(data, 'attempt', delivery.attempts + 1),
    lastAt: timestamp,
    dueAt: dueAt === '' ? null : dueAt,
    answer: answerIn(data),
    reason: textAt(data, 'reason'),
  }));
}

/** Whoever was to be told later because it had just been told need not be any more. */
export function causeOver(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const open = openCause(state, textAt(data, 'key'));
  if (open === undefined) return;
  replace(
    state,
    settled({
      ...open,
      overAt: timestamp,
      overWhy: textAt(data, 'reason'),
      repeats: open.repeats + Math.max(0, numberAt(data, 'repeated')),
      deliveries: open.deliveries.map((delivery) =>
        delivery.status === 'pending' && delivery.attempts === 0 && delivery.dueAt !== null
          ? { ...delivery, status: 'dropped', dueAt: null }
          : delivery,
      ),
    }),
  );
  state.escalations = bounded(state.escalations);
}

function answerIn(data: JsonObject): number | null {
  const status = data['status'];
  return typeof status === 'number' ? status : null;
}

function withDelivery(
  state: ProcessSnapshot,
  data: JsonObject,
  change: (delivery: EscalationDelivery) => EscalationDelivery,
): void {
  const id = textAt(data, 'id');
  const target = textAt(data, 'target');
  const cause = state.escalations.find((one) => one.id === id);
  if (cause === undefined) return;
  const deliveries = cause.deliveries.map((one) => (one.target === target ? change(one) : one));
  replace(state, settled({ ...cause, deliveries }));
}

/** What a receiver would be told is not needed once all are told. */
function settled(cause: RaisedCause): RaisedCause {
  return isPending(cause) ? cause : { ...cause, detail: {} };
}

function replace(state: ProcessSnapshot, cause: RaisedCause): void {
  state.escalations = state.escalations.map((one) => (one.id === cause.id ? cause : one));
}

/** The oldest go first, of those that are over and told before any other. */
function bounded(causes: readonly RaisedCause[]): readonly RaisedCause[] {
  let left = causes;
  const isDone = (cause: RaisedCause): boolean => cause.overAt !== null && !isPending(cause);
  const without = (those: (cause: RaisedCause) => boolean, count: number): void => {
    let over = count;
    left = left.filter((cause) => {
      if (over <= 0 || !those(cause)) return true;
      over -= 1;
      return false;
    });
  };
  without(isDone, left.filter(isDone).length - MAX_OVER);
  without(isDone, left.length - MAX_RAISED);
  without((cause) => cause.overAt !== null, left.length - MAX_RAISED);
  without(() => true, left.length - MAX_RAISED);
  return left;
}
