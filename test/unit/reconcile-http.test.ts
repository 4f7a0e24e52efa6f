// An HTTP request with an Idempotency-Key, against a server that does such requests.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { DidNotHappen } from '../../core/agent/effect-errors.ts';
import { httpRequest, type HttpRequestOptions } from '../../core/agent/reconcilers/http-request.ts';
import type { Json } from '../../core/model/json.ts';
import { byHand, failureOf, KEY } from '../support/by-hand.ts';
import { startProviders, type Providers } from '../support/providers/provider-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { freePort } from '../support/webhooks.ts';

async function providersFor(): Promise<Providers> {
  const providers = await startProviders();
  onTestFinished(() => providers[Symbol.asyncDispose]());
  return providers;
}

function order({ url }: Pick<Providers, 'url'>, more: Partial<HttpRequestOptions> = {}) {
  return httpRequest({
    url: `${url}/orders`,
    body: { item: 'bread' },
    lookup: (key) => `${url}/orders?key=${encodeURIComponent(key)}`,
    isReadYourWrites: true,
    graceMs: 1_000,
    timeoutMs: 5_000,
    ...more,
  });
}

test('it is done under its key, and found by it: the same result either way', async () => {
  const providers = await providersFor();
  const effect = byHand(order(providers));
  const result = await effect.perform();
  expect(result).toEqual({ id: 1, key: KEY, order: { item: 'bread' } });
  expect(await effect.ask()).toEqual({ happened: true, result });
  // A wrong answer is harmless as well: the same key is done once.
  expect(await effect.perform()).toEqual(result);
  expect(providers.orders.made).toHaveLength(1);
});

test('[S30] a server that commits after its client has died: not yet, and then it happened', async () => {
  const providers = await providersFor();
  const committed = Promise.withResolvers<void>();
  providers.manner = ({ method }) => (method === 'POST' ? { until: committed.promise } : {});
  const effect = byHand(order(providers, { graceMs: 30_000 }));
  const death = new AbortController();
  const failed = failureOf(effect.perform(death.signal));
  await waitFor(() => providers.requests.length > 0, { what: 'the request' });
  death.abort();
  expect(await failed).not.toMatchObject({ code: 'effect.did-not-happen' });
  expect(await effect.ask(0)).toMatchObject({ happened: 'unknown', retryAfterMs: expect.any(Number) });
  committed.resolve();
  expect(await effect.settle()).toMatchObject({ happened: true, result: { id: 1 } });
});

test('202 is not yet, for as long as it is in progress', async () => {
  const providers = await providersFor();
  providers.orders.showsProgress = true;
  const committed = Promise.withResolvers<void>();
  providers.manner = ({ method }) => (method === 'POST' ? { until: committed.promise } : {});
  const effect = byHand(order(providers, { graceMs: 0 }));
  const death = new AbortController();
  const failed = failureOf(effect.perform(death.signal));
  await waitFor(() => providers.requests.length > 0, { what: 'the request' });
  death.abort();
  await failed;
  // Also where its grace is over: it is there.
  expect(await effect.ask()).toMatchObject({ happened: 'unknown', retryAfterMs: expect.any(Number) });
  committed.resolve();
  expect(await effect.settle()).toMatchObject({ happened: true });
});

test('404 means that it did not happen only where the API shows what it has accepted, and behind the grace', async () => {
  const providers = await providersFor();
  const certain = byHand(order(providers));
  expect(await certain.ask(400)).toMatchObject({ happened: 'unknown', retryAfterMs: expect.any(Number) });
  expect(await certain.ask(1_000)).toEqual({ happened: false });
  const uncertain = byHand(order(providers, { isReadYourWrites: false }));
  const answer = await uncertain.ask(1_000);
  expect(answer).toMatchObject({ happened: 'unknown', why: expect.stringContaining('not certain') });
  expect(answer).not.toHaveProperty('retryAfterMs');
});

test.each(['[]', 'null'])(
  'a search that finds nothing (%s) is no yes, but where `found` says so',
  async (text) => {
    const providers = await providersFor();
    const body = JSON.parse(text) as Json;
    providers.manner = () => ({ refuse: { status: 200, body } });
    const certain = byHand(order(providers));
    expect(await certain.ask(400)).toMatchObject({ happened: 'unknown', retryAfterMs: expect.any(Number) });
    expect(await certain.ask(1_000)).toEqual({ happened: false });
    const uncertain = byHand(order(providers, { isReadYourWrites: false }));
    expect(await uncertain.ask(1_000)).toMatchObject({ happened: 'unknown' });
    const own = byHand(order(providers, { found: (result) => ({ happened: true, result }) }));
    expect(await own.ask(1_000)).toEqual({ happened: true, result: body });
  },
);

