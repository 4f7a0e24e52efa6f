// What a checkpoint holds [S17]: Promptise's keys with their meaning, so that its reader recovers the same context and
// lifecycle, and under `holdfast` everything else that recovery needs. A checkpoint with that mark is *full*: nothing
// before it has to be read [S18].

import { cloneJson, isObject, numberAt, objectAt, objectsAt, type Json, type JsonObject } from './json.ts';
import { withKnownKinds } from './escalation-state.ts';
import { budgetOfRuns, withKnownLimits } from './fold-budget.ts';
import { withKnownOutcomes } from './fold-mission.ts';
import { withKnownAnomalies } from './fold-health.ts';
import { MOST } from './meters.ts';
import { knownCaps } from './fold-caps.ts';
import { emptyTally } from './tally.ts';
import { emptySnapshot, openedInvocation, type ProcessSnapshot } from './snapshot.ts';

type Shape = (value: Json) => boolean;
const text: Shape = (value) => typeof value === 'string';
const number: Shape = (value) => typeof value === 'number' && Number.isFinite(value);
const truth: Shape = (value) => typeof value === 'boolean';
const any: Shape = () => true;
const orNull =
  (shape: Shape): Shape =>
  (value) =>
    value === null || shape(value);
const listOf =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(shape);
const recordOf =
  (shape: Shape): Shape =>
  (value) =>
    isObject(value) && Object.values(value).every(shape);
/** `later`: keys that an earlier version did not write. */
const withKeys = (
  keys: Readonly<Record<string, Shape>>,
  later: Readonly<Record<string, Shape>> = {},
): Shape => {
  const shapes = Object.entries(keys);
  const laterShapes = Object.entries(later);
  return (value) =>
    isObject(value) &&
    shapes.every(([key, shape]) => Object.hasOwn(value, key) && shape(value[key]!)) &&
    laterShapes.every(([key, shape]) => !Object.hasOwn(value, key) || shape(value[key]!));
};

const amount: Shape = (value) => typeof value === 'number' && value > 0 && value <= MOST;
/** Of the meters that this version knows; what a later one counts besides is left alone. */
const amounts = recordOf(amount);

const spent = withKeys({ at: number, spent: amounts });

