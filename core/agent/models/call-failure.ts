// What went wrong with a call, whoever the provider is: whether to try again, when, and whether it may have cost money.

import { APICallError } from '@ai-sdk/provider';
import { AppError, codeOf, messageOf, RetryableError } from '../../model/errors.ts';
import { cleanText } from '../llm/clean-text.ts';
import { NEVER_SENT } from '../never-sent.ts';
import { retryAfterIn } from '../retry-after.ts';
import type { OpenedModel } from './open-model.ts';

export const CALL_FAILURES = {
  'model.rate-limited': { words: 'is rate limited', retry: true },
  'model.overloaded': { words: 'is overloaded', retry: true },
  'model.server-error': { words: 'failed', retry: true },
  'model.unreachable': { words: "can't be reached", retry: true },
  'model.cut': { words: 'broke off', retry: true },
  'model.timeout': { words: 'did not answer in time', retry: true },
  'model.nonsense': { words: 'answered what is no answer', retry: true },
  'model.bad-key': { words: 'does not accept the key', retry: false },
  'model.out-of-credit': { words: 'has no credit left', retry: false },
  'model.not-found': { words: 'is not known there', retry: false },
  'model.prompt-too-long': { words: "can't take a prompt as long as this", retry: false },
  'model.refused': { words: 'refused the request', retry: false },
  'model.failed': { words: 'could not be called', retry: false },
} as const;
export type CallFailureCode = keyof typeof CALL_FAILURES;

export interface CallFailure {
  /** One of {@link CALL_FAILURES}, or that of an error of ours. */
  readonly code: string;
  /** For a person, without the name of the model: "is rate limited". */
  readonly words: string;
  /** What the provider said of it, without its key; empty where it said nothing. */
  readonly said: string;
  readonly retry: boolean;
  /** How long the provider asks to wait; null where it does not say. */
  readonly retryAfterMs: number | null;
  /** The provider may have worked on it, and count it [S33]. */
  readonly maybePaid: boolean;
}

