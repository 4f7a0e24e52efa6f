// What the journal tells of events and their invocations: accepted, begun, written, ended.

import { define, numberAt, objectAt, showJson, textAt, type JsonObject } from './json.ts';
import type { Sender, TriggerEvent } from './entry.ts';
import { leftBehind, runBegan, runEnded } from './fold-budget.ts';
import { spilledOf } from './fold-effects.ts';
import { inboxDelivered } from './fold-messages.ts';
import { missionRan } from './fold-mission.ts';
import { runSeen } from './fold-health.ts';
import { promisesOver } from './fold-waits.ts';
import {
  HEALTH_WINDOW,
  openedInvocation,
  openOf,
  type DeadLetter,
  type HeardNumbering,
  type OpenInvocation,
  type ProcessSnapshot,
} from './snapshot.ts';

const DEFAULT_DEAD_LETTERS = 100;
/** Of one sender: it begins another only where its journal was lost, in whole or in part. */
const MAX_NUMBERINGS = 4;

export function eventAccepted(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const event = eventOf(data, timestamp);
  if (event.from !== undefined) messageHeard(state, event.from);
  state.queue.push(event);
}

/** The last number that arrived from a sender; 0 before the first of that numbering. */
export function heardFrom(state: Readonly<ProcessSnapshot>, process: string, numbering = ''): number {
  if (numbering === '') return Object.hasOwn(state.heard, process) ? state.heard[process]! : 0;
  return numberingsOf(state, process).find((heard) => heard.numbering === numbering)?.number ?? 0;
}

function messageHeard(state: ProcessSnapshot, { process, number, numbering = '' }: Sender): void {
  const last = Math.max(number, heardFrom(state, process, numbering));
  if (numbering === '') {
    define(state.heard, process, last);
    return;
  }
  const others = numberingsOf(state, process).filter((heard) => heard.numbering !== numbering);
  define(state.heardOf, process, [...others, { numbering, number: last }].slice(-MAX_NUMBERINGS));
}

function numberingsOf({ heardOf }: Readonly<ProcessSnapshot>, process: string): readonly HeardNumbering[] {
  return Object.hasOwn(heardOf, process) ? heardOf[process]! : [];
}

function eventOf(data: JsonObject, timestamp: string): TriggerEvent {
  const event = {
    eventId: textAt(data, 'event_id'),
    triggerId: textAt(data, 'trigger_id'),
    triggerType: textAt(data, 'trigger_type'),
    payload: data['payload'] ?? null,
    acceptedAt: timestamp,
  };
  const from = senderOf(data);
  const metadata = objectAt(data, 'metadata');
  const missed = data['missed'];
  const spilled = spilledOf(data);
  return {
    ...event,
    ...(from === null ? {} : { from }),
    ...(metadata === null ? {} : { metadata }),
    ...(typeof missed === 'number' && missed > 0 ? { missed } : {}),
    ...(spilled === null ? {} : { spilled }),
  };
}

function senderOf(data: JsonObject): Sender | null {
  const from = objectAt(data, 'from');
  if (from === null) return null;
  const sender = { process: textAt(from, 'process'), number: numberAt(from, 'number') };
  const numbering = textAt(from, 'numbering');
  return numbering === '' ? sender : { ...sender, numbering };
}

export function eventEnded(
  state: ProcessSnapshot,
  eventId: string,
  timestamp: string,
): OpenInvocation | undefined {
  const open = openOf(state, eventId);
  state.queue = state.queue.filter((event) => event.eventId !== eventId);
  if (open === undefined) return undefined;
  leftBehind(state, open, timestamp);
  runEnded(state, eventId);
  state.open = state.open.filter((invocation) => invocation !== open);
  promisesOver(state, open, timestamp);
  trimConversation(state);
  return open;
}

