import { describe, expect, it } from 'vitest';
import type { TriggerAnswer } from '../../core/triggers/trigger-sink.ts';
import { openWebhook, rawConnection, send, sendJson } from '../support/webhooks.ts';
import { waitFor } from '../support/wait-for.ts';

const HEAD = 'POST /webhook HTTP/1.1\r\nHost: localhost\r\n';
const QUICK = { headersMs: 150, requestMs: 300, lookMs: 25 };

describe('senders that are too slow', () => {
  it.each([
    ['headers that never end', `${HEAD}X-A: b\r\n`],
    ['a body that never ends', `${HEAD}Content-Length: 10\r\n\r\nabc`],
    ['pieces that never end', `${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`],
  ])('are told so and cut off: %s', async (_, text) => {
    const { port, calls } = await openWebhook({ limits: QUICK });
    const { socket, ended } = await rawConnection(port);
    socket.write(text);
    expect(await ended).toMatch(/^HTTP\/1\.1 408 .*"status":"error"/s);
    expect(calls).toEqual([]);
  });

  it('and drip byte by byte gain nothing by it', async () => {
    const { port } = await openWebhook({ limits: QUICK });
    const { socket, ended } = await rawConnection(port);
    socket.write(`${HEAD}Content-Length: 10000\r\n\r\n`);
    const drip = setInterval(() => socket.writable && socket.write('.'), 5);
    expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
    clearInterval(drip);
  });

  it('and say nothing at all are cut off too', async () => {
    const { port } = await openWebhook({ limits: QUICK });
    const { ended } = await rawConnection(port);
    expect(await ended).toMatch(/^$|^HTTP\/1\.1 408 /);
  });

  it('are not those whose answer is slow: that is ours', async () => {
    const gate = Promise.withResolvers<TriggerAnswer>();
    const { url, port, calls } = await openWebhook({ sink: () => gate.promise, limits: QUICK });
    const sent = sendJson(url, 1);
    await waitFor(() => calls.length === 1);
    // Who comes later is timed out meanwhile.
    const { socket, ended } = await rawConnection(port);
    socket.write(`${HEAD}Content-Length: 10\r\n\r\n`);
    expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
    gate.resolve({ kind: 'accepted', eventId: 'e' });
    expect((await sent).status).toBe(202);
  });

  it('whose first request was taken are not told that it failed, whatever they send behind it [P1]', async () => {
    const gate = Promise.withResolvers<TriggerAnswer>();
    const { port, calls } = await openWebhook({ sink: () => gate.promise });
    const { socket, ended } = await rawConnection(port);
    socket.write(`${HEAD}Content-Length: 1\r\n\r\n1`);
    await waitFor(() => calls.length === 1);
    socket.write('no HTTP at all\r\n\r\n');
    expect(await ended).toBe('');
    gate.resolve({ kind: 'accepted', eventId: 'e' });
  });
});

