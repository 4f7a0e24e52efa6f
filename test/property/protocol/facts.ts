// What a journal says, read once more and plainly: line by line, without the fold and without its checkpoints. It is what
// the fold is held against in every state [P4], so it shares no code with it.

import { numberAt, objectAt, textAt, type JsonObject } from '../../../core/model/json.ts';
import type { FoldedEntry } from '../../../core/model/fold.ts';
import type { EffectEnd } from '../../../core/model/effects.ts';
import type { OpenInvocation, ProcessSnapshot } from '../../../core/model/snapshot.ts';

export type EffectState = 'under way' | 'done' | 'no' | 'no, again' | 'doubt' | 'nobody knows' | 'given up';

export interface EffectFacts {
  readonly eventId: string;
  readonly effectClass: string;
  readonly attempts: number;
  readonly state: EffectState;
  readonly before: EffectState | null;
}

export interface EventFacts {
  readonly at: 'queued' | 'open' | 'dead' | 'over';
  readonly attempt: number;
  readonly retryAt: string | null;
  readonly ends: number;
  /** Its beginning was undone, and it has not begun again [S39]. */
  readonly isToBegin?: boolean;
}

export interface WaitFacts {
  readonly eventId: string;
  readonly kind: 'promise' | 'timer';
  readonly due: string | null;
  readonly end: string | null;
}

export interface Facts {
  readonly events: Readonly<Record<string, EventFacts>>;
  readonly queue: readonly string[];
  readonly effects: Readonly<Record<string, EffectFacts>>;
  readonly waits: Readonly<Record<string, WaitFacts>>;
  /** Of promises of ended invocations. */
  readonly settled: Readonly<Record<string, string>>;
  /** With the event that got it; empty while it waits. */
  readonly inbox: Readonly<Record<string, string>>;
  /** What was sent, by its number less one, and which numbers are known to have arrived. */
  readonly sent: readonly string[];
  readonly arrived: readonly number[];
  /** What came from the other process, in the order of its arrival. */
  readonly heard: readonly string[];
  readonly heardUpTo: number;
  readonly holds: readonly string[];
  readonly lifecycle: string;
  readonly succeeded: number;
  readonly failuresInRow: number;
  readonly redelivered: number;
  readonly resolved: number;
  /** Whoever signed in last. */
  readonly epoch: number;
  /** What no journal may say. */
  readonly wrong: readonly string[];
}

export const NO_FACTS: Facts = {
  events: {},
  queue: [],
  effects: {},
  waits: {},
  settled: {},
  inbox: {},
  sent: [],
  arrived: [],
  heard: [],
  heardUpTo: 0,
  holds: [],
  lifecycle: 'created',
  succeeded: 0,
  failuresInRow: 0,
  redelivered: 0,
  resolved: 0,
  epoch: 0,
  wrong: [],
};

const without = <T>(record: Readonly<Record<string, T>>, gone: (value: T, key: string) => boolean) =>
  Object.fromEntries(Object.entries(record).filter(([key, value]) => !gone(value, key)));

