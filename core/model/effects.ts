import type { Json } from './json.ts';
import type { Amounts } from './meters.ts';
import type { SpillReference } from './ports.ts';

/**
 * How an effect without a recorded outcome is handled: `retry` is harmless to repeat, `idempotent` is repeated with
 * the same key, `reconcile` asks whoever it was done with, `ask` waits for an operator [P2].
 */
export const EFFECT_CLASSES = ['retry', 'idempotent', 'reconcile', 'ask'] as const;
export type EffectClass = (typeof EFFECT_CLASSES)[number];

/** The three ends of an effect [S28]. */
export type EffectEnd =
  /** A large result lies outside of the journal; `result` is null then [S16]. */
  | { readonly kind: 'done'; readonly result: Json; readonly spilled?: SpillReference }
  /** `again`: an operator said so, of an effect in doubt: it is performed now. */
  | { readonly kind: 'did_not_happen'; readonly error: string; readonly again?: true }
  /**
   * `happened`: nobody doubts that, and what it gave is lost [S16]. `reconciled`: whoever it was done with was asked
   * and does not know either. `givenUp`: of a class that is repeated, often enough; its code was told that it failed.
   */
  | {
      readonly kind: 'in_doubt';
      readonly error: string;
      readonly happened?: true;
      readonly reconciled?: true;
      readonly givenUp?: true;
    };

/** One effect of an open invocation, as the journal tells it. */
export interface RecordedEffect {
  readonly effectId: string;
  readonly name: string;
  /** The how-manieth effect of this name in the invocation, from 0. */
  readonly occurrence: number;
  readonly effectClass: EffectClass;
  readonly argsHash: string;
  readonly argsPreview: string;
  readonly key: string;
  /** For how long after the announcement the provider remembers the key; null where it has none [S31]. */
  readonly keyTtlMs: number | null;
  /** After which its own code gives it up; null for never. */
  readonly timeoutMs: number | null;
  readonly attempts: number;
  readonly announcedAt: string;
  /** The entry of the announcement, and that of the end. */
  readonly seq: number;
  readonly endSeq: number | null;
  /** Null from the announcement until an outcome is recorded. */
  readonly end: EffectEnd | null;
  /** Ended behind the entry that its process was taken back to: its record is a fact, whatever is asked for now [S39]. */
  readonly isUndone?: true;
  /** What it counts for while its end is not known: this attempt, and earlier ones that may have happened. */
  readonly booked?: Amounts;
  readonly maybe?: Amounts;
  /** The model that it calls, and the most that one call of it can use, where its prices said so. */
  readonly model?: string;
  /** The table that its booking was priced by. */
  readonly prices?: string;
  readonly most?: Amounts;
  /** How the attempt before the present one ended. */
  readonly earlier?: { readonly end: EffectEnd; readonly endSeq: number | null };
}

/** `<event id>/<name>#<occurrence>`: the same in every re-run, so it also serves as the default key. */
export function effectIdOf(eventId: string, name: string, occurrence: number): string {
  return `${eventId}/${name}#${occurrence}`;
}

export function isEffectClass(text: string): text is EffectClass {
  return (EFFECT_CLASSES as readonly string[]).includes(text);
}

/** Started, outcome unknown. */
export function isInDoubt(effect: RecordedEffect): boolean {
  return effect.end === null || effect.end.kind === 'in_doubt';
}

/** Done, with a result that lies outside of the journal [S16]. */
export function isSpilled(
  effect: RecordedEffect,
): effect is RecordedEffect & { readonly end: { readonly kind: 'done'; readonly spilled: SpillReference } } {
  return effect.end?.kind === 'done' && effect.end.spilled !== undefined;
}

/** Whether an effect of this class is performed again without asking anybody [S28]. */
export function isRepeatable(effectClass: EffectClass): boolean {
  return effectClass === 'retry' || effectClass === 'idempotent';
}

/** In doubt, and nobody but an operator may decide [S28]. */
export function needsOperator(effect: RecordedEffect): boolean {
  if (!isInDoubt(effect)) return false;
  switch (effect.effectClass) {
    case 'retry':
    case 'idempotent':
      return effect.end?.kind === 'in_doubt' && effect.end.happened === true;
    case 'reconcile':
      return (
        effect.end?.kind === 'in_doubt' && (effect.end.reconciled === true || effect.end.happened === true)
      );
    case 'ask':
      return true;
  }
}

