// What a checkpoint holds [S17]: Promptise's keys with their meaning, so that its reader recovers the same context and
// lifecycle, and under `holdfast` everything else that recovery needs. A checkpoint with that mark is *full*: nothing
// before it has to be read [S18].

import { cloneJson, isObject, numberAt, objectAt, objectsAt, type Json, type JsonObject } from './json.ts';
import { emptySnapshot, type ProcessSnapshot } from './snapshot.ts';

type Shape = (value: Json) => boolean;
const text: Shape = (value) => typeof value === 'string';
const number: Shape = (value) => typeof value === 'number';
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
const withKeys = (keys: Readonly<Record<string, Shape>>): Shape => {
  const shapes = Object.entries(keys);
  return (value) =>
    isObject(value) && shapes.every(([key, shape]) => Object.hasOwn(value, key) && shape(value[key]!));
};

const event = withKeys({
  eventId: text,
  triggerId: text,
  triggerType: text,
  payload: any,
  acceptedAt: text,
});
const effect = withKeys({
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
});
const openInvocation = withKeys({
  event,
  invocation: number,
  attempt: number,
  startedAt: text,
  codeHash: text,
  effects: listOf(effect),
  writes: listOf(withKeys({ ordinal: number, key: text, value: any, deleted: truth })),
  before: recordOf(orNull(withKeys({ value: any }))),
});

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
  queue: listOf(event),
  open: listOf(openInvocation),
  recentRuns: listOf(withKeys({ eventId: text, ok: truth, at: text, durationMs: orNull(number) })),
  consecutiveFailures: number,
  runsToday: orNull(withKeys({ day: text, runs: number })),
  restarts: number,
  restart: text,
  workerDeaths: number,
  lastError: orNull(withKeys({ code: text, message: text, at: text })),
  lastWorkerDeath: orNull(text),
  writer: orNull(withKeys({ epoch: number, hostId: text, pid: number, startTime: text, build: text })),
  workers: listOf(withKeys({ pid: number, startTime: text, generation: number })),
  generation: number,
  configHash: orNull(text),
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
  return setShared(full, state);
}

function setShared(snapshot: ProcessSnapshot, state: JsonObject): ProcessSnapshot {
  const lifecycle = state['lifecycle_state'];
  snapshot.context = { ...(cloneJson(objectAt(state, 'context_state') ?? {}) as JsonObject) };
  // Promptise's reader takes an absent state for running.
  snapshot.lifecycle = typeof lifecycle === 'string' ? lifecycle : 'running';
  snapshot.invocationCount = numberAt(state, 'invocation_count', snapshot.invocationCount);
  if (Array.isArray(state['conversation'])) snapshot.conversation = [...objectsAt(state, 'conversation')];
  snapshot.foreign = Object.fromEntries(Object.entries(state).filter(([key]) => !SHARED.has(key)));
  return snapshot;
}

/** Only what was looked at; the shared sections stand outside the mark. */
function pick(rest: JsonObject): Partial<ProcessSnapshot> {
  return Object.fromEntries(Object.entries(rest).filter(([key]) => Object.hasOwn(MARK, key)));
}