export function readOn(facts: Facts, { entry_type, data, timestamp }: FoldedEntry): Facts {
  const eventId = textAt(data, 'event_id');
  const event = facts.events[eventId];
  const withEvent = (next: Partial<EventFacts>): Facts['events'] => ({
    ...facts.events,
    [eventId]: { ...(event ?? { at: 'queued', attempt: 0, retryAt: null, ends: 0 }), ...next },
  });
  switch (entry_type) {
    case 'writer_opened':
      return { ...facts, epoch: numberAt(data, 'epoch') };
    case 'state_transition':
      return { ...facts, lifecycle: textAt(data, 'to_state') };
    case 'hold_placed': {
      const hold = textAt(data, 'hold');
      return { ...facts, holds: [...facts.holds.filter((other) => other !== hold), hold].sort() };
    }
    case 'hold_lifted':
      return { ...facts, holds: facts.holds.filter((hold) => hold !== data['hold']) };
    case 'trigger_event': {
      const accepted = { ...facts, events: withEvent({}), queue: [...facts.queue, eventId] };
      const from = objectAt(data, 'from');
      if (from === null) return accepted;
      const said = textAt(objectAt(data, 'payload') ?? {}, 'data');
      const heardUpTo = Math.max(facts.heardUpTo, numberAt(from, 'number'));
      return { ...accepted, heardUpTo, heard: [...facts.heard, said] };
    }
    case 'invocation_start':
      return begun(facts, data);
    case 'invocation_result': {
      const ended = over(facts, eventId, 'over', withEvent);
      return { ...ended, succeeded: facts.succeeded + 1, failuresInRow: 0 };
    }
    case 'error': {
      if (data['final'] === false) {
        return { ...facts, events: withEvent({ retryAt: textAt(data, 'retry_at') || null }) };
      }
      const ended = over(facts, eventId, data['dead_letter'] === true ? 'dead' : 'over', withEvent);
      return { ...ended, failuresInRow: facts.failuresInRow + 1 };
    }
    case 'dead_letter_redelivered': {
      const next = { at: 'open' as const, attempt: (event?.attempt ?? 0) + 1, retryAt: null };
      return { ...facts, events: withEvent(next), redelivered: facts.redelivered + 1 };
    }
    case 'effect_started':
    case 'effect_finished':
    case 'effect_expired':
    case 'effect_resolved': {
      const resolved = facts.resolved + (entry_type === 'effect_resolved' ? 1 : 0);
      return { ...facts, effects: effectsAfter(facts.effects, entry_type, data), resolved };
    }
    case 'promise_created':
    case 'timer_started': {
      const kind = entry_type === 'timer_started' ? 'timer' : 'promise';
      const due = textAt(data, kind === 'timer' ? 'fires_at' : 'expires_at') || null;
      const id = textAt(data, kind === 'timer' ? 'timer_id' : 'promise_id');
      return { ...facts, waits: { ...facts.waits, [id]: { eventId, kind, due, end: null } } };
    }
    case 'timer_fired':
      return waitOver(facts, textAt(data, 'timer_id'), 'fired', timestamp);
    case 'promise_settled':
      return waitOver(facts, textAt(data, 'promise_id'), textAt(data, 'status'), timestamp);
    case 'inbox_message':
      return { ...facts, inbox: { ...facts.inbox, [textAt(data, 'message_id')]: '' } };
    case 'message_sent':
      return sent(facts, data);
    case 'message_delivered':
      return { ...facts, arrived: [...facts.arrived, numberAt(data, 'number')].sort((a, b) => a - b) };
    default:
      return facts;
  }
}

type WithEvent = (next: Partial<EventFacts>) => Facts['events'];

function begun(facts: Facts, data: JsonObject): Facts {
  const eventId = textAt(data, 'event_id');
  const event = facts.events[eventId];
  const attempt = numberAt(data, 'attempt');
  const wrong = [...facts.wrong];
  if (event?.at === 'queued' && facts.queue[0] !== eventId) wrong.push(`${eventId} jumped the queue`);
  const next = (event?.attempt ?? 0) + (event?.isToBegin === true ? 0 : 1);
  if (event?.at === 'open' && attempt !== next) wrong.push(`${eventId} lost count of its attempts`);
  if (event === undefined || event.at === 'dead' || event.at === 'over')
    wrong.push(`${eventId} begins and is ${event?.at ?? 'unknown'}`);
  const ids = Array.isArray(data['inbox']) ? (data['inbox'] as readonly string[]) : [];
  for (const id of ids) if (facts.inbox[id] !== '') wrong.push(`${id} was delivered before`);
  const inbox = { ...facts.inbox, ...Object.fromEntries(ids.map((id) => [id, eventId])) };
  const { isToBegin: _, ...rest } = event ?? { ends: 0 };
  const events = { ...facts.events, [eventId]: { ...rest, at: 'open' as const, attempt, retryAt: null } };
  return { ...facts, events, queue: facts.queue.filter((id) => id !== eventId), inbox, wrong };
}

