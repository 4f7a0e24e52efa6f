// Telling a receiver on the web something, with real servers that behave badly: nothing that they do holds anybody up, and
// nothing reaches an address that was not looked at.

import { afterEach, expect, test, vi } from 'vitest';
import { webhookPost, type PostOutcome, type PostRequest } from '../../core/governance/webhook-post.ts';
import { never, receiver, status, tlsReceiver } from '../support/receiver.ts';
import { waitFor } from '../support/wait-for.ts';

afterEach(() => void vi.unstubAllEnvs());

const asked = (url: string, more: Partial<PostRequest> = {}): PostRequest => ({
  url,
  body: '{"is":"told"}',
  headers: { 'x-holdfast-delivery': 'd1' },
  allowPrivate: true,
  signal: new AbortController().signal,
  ...more,
});
const post = webhookPost();
const quick = webhookPost({ timeoutMs: 300 });

test('what is told arrives as it is, and any 2xx means that it did', async () => {
  const one = await receiver(status(202));
  expect(await post(asked(one.url))).toEqual({ isSent: true, status: 202 });
  expect(one.received).toMatchObject([
    {
      method: 'POST',
      path: '/hook/xyzzy',
      body: { is: 'told' },
      headers: { 'content-type': 'application/json', 'x-holdfast-delivery': 'd1' },
    },
  ]);
});

test('a redirect is a failure that says so, and is not followed', async () => {
  const elsewhere = await receiver();
  const one = await receiver(status(307, { location: elsewhere.url }));
  expect(await post(asked(one.url))).toMatchObject({
    isSent: false,
    status: 307,
    mayRetry: false,
    reason: 'it answered 307, which leads elsewhere, and redirects are not followed',
  });
  expect(elsewhere.received).toEqual([]);
});

test.each([
  [400, false],
  [401, false],
  [404, false],
  [410, false],
  [408, true],
  [429, true],
  [500, true],
  [503, true],
])('an answer of %i is tried again: %s', async (code, mayRetry) => {
  const one = await receiver(status(code));
  expect(await post(asked(one.url))).toMatchObject({
    isSent: false,
    status: code,
    mayRetry,
    reason: `it answered ${code}`,
  });
});

test('how long it asks to be left alone is heard, in seconds and as a date', async () => {
  const one = await receiver(status(429, { 'retry-after': '7' }));
  expect(await post(asked(one.url))).toMatchObject({ retryAfterMs: 7_000 });
  one.answer(status(503, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() }));
  const { retryAfterMs } = (await post(asked(one.url))) as Extract<PostOutcome, { isSent: false }>;
  expect(retryAfterMs).toBeGreaterThan(50_000);
  expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  one.answer(status(503, { 'retry-after': 'soon' }));
  expect(await post(asked(one.url))).toMatchObject({ retryAfterMs: null });
});

test('one that hangs is given up after the time limit: before it answers, or before its name is known', async () => {
  const one = await receiver(never);
  const late = { isSent: false, mayRetry: true, status: null, reason: 'no answer within 0.3 s' };
  expect(await quick(asked(one.url))).toMatchObject(late);
  const nameless = webhookPost({ timeoutMs: 300, resolve: () => new Promise(() => {}) });
  expect(await nameless(asked('https://hooks.example/x'))).toMatchObject(late);
});

test('an answer without an end is not waited for: its status is enough', async () => {
  const one = await receiver((answer) => {
    answer.writeHead(200);
    // More than anybody reads, for as long as somebody does.
    const more = (): void => {
      if (!answer.destroyed && answer.write(Buffer.alloc(256 * 1024))) setImmediate(more);
    };
    answer.on('drain', more);
    more();
  });
  expect(await post(asked(one.url))).toEqual({ isSent: true, status: 200 });
});

