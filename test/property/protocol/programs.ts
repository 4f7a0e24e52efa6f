// What agent code asks for, as a pure function of what has been delivered to it so far: that is all a durable program is
// [S26]. A handful of small ones that between them use everything the protocol has.

import type { EffectClass } from '../../../core/model/effects.ts';

export type Op =
  | {
      readonly kind: 'effect';
      readonly name: string;
      readonly effectClass: EffectClass;
      /** In one run, before its code is told that it failed. */
      readonly attempts: number;
      /** In ticks. */
      readonly keyTtl: number | null;
      readonly timeout: number | null;
    }
  | { readonly kind: 'promise'; readonly name: string; readonly expires: number | null }
  | { readonly kind: 'timer'; readonly name: string; readonly due: number }
  | { readonly kind: 'send'; readonly name: string };

export type Effect = Extract<Op, { kind: 'effect' }>;

export interface Delivered {
  readonly name: string;
  readonly ok: boolean;
}

/** Everything asked for by now, in its order, and how the code has ended, if it has. */
export interface Asked {
  readonly ops: readonly Op[];
  readonly end: 'done' | 'failed' | null;
}

export type Program = (delivered: readonly Delivered[], attempt: number) => Asked;

export function effect(
  name: string,
  effectClass: EffectClass,
  { attempts = 1 }: { readonly attempts?: number } = {},
): Op {
  return {
    kind: 'effect',
    name,
    effectClass,
    attempts,
    keyTtl: effectClass === 'idempotent' ? 2 : null,
    timeout: effectClass === 'reconcile' ? 1 : null,
  };
}

export const promise = (name: string, expires: number | null = null): Op => ({
  kind: 'promise',
  name,
  expires,
});
export const timer = (name: string, due: number): Op => ({ kind: 'timer', name, due });
export const send = (name: string): Op => ({ kind: 'send', name });

/** Stage by stage, what is in one stage side by side; what fails ends it, as an error that nobody catches does. */
export function inTurn(...stages: readonly (readonly Op[])[]): Program {
  return (delivered) => {
    const ops: Op[] = [];
    for (const stage of stages) {
      ops.push(...stage);
      const ends = stage.map(({ name }) => delivered.find((one) => one.name === name));
      if (ends.some((end) => end?.ok === false)) return { ops, end: 'failed' };
      if (ends.includes(undefined)) return { ops, end: null };
    }
    return { ops, end: 'done' };
  };
}

/** The first attempt fails where `before` has ended; the next one goes on with `after`. */
export function failsOnce(before: readonly Op[], after: readonly Op[]): Program {
  const first = inTurn(before);
  const all = inTurn(before, after);
  return (delivered, attempt) => {
    if (attempt > 1) return all(delivered, attempt);
    const asked = first(delivered, attempt);
    return asked.end === 'done' ? { ...asked, end: 'failed' } : asked;
  };
}

/** Two side by side, and after each what depends on which of them was first. */
export function race(a: Op, b: Op, then: (first: string, at: number) => Op): Program {
  return (delivered) => {
    const ops: Op[] = [a, b];
    const raced = delivered.filter(({ name }) => name === a.name || name === b.name);
    if (raced.some(({ ok }) => !ok)) return { ops, end: 'failed' };
    const next = raced.map(({ name }, at) => then(name, at));
    ops.push(...next);
    const ends = next.map(({ name }) => delivered.find((one) => one.name === name));
    if (ends.some((end) => end?.ok === false)) return { ops, end: 'failed' };
    return { ops, end: next.length === 2 && !ends.includes(undefined) ? 'done' : null };
  };
}