export function invocationStarted(
  state: ProcessSnapshot,
  data: JsonObject,
  timestamp: string,
  seq: number,
): void {
  const eventId = textAt(data, 'event_id');
  const again = openOf(state, eventId);
  if (again !== undefined) {
    again.attempt = numberAt(data, 'attempt', again.attempt + 1);
    again.attemptSeq = seq;
    again.retryAt = null;
    again.isWaiting = false;
    if (again.isToBegin === true) beginsHere(state, again);
    return;
  }
  runBegan(state, timestamp);
  const event = state.queue.find((queued) => queued.eventId === eventId);
  // A foreign journal may say that something began that it never said was accepted.
  if (event === undefined) return;
  state.queue = state.queue.filter((queued) => queued !== event);
  const ids = Array.isArray(data['inbox']) ? (data['inbox'] as readonly unknown[]) : [];
  const inbox = ids.flatMap((id) => state.inbox.filter(({ messageId }) => messageId === id));
  const expired = Array.isArray(data['inbox_expired']) ? (data['inbox_expired'] as readonly unknown[]) : [];
  state.inbox = state.inbox.filter(
    (message) => !inbox.includes(message) && !expired.includes(message.messageId),
  );
  inboxDelivered(state, inbox, { eventId, invocation: numberAt(data, 'invocation'), at: timestamp });
  const instructions = textAt(data, 'instructions');
  state.open.push({
    ...(instructions === '' ? {} : { instructions }),
    ...(state.plan === null ? {} : { plan: state.plan }),
    ...toldOf(data),
    ...(typeof data['conversation_max'] === 'number' ? { conversationMax: data['conversation_max'] } : {}),
    ...(state.compaction === null ? {} : { compaction: state.compaction }),
    ...openedInvocation({
      event,
      invocation: numberAt(data, 'invocation'),
      attempt: numberAt(data, 'attempt', 1),
      attemptSeq: seq,
      startedAt: timestamp,
      codeHash: textAt(data, 'code_hash'),
      seed: textAt(data, 'seed'),
      inbox,
      conversationFrom: state.conversationCount,
    }),
  });
}

function toldOf(data: JsonObject): Pick<OpenInvocation, 'told'> {
  const told = objectAt(data, 'told');
  if (told === null) return {};
  const texts = Object.entries(told).filter((each): each is [string, string] => typeof each[1] === 'string');
  return { told: Object.fromEntries(texts) };
}

/** It sees the state as it is now [S23]. */
function beginsHere({ conversationCount, compaction }: ProcessSnapshot, open: OpenInvocation): void {
  delete open.isToBegin;
  open.before = {};
  open.conversationFrom = conversationCount;
  if (compaction === null) delete open.compaction;
  else open.compaction = compaction;
}

/** Work got somewhere, so what killed workers before is over. */
export function progressed(state: ProcessSnapshot): void {
  state.workerDeaths = 0;
  state.lastWorkerDeath = null;
}

function ran(state: ProcessSnapshot, data: JsonObject, ok: boolean, at: string): void {
  const durationMs = data['duration_ms'];
  const run = {
    eventId: textAt(data, 'event_id'),
    ok,
    at,
    durationMs: typeof durationMs === 'number' ? durationMs : null,
  };
  state.recentRuns = [...state.recentRuns, run].slice(-HEALTH_WINDOW);
  runSeen(state, data, ok);
}

export function invocationSucceeded(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const open = eventEnded(state, textAt(data, 'event_id'), timestamp);
  if (open === undefined) runBegan(state, timestamp);
  missionRan(state, data, open);
  state.invocationCount += 1;
  state.consecutiveFailures = 0;
  state.restarts = 0;
  progressed(state);
  ran(state, data, true, timestamp);
}

/** One per failed attempt; only the last one ends the event. Promptise's carry no `final` and always end it. */
export function invocationFailed(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const eventId = textAt(data, 'event_id');
  const error = textAt(data, 'error');
  state.lastError = { code: textAt(data, 'error_type'), message: error, at: timestamp };
  state.tally = { ...state.tally, failed: state.tally.failed + 1 };
  const retryAt = textAt(data, 'retry_at');
  if (data['final'] === false) {
    const open = openOf(state, eventId);
    if (open !== undefined) {
      // Its code waits for nothing any more.
      open.isWaiting = false;
      if (Number.isFinite(Date.parse(retryAt))) open.retryAt = retryAt;
    }
    return;
  }
  const open = eventEnded(state, eventId, timestamp);
  if (open === undefined) runBegan(state, timestamp);
  if (open !== undefined && data['dead_letter'] === true) {
    const reason = textAt(data, 'reason', 'retries exhausted');
    keepDeadLetter(state, data, {
      event: open.event,
      open,
      reason,
      error,
      attempts: open.attempt,
      at: timestamp,
    });
  }
  state.consecutiveFailures += 1;
  progressed(state);
  ran(state, data, false, timestamp);
}

export function deadLettered(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const eventId = textAt(data, 'event_id');
  const queued = state.queue.find((event) => event.eventId === eventId);
  const open = eventEnded(state, eventId, timestamp);
  const event = open?.event ?? queued;
  if (event === undefined) return;
  keepDeadLetter(state, data, {
    event,
    open: open ?? null,
    reason: textAt(data, 'reason'),
    error: textAt(data, 'error'),
    attempts: numberAt(data, 'attempts', open?.attempt ?? 0),
    at: timestamp,
  });
}

function keepDeadLetter(state: ProcessSnapshot, data: JsonObject, letter: DeadLetter): void {
  const size = numberAt(data, 'dead_letter_size', DEFAULT_DEAD_LETTERS);
  state.deadLetters.push(letter);
  const lost = Math.max(0, state.deadLetters.length - size);
  state.deadLetters.splice(0, lost);
  state.deadLettersLost += lost;
}

