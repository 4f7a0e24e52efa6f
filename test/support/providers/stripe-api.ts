// Stripe's API, as far as payment intents and charges go: form fields, idempotency keys, lists with the newest first.

import { keyed } from './keyed.ts';
import type { ProviderAnswer, ProviderApi, ProviderRequest } from './provider-server.ts';

export interface Payment {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly created: number;
  readonly metadata: Readonly<Record<string, string>>;
}

export const STRIPE_KEY = 'sk_test_not-for-the-journal';
/** An amount that is declined, as test cards are. */
export const DECLINED = 402;

export interface StripeApi extends ProviderApi {
  /** Newest first. */
  readonly made: readonly Payment[];
  readonly add: (fields: URLSearchParams, created?: number) => Payment;
  readonly repeats: readonly string[];
  /** Of one page, however many were asked for. */
  maxPerPage: number;
}

export function stripeApi(): StripeApi {
  const made: Payment[] = [];
  const keys = keyed();
  let count = 0;
  const add = (fields: URLSearchParams, created = Math.floor(Date.now() / 1_000)): Payment => {
    count += 1;
    const amount = Number(fields.get('amount'));
    const metadata: Record<string, string> = {};
    for (const [name, value] of fields) {
      const inner = /^metadata\[(.+)\]$/.exec(name)?.[1];
      if (inner !== undefined) metadata[inner] = value;
    }
    const payment: Payment = {
      id: `pi_${count}`,
      status: amount === DECLINED || !isPaid(fields) ? 'requires_payment_method' : 'succeeded',
      amount,
      currency: fields.get('currency') ?? '',
      created,
      metadata,
    };
    made.unshift(payment);
    return payment;
  };
  const api: StripeApi = {
    made,
    add,
    repeats: keys.repeats,
    maxPerPage: 100,
    handle: (request, act) => {
      const { method, url, headers, body } = request;
      if (!['/v1/payment_intents', '/v1/charges'].includes(url.pathname)) return null;
      if (headers.authorization !== `Bearer ${STRIPE_KEY}`) {
        return Promise.resolve({ status: 401, body: { error: { message: 'Invalid API Key provided' } } });
      }
      if (method === 'GET') return Promise.resolve(pageOf(request, made, api.maxPerPage));
      return keys.do(String(headers['idempotency-key']), act, () => {
        const payment = add(new URLSearchParams(body));
        return payment.amount === DECLINED && isPaid(new URLSearchParams(body))
          ? { status: 402, body: { error: { type: 'card_error', code: 'card_declined' } } }
          : { status: 200, body: payment };
      });
    },
  };
  return api;
}

/** What is only begun waits for whoever pays; a charge is made at once. */
function isPaid(fields: URLSearchParams): boolean {
  return fields.get('confirm') === 'true' || fields.has('source');
}

function pageOf({ url }: ProviderRequest, made: readonly Payment[], maxPerPage: number): ProviderAnswer {
  const { searchParams } = url;
  const size = Math.min(maxPerPage, Number(searchParams.get('limit') ?? 10));
  const from = Number(searchParams.get('created[gte]') ?? 0);
  const listed = made.filter(({ created }) => created >= from);
  const after = searchParams.get('starting_after');
  const start = after === null ? 0 : listed.findIndex(({ id }) => id === after) + 1;
  const data = listed.slice(start, start + size);
  return { status: 200, body: { object: 'list', data, has_more: listed.length > start + size } };
}
