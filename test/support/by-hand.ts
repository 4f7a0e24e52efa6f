// Both halves of an effect that can be reconciled, called as a run calls them.

import { setTimeout as delay } from 'node:timers/promises';
import type { ReconcileCall, Reconciled } from '../../core/agent/define-agent.ts';
import type { ReconciledEffect } from '../../core/agent/reconcilers/reconciled-effect.ts';
import type { Json } from '../../core/model/json.ts';

export const KEY = 'journal/agent/event-1/effect#0';

export interface ByHand<T extends Json> {
  perform(signal?: AbortSignal): Promise<T>;
  /** Asks once: a year after the attempt was over, unless told when. */
  ask(overForMs?: number): Promise<Reconciled<T>>;
  /** Asks until the answer is not *not yet*, as a run does. */
  settle(): Promise<Reconciled<T>>;
}

export function byHand<T extends Json, Args extends Json>(
  [options, perform]: ReconciledEffect<T, Args>,
  key = KEY,
): ByHand<T> {
  const began = Date.now();
  const call = (signal: AbortSignal) => ({ args: options.args, key, attempt: 1, signal });
  const ask = (overForMs: number): Promise<Reconciled<T>> => {
    const asked: ReconcileCall<Args> = {
      ...call(new AbortController().signal),
      announcedAt: began,
      overForMs,
    };
    return options.reconcile!(asked);
  };
  return {
    perform: (signal = new AbortController().signal) => perform({ ...call(signal), used: () => {} }),
    ask: (overForMs = 366 * 24 * 60 * 60 * 1000) => ask(overForMs),
    settle: async () => {
      const start = performance.now();
      for (;;) {
        const answer = await ask(performance.now() - start);
        if (answer.happened !== 'unknown' || answer.retryAfterMs === undefined) return answer;
        await delay(Math.min(answer.retryAfterMs, 50));
      }
    },
  };
}

/** What a promise is rejected with. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}