/** It goes on as the same invocation, one attempt later [S24]; one that had not begun is queued again. */
export function deadLetterRedelivered(state: ProcessSnapshot, data: JsonObject, seq: number): void {
  const letter = withoutDeadLetter(state, data);
  if (letter === null) return;
  const { event, open } = letter;
  if (open === null) state.queue.push(event);
  else {
    const attempt = open.attempt + 1;
    state.open.push({ ...open, attempt, attemptSeq: seq, retryAt: null, isWaiting: false });
  }
}

export function withoutDeadLetter(state: ProcessSnapshot, data: JsonObject): DeadLetter | null {
  const letter = state.deadLetters.find(({ event }) => event.eventId === data['event_id']) ?? null;
  state.deadLetters = state.deadLetters.filter((other) => other !== letter);
  return letter;
}

export function contextWritten(state: ProcessSnapshot, data: JsonObject, seq: number): void {
  const key = data['key'];
  if (key === undefined || key === null) return;
  const name = typeof key === 'string' ? key : showJson(key);
  const value = data['value'] ?? null;
  // What was given up may be taken up again, and then sees what it saw.
  const givenUp = state.deadLetters.flatMap(({ open }) => open ?? []);
  for (const open of [...state.open, ...givenUp]) {
    if (open.isToBegin !== true && !Object.hasOwn(open.before, name)) {
      define(open.before, name, Object.hasOwn(state.context, name) ? { value: state.context[name]! } : null);
    }
  }
  const deleted = data['deleted'] === true;
  const writer = openOf(state, data['event_id']);
  if (writer !== undefined) {
    const write = { ordinal: numberAt(data, 'ordinal'), key: name, value, deleted, seq };
    // A retry may write something else than the attempt before it did.
    const at = writer.writes.findLastIndex(({ ordinal }) => ordinal === write.ordinal);
    if (at < 0) writer.writes.push(write);
    else writer.writes[at] = write;
  }
  if (deleted) delete state.context[name];
  else define(state.context, name, value);
}

export function conversationAppended(state: ProcessSnapshot, data: JsonObject, seq: number): void {
  const said = { role: textAt(data, 'role'), content: textAt(data, 'content') };
  state.conversation.push(said);
  state.conversationCount = Math.max(state.conversationCount + 1, state.conversation.length);
  const open = openOf(state, data['event_id']);
  open?.sayings.push({ ordinal: numberAt(data, 'ordinal'), ...said, seq });
  state.conversationMax = numberAt(data, 'max', state.conversationMax);
  trimConversation(state);
}

/** From now on: who is open sees what it saw when it began [S23]. */
export function conversationCompacted(state: ProcessSnapshot, data: JsonObject, seq: number): void {
  const open = openOf(state, data['event_id']);
  const ordinal = numberAt(data, 'ordinal');
  const keep = Math.max(0, numberAt(data, 'keep'));
  const summary = textAt(data, 'summary');
  if (open === undefined) return;
  open.compactions = [...(open.compactions ?? []), { ordinal, keep, summary, seq }];
  // Another that ran beside it may have come further.
  const until = open.conversationFrom - keep;
  if (until > (state.compaction?.until ?? 0)) state.compaction = { until, summary };
  trimConversation(state);
}

/** The oldest go, but for what an open invocation had before it when it began. */
function trimConversation(state: ProcessSnapshot): void {
  const needed = state.open.map(({ compaction }) => compaction?.until ?? 0);
  const inWords = Math.min(state.compaction?.until ?? 0, ...needed);
  const gone = inWords - (state.conversationCount - state.conversation.length);
  if (gone > 0) state.conversation = state.conversation.slice(gone);
  const max = mostNeeded(state);
  if (max <= 0) return;
  const from = Math.min(
    state.conversationCount,
    ...state.open.map(({ conversationFrom }) => conversationFrom),
  );
  const keep = max + state.conversationCount - from;
  if (state.conversation.length > keep) state.conversation = state.conversation.slice(-keep);
}

/** As many as are kept, and as whoever is open was shown when it began; 0 for all. */
function mostNeeded({ conversationMax, open }: ProcessSnapshot): number {
  const all = [conversationMax, ...open.flatMap((one) => one.conversationMax ?? [])];
  return all.some((max) => max <= 0) ? 0 : Math.max(...all);
}

export function clockRead(state: ProcessSnapshot, data: JsonObject): void {
  const open = openOf(state, data['event_id']);
  if (open !== undefined && data['ordinal'] === open.clock.length) open.clock.push(numberAt(data, 'at'));
}

export function versionChosen(state: ProcessSnapshot, data: JsonObject): void {
  const open = openOf(state, data['event_id']);
  if (open !== undefined) define(open.versions, textAt(data, 'name'), numberAt(data, 'version'));
}