test.each([
  [
    'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n',
    /closed the connection|socket hang up/,
  ],
  ['', /closed the connection|socket hang up|ECONNRESET/],
  ['SSH-2.0-OpenSSH\r\n', /Parse Error/],
])('one that answers %j is a failure like any other', async (bytes, reason) => {
  const one = await receiver((answer) => void answer.socket!.end(bytes));
  expect(await post(asked(one.url))).toMatchObject({
    isSent: false,
    status: null,
    reason: expect.stringMatching(reason),
  });
});

test('nothing of what a receiver says is repeated', async () => {
  const one = await receiver((answer) => void answer.writeHead(500, 'XYZZY said it').end('XYZZY'));
  expect(JSON.stringify(await post(asked(one.url)))).not.toContain('XYZZY');
});

test('one that is not there is tried again later; a call that is called off ends at once', async () => {
  const one = await receiver(never);
  const life = new AbortController();
  const outcome = post(asked(one.url, { signal: life.signal }));
  await waitFor(() => one.received.length === 1, { what: 'the call' });
  life.abort();
  expect(await outcome).toMatchObject({ isSent: false, reason: 'called off' });
  const nobody = webhookPost({
    resolve: () => Promise.reject(new Error('getaddrinfo ENOTFOUND gone.example')),
  });
  expect(await nobody(asked('http://gone.example/'))).toMatchObject({
    mayRetry: true,
    reason: 'getaddrinfo ENOTFOUND gone.example',
  });
});

test('a certificate that nobody vouches for is refused, whatever the environment says; the name stays the name', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const names: string[] = [];
  const one = await tlsReceiver((name) => names.push(name));
  const there = webhookPost({ resolve: async () => ['127.0.0.1'] });
  expect(await there(asked(`https://hooks.example:${one.port}/`))).toMatchObject({
    isSent: false,
    reason: expect.stringMatching(/certificate/),
  });
  expect(names).toEqual(['hooks.example']);
  expect(one.received).toEqual([]);
});

test('a name that changes between two looks: the connection goes to the address that was looked at', async () => {
  const one = await receiver();
  const answers = [['127.0.0.1'], ['127.0.0.2']];
  const looks: string[] = [];
  const turning = webhookPost({
    resolve: async (name) => {
      looks.push(name);
      return answers[Math.min(looks.length, answers.length) - 1]!;
    },
  });
  expect(await turning(asked(`http://rebind.example:${one.port}/a`))).toMatchObject({ isSent: true });
  expect(looks).toEqual(['rebind.example']);
  expect(one.received[0]!.headers['host']).toBe(`rebind.example:${one.port}`);
  // And the next attempt looks again: nobody listens there.
  expect(await turning(asked(`http://rebind.example:${one.port}/a`))).toMatchObject({ isSent: false });
  expect(looks).toHaveLength(2);
});

test.each([
  ['http://hooks.example:PORT/', ['127.0.0.1']],
  ['http://hooks.example:PORT/', ['93.184.215.14', '10.0.0.7']],
  ['http://hooks.example:PORT/', ['::ffff:127.0.0.1']],
  ['http://127.0.0.1:PORT/', []],
  ['http://2130706433:PORT/', []],
  ['http://0x7f.1:PORT/', []],
  ['http://[::1]:PORT/', []],
  ['http://[::ffff:7f00:1]:PORT/', []],
])(
  '%s at %j is refused unless private addresses are allowed, and nothing is sent',
  async (url, addresses) => {
    const one = await receiver();
    const there = webhookPost({ resolve: async () => addresses });
    const outcome = await there(asked(url.replace('PORT', String(one.port)), { allowPrivate: false }));
    expect(outcome).toMatchObject({
      isSent: false,
      mayRetry: false,
      reason: expect.stringMatching(/^not sent: .* is not a public address/),
    });
    expect(one.received).toEqual([]);
  },
);

test('no proxy of the environment gets to see anything', async () => {
  const proxy = await receiver(status(200));
  for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])
    vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  const one = await receiver(status(204));
  expect(await post(asked(one.url))).toEqual({ isSent: true, status: 204 });
  expect(proxy.received).toEqual([]);
});
