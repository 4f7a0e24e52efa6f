// What the journal tells of effects, folded into the invocations that they belong to.

import type { StoredEntry } from './entry.ts';
import { isEffectClass, type EffectEnd, type RecordedEffect } from './effects.ts';
import { booked, callOf, settled, unbooked, usedInDoubt, withoutBooking } from './fold-budget.ts';
import { durationSeen } from './fold-health.ts';
import { numberAt, objectAt, textAt, type Json, type JsonObject } from './json.ts';
import type { SpillReference } from './ports.ts';
import { openOf, type OpenInvocation, type ProcessSnapshot } from './snapshot.ts';
import { isMoment, timestampOf } from './time.ts';

/** Where each effect of a list stands, so that thousands of them are not looked through for each. */
const places = new WeakMap<readonly RecordedEffect[], Map<string, number>>();

/** The last place where there are several, as only a hand-written journal has it; -1 for none. */
function placeOf(effects: readonly RecordedEffect[], effectId: string): number {
  let known = places.get(effects);
  // Whatever was put in or taken out elsewhere shows in the length.
  if (known?.size !== effects.length) {
    known = new Map(effects.map((effect, at) => [effect.effectId, at]));
    places.set(effects, known);
  }
  return known.get(effectId) ?? -1;
}

/** What is recorded of an effect; undefined for nothing. */
export function recordedOf(
  { effects }: Pick<OpenInvocation, 'effects'>,
  effectId: string,
): RecordedEffect | undefined {
  return effects[placeOf(effects, effectId)];
}

function find(
  state: ProcessSnapshot,
  effectId: string,
): { readonly open: OpenInvocation; readonly at: number } | null {
  for (const open of state.open) {
    const at = placeOf(open.effects, effectId);
    if (at >= 0) return { open, at };
  }
  return null;
}

function orNull(data: JsonObject, key: string): number | null {
  const value = data[key];
  return typeof value === 'number' ? value : null;
}

/** The clock was set back: the keys are as old as before, also by the clock as it is now [S31]. */
export function keysAged({ effects }: OpenInvocation, byMs: number): void {
  for (const [at, effect] of effects.entries()) {
    if (effect.keyTtlMs === null || effect.end?.kind === 'done') continue;
    const announcedAt = Date.parse(effect.announcedAt) + byMs;
    if (isMoment(announcedAt)) effects[at] = { ...effect, announcedAt: timestampOf(announcedAt) };
  }
}

export function effectStarted(
  state: ProcessSnapshot,
  data: JsonObject,
  timestamp: string,
  seq: number,
): void {
  const open = openOf(state, data['event_id']);
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
    keyTtlMs: orNull(data, 'key_ttl_ms'),
    timeoutMs: orNull(data, 'timeout_ms'),
    attempts: numberAt(data, 'attempt', 1),
    announcedAt: timestamp,
    seq,
    endSeq: null,
    end: null,
    ...callOf(data),
  };
  open.isWaiting = false;
  const at = placeOf(open.effects, effect.effectId);
  const before = open.effects[at];
  // What is done is done, whatever is announced.
  if (before?.end?.kind === 'done') return;
  const use = booked(state, open, { data, before });
  if (before === undefined) {
    open.effects.push({ ...effect, ...use });
    places.get(open.effects)?.set(effect.effectId, open.effects.length - 1);
  } else {
    const { announcedAt, end, endSeq } = before;
    // The key is as old as the first time that it may have been used [S31].
    const first = end?.kind === 'did_not_happen' ? timestamp : announcedAt;
    const earlier = end === null ? {} : { earlier: { end, endSeq } };
    open.effects[at] = { ...effect, ...use, announcedAt: first, ...earlier };
  }
}

/** Announced, and its worker was gone before it was allowed to act: as if that had never been asked for. */
export function effectWithdrawn(state: ProcessSnapshot, data: JsonObject): void {
  const found = find(state, textAt(data, 'effect_id'));
  if (found === null) return;
  const { open, at } = found;
  const { earlier, ...withdrawn } = open.effects[at]!;
  const use = unbooked(state, open, withdrawn);
  const effect = { ...withoutBooking(withdrawn), ...use };
  if (effect.attempts <= 1) open.effects.splice(at, 1);
  // How the attempt before it ended is unknown where it is not recorded, and stays so.
  else open.effects[at] = { ...effect, attempts: effect.attempts - 1, end: null, endSeq: null, ...earlier };
}