const event = withKeys(
  { eventId: text, triggerId: text, triggerType: text, payload: any, acceptedAt: text },
  {
    from: withKeys({ process: text, number }, { numbering: text }),
    metadata: isObject,
    missed: number,
    spilled: withKeys({ id: text, sha256: text, bytes: number }),
  },
);
const effect = withKeys(
  {
    effectId: text,
    name: text,
    occurrence: number,
    effectClass: text,
    argsHash: text,
    argsPreview: text,
    key: text,
    attempts: number,
    announcedAt: text,
    end: orNull(withKeys({ kind: text })),
  },
  {
    keyTtlMs: orNull(number),
    timeoutMs: orNull(number),
    seq: number,
    endSeq: orNull(number),
    earlier: withKeys({ end: withKeys({ kind: text }), endSeq: orNull(number) }),
    isUndone: truth,
    booked: amounts,
    maybe: amounts,
    model: text,
    prices: text,
    most: amounts,
  },
);
const wait = withKeys(
  {
    waitId: text,
    kind: text,
    name: text,
    occurrence: number,
    createdAt: text,
    dueAt: orNull(number),
    data: any,
    seq: number,
    end: orNull(withKeys({ status: text })),
    endSeq: orNull(number),
  },
  { shiftMs: number },
);
const inboxMessage = withKeys({
  messageId: text,
  messageType: text,
  content: text,
  sender: text,
  priority: text,
  createdAt: text,
  expiresAt: orNull(text),
});
const compaction = withKeys({ until: number, summary: text });
const openInvocation = withKeys(
  {
    event,
    invocation: number,
    attempt: number,
    startedAt: text,
    codeHash: text,
    effects: listOf(effect),
    writes: listOf(withKeys({ ordinal: number, key: text, value: any, deleted: truth }, { seq: number })),
    before: recordOf(orNull(withKeys({ value: any }))),
  },
  {
    attemptSeq: number,
    seed: text,
    inbox: listOf(inboxMessage),
    sayings: listOf(withKeys({ ordinal: number, role: text, content: text, seq: number })),
    sends: listOf(
      withKeys(
        { kind: text, topic: text, occurrence: number, argsHash: text, seq: number },
        { isUndone: truth },
      ),
    ),
    waits: listOf(wait),
    signals: listOf(withKeys({ signalId: text, name: text, payload: any, seq: number })),
    clock: listOf(number),
    versions: recordOf(number),
    isWaiting: truth,
    retryAt: orNull(text),
    conversationFrom: number,
    isToBegin: truth,
    spent: amounts,
    reserved: amounts,
    warned: listOf(text),
    inherited: withKeys({ keyPrefix: text, by: text }),
    instructions: text,
    plan: isObject,
    tools: withKeys({ hash: text, problems: listOf(text) }),
    told: recordOf(text),
    conversationMax: number,
    compaction,
    compactions: listOf(withKeys({ ordinal: number, keep: number, summary: text, seq: number })),
  },
);
const mission = withKeys({
  objective: text,
  successCriteria: text,
  status: text,
  since: text,
  sinceMs: number,
  reason: text,
  actor: text,
  startedAt: text,
  startedMs: number,
  runs: number,
  judged: number,
  outcome: orNull(text),
  history: listOf(
    withKeys({
      at: text,
      invocation: number,
      achieved: truth,
      confidence: number,
      progress: orNull(number),
      reasoning: text,
      outcome: text,
    }),
  ),
  evaluations: number,
  bestConfidence: number,
  bestProgress: number,
  advancedAt: text,
  advancedMs: number,
  unknown: orNull(
    withKeys({ reason: text, at: text, atMs: number, run: number, attempts: number, isForBudget: truth }),
  ),
  judging: orNull(withKeys({ run: number, booked: amounts }, { model: text, prices: text, most: amounts })),
  setBackMs: number,
  pending: orNull(text),
  lastRun: orNull(
    withKeys({
      invocation: number,
      triggerId: text,
      triggerType: text,
      payload: text,
      response: text,
      effects: listOf(withKeys({ name: text, argsHash: text, end: text })),
    }),
  ),
});
const deadLetter = withKeys({
  event,
  open: orNull(openInvocation),
  reason: text,
  error: text,
  attempts: number,
  at: text,
});
const pause = withKeys({ reason: text, actor: text, at: text });
const sentMessage = withKeys(
  { number, kind: text, topic: text, data: any, sentAt: text },
  { numbering: text },
);

const changeEnd = withKeys({ how: text, at: text, actor: text, reason: text, key: text });

type Marked = Exclude<
  keyof ProcessSnapshot,
  'context' | 'lifecycle' | 'invocationCount' | 'conversation' | 'foreign' | 'lastEntryType' | 'lastEntryAt'
