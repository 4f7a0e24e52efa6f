// An HTTP request with an Idempotency-Key, and a URL at which one can ask what became of it.

import type { Json } from '../../model/json.ts';
import type { EffectCall, Reconciled } from '../define-agent.ts';
import { askHttp, doneBy, saysNothing, type HttpAnswer } from './ask-http.ts';
import {
  beforehand,
  headerKeyOf,
  notThere,
  reconciledEffect,
  type ReconciledEffect,
  type ReconcilerOptions,
} from './reconciled-effect.ts';

export interface HttpRequestOptions<T extends Json = Json> extends ReconcilerOptions {
  readonly url: string;
  /** POST unless given. */
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: Json;
  /** Called for each attempt and each question, so that what is secret in them is not recorded. */
  readonly headers?: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** `Idempotency-Key` unless given. */
  readonly keyHeader?: string;
  /** The URL that is asked, with GET, what became of the request with this key. */
  readonly lookup: (key: string) => string;
  /**
   * What an answer of 200 to that says. Unless given: that it happened, with the body for its result; but `null` and an empty
   * list are as 404.
   */
  readonly found?: (body: Json) => Reconciled<T>;
  /** The result, out of the body of the answer to the request; the body unless given. */
  readonly result?: (body: Json) => T;
  /**
   * Whether the lookup is certain to show whatever the API has accepted: then 404 says that it did not happen, once `graceMs`
   * are over. Not so unless given: 404 is not certain then, and an operator is asked.
   */
  readonly isReadYourWrites?: boolean;
  /** How long a request that is under way may take to be there although its sender is gone; a minute unless given. */
  readonly graceMs?: number;
}

export type HttpRequestArgs = {
  readonly url: string;
  readonly method: string;
  readonly body: Json;
};

const DEFAULT_GRACE_MS = 60_000;

/**
 * A request that the API can be asked about by its key. An API that does the same key only once, for as long as you may need
 * that, needs no reconciler: class `idempotent` is right there.
 *
 * Done: any answer of 2xx but 202. It did not happen: no connection, 4xx but 408 and 409; 425 and 429 are tried again, after
 * the pause that they name. In doubt: everything else. The lookup is then asked: 200 means that it happened; 202, 408, 409,
 * 425, 429, 5xx and no answer mean *unknown yet*; 404 and 410 see `isReadYourWrites`; all else asks an operator. No redirect is
 * followed, and an answer has at most 4 MiB. The key is sent as it is where it is 1 to 255 printable ASCII characters, else as
 * `hf-` and 40 hexadecimal digits of its SHA-256.
 */
export function httpRequest<T extends Json = Json>(
  options: HttpRequestOptions<T>,
): ReconciledEffect<T, HttpRequestArgs> {
  const { url, method = 'POST', body = null, keyHeader = 'Idempotency-Key', lookup } = options;
  const { isReadYourWrites = false, graceMs = DEFAULT_GRACE_MS } = options;
  const resultOf = options.result ?? ((answered: Json) => answered as T);
  const found =
    options.found ?? ((answered: Json): Reconciled<T> => ({ happened: true, result: resultOf(answered) }));
  return reconciledEffect<T, HttpRequestArgs>(options, {
    args: { url, method, body },
    perform: async ({ args, key, signal }: EffectCall<HttpRequestArgs>, timeoutMs) => {
      const headers = {
        accept: 'application/json',
        ...(args.body === null ? {} : { 'content-type': 'application/json' }),
        ...(await beforehand(() => options.headers?.() ?? {})),
        [keyHeader]: headerKeyOf(key),
      };
      const sent = args.body === null ? {} : { body: JSON.stringify(args.body) };
      const answer = await askHttp({ url: args.url, method: args.method, headers, signal, ...sent });
      return resultOf(await doneBy(answer, timeoutMs));
    },
    reconcile: async (call) => {
      const headers = { accept: 'application/json', ...(await options.headers?.()) };
      const at = lookup(headerKeyOf(call.key));
      const answer = await askHttp({ url: at, method: 'GET', headers, signal: call.signal });
      if (
        answer.status === 404 ||
        answer.status === 410 ||
        (options.found === undefined && isNothing(answer))
      ) {
        const open = notThere(call, graceMs);
        if (open.happened === 'unknown' || isReadYourWrites) return open;
        return { happened: 'unknown', why: `${at} does not know it, which is not certain` };
      }
      return saysNothing(answer, call) ?? found(answer.body);
    },
  });
}

/** A search that found nothing. */
function isNothing({ status, body }: HttpAnswer): boolean {
  return status === 200 && (body === null || (Array.isArray(body) && body.length === 0));
}
