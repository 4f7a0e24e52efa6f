// What all reconcilers share: both halves of an effect as one value, and when nothing is certain yet.

import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';
import type { EffectCall, EffectOptions, ReconcileCall, Reconciled, RetryOptions } from '../define-agent.ts';
import { DidNotHappen } from '../effect-errors.ts';

/**
 * One effect with both of its halves, to be spread into `ctx.effect`: `await ctx.effect('charge', ...stripePayment({ … }))`.
 */
export type ReconciledEffect<T extends Json, Args extends Json> = readonly [
  options: EffectOptions<T, Args> & { readonly class: 'reconcile'; readonly args: Args },
  perform: (call: EffectCall<Args>) => Promise<T>,
];

/** What every reconciler takes beside what it does. */
export interface ReconcilerOptions {
  /** Instead of the one that is made of journal, process, event and effect. */
  readonly key?: string;
  /** Of one attempt, and of one question; 30 s unless given. After a crash nobody is asked before it is over [S30]. */
  readonly timeoutMs?: number;
  /** How often it is tried; 5 attempts, from 1 s on, unless given. */
  readonly retry?: RetryOptions;
  /** For how long *unknown yet* is asked again, before an operator is; 15 minutes unless given. */
  readonly reconcileForMs?: number;
}

/** A secret: called for each attempt and each question, so that it is neither recorded nor kept. */
export type SecretSource = () => string | Promise<string>;

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRY: RetryOptions = { attempts: 5, backoffMs: 1_000 };
/** Between two questions, where nobody says how long. */
const ASK_AGAIN_MS = 2_000;
/** The first questions come sooner: most of what is not there yet is there in a moment. */
const FIRST_ASK_AGAIN_MS = 100;

interface Halves<T extends Json, Args extends Json> {
  readonly args: Args;
  readonly perform: (call: EffectCall<Args>, timeoutMs: number) => Promise<T>;
  /** What it throws is *unknown yet*: whoever could not be asked now may be asked later. */
  readonly reconcile: (call: ReconcileCall<Args>, timeoutMs: number) => Promise<Reconciled<T>>;
}

export function reconciledEffect<T extends Json, Args extends Json>(
  { key, timeoutMs = DEFAULT_TIMEOUT_MS, retry = DEFAULT_RETRY, reconcileForMs }: ReconcilerOptions,
  { args, perform, reconcile }: Halves<T, Args>,
): ReconciledEffect<T, Args> {
  return [
    {
      class: 'reconcile',
      args,
      timeoutMs,
      retry,
      ...(key === undefined ? {} : { key }),
      ...(reconcileForMs === undefined ? {} : { reconcileForMs }),
      reconcile: async (call) => {
        const over = new AbortController();
        const late = delay(timeoutMs, null, { signal: over.signal }).then(() => {
          throw new Error(`there was no answer within ${timeoutMs} ms`);
        });
        const signal = AbortSignal.any([call.signal, AbortSignal.timeout(timeoutMs)]);
        try {
          return await Promise.race([reconcile({ ...call, signal }, timeoutMs), late]);
        } catch (error) {
          return unknownYet(messageOf(error), askAgainMs(call));
        } finally {
          over.abort();
          late.catch(() => {}); // The answer was there first.
        }
      },
    },
    (call) => perform(call, timeoutMs),
  ];
}

/** What has to be there before anything is sent, like a secret: where it is not, nothing happened. */
export async function beforehand<T>(get: () => T | Promise<T>): Promise<T> {
  try {
    return await get();
  } catch (error) {
    throw new DidNotHappen(messageOf(error), { retryable: true, cause: error });
  }
}

/** To be asked again after so many milliseconds. */
export function unknownYet(why: string, retryAfterMs: number): Reconciled<never> {
  return { happened: 'unknown', why, retryAfterMs };
}

/** Doubling as time goes by, up to two seconds. */
export function askAgainMs({ overForMs }: { readonly overForMs: number }): number {
  return Math.min(ASK_AGAIN_MS, Math.max(FIRST_ASK_AGAIN_MS, overForMs));
}

/**
 * It is not there. Whoever it was done with may still be at it, for a request that is under way outlives who sent it:
 * only when nothing has been sent for `graceMs` does that mean that it did not happen.
 */
export function notThere(call: ReconcileCall<Json>, graceMs: number): Reconciled<never> {
  const left = graceMs - call.overForMs;
  if (left <= 0) return { happened: false };
  return unknownYet(
    `it is not there, and may still come within ${Math.ceil(left)} ms`,
    Math.min(left + 1, askAgainMs(call)),
  );
}

/** Of a key, where only few characters are allowed, and so that it tells nothing: `hf-` and 40 hexadecimal digits. */
export function tokenOf(key: string): string {
  return `hf-${createHash('sha256').update(key).digest('hex').slice(0, 40)}`;
}

/** The key as it is where a header takes it, else its token. */
export function headerKeyOf(key: string): string {
  return /^[\x21-\x7e]{1,255}$/.test(key) ? key : tokenOf(key);
}