test.each([
  [400, 'no'],
  [401, 'no'],
  [404, 'no'],
  [422, 'no'],
  [425, 'again'],
  [429, 'again'],
  [202, 'doubt'],
  [302, 'doubt'],
  [408, 'doubt'],
  [409, 'doubt'],
  [500, 'doubt'],
  [503, 'doubt'],
] as const)('[S28] an attempt that is answered with %i: %s', async (status, means) => {
  const providers = await providersFor();
  const headers = { location: `${providers.url}/elsewhere`, 'retry-after': '0' };
  providers.manner = () => ({ refuse: { status, body: { message: 'because' }, headers } });
  const failure = await failureOf(byHand(order(providers)).perform());
  const isCertain = failure instanceof DidNotHappen;
  expect(isCertain ? (failure.retryable ? 'again' : 'no') : 'doubt').toBe(means);
  // No redirect is followed.
  expect(providers.requests).toHaveLength(1);
});

test.each([
  [202, { 'retry-after': '7' }, 7_000],
  [409, {}, 2_000],
  [429, { 'retry-after': '30' }, 30_000],
  [429, { 'retry-after': '99999999' }, 900_000],
  [500, {}, 2_000],
  [503, { 'retry-after': '1' }, 1_000],
  [401, {}, null],
  [403, {}, null],
  [302, { location: '/elsewhere' }, 2_000],
])(
  'a question that is answered with %i %j is asked again after %j',
  async (status, headers, retryAfterMs) => {
    const providers = await providersFor();
    providers.manner = () => ({ refuse: { status, body: {}, headers } });
    const answer = await byHand(order(providers)).ask();
    expect(answer).toMatchObject({ happened: 'unknown', why: expect.any(String) });
    expect('retryAfterMs' in answer ? answer.retryAfterMs : null).toBe(retryAfterMs);
    expect(providers.requests).toHaveLength(1);
  },
);

test('an attempt that is told to slow down takes the pause that it is told, within its own time', async () => {
  const providers = await providersFor();
  providers.manner = () => ({ refuse: { status: 429, body: {}, headers: { 'retry-after': '60' } } });
  const start = performance.now();
  await failureOf(byHand(order(providers, { timeoutMs: 400 })).perform());
  expect(performance.now() - start).toBeGreaterThanOrEqual(195);
});

test('where nobody listens nothing was sent; a question is asked again', async () => {
  const effect = byHand(order({ url: `http://127.0.0.1:${await freePort()}` }));
  expect(await failureOf(effect.perform())).toMatchObject({ code: 'effect.did-not-happen', retryable: true });
  expect(await effect.ask()).toMatchObject({ happened: 'unknown', retryAfterMs: 2_000 });
});

test('a server that says nothing, or never stops, is not waited for', async () => {
  const server = createServer((request, response) => {
    if (request.method === 'GET') return;
    response.writeHead(200);
    const more = setInterval(() => response.write('x'.repeat(1024 * 1024)), 1);
    response.on('close', () => clearInterval(more));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const effect = byHand(order({ url }, { timeoutMs: 300 }));
  // It may be done: what it said is too long to be read.
  expect(await failureOf(effect.perform())).not.toMatchObject({ code: 'effect.did-not-happen' });
  expect(await effect.ask()).toMatchObject({ happened: 'unknown', retryAfterMs: 2_000 });
});

test('secrets are asked for with every attempt and question, and are not among the arguments', async () => {
  const providers = await providersFor();
  let asked = 0;
  const headers = () => ({ authorization: `Bearer secret-${(asked += 1)}` });
  const made = order(providers, { headers });
  const effect = byHand(made);
  await effect.perform();
  await effect.ask();
  expect(providers.requests.map((request) => request.headers.authorization)).toEqual([
    'Bearer secret-1',
    'Bearer secret-2',
  ]);
  expect(JSON.stringify(made[0])).not.toContain('secret');
});

test('[S28] without its secret nothing is sent, so it did not happen; a question is asked again', async () => {
  const providers = await providersFor();
  const headers = () => Promise.reject(new Error('there is no such secret'));
  const effect = byHand(order(providers, { headers }));
  expect(await failureOf(effect.perform())).toMatchObject({ code: 'effect.did-not-happen', retryable: true });
  expect(await effect.ask()).toMatchObject({ happened: 'unknown', retryAfterMs: 2_000 });
  expect(providers.requests).toEqual([]);
});

test('a key that no header takes goes as its digest, and is found by it', async () => {
  const providers = await providersFor();
  const key = 'Bäckerei\r\nX-Other: 1';
  const effect = byHand(order(providers), key);
  await effect.perform();
  expect(providers.requests[0]!.headers['idempotency-key']).toMatch(/^hf-[0-9a-f]{40}$/);
  expect(await effect.ask()).toMatchObject({ happened: true });
});

test('what the lookup shows may say that it failed', async () => {
  const providers = await providersFor();
  const effect = byHand(order(providers, { found: () => ({ happened: false }) }));
  await effect.perform();
  expect(await effect.ask()).toEqual({ happened: false });
});