describe('senders of too much', () => {
  const LIMIT = 64 * 1024;

  it('are refused by what they announce, before any of it is read', async () => {
    const { port, calls } = await openWebhook({ config: { maxBodyBytes: LIMIT } });
    const { socket, ended } = await rawConnection(port);
    socket.write(`${HEAD}Content-Length: ${LIMIT + 1}\r\n\r\n`);
    const text = await ended;
    expect(text).toMatch(/^HTTP\/1\.1 413 .*65536 bytes/s);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(calls).toEqual([]);
  });

  it.each([
    ['POST /webhook', 'Content-Length: 104857600', 413],
    ['POST /webhook', 'Transfer-Encoding: chunked', 413],
    ['POST /elsewhere', 'Content-Length: 104857600', 404],
    ['PUT /webhook', 'Transfer-Encoding: chunked', 405],
    ['GET /health', 'Content-Length: 104857600', 200],
  ])(
    'of a hundred megabytes hear of it, and the most of it stays with them: %s, %s',
    async (what, how, status) => {
      const { port, calls } = await openWebhook({ config: { maxBodyBytes: LIMIT } });
      const { socket, heard, ended } = await rawConnection(port);
      const part = Buffer.alloc(64 * 1024, 'a');
      const piece = how.startsWith('T')
        ? Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])
        : part;
      socket.write(`${what} HTTP/1.1\r\nHost: localhost\r\n${how}\r\n\r\n`);
      const push = (): void => {
        while (!socket.destroyed && socket.bytesWritten < 100 * 1024 * 1024 && socket.write(piece));
      };
      socket.on('drain', push);
      push();
      await waitFor(() => heard() !== '');
      expect(heard()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      await ended;
      // What the kernel's buffers hold, and no more.
      expect(socket.bytesWritten - socket.writableLength).toBeLessThan(30 * 1024 * 1024);
      expect(calls).toEqual([]);
    },
  );

  it('are those of one byte more, and not those of just as much', async () => {
    const { url } = await openWebhook({ config: { maxBodyBytes: 1_000 } });
    const chunked = { headers: { 'transfer-encoding': 'chunked' } };
    expect((await send(url, { body: 'a'.repeat(1_000) })).status).toBe(202);
    expect((await send(url, { body: 'a'.repeat(1_001) })).status).toBe(413);
    expect((await send(url, { ...chunked, body: 'a'.repeat(1_000) })).status).toBe(202);
    expect((await send(url, { ...chunked, body: 'a'.repeat(1_001) })).status).toBe(413);
  });

  it('of a short body that is not wanted may use the connection again, and of a late one may not', async () => {
    const { port, calls } = await openWebhook({ limits: QUICK });
    const { socket, heard, ended } = await rawConnection(port);
    const post = (path: string, body: string): string =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n${body}`;
    socket.write(post('/nowhere', '123') + post('/webhook', '456'));
    await waitFor(() => heard().includes('202'));
    socket.write(post('/nowhere', '7'));
    expect((await ended).match(/HTTP\/1\.1 \d+/g)).toEqual(['404', '202', '404'].map((n) => `HTTP/1.1 ${n}`));
    expect(calls.map(({ payload }) => payload)).toEqual([456]);
  });

  it('in the headers are refused too', async () => {
    const { port, url } = await openWebhook();
    const { socket, ended } = await rawConnection(port);
    socket.write(`${HEAD}X-A: ${'a'.repeat(20_000)}\r\n\r\n`);
    expect(await ended).toMatch(/^HTTP\/1\.1 431 /);
    expect((await sendJson(url, 1)).status).toBe(202);
  });

  it('connect no more often than is allowed, and let others in when they go', async () => {
    const { port, url } = await openWebhook({ limits: { connections: 5 } });
    const held = [];
    for (let n = 0; n < 5; n += 1) {
      const connection = await rawConnection(port);
      connection.socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await waitFor(() => connection.heard().includes('healthy'));
      held.push(connection);
    }
    await (
      await rawConnection(port)
    ).ended;
    held[0]!.socket.destroy();
    await waitFor(async () => {
      try {
        return (await sendJson(url, 1)).status === 202;
      } catch {
        return false;
      }
    });
  });
});

describe('what is no request', () => {
  it.each([
    ['nonsense', 'hello\r\n\r\n', 400],
    ['a length that is none', `${HEAD}Content-Length: x\r\n\r\n`, 400],
    ['two lengths', `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400],
    ['a length and pieces', `${HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    ['a piece of no length', `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    ['no host', 'POST /webhook HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', 400],
    ['TLS', '\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003', 400],
  ])('is refused, and the next is served: %s', async (_, text, status) => {
    const { port, url, calls } = await openWebhook();
    const { socket, ended } = await rawConnection(port);
    socket.write(text, 'latin1');
    expect(await ended).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(calls).toEqual([]);
    expect((await sendJson(url, 1)).status).toBe(202);
  });
});
