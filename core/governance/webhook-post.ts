// One attempt to tell a receiver on the web something. Nothing that it does holds anybody up or is trusted: its name is
// resolved once, the connection goes to an address that was looked at, redirects are not followed, and what it answers is
// not read but for its status.

import { lookup } from 'node:dns/promises';
import {
  request as overHttp,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as overHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { messageOf } from '../model/errors.ts';
import { addressProblem } from '../model/receiver-address.ts';
import { VERSION } from '../model/version.ts';
import { retryAfterMs } from './retry-plan.ts';

const TIMEOUT_MS = 10_000;
/** Of an answer; whoever sends more is not listened to. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_REASON = 300;

export interface PostRequest {
  readonly url: string;
  /** JSON. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
}

export type PostOutcome =
  | { readonly isSent: true; readonly status: number }
  | {
      readonly isSent: false;
      /** For a person; nothing in it is the receiver's own words. */
      readonly reason: string;
      /** Of its answer; null where there was none. */
      readonly status: number | null;
      /** Whether it may go better another time. */
      readonly mayRetry: boolean;
      /** How long it asked to be left alone. */
      readonly retryAfterMs: number | null;
    };

/** Never rejects. */
export type Post = (request: PostRequest) => Promise<PostOutcome>;

export interface PostPorts {
  /** All addresses of a name. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  /** For all of it: the name, the connection and the answer. */
  readonly timeoutMs?: number;
}

export function webhookPost({ resolve = resolveName, timeoutMs = TIMEOUT_MS }: PostPorts = {}): Post {
  return async (request) => {
    const limit = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([limit, request.signal]);
    try {
      const url = new URL(request.url);
      const addresses = await addressesOf(url.hostname, resolve, signal);
      const problem = addresses
        .map((one) => addressProblem(one, request.allowPrivate))
        .find((one) => one !== null);
      if (problem !== undefined) return failure(`not sent: ${problem}`, { mayRetry: false });
      return await exchange(url, addresses, request, signal);
    } catch (error) {
      if (limit.aborted) return failure(`no answer within ${timeoutMs / 1000} s`);
      return failure(request.signal.aborted ? 'called off' : messageOf(error));
    }
  };
}

async function resolveName(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address);
}

async function addressesOf(
  hostname: string,
  resolve: NonNullable<PostPorts['resolve']>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const plain = hostname.replaceAll(/^\[|\]$/g, '');
  if (isIP(plain) !== 0) return [plain];
  // A resolver can't be called off; what it finds too late is not looked at.
  const found = await Promise.race([resolve(plain), aborted(signal)]);
  if (found.length === 0) throw new Error(`${plain} has no address`);
  return found;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => reject(new Error('called off'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** Gives the addresses that were looked at, whatever the name has become meanwhile. */
function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, done) => {
    if (options.all === true) done(null, all);
    else done(null, all[0]!.address, all[0]!.family);
  };
}

function exchange(
  url: URL,
  addresses: readonly string[],
  { body, headers }: PostRequest,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const bytes = Buffer.from(body, 'utf8');
  const options: RequestOptions = {
    method: 'POST',
    // An agent of its own: no connection of another attempt, and no proxy of the environment's.
    agent: false,
    lookup: pinned(addresses),
    signal,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': String(bytes.length),
      'user-agent': `Holdfast/${VERSION}`,
      connection: 'close',
    },
  };
  return new Promise((resolve, reject) => {
    const request: ClientRequest =
      url.protocol === 'https:'
        ? overHttps(url, { ...options, rejectUnauthorized: true })
        : overHttp(url, options);
    request.on('error', reject);
    // As one that wants to speak something else than HTTP does.
    request.on('close', () => reject(new Error('it closed the connection without an answer')));
    request.on('response', (answer) => {
      resolve(outcomeOf(answer));
      drain(answer, request);
    });
    request.end(bytes);
  });
}

/** A little of it, so that a receiver that means well sees its answer taken; the time limit holds for this too. */
function drain(answer: IncomingMessage, request: ClientRequest): void {
  let bytes = 0;
  answer.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) request.destroy();
  });
  answer.on('error', () => {}); // its status is known by then
}

function outcomeOf({ statusCode: status = 0, headers }: IncomingMessage): PostOutcome {
  if (status >= 200 && status < 300) return { isSent: true, status };
  if (status >= 300 && status < 400) {
    return failure(`it answered ${status}, which leads elsewhere, and redirects are not followed`, {
      status,
      mayRetry: false,
    });
  }
  const mayRetry = status >= 500 || status === 408 || status === 425 || status === 429;
  const after = mayRetry ? retryAfterMs(headers['retry-after'], Date.now()) : null;
  return failure(`it answered ${status}`, { status, mayRetry, retryAfterMs: after });
}

function failure(
  reason: string,
  more: Partial<Omit<Extract<PostOutcome, { isSent: false }>, 'isSent' | 'reason'>> = {},
): PostOutcome {
  return {
    isSent: false,
    reason: reason.slice(0, MAX_REASON),
    status: null,
    mayRetry: true,
    retryAfterMs: null,
    ...more,
  };
}