>;
/** What stands under the mark. Anybody can write a line, so it is looked at before it is believed. */
const MARK: Readonly<Record<Marked, Shape>> = {
  seq: number,
  lifecycleSince: orNull(text),
  lifecycleReason: text,
  lifecycleActor: text,
  holds: listOf(withKeys({ kind: text, reason: text, actor: text, since: text })),
  startedAt: orNull(text),
  queue: listOf(event),
  open: listOf(openInvocation),
  deadLetters: listOf(deadLetter),
  deadLettersLost: number,
  conversationCount: number,
  conversationMax: number,
  compaction: orNull(compaction),
  inbox: listOf(inboxMessage),
  inboxRead: listOf(
    withKeys({
      message: inboxMessage,
      deliveredAt: text,
      eventId: text,
      invocation: number,
      answer: orNull(withKeys({ text, at: text })),
    }),
  ),
  outbox: listOf(sentMessage),
  sent: number,
  numbering: text,
  heard: recordOf(number),
  heardOf: recordOf(listOf(withKeys({ numbering: text, number }))),
  settled: listOf(withKeys({ promiseId: text, status: text, at: text })),
  taken: listOf(text),
  recentRuns: listOf(withKeys({ eventId: text, ok: truth, at: text, durationMs: orNull(number) })),
  consecutiveFailures: number,
  budget: withKeys(
    {
      period: orNull(withKeys({ id: text, until: orNull(text) })),
      spent: amounts,
      reserved: amounts,
      warned: listOf(text),
      extensions: listOf(withKeys({ limit: text, amount, until: orNull(text), eventId: orNull(text) })),
      exceeded: orNull(
        withKeys(
          {
            limit: text,
            max: number,
            spent: number,
            reserved: number,
            asked: number,
            eventId: orNull(text),
          },
          { model: text, cap: text, of: text },
        ),
      ),
    },
    {
      currency: orNull(text),
      spending: withKeys({ since: orNull(number), minutes: listOf(spent), halfHours: listOf(spent) }),
    },
  ),
  escalations: listOf(
    withKeys({
      id: text,
      key: text,
      kind: text,
      summary: text,
      detail: isObject,
      at: text,
      repeats: number,
      overAt: orNull(text),
      overWhy: text,
      deliveries: listOf(
        withKeys({
          target: text,
          to: text,
          status: text,
          attempts: number,
          lastAt: orNull(text),
          dueAt: orNull(text),
          answer: orNull(number),
          reason: text,
        }),
      ),
    }),
  ),
  mission: orNull(isObject),
  health: withKeys({
    runs: text,
    replies: listOf(number),
    histories: listOf(withKeys({ name: text, seq: number, count: number, buckets: recordOf(number) })),
    found: recordOf(
      withKeys({
        description: text,
        action: text,
        at: text,
        eventId: orNull(text),
        effectId: orNull(text),
        overAt: orNull(text),
        coolsUntilMs: orNull(number),
      }),
    ),
    anew: recordOf(number),
  }),
  caps: recordOf(withKeys({ limits: recordOf(number), id: text, until: text, spent: amounts })),
  settings: recordOf(withKeys({ value: any, manifest: any, actor: text, reason: text, at: text })),
  self: withKeys({
    changes: listOf(
      withKeys(
        {
          seq: number,
          key: text,
          kind: text,
          what: text,
          eventId: text,
          at: text,
          reason: text,
          end: orNull(changeEnd),
        },
        { before: any },
      ),
    ),
    servers: recordOf(isObject),
    spawned: listOf(
      withKeys({
        name: text,
        instructions: text,
        triggers: listOf(isObject),
        secrets: listOf(text),
        task: text,
      }),
    ),
    rebuilds: number,
  }),
  parent: orNull(withKeys({ process: text, depth: number, isDiscarded: truth })),
  tally: recordOf(number),
  secrets: recordOf(
    withKeys({
      resolvedAt: text,
      expiresAt: orNull(text),
      rotatedAt: orNull(text),
      revoked: orNull(withKeys({ at: text, actor: text })),
      lastReadAt: orNull(text),
    }),
  ),
  restarts: number,
  restart: text,
  workerDeaths: number,
  lastError: orNull(withKeys({ code: text, message: text, at: text })),
  lastWorkerDeath: orNull(text),
  writer: orNull(withKeys({ epoch: number, hostId: text, pid: number, startTime: text, build: text })),
  workers: listOf(withKeys({ pid: number, startTime: text, generation: number })),
  generation: number,
  configHash: orNull(text),
  plan: orNull(isObject),
  tools: withKeys({
    last: orNull(withKeys({ hash: text, at: text, problems: listOf(text) })),
    lists: recordOf(listOf(isObject)),
    believed: recordOf(text),
  }),
  triggers: withKeys(
    {
      known: recordOf(
        withKeys({
          accepted: number,
          filtered: number,
          missed: number,
          lastEventAt: orNull(text),
          lastScheduledMs: orNull(number),
          sinceMs: orNull(number),
          paused: orNull(pause),
          keys: listOf(withKeys({ key: text, atMs: number })),
        }),
      ),
      allPaused: orNull(pause),
      added: listOf(withKeys({ id: text, config: isObject })),
      removed: listOf(text),
      sinceMs: orNull(number),
    },
    { switch: withKeys({ number, pause: orNull(pause) }) },
  ),
  rewinding: orNull(withKeys({ seq: number, target: number, isHandledAgain: truth })),
  lineage: orNull(withKeys({ process: text, journalId: text, seq: number })),
};

const MARK_SHAPES = Object.entries(MARK);
const SHARED = new Set(['context_state', 'lifecycle_state', 'invocation_count', 'conversation', 'holdfast']);

