// A model call with all that it takes: time, another try where one helps, another model where none does. What the AI
// SDK would repeat by itself it does not: every attempt is seen here.

import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../model/errors.ts';
import { backoffMs } from '../../model/backoff.ts';
import { callError, callFailureOf, type CallFailure } from './call-failure.ts';
import type { Glimpse } from './collect-stream.ts';
import type { Answer } from './model-answer.ts';
import type { ModelPrompt } from './model-prompt.ts';
import { attempt, DEFAULT_SILENCE_MS, LONGEST_MS, WatcherFailed } from './one-attempt.ts';
import type { OpenedModel } from './open-model.ts';

/** Why nothing happens for a while. */
export interface CallWait {
  readonly model: string;
  readonly code: string;
  /** The next try of that model, from 1, of how many. */
  readonly retry: number;
  readonly of: number;
  readonly waitMs: number;
  /** "openai:gpt-5-mini is rate limited: retry 2/5 in 32 s" */
  readonly text: string;
}

export interface ModelCall {
  /** In the order in which they are tried. */
  readonly models: readonly OpenedModel[];
  readonly prompt: ModelPrompt;
  readonly signal?: AbortSignal;
  /** How often each model is tried again; 5 unless said otherwise. */
  readonly retries?: number;
  /** The first wait where a provider asks for none, doubled with each; a second unless said otherwise. */
  readonly firstWaitMs?: number;
  /** A provider that asks for longer is not waited for; a minute unless said otherwise. */
  readonly maxWaitMs?: number;
  /** Whether a model is also tried again after a failure that may have cost money; it is unless said otherwise [S33]. */
  readonly paysAgain?: boolean;
  readonly onWait?: (wait: CallWait) => void;
  /** A model is given up; `next` is asked now. */
  readonly onFallback?: (passed: PassedOver, next: string) => void;
}

export interface PassedOver {
  readonly model: string;
  readonly code: string;
  readonly why: string;
}

export interface ModelAnswer extends Answer {
  /** Which of them answered. */
  readonly model: string;
  readonly passedOver: readonly PassedOver[];
  /** Of all models together, this one included. */
  readonly attempts: number;
  /** How many that failed a provider may count all the same: shown, and kept reserved [S33]. */
  readonly maybePaid: number;
}

export interface StreamedCall extends ModelCall {
  /** What it throws ends the call. */
  readonly see: (glimpse: Glimpse) => void;
  /** The longest silence; a minute unless said otherwise. The whole has the model's `timeoutMs`. */
  readonly silenceMs?: number;
}

const DEFAULT_RETRIES = 5;
const DEFAULT_MAX_WAIT_MS = 60_000;
const DEFAULT_FIRST_WAIT_MS = 1_000;
/** So that those who failed together do not come back together. */
const JITTER = 0.25;

/**
 * @throws `model.*` of the last model; a `RetryableError` where later may help, with `retryAfterMs` in its detail where
 * the provider said when. `model.called-off` where `signal` is aborted. Details: `attempts`, `maybePaid`.
 */
export function callModel(call: ModelCall): Promise<ModelAnswer> {
  return tryAll(call, null);
}

/** The same answer, and glimpses of it while it comes. */
export function streamModel(call: StreamedCall): Promise<ModelAnswer> {
  return tryAll(call, { see: call.see, silenceMs: call.silenceMs ?? DEFAULT_SILENCE_MS });
}

type Watch = Parameters<typeof attempt>[0]['watch'];

interface Count {
  attempts: number;
  maybePaid: number;
}

async function tryAll(call: ModelCall, watch: Watch): Promise<ModelAnswer> {
  const { models, onFallback } = call;
  const count: Count = { attempts: 0, maybePaid: 0 };
  const passedOver: PassedOver[] = [];
  for (const [at, opened] of models.entries()) {
    const tried = await tryOne(call, opened, watch, count);
    if ('answer' in tried) return { ...tried.answer, model: opened.name, passedOver, ...count };
    const error = callError(opened.name, tried.failure, count);
    const next = models[at + 1];
    if (next === undefined) throw error;
    const passed = { model: opened.name, code: error.code, why: error.message };
    passedOver.push(passed);
    onFallback?.(passed, next.name);
    watch?.see({ kind: 'again', why: `${error.message}. ${next.name} is asked instead` });
  }
  throw new AppError('model.none', 'There is no model to call. Name one in the manifest.');
}

type Tried = { readonly answer: Answer } | { readonly failure: CallFailure };

async function tryOne(call: ModelCall, opened: OpenedModel, watch: Watch, count: Count): Promise<Tried> {
  const { prompt, signal, onWait, retries = DEFAULT_RETRIES } = call;
  const { firstWaitMs = DEFAULT_FIRST_WAIT_MS } = call;
  const maxWaitMs = Math.min(call.maxWaitMs ?? DEFAULT_MAX_WAIT_MS, LONGEST_MS);
  for (let retry = 1; ; retry += 1) {
    refuseCalledOff(signal, count);
    count.attempts += 1;
    let failure: CallFailure;
    try {
      return { answer: await attempt({ opened, prompt, signal, watch }) };
    } catch (error) {
      if (error instanceof WatcherFailed) throw error.cause;
      failure = callFailureOf(error, opened, Date.now());
    }
    // Called off in the middle of it: it may have been worked on, whatever it failed with then.
    if (failure.maybePaid || signal?.aborted === true) count.maybePaid += 1;
    refuseCalledOff(signal, count);
    const waitMs = failure.retryAfterMs ?? Math.min(maxWaitMs, jittered(backoffMs(firstWaitMs, retry)));
    const isTooMuch = failure.maybePaid && call.paysAgain === false;
    if (!failure.retry || isTooMuch || retry > retries || waitMs > maxWaitMs) return { failure };
    const wait = { model: opened.name, code: failure.code, retry, of: retries, waitMs };
    const text = `${opened.name} ${failure.words}: retry ${retry}/${retries} in ${seconds(waitMs)} s`;
    onWait?.({ ...wait, text });
    watch?.see({ kind: 'again', why: text });
    await pause(waitMs, signal);
  }
}

/** Ends early where the call is called off. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}

function refuseCalledOff(signal: AbortSignal | undefined, count: Readonly<Count>): void {
  if (signal?.aborted !== true) return;
  throw new AppError('model.called-off', 'The model call was called off.', { ...count });
}

function jittered(ms: number): number {
  return Math.round(ms * (1 + Math.random() * JITTER));
}

/** Rounded up: what says 0 s and waits looks broken. */
function seconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
