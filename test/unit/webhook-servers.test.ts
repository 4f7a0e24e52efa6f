import { createServer } from 'node:net';
import { Agent } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TriggerAnswer } from '../../core/triggers/trigger-sink.ts';
import { WebhookServers } from '../../core/triggers/webhook-servers.ts';
import { freePort, openWebhook, rawConnection, send, sendJson } from '../support/webhooks.ts';
import { waitFor } from '../support/wait-for.ts';

const withCode = (code: string, detail: object = {}): unknown =>
  expect.objectContaining({ code, detail: expect.objectContaining(detail) as object });

describe('webhooks of one address', () => {
  it('share a server, each with its own process', async () => {
    const first = await openWebhook({ process: 'alpha' });
    const { servers, port } = first;
    const second = await openWebhook({ servers, process: 'beta', config: { port, path: '/beta' } });
    expect((await sendJson(first.url, 'a')).status).toBe(202);
    expect((await sendJson(second.url, 'b')).status).toBe(202);
    expect([first.calls[0]?.payload, second.calls[0]?.payload]).toEqual(['a', 'b']);
    expect(second.running.facts).toEqual({ url: second.url, isSigned: false, problem: null });
    await first.running[Symbol.asyncDispose]();
    expect((await sendJson(first.url, 'a')).status).toBe(404);
    expect((await sendJson(second.url, 'b')).status).toBe(202);
  });

  it('have a path each: the process that has it already is named', async () => {
    const { servers, port } = await openWebhook({
      process: 'alpha',
      config: { path: '/a b'.replace(' ', '%20') },
    });
    const clash = openWebhook({ servers, process: 'beta', config: { port, path: '/%61%20b' } });
    await expect(clash).rejects.toThrow(withCode('trigger.path-taken', { process: 'alpha' }));
    await expect(clash).rejects.toThrow(/belongs to alpha already/);
  });

  it('free path and port when they close, also for who opens at the same moment', async () => {
    const first = await openWebhook();
    const { servers, port } = first;
    for (let round = 0; round < 20; round += 1) {
      const closing = first.running[Symbol.asyncDispose]();
      const next = await openWebhook({ servers, config: { port } });
      expect((await sendJson(next.url, round)).status).toBe(202);
      await Promise.all([closing, next.running[Symbol.asyncDispose](), next.running[Symbol.asyncDispose]()]);
      await expect(sendJson(next.url, round)).rejects.toThrow(/ECONNREFUSED/);
    }
    const elsewhere = createServer();
    onTestFinished(() => void elsewhere.close());
    await new Promise<void>((resolve, reject) => {
      elsewhere.once('error', reject);
      elsewhere.listen(port, '127.0.0.1', resolve);
    });
  });
});

describe('an address that can not be had', () => {
  it('is taken by another program', async () => {
    const other = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => {
      other.listen(port, '127.0.0.1', resolve);
    });
    onTestFinished(() => void other.close());
    const servers = new WebhookServers();
    await expect(openWebhook({ servers, config: { port } })).rejects.toThrow(
      withCode('trigger.port-taken', { port, host: '127.0.0.1' }),
    );
    // Once it is free, the same registry opens it.
    await new Promise((resolve) => {
      other.close(resolve);
    });
    expect((await sendJson((await openWebhook({ servers, config: { port } })).url, 1)).status).toBe(202);
  });

  it('is taken by a process of ours under another address, which is named', async () => {
    const { servers, port } = await openWebhook({ process: 'alpha' });
    await expect(openWebhook({ servers, config: { port, host: '0.0.0.0' } })).rejects.toThrow(
      withCode('trigger.port-taken', { process: 'alpha' }),
    );
  });

  it('is taken by another program, whoever of ours listens elsewhere on the same port', async () => {
    const other = createServer();
    onTestFinished(() => void other.close());
    const { servers, port } = await openWebhook({ config: { host: '::1' } });
    await new Promise<void>((resolve) => {
      other.listen(port, '127.0.0.1', resolve);
    });
    await expect(openWebhook({ servers, config: { port } })).rejects.toThrow(/in use by another program/);
  });

  it.each([
    ['203.0.113.7', null],
    ['no such host', null],
    ['', null],
    ['127.0.0.1', 80],
    ['127.0.0.1', 1_024],
    ['127.0.0.1', 65_536],
    ['127.0.0.1', 0],
    ['127.0.0.1', 9_090.5],
  ])('is %j with port %j', async (host, port) => {
    const config = { host, port: port ?? (await freePort()) };
    await expect(openWebhook({ config })).rejects.toThrow(withCode('trigger.bad-address', { host }));
  });

  it('is a path that is none, a secret that is empty, or a source that is no address', async () => {
    for (const path of ['', 'webhook', '/a b', '/a?b=c', '/a#b', '/a\n']) {
      await expect(openWebhook({ config: { path } })).rejects.toThrow(withCode('trigger.bad-path'));
    }
    await expect(openWebhook({ config: { secret: '' } })).rejects.toThrow(withCode('trigger.bad-secret'));
    await expect(openWebhook({ config: { allowedSources: ['x'] } })).rejects.toThrow(
      withCode('trigger.bad-source'),
    );
  });
});

