// What the journal tells of durable promises, timers and signals, folded into the invocations that they belong to.

import { numberAt, textAt, type JsonObject } from './json.ts';
import { keysAged } from './fold-effects.ts';
import { openOf, type OpenInvocation, type ProcessSnapshot } from './snapshot.ts';
import { isMoment, timestampOf } from './time.ts';
import { isSettlementStatus, type DurableWait, type WaitEnd } from './waits.ts';

/** Promises of ended invocations, and ids of signals and inbox messages, that are remembered. */
const REMEMBERED = 200;

export function waitBegan(
  state: ProcessSnapshot,
  kind: DurableWait['kind'],
  data: JsonObject,
  at: { readonly timestamp: string; readonly seq: number },
): void {
  const open = openOf(state, data['event_id']);
  if (open === undefined) return;
  open.isWaiting = false;
  const due = textAt(data, kind === 'promise' ? 'expires_at' : 'fires_at');
  open.waits.push({
    waitId: textAt(data, kind === 'promise' ? 'promise_id' : 'timer_id'),
    kind,
    name: textAt(data, 'name'),
    occurrence: numberAt(data, 'occurrence'),
    createdAt: at.timestamp,
    dueAt: momentOf(due),
    ...(typeof data['in_ms'] === 'number' ? { shiftMs: 0 } : {}),
    data: data['data'] ?? null,
    seq: at.seq,
    end: null,
    endSeq: null,
  });
}

/** Null for none, and for what is no moment, as a hand-written journal may hold. */
function momentOf(text: string): number | null {
  const epochMs = text === '' ? Number.NaN : Date.parse(text);
  return Number.isFinite(epochMs) ? epochMs : null;
}

/**
 * The clock was set, or stood still while the machine slept. A duration goes on as if it had not been set back; set
 * forward it may have been sleep, and what is due then is due. Moments stay what they are [S22].
 */
export function clockChanged(state: ProcessSnapshot, data: JsonObject): void {
  const byMs = numberAt(data, 'by_ms');
  // What was given up may be taken up again.
  const givenUp = state.deadLetters.flatMap(({ open }) => open ?? []);
  for (const open of [...state.open, ...givenUp]) {
    if (byMs < 0) keysAged(open, byMs);
    open.waits = open.waits.map((wait) => (wait.end === null ? shifted(wait, byMs) : wait));
    // A retry is never far away, so one that the clock was set over and back again may as well begin.
    if (open.retryAt !== null && byMs < 0) {
      const retryAt = Date.parse(open.retryAt) + byMs;
      if (isMoment(retryAt)) open.retryAt = timestampOf(retryAt);
    }
  }
}

function shifted(wait: DurableWait, byMs: number): DurableWait {
  const { dueAt, shiftMs } = wait;
  if (dueAt === null || shiftMs === undefined) return wait;
  const shift = shiftMs + byMs;
  const due = dueAt - Math.min(0, shiftMs) + Math.min(0, shift);
  return isMoment(due) && isMoment(shift) ? { ...wait, dueAt: due, shiftMs: shift } : wait;
}

/** The first end counts; a wait has one. */
function waitEnded(state: ProcessSnapshot, waitId: string, end: WaitEnd, seq: number): void {
  for (const open of state.open) {
    const at = open.waits.findLastIndex((wait) => wait.waitId === waitId);
    if (at < 0 || open.waits[at]!.end !== null) continue;
    open.waits[at] = { ...open.waits[at]!, end, endSeq: seq };
    open.isWaiting = false;
  }
}

export function timerFired(state: ProcessSnapshot, data: JsonObject, seq: number): void {
  waitEnded(state, textAt(data, 'timer_id'), { status: 'fired' }, seq);
}

export function promiseSettled(state: ProcessSnapshot, data: JsonObject, seq: number): void {
  const status = textAt(data, 'status');
  if (!isSettlementStatus(status)) return;
  const promiseId = textAt(data, 'promise_id');
  switch (status) {
    case 'resolved':
      waitEnded(state, promiseId, { status, value: data['value'] ?? null }, seq);
      return;
    case 'rejected':
      waitEnded(state, promiseId, { status, error: textAt(data, 'error') }, seq);
      return;
    case 'expired':
      waitEnded(state, promiseId, { status }, seq);
      return;
  }
}

/** Whoever settles a promise of an invocation that has ended is told what became of it. */
export function promisesOver(state: ProcessSnapshot, { waits }: OpenInvocation, at: string): void {
  const over = waits.flatMap(({ kind, waitId, end }) =>
    kind !== 'promise' || end === null || end.status === 'fired'
      ? []
      : [{ promiseId: waitId, status: end.status, at }],
  );
  if (over.length > 0) state.settled = [...state.settled, ...over].slice(-REMEMBERED);
}

export function signalReceived(state: ProcessSnapshot, data: JsonObject, seq: number): void {
  const signalId = textAt(data, 'signal_id');
  if (state.taken.includes(signalId)) return;
  taken(state, signalId);
  const eventIds = Array.isArray(data['event_ids']) ? (data['event_ids'] as readonly unknown[]) : [];
  for (const open of state.open) {
    if (!eventIds.includes(open.event.eventId)) continue;
    open.signals.push({ signalId, name: textAt(data, 'name'), payload: data['payload'] ?? null, seq });
    open.isWaiting = false;
  }
}

/** Remembers an id, so that it is not taken again. */
export function taken(state: ProcessSnapshot, id: string): void {
  state.taken = [...state.taken, id].slice(-REMEMBERED);
}

export function invocationWaits(state: ProcessSnapshot, data: JsonObject): void {
  const open = openOf(state, data['event_id']);
  if (open !== undefined) open.isWaiting = true;
}
