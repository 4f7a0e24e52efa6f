// One request and its answer, bounded in time and size, without following redirects; and what an answer says of a request.

import { setTimeout as delay } from 'node:timers/promises';
import { codeOf, messageOf } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';
import type { Reconciled } from '../define-agent.ts';
import { DidNotHappen } from '../effect-errors.ts';
import { boundedFetch } from '../models/bounded-fetch.ts';
import { NEVER_SENT } from '../never-sent.ts';
import { retryAfterIn } from '../retry-after.ts';
import { askAgainMs, unknownYet } from './reconciled-effect.ts';

/** Of one answer. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_SHOWN = 200;
/** Longer waits are asked about in between. */
const MAX_RETRY_AFTER_MS = 15 * 60 * 1000;

export interface HttpAsk {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** What was read as JSON, else as text. */
  readonly body: Json;
}

/** @throws Error when there is no whole answer; `DidNotHappen` when nobody was there to be asked */
export async function askHttp({ url, ...init }: HttpAsk): Promise<HttpAnswer> {
  let response: Response;
  try {
    response = await boundedFetch(MAX_BYTES)(url, init);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const why = cause === undefined ? messageOf(error) : messageOf(cause);
    if (NEVER_SENT.has(codeOf(cause))) {
      throw new DidNotHappen(`${new URL(url).origin} was not reached: ${why}`, {
        retryable: true,
        cause: error,
      });
    }
    throw new Error(`${new URL(url).origin} gave no answer: ${why}`, { cause: error });
  }
  const { status, headers } = response;
  const text = await response.text();
  return { status, headers, body: read(text) };
}

function read(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/**
 * The answer to what was to be done: its body, where it was done.
 * @throws DidNotHappen where whoever was asked refused; Error where the answer leaves it open
 */
export async function doneBy(answer: HttpAnswer, timeoutMs: number): Promise<Json> {
  const { status, body } = answer;
  const said = `it was answered with ${status}${shown(body)}`;
  const pauseMs = retryAfterMs(answer);
  if (status === 429 || status === 425 || (status === 403 && pauseMs !== null)) {
    // As long as its own time allows; its tries are spread out beside that.
    await delay(Math.min(pauseMs ?? 0, timeoutMs / 2));
    throw new DidNotHappen(said, { retryable: true });
  }
  if (status >= 200 && status < 300 && status !== 202) return body;
  if (status >= 400 && status < 500 && status !== 408 && status !== 409) throw new DidNotHappen(said);
  throw new Error(said);
}

/** Why an answer to a question says nothing yet, or nothing at all; null where it does say something. */
export function saysNothing(
  answer: HttpAnswer,
  call: { readonly overForMs: number },
): Reconciled<never> | null {
  const { status, body } = answer;
  if (status === 200) return null;
  const why = `the question was answered with ${status}${shown(body)}`;
  const pauseMs = retryAfterMs(answer);
  const isForNow = status >= 500 || [202, 408, 409, 425, 429].includes(status) || pauseMs !== null;
  return isForNow ? unknownYet(why, pauseMs ?? askAgainMs(call)) : { happened: 'unknown', why };
}

/** For how long whoever answered wants to be left alone; null where they don't say so. */
export function retryAfterMs({ status, headers }: HttpAnswer): number | null {
  const told = { retryAfter: headers.get('retry-after'), date: headers.get('date') };
  const ms = retryAfterIn(told, Date.now());
  if (ms !== null) return Math.min(MAX_RETRY_AFTER_MS, ms);
  const isSpent = headers.get('x-ratelimit-remaining') === '0' && (status === 403 || status === 429);
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN);
  if (!isSpent || !Number.isFinite(reset)) return null;
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(0, reset * 1_000 - Date.now()));
}

function shown(body: Json): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return text === '' ? '' : `: ${text.slice(0, MAX_SHOWN)}`;
}