function over(facts: Facts, eventId: string, at: 'dead' | 'over', withEvent: WithEvent): Facts {
  const ends = (facts.events[eventId]?.ends ?? 0) + (at === 'over' ? 1 : 0);
  const isOf = ({ eventId: of }: { readonly eventId: string }): boolean => of === eventId;
  const settled = Object.entries(facts.waits).flatMap(([id, wait]) =>
    isOf(wait) && wait.kind === 'promise' && wait.end !== null ? [[id, wait.end] as const] : [],
  );
  const wrong = ends > 1 ? [...facts.wrong, `${eventId} ended twice`] : facts.wrong;
  const events = withEvent({ at, retryAt: null, ends });
  const rest = { ...facts, events, wrong, settled: { ...facts.settled, ...Object.fromEntries(settled) } };
  if (at === 'dead') return rest;
  return { ...rest, effects: without(facts.effects, isOf), waits: without(facts.waits, isOf) };
}

function effectsAfter(effects: Facts['effects'], type: string, data: JsonObject): Facts['effects'] {
  const id = textAt(data, 'effect_id');
  const known = effects[id];
  if (type === 'effect_started') {
    const started: EffectFacts = {
      eventId: textAt(data, 'event_id'),
      effectClass: textAt(data, 'class'),
      attempts: numberAt(data, 'attempt'),
      state: 'under way',
      before: known?.state ?? null,
    };
    return { ...effects, [id]: started };
  }
  if (known === undefined) return effects;
  if (data['unpermitted'] === true) {
    const attempts = known.attempts - 1;
    if (attempts === 0) return without(effects, (_, key) => key === id);
    return { ...effects, [id]: { ...known, attempts, state: known.before ?? 'under way', before: null } };
  }
  const effectClass = type === 'effect_expired' ? 'ask' : known.effectClass;
  return { ...effects, [id]: { ...known, effectClass, state: stateSaid(type, data), before: null } };
}

function stateSaid(type: string, data: JsonObject): EffectState {
  if (type === 'effect_expired') return 'doubt';
  if (type === 'effect_resolved') return data['resolution'] === 'did_not_happen' ? 'no, again' : 'done';
  if (data['end'] === 'done') return 'done';
  if (data['end'] === 'did_not_happen') return 'no';
  if (data['reconciled'] === true) return 'nobody knows';
  return data['given_up'] === true ? 'given up' : 'doubt';
}

function waitOver(facts: Facts, id: string, end: string, at: string): Facts {
  const wait = facts.waits[id];
  // Only the first end counts.
  if (wait === undefined || wait.end !== null) return facts;
  const isByTime = end === 'fired' || end === 'expired';
  const isEarly = isByTime && (wait.due === null || wait.due > at);
  const wrong = isEarly ? [...facts.wrong, `${id} came before its time`] : facts.wrong;
  return { ...facts, wrong, waits: { ...facts.waits, [id]: { ...wait, end } } };
}

function sent(facts: Facts, data: JsonObject): Facts {
  const number = numberAt(data, 'number');
  const isNext = number === facts.sent.length + 1;
  const wrong = isNext ? facts.wrong : [...facts.wrong, `the message ${number} is not the next`];
  return { ...facts, wrong, sent: [...facts.sent, textAt(data, 'data')] };
}

function stateOf(end: EffectEnd | null): EffectState {
  switch (end?.kind) {
    case undefined:
      return 'under way';
    case 'done':
      return 'done';
    case 'did_not_happen':
      return end.again === true ? 'no, again' : 'no';
    case 'in_doubt':
      return end.reconciled === true ? 'nobody knows' : end.givenUp === true ? 'given up' : 'doubt';
  }
}

/** Where a snapshot and the plain reading of the same journal part; null where they agree [P4]. */
export function disagreement(facts: Facts, snapshot: ProcessSnapshot): string | null {
  for (const [what, said, folded] of pairs(facts, snapshot)) {
    const [a, b] = [JSON.stringify(said), JSON.stringify(folded)];
    if (a !== b) return `${what}: the journal says ${a}, the state ${b}`;
  }
  return null;
}

type Pair = readonly [string, unknown, unknown];

