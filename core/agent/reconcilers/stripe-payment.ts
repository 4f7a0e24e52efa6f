// A payment with Stripe: with an Idempotency-Key, and with the key in its metadata, by which it is found again.

import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { ReconcileCall, Reconciled } from '../define-agent.ts';
import { askHttp, doneBy, saysNothing } from './ask-http.ts';
import {
  beforehand,
  notThere,
  reconciledEffect,
  tokenOf,
  type ReconciledEffect,
  type ReconcilerOptions,
  type SecretSource,
} from './reconciled-effect.ts';

export interface StripePaymentOptions extends ReconcilerOptions {
  /** `https://api.stripe.com` unless given. */
  readonly api?: string;
  readonly secretKey: SecretSource;
  /** `payment_intents` unless given. */
  readonly kind?: 'payment_intents' | 'charges';
  /** As Stripe's API names them: `amount` in the smallest unit, `currency`, `confirm`, … `metadata` may be there too. */
  readonly params: JsonObject;
  /** How long a request may take to be there although its sender is gone; 90 s unless given, since Stripe ends one after 80. */
  readonly graceMs?: number;
  /** Pages of 100 that are looked through; 20 unless given. */
  readonly maxPages?: number;
}

export type StripePayment = {
  readonly id: string;
  /** Of payment intents as of charges: `succeeded`, `processing`, `requires_action`, `pending` and so on. */
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
};
export type StripePaymentArgs = { readonly kind: string; readonly params: JsonObject };

const DEFAULT_API = 'https://api.stripe.com';
const DEFAULT_GRACE_MS = 90_000;
const DEFAULT_MAX_PAGES = 20;
const PER_PAGE = 100;
const METADATA_KEY = 'holdfast_key';
/** So far their clock and ours may be apart. */
const SKEW_MS = 60 * 60 * 1000;
/** Of one that was made, and paid nothing. */
const UNPAID: ReadonlySet<string> = new Set(['failed', 'canceled']);
/** So an intent begins, and so it stands again after its payment was declined. */
const NO_METHOD = 'requires_payment_method';

/**
 * Makes a payment intent, or a charge, once. The key's token (`hf-` and 40 hexadecimal digits of its SHA-256) is its
 * Idempotency-Key and its `metadata[holdfast_key]`.
 *
 * Done: Stripe has made it, whatever its status says. It did not happen: no connection, or 4xx but 409, which is in use (429 is
 * tried again, after the pause that it names). In doubt, the list is read, of what was created from an hour before it was announced on
 * (search is behind, lists are not): it happened where one has the key. Where that one paid nothing, or there is none once nothing
 * has been sent for `graceMs`, it did not happen, and is sent again under the same Idempotency-Key: within the day for which
 * Stripe remembers that, not even a wrong answer makes two of it. Rate limits, 409, 5xx and no answer are *unknown yet*. More
 * than `maxPages` ask an operator.
 */
export function stripePayment(
  options: StripePaymentOptions,
): ReconciledEffect<StripePayment, StripePaymentArgs> {
  const { api = DEFAULT_API, secretKey, kind = 'payment_intents', params } = options;
  const { graceMs = DEFAULT_GRACE_MS, maxPages = DEFAULT_MAX_PAGES } = options;
  const headers = async (): Promise<Record<string, string>> => ({
    accept: 'application/json',
    authorization: `Bearer ${await secretKey()}`,
  });

  const look = async (call: ReconcileCall<StripePaymentArgs>): Promise<Reconciled<StripePayment>> => {
    const token = tokenOf(call.key);
    const since = Math.floor((call.announcedAt - SKEW_MS) / 1_000);
    let after = '';
    for (let page = 0; page < maxPages; page += 1) {
      const url = `${api}/v1/${kind}?limit=${PER_PAGE}&created[gte]=${since}${after}`;
      const answer = await askHttp({ url, method: 'GET', headers: await headers(), signal: call.signal });
      const nothing = saysNothing(answer, call);
      if (nothing !== null) return nothing;
      const { body } = answer;
      if (!isObject(body) || !Array.isArray(body['data'])) {
        return { happened: 'unknown', why: `/v1/${kind} is no list` };
      }
      const items = body['data'].filter(isObject);
      const found = items.find(({ metadata }) => isObject(metadata) && metadata[METADATA_KEY] === token);
      if (found !== undefined) {
        const result = paymentOf(found);
        return isUnpaid(result, call.args) ? { happened: false } : { happened: true, result };
      }
      const last = items.at(-1)?.['id'];
      if (body['has_more'] !== true || typeof last !== 'string') return notThere(call, graceMs);
      after = `&starting_after=${encodeURIComponent(last)}`;
    }
    return { happened: 'unknown', why: `it is on none of the last ${maxPages} pages of ${kind}` };
  };

  return reconciledEffect<StripePayment, StripePaymentArgs>(options, {
    args: { kind, params },
    perform: async ({ args, key, signal }, timeoutMs) => {
      const token = tokenOf(key);
      const { metadata } = args.params;
      const sent = {
        ...args.params,
        metadata: { ...(isObject(metadata) ? metadata : {}), [METADATA_KEY]: token },
      };
      const answer = await askHttp({
        url: `${api}/v1/${args.kind}`,
        method: 'POST',
        headers: {
          ...(await beforehand(headers)),
          'content-type': 'application/x-www-form-urlencoded',
          'idempotency-key': token,
        },
        body: new URLSearchParams(fieldsOf(sent)).toString(),
        signal,
      });
      return paymentOf(await doneBy(answer, timeoutMs));
    },
    reconcile: look,
  });
}

/** One that was not to be confirmed at once waits for whoever pays. */
function isUnpaid({ status }: StripePayment, { params }: StripePaymentArgs): boolean {
  const { confirm = false } = params;
  return UNPAID.has(status) || (status === NO_METHOD && (confirm === true || confirm === 'true'));
}

function paymentOf(item: Json): StripePayment {
  if (isObject(item)) {
    const { id, status, amount, currency } = item;
    const isWhole = typeof id === 'string' && typeof status === 'string' && typeof amount === 'number';
    if (isWhole && typeof currency === 'string') return { id, status, amount, currency };
  }
  throw new Error('the answer is no payment');
}

/** As Stripe writes what is inside of something else: `metadata[order]`, `payment_method_types[0]`. */
function fieldsOf(params: JsonObject): [string, string][] {
  const fields: [string, string][] = [];
  const add = (name: string, value: Json): void => {
    if (value === null) return;
    if (typeof value !== 'object') fields.push([name, String(value)]);
    else for (const [inner, one] of Object.entries(value)) add(`${name}[${inner}]`, one);
  };
  for (const [name, value] of Object.entries(params)) add(name, value);
  return fields;
}
