// Decisions that come over HTTP are signed, for one promise, for a while and once [A15]; who decided is on record [P7].

import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ProcessConfig } from '../../core/model/process-config.ts';
import { ApprovalRoute, type ApprovalRouteOptions } from '../../core/triggers/approval-route.ts';
import { WebhookServers } from '../../core/triggers/webhook-servers.ts';
import { systemClock } from '../../core/host/system-clock.ts';
import { approvingAgent, askingAgent } from '../support/approving-agent.ts';
import { folded, bench, isIdle, type Bench } from '../support/runtime.ts';
import { freePort, rawConnection, send, type Heard } from '../support/webhooks.ts';

const SECRET = 'a secret between two machines';
const APPROVE = JSON.stringify({ verdict: 'approve', by: 'ann@example.com' });

const now = (): number => Math.floor(Date.now() / 1000);

function signatureOf(promiseId: string, body: string, seconds = now(), secret = SECRET): string {
  const digest = createHmac('sha256', secret).update(`${seconds}.${promiseId}.${body}`).digest('hex');
  return `t=${seconds},v1=${digest}`;
}

interface Opened {
  readonly b: Bench;
  readonly port: number;
  /** The id of the promise that is open. */
  readonly asked: () => Promise<string>;
  readonly post: (promiseId: string, body: string, signature?: string) => Promise<Heard>;
}

async function opened(source: string, config: Partial<ProcessConfig> = {}): Promise<Opened> {
  const port = await freePort();
  const approvalWebhook = {
    host: '127.0.0.1',
    port,
    secret: SECRET,
    toleranceMs: 300_000,
    allowedSources: [],
    ...config.approvalWebhook,
  };
  const b = await bench(source, { ...config, approvalWebhook });
  const open = () =>
    b.process.snapshot.open
      .flatMap(({ waits }) => waits)
      .find(({ kind, end }) => kind === 'promise' && end === null);
  const post: Opened['post'] = (promiseId, body, signature = signatureOf(promiseId, body)) =>
    send(`http://127.0.0.1:${port}/approvals/${promiseId}`, {
      body,
      headers: { 'Content-Type': 'application/json', 'Holdfast-Signature': signature },
    });
  const asked = async (): Promise<string> => {
    await b.trigger();
    await b.until('the question', () => open() !== undefined);
    return open()!.waitId;
  };
  return { b, port, asked, post };
}

test('a signed decision is taken, with who decided; a second one is told how it stands', async () => {
  const { b, asked, post } = await opened(approvingAgent());
  const id = await asked();
  const body = JSON.stringify({
    verdict: 'approve',
    by: 'ann',
    args: { path: 'x', content: 'y' },
    reason: 'fine',
  });
  const first = await post(id, body);
  expect([first.status, first.body]).toEqual([
    200,
    { status: 'approved', promise_id: id, by: 'webhook:ann' },
  ]);
  await b.until('the end', isIdle);
  expect(existsSync(join(b.directory, 'written.txt'))).toBe(true);
  const entries = await b.entries();
  const settled = entries.find(({ entry_type }) => entry_type === 'promise_settled');
  expect(settled?.data).toMatchObject({ by: 'webhook:ann', reason: 'fine' });
  expect(JSON.stringify(entries)).not.toContain(SECRET);
  const second = await post(id, JSON.stringify({ verdict: 'reject', by: 'bob', reason: 'no' }));
  expect(second.status).toBe(409);
});

test.each<[string, (id: string) => [string, string | undefined]]>([
  ['no signature', () => [APPROVE, '']],
  ['no signature at all', () => [APPROVE, 'sha256=00']],
  ['another secret', (id) => [APPROVE, signatureOf(id, APPROVE, now(), 'guessed')]],
  ['another body', (id) => [APPROVE, signatureOf(id, '{}')]],
  ['another promise', () => [APPROVE, signatureOf('p_other', APPROVE)]],
  ['too old', (id) => [APPROVE, signatureOf(id, APPROVE, now() - 301)]],
  ['from the future', (id) => [APPROVE, signatureOf(id, APPROVE, now() + 330)]],
])('a signature that is wrong decides nothing: %s', async (_, of) => {
  const { b, asked, post } = await opened(approvingAgent());
  const id = await asked();
  const [body, signature] = of(id);
  expect((await post(id, body, signature)).status).toBe(401);
  expect(b.process.snapshot.open[0]?.waits[0]?.end).toBeNull();
});