/** The state object of a full checkpoint of `snapshot`, built by fold rules of the given version. */
export function snapshotToState(snapshot: ProcessSnapshot, foldVersion: number): JsonObject {
  const { context, lifecycle, invocationCount, conversation, foreign, lastEntryType, lastEntryAt, ...rest } =
    snapshot;
  return {
    ...foreign,
    context_state: context,
    lifecycle_state: lifecycle,
    invocation_count: invocationCount,
    conversation,
    holdfast: { fold_version: foldVersion, ...(rest as unknown as JsonObject) },
  };
}

/** The state in a checkpoint entry's data: under `state`, or, as some readers expect it, the data themselves. */
export function stateOf(data: JsonObject): JsonObject {
  return objectAt(data, 'state') ?? data;
}

/**
 * True for a checkpoint that holds everything [S18]; a foreign or hand-made one sets context and lifecycle only, and so
 * does one whose mark is not what a fold could have left. Keys that an earlier version did not have may be absent.
 */
export function isFullCheckpoint(data: JsonObject): boolean {
  const mark = objectAt(stateOf(data), 'holdfast');
  return (
    mark !== null &&
    typeof mark['fold_version'] === 'number' &&
    MARK_SHAPES.every(([key, shape]) => !Object.hasOwn(mark, key) || shape(mark[key]!))
  );
}

/** The snapshot after a checkpoint entry; `before` is taken over where the checkpoint is not full. */
export function checkpointToSnapshot(data: JsonObject, before: ProcessSnapshot): ProcessSnapshot {
  const state = stateOf(data);
  if (!isFullCheckpoint(data)) return setShared(before, state);
  const { fold_version: _, ...rest } = objectAt(state, 'holdfast')!;
  // Written by us from a snapshot; unknown keys of a later version are left out by the pick.
  const full: ProcessSnapshot = { ...emptySnapshot(), ...pick(cloneJson(rest) as JsonObject) };
  full.budget = Object.hasOwn(rest, 'budget')
    ? withKnownLimits(full.budget)
    : budgetOfRuns(rest['runsToday']);
  full.escalations = withKnownKinds(full.escalations);
  // It says nothing about the rest, so one that is none of ours costs no more than itself.
  full.mission = mission(full.mission as unknown as Json) ? withKnownOutcomes(full.mission) : null;
  full.health = withKnownAnomalies(full.health);
  full.caps = knownCaps(full.caps);
  full.tally = { ...emptyTally(), ...full.tally };
  if (numberAt(objectAt(state, 'holdfast')!, 'fold_version') < COMPLETE_SINCE) complete(full);
  return setShared(full, state);
}

/** From this version of the rules on, open invocations have all their keys. */
const COMPLETE_SINCE = 2;

/** What an earlier version had no keys for had not happened yet. */
function complete(snapshot: ProcessSnapshot): void {
  snapshot.open = snapshot.open.map((open) => ({
    ...openedInvocation({ ...open, attemptSeq: 0, seed: '', inbox: [], conversationFrom: 0 }),
    ...open,
    writes: open.writes.map((write, at) => ({ ...write, seq: at + 1 })),
    effects: open.effects.map((recorded, at) => ({
      ...recorded,
      keyTtlMs: null,
      timeoutMs: null,
      // Their order is all that their numbers are for.
      seq: at + 1,
      endSeq: recorded.end === null ? null : at + 1,
    })),
  }));
}

function setShared(snapshot: ProcessSnapshot, state: JsonObject): ProcessSnapshot {
  const lifecycle = state['lifecycle_state'];
  snapshot.context = { ...(cloneJson(objectAt(state, 'context_state') ?? {}) as JsonObject) };
  // Promptise's reader takes an absent state for running.
  snapshot.lifecycle = typeof lifecycle === 'string' ? lifecycle : 'running';
  snapshot.invocationCount = numberAt(state, 'invocation_count', snapshot.invocationCount);
  if (Array.isArray(state['conversation'])) snapshot.conversation = [...objectsAt(state, 'conversation')];
  snapshot.conversationCount = Math.max(snapshot.conversationCount, snapshot.conversation.length);
  snapshot.foreign = Object.fromEntries(Object.entries(state).filter(([key]) => !SHARED.has(key)));
  return snapshot;
}

/** Only what was looked at; the shared sections stand outside the mark. */
function pick(rest: JsonObject): Partial<ProcessSnapshot> {
  return Object.fromEntries(Object.entries(rest).filter(([key]) => Object.hasOwn(MARK, key)));
}
