import type { Json } from './json.ts';
import type { SpillReference } from './ports.ts';

/**
 * How an effect without a recorded outcome is handled: `retry` is harmless to repeat, `idempotent` is repeated with
 * the same key, `ask` waits for an operator [P2]. `reconcile` (asking the provider) is read, and until it is built
 * treated as `ask`.
 */
export const EFFECT_CLASSES = ['retry', 'idempotent', 'reconcile', 'ask'] as const;
export type EffectClass = (typeof EFFECT_CLASSES)[number];

/** The three ends of an effect [S28]. */
export type EffectEnd =
  /** A large result lies outside of the journal; `result` is null then [S16]. */
  | { readonly kind: 'done'; readonly result: Json; readonly spilled?: SpillReference }
  | { readonly kind: 'did_not_happen'; readonly error: string }
  /** `happened`: nobody doubts that, and what it gave is lost [S16]. */
  | { readonly kind: 'in_doubt'; readonly error: string; readonly happened?: true };

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
  readonly attempts: number;
  readonly announcedAt: string;
  /** Null from the announcement until an outcome is recorded. */
  readonly end: EffectEnd | null;
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

/** In doubt, and of a class that nobody but an operator may decide [S28]. */
export function needsOperator(effect: RecordedEffect): boolean {
  return isInDoubt(effect) && !isRepeatable(effect.effectClass);
}

/** What a re-run does with an effect that its code asks for. Decided from the record alone. */
export type EffectPlan =
  | { readonly act: 'return'; readonly result: Json }
  | { readonly act: 'reject'; readonly error: string }
  | { readonly act: 'perform'; readonly attempt: number }
  | { readonly act: 'diverged'; readonly expected: string; readonly found: string };

export function planEffect(recorded: RecordedEffect | undefined, argsHash: string): EffectPlan {
  if (recorded === undefined) return { act: 'perform', attempt: 1 };
  const name = `${recorded.name}#${recorded.occurrence}`;
  if (recorded.argsHash !== argsHash) {
    return {
      act: 'diverged',
      expected: `${name} with arguments ${recorded.argsHash} (${recorded.argsPreview})`,
      found: `${name} with arguments ${argsHash}`,
    };
  }
  switch (recorded.end?.kind) {
    case 'done':
      return { act: 'return', result: recorded.end.result };
    case 'did_not_happen':
      return { act: 'reject', error: recorded.end.error };
    case 'in_doubt':
    case undefined:
      return { act: 'perform', attempt: recorded.attempts + 1 };
  }
}

/** An operator's word on an effect in doubt. `skip` counts as done with null for a result. */
export type Resolution =
  | { readonly kind: 'happened'; readonly result: Json }
  | { readonly kind: 'did_not_happen' }
  | { readonly kind: 'skip' };
