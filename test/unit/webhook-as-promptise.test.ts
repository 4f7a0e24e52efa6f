// The same requests to the real Promptise and to us [A15].

import { spawn } from 'node:child_process';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { SignatureScheme } from '../../core/model/trigger-config.ts';
import { needPromptise } from '../interop/ask-promptise.ts';
import { promptisePython } from '../interop/promptise.ts';
import {
  freePort,
  openWebhook,
  SECRET,
  send,
  signed,
  stripeSigned,
  type SendOptions,
} from '../support/webhooks.ts';
import { waitFor } from '../support/wait-for.ts';

const LISTEN = `
import asyncio, json, sys
from promptise.runtime.triggers.webhook import WebhookTrigger

async def tell(trigger):
    while True:
        event = await trigger.wait_for_next()
        print(json.dumps([event.payload, event.metadata]), flush=True)

async def main():
    tasks = []
    for scheme, port, secret in json.loads(sys.argv[1]):
        trigger = WebhookTrigger(path="/webhook", port=port, hmac_secret=secret, signature_scheme=scheme)
        await trigger.start()
        tasks.append(asyncio.create_task(tell(trigger)))
    print("ready", flush=True)
    await asyncio.gather(*tasks)

asyncio.run(main())
`;

interface Case {
  readonly scheme: SignatureScheme | null;
  readonly what: string;
  readonly request: SendOptions & { readonly path?: string };
  /** What both answer, or Promptise and we. */
  readonly status: number | readonly [theirs: number, ours: number];
}

function cases(nowS: number): readonly Case[] {
  const body = '{"a": [1, "Zo\u00eb"], "big": 123456}';
  const json = { 'Content-Type': 'application/json', 'X-GitHub-Event': 'push' };
  const stripe = (header: string): SendOptions => ({
    body,
    headers: { ...json, 'Stripe-Signature': header },
  });
  const time = stripeSigned(body, nowS);
  return [
    { scheme: null, what: 'JSON', request: { body, headers: json, path: '?x=1&x=2&y=%C3%AB' }, status: 202 },
    { scheme: null, what: 'text', request: { body: 'plain' }, status: 202 },
    { scheme: null, what: 'no body', request: {}, status: 202 },
    { scheme: null, what: 'half JSON', request: { body: '{', headers: json }, status: [202, 400] },
    { scheme: null, what: 'another path', request: { path: '/more' }, status: 404 },
    { scheme: null, what: 'another method', request: { method: 'PUT', body }, status: 405 },
    { scheme: null, what: 'too much', request: { body: 'a'.repeat(1_048_577) }, status: 413 },
    { scheme: null, what: 'a page', request: { headers: { Origin: 'https://x.example' } }, status: 403 },
    { scheme: null, what: 'a name', request: { headers: { Host: 'x.example' } }, status: 421 },
    {
      scheme: 'generic',
      what: 'signed',
      request: { body, headers: { 'X-Webhook-Signature': signed(body), Cookie: 'c', Authorization: 'a' } },
      status: 202,
    },
    { scheme: 'generic', what: 'unsigned', request: { body }, status: 401 },
    {
      scheme: 'generic',
      what: 'wrong',
      request: { body, headers: { 'X-Webhook-Signature': signed('b') } },
      status: 401,
    },
    {
      scheme: 'generic',
      what: 'not ASCII',
      request: { body, headers: { 'X-Webhook-Signature': 'sha256=\u00e9' } },
      status: 401,
    },
    {
      scheme: 'github',
      what: 'signed',
      request: { body, headers: { ...json, 'X-Hub-Signature-256': signed(body) } },
      status: 202,
    },
    {
      scheme: 'github',
      what: 'old digest',
      request: { body, headers: { 'X-Hub-Signature': 'sha1=00' } },
      status: 401,
    },
    { scheme: 'stripe', what: 'signed', request: stripe(time), status: 202 },
    { scheme: 'stripe', what: 'the same again', request: stripe(time), status: [401, 409] },
    {
      scheme: 'stripe',
      what: 'two',
      request: stripe(stripeSigned(body, nowS - 2).replace(',', `,v1=${'0'.repeat(64)},`)),
      status: 202,
    },
    { scheme: 'stripe', what: 'old', request: stripe(stripeSigned(body, nowS - 400)), status: 401 },
    { scheme: 'stripe', what: 'not yet', request: stripe(stripeSigned(body, nowS + 400)), status: 401 },
    { scheme: 'stripe', what: 'no time', request: stripe(time.replace(/^t=\d+,/, '')), status: 401 },
  ];
}

beforeEach(needPromptise);

it('answers, payloads and metadata are those of Promptise, but where it is said', async () => {
  const schemes = [null, 'generic', 'github', 'stripe'] as const;
  const theirs = new Map<SignatureScheme | null, string>();
  const ours = new Map<SignatureScheme | null, Awaited<ReturnType<typeof openWebhook>>>();
  const settings = [];
  for (const scheme of schemes) {
    const port = await freePort();
    const secret = scheme === null ? null : SECRET;
    settings.push([scheme ?? 'generic', port, secret]);
    theirs.set(scheme, `http://127.0.0.1:${port}/webhook`);
    const config = { secret, scheme: scheme ?? ('generic' as const), maxBodyBytes: 1_048_576 };
    ours.set(scheme, await openWebhook({ config }));
  }
  const child = spawn(promptisePython()!, ['-B', '-X', 'utf8', '-c', LISTEN, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const gone = new Promise((resolve) => {
    child.once('close', resolve);
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  let output = '';
  child.stdout.on('data', (part: Buffer) => {
    output += part.toString();
  });
  await waitFor(() => output.startsWith('ready\n'), { patienceMs: 60_000 });
  const lines = (): readonly string[] => output.split('\n').slice(1, -1);

  const now = Math.floor(Date.now() / 1_000);
  for (const { scheme, what, request, status } of cases(now)) {
    const { path = '', ...options } = request;
    const [their, our] = typeof status === 'number' ? [status, status] : status;
    const before = lines().length;
    const { url, calls } = ours.get(scheme)!;
    const called = calls.length;
    const heard = [await send(theirs.get(scheme)! + path, options), await send(url + path, options)];
    expect([scheme, what, ...heard.map(({ status }) => status)]).toEqual([scheme, what, their, our]);
    if (their !== 202 || our !== 202) continue;
    const line = await waitFor(() => lines()[before]);
    const hidden = (text: string): string => text.replaceAll(/127\.0\.0\.1:\d+/g, 'here');
    const [payload, metadata] = JSON.parse(hidden(line)) as [unknown, unknown];
    const call = JSON.parse(hidden(JSON.stringify(calls[called]))) as Record<string, unknown>;
    expect([what, call['payload'], call['metadata']]).toEqual([what, payload, metadata]);
  }
  const health = (url: string): string => new URL('/health', url).href;
  const [a, b] = [
    await send(health(theirs.get(null)!), { method: 'GET' }),
    await send(health(ours.get(null)!.url), { method: 'GET' }),
  ];
  expect(Object.keys(b.body)).toEqual(Object.keys(a.body));
  expect([b.status, b.body['status'], b.body['reason']]).toEqual([
    a.status,
    a.body['status'],
    a.body['reason'],
  ]);
});