const MAX_SAID = 300;
const MAX_CAUSES = 10;
const NETWORK: ReadonlySet<string> = new Set([
  ...NEVER_SENT,
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);
/** Whoever asks for longer is asked again after a day: what is owed by then may be another thing than what it said. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;
/** Of a certificate: nothing is sent to whom it is not believed. */
const DISTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL/;
/** Refused before it was worked on. */
const NOTHING_DONE: readonly string[] = [
  'model.rate-limited',
  'model.overloaded',
  'model.unreachable',
  'model.bad-key',
  'model.out-of-credit',
  'model.not-found',
  'model.prompt-too-long',
  'model.refused',
  'model.redirected',
  'model.script-ended',
];

/** @param nowMs what a date in Retry-After is counted from */
export function callFailureOf(
  thrown: unknown,
  { hide }: Pick<OpenedModel, 'hide'>,
  nowMs: number,
): CallFailure {
  const causes = causesOf(thrown);
  const said = clean(hide(saidIn(thrown)));
  const own = causes.find((cause) => cause instanceof AppError);
  if (own !== undefined) {
    const code = isCode(own.code) ? own.code : null;
    return {
      code: own.code,
      words: code === null ? 'could not be called' : CALL_FAILURES[code].words,
      said: clean(hide(own.message)),
      retry: own instanceof RetryableError,
      retryAfterMs: null,
      maybePaid: !NOTHING_DONE.includes(own.code),
    };
  }
  const code = codeFor(thrown, causes);
  const { words, retry } = CALL_FAILURES[code];
  const retryAfterMs = retry ? retryAfterOf(thrown, nowMs) : null;
  // Inside of a stream an error comes after work has begun.
  const maybePaid = !NOTHING_DONE.includes(code) || !(thrown instanceof Error);
  return { code, words, said, retry, retryAfterMs, maybePaid };
}

/**
 * What is thrown where nothing helped. It has no cause: what a provider's package throws holds the prompt, and would be
 * printed with it.
 */
export function callError(
  model: string,
  failure: CallFailure,
  facts: { readonly attempts: number; readonly maybePaid: number },
): AppError {
  const { code, words, said, retry, retryAfterMs } = failure;
  const Class = retry ? RetryableError : AppError;
  return new Class(code, `${model} ${words}${said === '' ? '' : `: ${said}`}`, {
    model,
    ...facts,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  });
}

function codeFor(thrown: unknown, causes: readonly Error[]): CallFailureCode {
  const network = causes.map(codeOf).find((code) => NETWORK.has(code) || DISTRUSTED.test(code));
  const isSent = network === undefined || !(NEVER_SENT.has(network) || DISTRUSTED.test(network));
  if (APICallError.isInstance(thrown)) {
    const { statusCode } = thrown;
    if (statusCode !== undefined && statusCode >= 400) return codeOfStatus(statusCode, kindIn(thrown.data));
    if (network !== undefined) return isSent ? 'model.cut' : 'model.unreachable';
    return statusCode === undefined ? 'model.cut' : 'model.nonsense';
  }
  if (network !== undefined) return isSent ? 'model.cut' : 'model.unreachable';
  if (!(thrown instanceof Error)) return codeOfStreamed(thrown);
  switch (thrown.name) {
    case 'AI_JSONParseError':
    case 'AI_TypeValidationError':
    case 'AI_EmptyResponseBodyError':
    case 'AI_NoContentGeneratedError':
      return 'model.nonsense';
    case 'AI_InvalidResponseDataError':
      return 'model.cut';
    case 'AI_InvalidPromptError':
    case 'AI_InvalidArgumentError':
    case 'AI_UnsupportedFunctionalityError':
      // By the provider's package: it was never sent.
      return 'model.refused';
    default:
      return 'model.failed';
  }
}

/** An error that came in the middle of a stream: the provider's own object, mostly without a status. */
function codeOfStreamed(thrown: unknown): CallFailureCode {
  const kind = kindIn(thrown);
  const status =
    typeof thrown === 'object' && thrown !== null ? (thrown as { statusCode?: unknown }).statusCode : null;
  return codeOfStatus(typeof status === 'number' && status >= 400 ? status : statusFor(kind), kind);
}

function statusFor(kind: string): number {
  if (/rate_limit/.test(kind)) return 429;
  if (/overloaded/.test(kind)) return 529;
  if (/authentication|permission/.test(kind)) return 401;
  if (/not_found/.test(kind)) return 404;
  return /invalid_request|bad_request/.test(kind) ? 400 : 500;
}

function codeOfStatus(status: number, kind: string): CallFailureCode {
  if (status === 402 || /insufficient_quota|billing|insufficient_funds/.test(kind))
    return 'model.out-of-credit';
  if (status === 413 || /context_length|prompt_too_long|string_above_max_length/.test(kind))
    return 'model.prompt-too-long';
  switch (status) {
    case 401:
    case 403:
      return 'model.bad-key';
    case 404:
      return 'model.not-found';
    case 429:
      return 'model.rate-limited';
    case 503:
    case 529:
      return 'model.overloaded';
    case 408:
    case 409:
    case 425:
      return 'model.server-error';
    default:
      return status >= 500 ? 'model.server-error' : 'model.refused';
  }
}

/** The provider's own words for a kind of error, from wherever it puts them. */
function kindIn(data: unknown): string {
  if (typeof data !== 'object' || data === null) return '';
  const { type, code, status, error } = data as Readonly<Record<string, unknown>>;
  const own = [type, code, status].filter((word) => typeof word === 'string').join(' ');
  return error === undefined || error === data ? own : `${own} ${kindIn(error)}`;
}

/**
 * The wait that a provider asks for, in milliseconds: `retry-after-ms`, seconds, or a date. Null for none: who says *at once*
 * and means it has no need to say so.
 */
function retryAfterOf(thrown: unknown, nowMs: number): number | null {
  const headers = APICallError.isInstance(thrown) ? (thrown.responseHeaders ?? {}) : {};
  const milliseconds = /^\s*\d+(\.\d+)?\s*$/.exec(headers['retry-after-ms'] ?? '');
  const said = { retryAfter: headers['retry-after'], date: headers['date'] };
  const ms = milliseconds === null ? retryAfterIn(said, nowMs) : Number(milliseconds[0]);
  return ms !== null && ms > 0 ? Math.min(MAX_RETRY_AFTER_MS, Math.ceil(ms)) : null;
}

function causesOf(thrown: unknown): readonly Error[] {
  const causes: Error[] = [];
  let at = thrown;
  while (at instanceof Error && causes.length < MAX_CAUSES) {
    causes.push(at);
    at = at.cause;
  }
  return causes;
}

function saidIn(thrown: unknown): string {
  if (thrown instanceof Error) {
    const { message } = thrown;
    // What the package says of it, where the reason is below.
    return message.startsWith('Failed to process') && thrown.cause !== undefined
      ? messageOf(thrown.cause)
      : message;
  }
  if (typeof thrown === 'string') return thrown;
  const message =
    typeof thrown === 'object' && thrown !== null ? (thrown as { message?: unknown }).message : '';
  return typeof message === 'string' ? message : '';
}

/** One line, without what nobody sees. */
function clean(text: string): string {
  const line = cleanText(text.slice(0, MAX_SAID * 4).replaceAll(/\s+/g, ' ')).trim();
  return line.length <= MAX_SAID ? line : `${line.slice(0, MAX_SAID)}…`;
}

function isCode(code: string): code is CallFailureCode {
  return Object.hasOwn(CALL_FAILURES, code);
}
