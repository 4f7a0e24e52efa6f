// What a checkpoint holds [S17]: Promptise's keys with their meaning, so that its reader recovers the same context and
// lifecycle, and under `holdfast` everything else that recovery needs. A checkpoint with that mark is *full*: nothing
// before it has to be read [S18].

import { cloneJson, numberAt, objectAt, objectsAt, type JsonObject } from './json.ts';
import { emptySnapshot, type ProcessSnapshot } from './snapshot.ts';

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

/** True for a checkpoint that holds everything [S18]; a foreign or hand-made one sets context and lifecycle only. */
export function isFullCheckpoint(data: JsonObject): boolean {
  const mark = objectAt(stateOf(data), 'holdfast');
  return mark !== null && typeof mark['fold_version'] === 'number';
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

function pick(rest: JsonObject): Partial<ProcessSnapshot> {
  const known = emptySnapshot() as unknown as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).filter(([key]) => Object.hasOwn(known, key)));
}
