// Payments by their metadata, against a server that speaks Stripe's API.

import { expect, onTestFinished, test } from 'vitest';
import { tokenOf } from '../../core/agent/reconcilers/reconciled-effect.ts';
import { stripePayment, type StripePaymentOptions } from '../../core/agent/reconcilers/stripe-payment.ts';
import { byHand, failureOf, KEY } from '../support/by-hand.ts';
import { startProviders, type Providers } from '../support/providers/provider-server.ts';
import { DECLINED, STRIPE_KEY } from '../support/providers/stripe-api.ts';
import { waitFor } from '../support/wait-for.ts';

async function providersFor(): Promise<Providers> {
  const providers = await startProviders();
  onTestFinished(() => providers[Symbol.asyncDispose]());
  return providers;
}

function payment({ url }: Providers, more: Partial<StripePaymentOptions> = {}) {
  return byHand(
    stripePayment({
      api: url,
      secretKey: () => STRIPE_KEY,
      params: {
        amount: 500,
        currency: 'eur',
        metadata: { order: '17' },
        payment_method_types: ['card', 'sepa_debit'],
        confirm: true,
      },
      graceMs: 2_000,
      timeoutMs: 5_000,
      ...more,
    }),
  );
}

test.each(['payment_intents', 'charges'] as const)('%s: under its key, and found by it', async (kind) => {
  const providers = await providersFor();
  const effect = payment(providers, { kind });
  const result = await effect.perform();
  expect(result).toEqual({ id: 'pi_1', status: 'succeeded', amount: 500, currency: 'eur' });
  const [sent] = providers.requests;
  expect(sent!.url.pathname).toBe(`/v1/${kind}`);
  expect(sent!.headers['idempotency-key']).toBe(tokenOf(KEY));
  expect([...new URLSearchParams(sent!.body)]).toEqual([
    ['amount', '500'],
    ['currency', 'eur'],
    ['metadata[order]', '17'],
    ['metadata[holdfast_key]', tokenOf(KEY)],
    ['payment_method_types[0]', 'card'],
    ['payment_method_types[1]', 'sepa_debit'],
    ['confirm', 'true'],
  ]);
  expect(await effect.ask()).toEqual({ happened: true, result });
});

test('what another effect has paid is not taken for one’s own, though all else is the same', async () => {
  const providers = await providersFor();
  const params = { amount: 500, currency: 'eur', confirm: true };
  const options = { api: providers.url, secretKey: () => STRIPE_KEY, params };
  const [other, own] = ['key 1', 'key 2'].map((key) => byHand(stripePayment(options), key));
  const result = await other!.perform();
  expect(await own!.ask()).toEqual({ happened: false });
  const second = await own!.perform();
  expect(second.id).not.toBe(result.id);
  expect(await own!.ask()).toEqual({ happened: true, result: second });
  expect(await other!.ask()).toEqual({ happened: true, result });
});

test('it is looked for on every page, and no further than asked', async () => {
  const providers = await providersFor();
  providers.stripe.maxPerPage = 2;
  const effect = payment(providers);
  const old = Math.floor(Date.now() / 1_000) - 1_000_000;
  for (let n = 0; n < 10; n += 1) providers.stripe.add(new URLSearchParams({ amount: '1' }), old);
  const result = await effect.perform();
  for (let n = 0; n < 5; n += 1) providers.stripe.add(new URLSearchParams({ amount: '1' }));
  providers.requests.length = 0;
  expect(await effect.ask()).toEqual({ happened: true, result });
  expect(providers.requests).toHaveLength(3);
  const bounded = await payment(providers, { maxPages: 2 }).ask();
  expect(bounded).toMatchObject({ happened: 'unknown', why: expect.stringContaining('last 2 pages') });
  expect(bounded).not.toHaveProperty('retryAfterMs');
});

test('[S30] a server that charges after its client has died: not yet, and then it happened, once', async () => {
  const providers = await providersFor();
  const charged = Promise.withResolvers<void>();
  providers.manner = ({ method }) => (method === 'POST' ? { until: charged.promise } : {});
  const effect = payment(providers, { graceMs: 30_000 });
  const death = new AbortController();
  const failed = failureOf(effect.perform(death.signal));
  await waitFor(() => providers.requests.length > 0, { what: 'the request' });
  death.abort();
  expect(await failed).not.toMatchObject({ code: 'effect.did-not-happen' });
  // Asked for again meanwhile, its key is in use: that is no answer either.
  expect(await failureOf(effect.perform())).toMatchObject({ message: expect.stringContaining('409') });
  expect(await effect.ask(0)).toMatchObject({ happened: 'unknown', retryAfterMs: expect.any(Number) });
  charged.resolve();
  expect(await effect.settle()).toMatchObject({ happened: true, result: { id: 'pi_1' } });
  // Within the life of its key not even a wrong answer makes two of it.
  expect(await effect.perform()).toMatchObject({ id: 'pi_1' });
  expect(providers.stripe.made).toHaveLength(1);
});

test('[S28] a card that is declined paid nothing, whoever says so', async () => {
  const providers = await providersFor();
  const effect = payment(providers, { params: { amount: DECLINED, currency: 'eur', confirm: true } });
  expect(await failureOf(effect.perform())).toMatchObject({
    code: 'effect.did-not-happen',
    retryable: false,
  });
  expect(await effect.ask()).toEqual({ happened: false });
  // And it is declined again under its key.
  expect(await failureOf(effect.perform())).toMatchObject({ code: 'effect.did-not-happen' });
});

test('an intent that nobody has paid yet was made all the same, if it was not to be confirmed', async () => {
  const providers = await providersFor();
  const effect = payment(providers, { params: { amount: 500, currency: 'eur' } });
  const result = await effect.perform();
  expect(result).toMatchObject({ status: 'requires_payment_method' });
  expect(await effect.ask()).toEqual({ happened: true, result });
});

test('what is not there is not there yet until its grace is over', async () => {
  const effect = payment(await providersFor());
  expect(await effect.ask(1_999)).toMatchObject({ happened: 'unknown', retryAfterMs: 2 });
  expect(await effect.ask(2_000)).toEqual({ happened: false });
});

test.each([
  [409, {}, 2_000],
  [429, { 'retry-after': '3' }, 3_000],
  [500, {}, 2_000],
  [401, {}, null],
  [400, {}, null],
])(
  'a question that is answered with %i %j is asked again after %j',
  async (status, headers, retryAfterMs) => {
    const providers = await providersFor();
    providers.manner = () => ({ refuse: { status, body: { error: {} }, headers } });
    const answer = await payment(providers).ask();
    expect(answer).toMatchObject({ happened: 'unknown' });
    expect('retryAfterMs' in answer ? answer.retryAfterMs : null).toBe(retryAfterMs);
  },
);

test('charged and answered with 500, or cut: in doubt, and found', async () => {
  const providers = await providersFor();
  const manners = [{ answer: { status: 500, body: {} } }, { isCut: true }];
  providers.manner = ({ method }) => (method === 'POST' ? manners.shift()! : {});
  for (const key of ['key 1', 'key 2']) {
    const options = {
      api: providers.url,
      secretKey: () => STRIPE_KEY,
      params: { amount: 5, currency: 'eur' },
    };
    const effect = byHand(stripePayment(options), key);
    expect(await failureOf(effect.perform())).not.toMatchObject({ code: 'effect.did-not-happen' });
    expect(await effect.settle()).toMatchObject({ happened: true });
  }
});