function pairs(facts: Facts, snapshot: ProcessSnapshot): readonly Pair[] {
  const dead = snapshot.deadLetters.flatMap(({ open }) => (open === null ? [] : [open]));
  const alive = [...snapshot.open, ...dead].sort((a, b) => (a.event.eventId < b.event.eventId ? -1 : 1));
  const at = (where: EventFacts['at']): string[] =>
    Object.keys(facts.events)
      .filter((id) => facts.events[id]!.at === where)
      .sort();
  return [
    ['the queue', facts.queue, snapshot.queue.map(({ eventId }) => eventId)],
    ['what is under way', at('open'), snapshot.open.map(({ event }) => event.eventId).sort()],
    ['the dead letters', at('dead'), snapshot.deadLetters.map(({ event }) => event.eventId).sort()],
    ['attempts', attemptsSaid(facts), alive.map(({ event, attempt }) => [event.eventId, attempt])],
    ['next attempts', retriesSaid(facts), retriesOf(snapshot.open)],
    ['effects', effectsSaid(facts), alive.flatMap(effectsOf)],
    ['waits', waitsSaid(facts), alive.flatMap(waitsOf)],
    ['settled promises', { ...settledSaid(facts) }, settledOf(snapshot)],
    [
      'the inbox',
      Object.keys(facts.inbox).filter((id) => facts.inbox[id] === ''),
      snapshot.inbox.map((m) => m.messageId),
    ],
    ['messages sent', facts.sent.length, snapshot.sent],
    ['the outbox', outboxSaid(facts), snapshot.outbox.map(({ number, data }) => [number, data])],
    ['messages heard', facts.heardUpTo, snapshot.heard['sender'] ?? 0],
    ['holds', facts.holds, snapshot.holds.map(({ kind }) => kind).sort()],
    ['the lifecycle', facts.lifecycle, snapshot.lifecycle],
    ['successes', facts.succeeded, snapshot.invocationCount],
    ['failures in a row', facts.failuresInRow, snapshot.consecutiveFailures],
    ['the writer', facts.epoch, snapshot.writer?.epoch ?? 0],
  ];
}

const byFirst = <T extends readonly [string, ...unknown[]]>(rows: readonly T[]): T[] =>
  [...rows].sort(([a], [b]) => (a < b ? -1 : 1));

function attemptsSaid({ events }: Facts): unknown {
  const alive = Object.entries(events).filter(([, { at }]) => at === 'open' || at === 'dead');
  return byFirst(alive.map(([id, { attempt }]) => [id, attempt] as const));
}

function retriesSaid({ events }: Facts): unknown {
  return byFirst(
    Object.entries(events).flatMap(([id, { at, retryAt }]) =>
      at === 'open' && retryAt !== null ? [[id, retryAt] as const] : [],
    ),
  );
}

function retriesOf(open: readonly OpenInvocation[]): unknown {
  return byFirst(
    open.flatMap(({ event, retryAt }) => (retryAt === null ? [] : [[event.eventId, retryAt] as const])),
  );
}

function effectsSaid({ effects }: Facts): unknown {
  return byFirst(
    Object.entries(effects).map(
      ([id, { effectClass, attempts, state }]) => [id, effectClass, attempts, state] as const,
    ),
  );
}

function effectsOf({ effects }: OpenInvocation): readonly (readonly [string, ...unknown[]])[] {
  return byFirst(
    effects.map(
      ({ effectId, effectClass, attempts, end }) => [effectId, effectClass, attempts, stateOf(end)] as const,
    ),
  );
}

function waitsSaid({ waits }: Facts): unknown {
  return byFirst(
    Object.entries(waits).map(
      ([id, { due, end }]) => [id, due === null ? null : Date.parse(due), end] as const,
    ),
  );
}

function waitsOf({ waits }: OpenInvocation): readonly (readonly [string, ...unknown[]])[] {
  return byFirst(waits.map(({ waitId, dueAt, end }) => [waitId, dueAt, end?.status ?? null] as const));
}

function settledSaid({ settled }: Facts): Record<string, string> {
  return Object.fromEntries(byFirst(Object.entries(settled)));
}

function settledOf({ settled }: ProcessSnapshot): Record<string, string> {
  return Object.fromEntries(byFirst(settled.map(({ promiseId, status }) => [promiseId, status] as const)));
}

function outboxSaid({ sent, arrived }: Facts): unknown {
  return sent.flatMap((data, at) => (arrived.includes(at + 1) ? [] : [[at + 1, data]]));
}
