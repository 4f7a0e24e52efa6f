// What a checkpoint holds [S17]: Promptise's keys with their meaning, so that its reader recovers the same context and
// lifecycle, and under `holdfast` everything else that recovery needs. A checkpoint with that mark is *full*: nothing
// before it has to be read [S18].

import { isMark, knownOf } from './checkpoint-mark.ts';
import { mission } from './checkpoint-mark-governance.ts';
import { cloneJson, numberAt, objectAt, objectsAt, type Json, type JsonObject } from './json.ts';
import { withKnownKinds } from './escalation-state.ts';
import { budgetOfRuns, withKnownLimits } from './fold-budget.ts';
import { withKnownOutcomes } from './fold-mission.ts';
import { withKnownAnomalies } from './fold-health.ts';
import { knownCaps } from './fold-caps.ts';
import { emptyTally } from './tally.ts';
import { emptySnapshot, openedInvocation, type ProcessSnapshot } from './snapshot.ts';

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
  return mark !== null && typeof mark['fold_version'] === 'number' && isMark(mark);
}

/** The snapshot after a checkpoint entry; `before` is taken over where the checkpoint is not full. */
export function checkpointToSnapshot(data: JsonObject, before: ProcessSnapshot): ProcessSnapshot {
  const state = stateOf(data);
  if (!isFullCheckpoint(data)) return setShared(before, state);
  const { fold_version: _, ...rest } = objectAt(state, 'holdfast')!;
  // Written by us from a snapshot; unknown keys of a later version are left out.
  const full: ProcessSnapshot = { ...emptySnapshot(), ...knownOf(cloneJson(rest) as JsonObject) };
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