/** True where an effect came to a certain end. */
export function effectEnded(
  state: ProcessSnapshot,
  { data, timestamp: at, seq }: Pick<StoredEntry, 'data' | 'timestamp' | 'seq'>,
  end: EffectEnd | null,
): boolean {
  const found = end === null ? null : find(state, textAt(data, 'effect_id'));
  if (found === null || end === null) return false;
  const { open, at: place } = found;
  const { earlier: _, ...effect } = open.effects[place]!;
  const { tally } = state;
  if (end.kind === 'in_doubt') {
    state.tally = { ...tally, inDoubt: tally.inDoubt + 1 };
    open.effects[place] = { ...usedInDoubt(state, open, { effect, data, at }), end, endSeq: seq };
    return false;
  }
  if (end.kind === 'done') state.tally = { ...tally, done: tally.done + 1 };
  else state.tally = { ...tally, didNotHappen: tally.didNotHappen + 1 };
  settled(state, open, { effect, end, data, at });
  if (end.kind === 'done') durationSeen(state, effect.name, data, seq);
  open.effects[place] = { ...withoutBooking(effect), end, endSeq: seq };
  return true;
}

/** It happened, so it is never run again; what it gave has to be said by somebody who knows [S16]. */
export function effectValueLost(state: ProcessSnapshot, effectId: string): void {
  const end: EffectEnd = { kind: 'in_doubt', error: 'it happened, and what it gave is lost', happened: true };
  asked(state, effectId, end);
}

/** Its key is older than the provider remembers it: repeating it would be doing it twice [S31]. */
export function effectExpired(state: ProcessSnapshot, effectId: string): void {
  const error = 'its key is older than the provider remembers it, so it can not be repeated safely';
  asked(state, effectId, { kind: 'in_doubt', error });
}

/** After a rewind the code asks for something else under its name: whether that is another deed, somebody has to say [S39]. */
export function effectUnlike(state: ProcessSnapshot, data: JsonObject): void {
  const found = find(state, textAt(data, 'effect_id'));
  if (found === null) return;
  const { open, at } = found;
  const { isUndone: _, ...effect } = open.effects[at]!;
  const { end, endSeq, argsPreview } = effect;
  const argsHash = textAt(data, 'args_hash');
  open.effects[at] = {
    ...effect,
    effectClass: 'ask',
    argsHash,
    // Under the key of what was done its provider would take this one for a repetition of it.
    key: `${effect.key}/${argsHash}`,
    argsPreview: textAt(data, 'args_preview'),
    ...(end === null ? {} : { earlier: { end, endSeq } }),
    end: {
      kind: 'in_doubt',
      error:
        end?.kind === 'done'
          ? `before the rewind it was done with other arguments: ${argsPreview}`
          : `before the rewind it was begun with other arguments, and nobody knows what became of that: ${argsPreview}`,
    },
  };
}

function asked(state: ProcessSnapshot, effectId: string, end: EffectEnd): void {
  const found = find(state, effectId);
  if (found === null) return;
  const { open, at } = found;
  open.effects[at] = { ...open.effects[at]!, effectClass: 'ask', end };
}

export function spilledOf(data: JsonObject): SpillReference | null {
  const spilled = objectAt(data, 'spilled');
  if (spilled === null) return null;
  return {
    id: textAt(spilled, 'id'),
    sha256: textAt(spilled, 'sha256'),
    bytes: numberAt(spilled, 'bytes'),
  };
}

export function finishedEnd(data: JsonObject): EffectEnd | null {
  const result: Json = data['result'] ?? null;
  const spilled = spilledOf(data);
  const error = textAt(data, 'error');
  switch (textAt(data, 'end')) {
    case 'done':
      return spilled === null ? { kind: 'done', result } : { kind: 'done', result, spilled };
    case 'did_not_happen':
      return { kind: 'did_not_happen', error };
    case 'in_doubt':
      return {
        kind: 'in_doubt',
        error,
        ...(data['reconciled'] === true ? { reconciled: true } : {}),
        ...(data['given_up'] === true ? { givenUp: true } : {}),
      };
    default:
      return null;
  }
}

export function resolvedEnd(data: JsonObject): EffectEnd | null {
  switch (textAt(data, 'resolution')) {
    case 'happened':
      return { kind: 'done', result: data['result'] ?? null };
    case 'skip':
      return { kind: 'done', result: null };
    case 'did_not_happen': {
      const error = textAt(data, 'reason');
      // Before that was said, code was told that it had failed.
      return data['again'] === true
        ? { kind: 'did_not_happen', error, again: true }
        : { kind: 'did_not_happen', error };
    }
    default:
      return null;
  }
}