/** In doubt, and not of a class that is repeated: an invocation does not end before that is known. */
export function isUnsettled(effect: RecordedEffect): boolean {
  return isInDoubt(effect) && !isRepeatable(effect.effectClass);
}

/** Why a repetition is refused that an operator has to decide. */
export const KEY_EXPIRED = 'effect.key-expired';

/** Whether the provider may have forgotten the key, so that repeating is no longer safe [S31]. */
export function isKeyExpired(effect: RecordedEffect, nowMs: number): boolean {
  return (
    effect.effectClass === 'idempotent' &&
    isInDoubt(effect) &&
    effect.keyTtlMs !== null &&
    nowMs >= Date.parse(effect.announcedAt) + effect.keyTtlMs
  );
}

/**
 * Whether an attempt that is announced and not permitted would repeat under such a key: time has passed since its
 * announcement, or since the attempt before it.
 */
export function isRepeatTooLate(effect: RecordedEffect | undefined, attempt: number, nowMs: number): boolean {
  if (effect === undefined || attempt === 1 || !isKeyExpired(effect, nowMs)) return false;
  // What certainly did not happen before has not used it, and this attempt has not either.
  return effect.earlier?.end.kind !== 'did_not_happen' || effect.attempts < attempt;
}

/** What a re-run does with an effect that its code asks for. Decided from the record alone. */
export type EffectPlan =
  | { readonly act: 'return'; readonly result: Json }
  | { readonly act: 'reject'; readonly error: string }
  | { readonly act: 'perform'; readonly attempt: number }
  /** Ask whoever it was done with what became of it, and perform it only if nothing did. */
  | { readonly act: 'reconcile'; readonly attempt: number }
  /**
   * Done before the rewind with other arguments: whether this is the same deed, an operator has to say [S39]. Not so where
   * that was harmless to repeat [S28]: whichever it is, this one is performed.
   */
  | { readonly act: 'unlike'; readonly isHarmless: boolean }
  | { readonly act: 'diverged'; readonly expected: string; readonly found: string };

/**
 * `attemptSeq` is the entry that began the present attempt of the invocation: in a retry what did not happen before
 * it is tried again, and what did is not [S24].
 */
export function planEffect(
  recorded: RecordedEffect | undefined,
  argsHash: string,
  attemptSeq: number,
): EffectPlan {
  if (recorded === undefined) return { act: 'perform', attempt: 1 };
  const { end, attempts } = recorded;
  const isEarlier = (recorded.endSeq ?? 0) < attemptSeq;
  if (end?.kind === 'did_not_happen' && (end.again === true || isEarlier)) {
    return { act: 'perform', attempt: attempts + 1 };
  }
  const name = `${recorded.name}#${recorded.occurrence}`;
  if (recorded.argsHash !== argsHash) {
    if (recorded.isUndone === true) return { act: 'unlike', isHarmless: recorded.effectClass === 'retry' };
    return {
      act: 'diverged',
      expected: `${name} with arguments ${recorded.argsHash} (${recorded.argsPreview})`,
      found: `${name} with arguments ${argsHash}`,
    };
  }
  switch (end?.kind) {
    case 'done':
      return { act: 'return', result: end.result };
    case 'did_not_happen':
      return { act: 'reject', error: end.error };
    case 'in_doubt':
      if (end.givenUp === true && !isEarlier) return { act: 'reject', error: end.error };
      return recorded.effectClass === 'reconcile'
        ? { act: 'reconcile', attempt: attempts + 1 }
        : { act: 'perform', attempt: attempts + 1 };
    case undefined:
      return recorded.effectClass === 'reconcile'
        ? { act: 'reconcile', attempt: attempts + 1 }
        : { act: 'perform', attempt: attempts + 1 };
  }
}

/** An operator's word on an effect in doubt. `skip` counts as done with null for a result. */
export type Resolution =
  | { readonly kind: 'happened'; readonly result: Json }
  | { readonly kind: 'did_not_happen' }
  | { readonly kind: 'skip' };