it('IPv6 is listened to with and without brackets, and both families by one server', async () => {
  const { url, port, calls } = await openWebhook({
    config: { host: '::', allowedSources: ['127.0.0.0/8', '::1'] },
  });
  expect((await sendJson(url, 4)).status).toBe(202);
  expect((await sendJson(`http://[::1]:${port}/webhook`, 6)).status).toBe(202);
  expect(calls.map(({ metadata }) => metadata['remote'])).toEqual(['127.0.0.1', '::1']);
  const bracketed = await openWebhook({ config: { host: '[::1]' } });
  expect(bracketed.running.facts.url).toBe(`http://[::1]:${bracketed.port}/webhook`);
  expect((await sendJson(bracketed.running.facts.url, 6)).status).toBe(202);
});

describe('closing', () => {
  it('answers what is under way, ends idle connections, and takes nothing new [P1]', async () => {
    const gate = Promise.withResolvers<TriggerAnswer>();
    const { url, port, running, calls } = await openWebhook({ sink: () => gate.promise });
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const idle = await rawConnection(port);
    idle.socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await waitFor(() => idle.heard().includes('healthy'));
    const silent = await rawConnection(port);
    const underWay = sendJson(url, 1, { agent });
    await waitFor(() => calls.length === 1);
    let isClosed = false;
    const closing = running[Symbol.asyncDispose]().then(() => {
      isClosed = true;
    });
    // On a connection that is still open, nothing new is taken meanwhile.
    expect((await sendJson(url, 2)).status).toBe(404);
    expect(isClosed).toBe(false);
    gate.resolve({ kind: 'accepted', eventId: 'e' });
    expect(await underWay).toMatchObject({ status: 202 });
    await closing;
    await Promise.all([idle.ended, silent.ended]);
    expect(calls).toHaveLength(1);
    await expect(sendJson(url, 3)).rejects.toThrow(/ECONNREFUSED/);
  });

  it('does not wait for ever for a process that says nothing: the connection is cut', async () => {
    const { url, running, calls } = await openWebhook({
      sink: () => new Promise(() => {}),
      limits: { drainMs: 50 },
    });
    const cut = sendJson(url, 1).then(({ status }) => status, String);
    await waitFor(() => calls.length === 1);
    await running[Symbol.asyncDispose]();
    expect(await cut).toMatch(/ECONNRESET|hang up/);
  });

  it('ends although senders left in the middle, pipelining', async () => {
    const gate = Promise.withResolvers<TriggerAnswer>();
    const { port, running, calls } = await openWebhook({
      sink: () => gate.promise,
      limits: { drainMs: 600_000 },
    });
    const post = 'POST /webhook HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1';
    const { socket, ended } = await rawConnection(port);
    socket.write(post.repeat(3));
    await waitFor(() => calls.length === 3);
    socket.destroy();
    await ended;
    const half = await rawConnection(port);
    half.socket.write(post.slice(0, -1));
    expect((await send(`http://127.0.0.1:${port}/health`, { method: 'GET' })).status).toBe(200);
    half.socket.destroy();
    await half.ended;
    await running[Symbol.asyncDispose]();
    gate.resolve({ kind: 'accepted', eventId: 'e' });
  });
});