test('a signature counts once: sent again it is refused, before and after the decision', async () => {
  const { b, asked, post } = await opened(approvingAgent());
  const id = await asked();
  const senseless = JSON.stringify({ verdict: 'approve', by: 'ann', args: { path: 'x' } });
  const signature = signatureOf(id, senseless);
  const refused = await post(id, senseless, signature);
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    422,
    expect.stringContaining('content is missing'),
  ]);
  expect((await post(id, senseless, signature)).status).toBe(409);
  const good = signatureOf(id, APPROVE);
  expect((await post(id, APPROVE, good)).status).toBe(200);
  expect((await post(id, APPROVE, good)).status).toBe(409);
  await b.until('the end', isIdle);
});

test('what is no decision is refused with what is wrong, and decides nothing', async () => {
  const { b, asked, post } = await opened(approvingAgent());
  const id = await asked();
  const bodies: readonly [string, number][] = [
    ['{', 400],
    ['[]', 422],
    ['{"verdict":"maybe","by":"ann"}', 422],
    ['{"verdict":"approve"}', 422],
    ['{"verdict":"approve","by":"ann","extra":1}', 422],
    ['{"verdict":"reject","by":"ann"}', 422],
    ['{"verdict":"answer","answer":"x","by":"ann"}', 422],
    [`{"verdict":"approve","by":"ann","args":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 400],
  ];
  for (const [body, status] of bodies)
    expect([body.slice(0, 60), (await post(id, body)).status]).toEqual([body.slice(0, 60), status]);
  expect((await post('p_unknown', APPROVE)).status).toBe(404);
  expect(b.process.snapshot.open[0]?.waits[0]?.end).toBeNull();
});

test('[P1] [P3] half a character, or a NUL, in who decided is kept as what a journal can hold, and as it was told', async () => {
  const { b, asked, post } = await opened(approvingAgent());
  const id = await asked();
  const body = String.raw`{"verdict":"approve","by":"ann\ud800\u0000","reason":"\udfff"}`;
  expect((await post(id, body)).status).toBe(200);
  await b.until('the end', isIdle);
  expect(b.process.live.trouble).toBeNull();
  expect(await folded(b)).toEqual(b.process.snapshot);
});

test('a question is answered the same way', async () => {
  const { b, asked, post } = await opened(askingAgent("{ question: 'Which one?' }"));
  const id = await asked();
  const answered = await post(id, JSON.stringify({ verdict: 'answer', answer: 'the first', by: 'ann' }));
  expect(answered.status).toBe(200);
  await b.until('the end', isIdle);
});

test('what expired is gone, and says so', async () => {
  const plan = "{ approval: { asksForIrreversible: false, expiresAfterMs: 1, onExpiry: 'reject' } }";
  const { b, post } = await opened(approvingAgent({ plan, after: "await ctx.promise('hold');" }));
  await b.trigger();
  const ended = () => b.process.snapshot.open[0]?.waits.find(({ end }) => end !== null);
  await b.until('the expiry', () => ended() !== undefined);
  expect((await post(ended()!.waitId, APPROVE)).status).toBe(410);
});

test('a source that is not allowed is refused before its body is read', async () => {
  const config = {
    approvalWebhook: { allowedSources: ['203.0.113.7'] },
  } as unknown as Partial<ProcessConfig>;
  const { asked, post } = await opened(approvingAgent(), config);
  expect((await post(await asked(), APPROVE)).status).toBe(403);
});

/** The route of one process, that decides so. */
async function serveRoute(
  servers: WebhookServers,
  port: number,
  decide: ApprovalRouteOptions['decide'],
): Promise<void> {
  const route = new ApprovalRoute({
    process: 'agent',
    host: '127.0.0.1',
    port,
    secret: SECRET,
    toleranceMs: 300_000,
    allowedSources: [],
    clock: systemClock(),
    knows: () => true,
    decide,
    health: () => ({ reason: null, queueSize: 0 }),
  });
  const running = await servers.serve(route);
  onTestFinished(() => running[Symbol.asyncDispose]());
}

test('bodies that are too large or never end cost nothing', async () => {
  const [port, hastyPort] = [await freePort(), await freePort()];
  const decided: unknown[] = [];
  const decide: ApprovalRouteOptions['decide'] = async (decision) => {
    decided.push(decision);
    return { isFirst: true, end: 'approved', by: '' };
  };
  await serveRoute(new WebhookServers(), port, decide);
  // Only who is slow on purpose is to be given up by this one.
  const hasty = new WebhookServers({ headersMs: 150, requestMs: 300, lookMs: 25 });
  await serveRoute(hasty, hastyPort, decide);
  const head = 'POST /approvals/p_1 HTTP/1.1\r\nHost: localhost\r\n';
  const large = await rawConnection(port);
  large.socket.write(`${head}Content-Length: 1048577\r\n\r\n`);
  expect(await large.ended).toMatch(/^HTTP\/1\.1 413 /);
  const slow = await rawConnection(hastyPort);
  slow.socket.write(`${head}Content-Length: 10\r\n\r\nabc`);
  expect(await slow.ended).toMatch(/^HTTP\/1\.1 408 /);
  expect(decided).toEqual([]);
  const get = await send(`http://127.0.0.1:${port}/approvals/p_1`, { method: 'GET' });
  expect(get.status).toBe(405);
});

test('two processes share a port, each with its own secret and promises', async () => {
  const first = await opened(approvingAgent());
  const { servers, port } = { servers: new WebhookServers(), port: await freePort() };
  const route = (process: string, secret: string, mine: string): ApprovalRoute =>
    new ApprovalRoute({
      process,
      host: '127.0.0.1',
      port,
      secret,
      toleranceMs: 300_000,
      allowedSources: [],
      clock: systemClock(),
      knows: (id) => id === mine,
      decide: async ({ by }) => ({ isFirst: true, end: 'approved', by: `${process} ${by}` }),
      health: () => ({ reason: null, queueSize: 0 }),
    });
  for (const running of [
    await servers.serve(route('alpha', 'secret a', 'p_a')),
    await servers.serve(route('beta', 'secret b', 'p_b')),
  ])
    onTestFinished(() => running[Symbol.asyncDispose]());
  const post = (id: string, secret: string): Promise<Heard> =>
    send(`http://127.0.0.1:${port}/approvals/${id}`, {
      body: APPROVE,
      headers: {
        'Content-Type': 'application/json',
        'Holdfast-Signature': signatureOf(id, APPROVE, now(), secret),
      },
    });
  expect((await post('p_b', 'secret b')).body).toMatchObject({ by: 'beta ann@example.com' });
  expect((await post('p_a', 'secret a')).body).toMatchObject({ by: 'alpha ann@example.com' });
  expect((await post('p_a', 'secret b')).status).toBe(401);
  await first.b.quit();
});

test('one that could not be kept counts for nothing, and the same may be sent again', async () => {
  const port = await freePort();
  const servers = new WebhookServers();
  let tries = 0;
  await serveRoute(servers, port, async () => {
    tries += 1;
    if (tries === 1) throw new Error('the disk is full');
    return { isFirst: true, end: 'approved', by: '' };
  });
  const signature = signatureOf('p_1', APPROVE);
  const post = (): Promise<Heard> =>
    send(`http://127.0.0.1:${port}/approvals/p_1`, {
      body: APPROVE,
      headers: { 'Content-Type': 'application/json', 'Holdfast-Signature': signature },
    });
  expect((await post()).status).toBeGreaterThanOrEqual(500);
  expect((await post()).status).toBe(200);
  expect((await post()).status).toBe(409);
});
