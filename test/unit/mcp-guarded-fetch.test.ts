// Requests to a server that an agent connected itself: where its name leads is looked at each time, and nothing private is
// reached by a detour.

import { createServer, type RequestListener } from 'node:http';
import type { lookup } from 'node:dns';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { guardedFetch } from '../../core/agent/mcp/guarded-fetch.ts';

async function serverOf(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A name that means one address after the other. */
const resolver = (...addresses: readonly string[]): typeof lookup => {
  let at = 0;
  const resolve = (_: string, __: object, done: (error: null, found: object[]) => void): void => {
    const address = addresses[Math.min(at, addresses.length - 1)]!;
    at += 1;
    done(null, [{ address, family: 4 }]);
  };
  return resolve as unknown as typeof lookup;
};

test('a name that means a private address by now is refused, and nothing is sent', async () => {
  let heard = 0;
  const port = await serverOf((_, response) => {
    heard += 1;
    response.end('{}');
  });
  const url = `http://tools.example:${port}/mcp`;
  const open = guardedFetch({ allowPrivate: true, resolve: resolver('127.0.0.1') });
  expect(await (await open(url)).text()).toBe('{}');
  const shut = guardedFetch({ allowPrivate: false, resolve: resolver('127.0.0.1', '10.0.0.1') });
  for (let time = 0; time < 2; time += 1) {
    await expect(shut(url)).rejects.toMatchObject({
      code: 'mcp.not-sent',
      message: expect.stringMatching(/127\.0\.0\.1|10\.0\.0\.1/),
    });
  }
  expect(heard).toBe(1);
});

test.each([
  'http://127.0.0.1:1/mcp',
  'http://[::1]:1/mcp',
  'http://localhost:1/mcp',
  'http://0x7f.1:1/mcp',
  'http://[::ffff:10.0.0.1]/mcp',
  'http://169.254.169.254/mcp',
])('%s is refused without a connection', async (url) => {
  await expect(guardedFetch({ allowPrivate: false })(url)).rejects.toMatchObject({ code: 'mcp.not-sent' });
});

test('where a cloud keeps its secrets nothing is asked, even of what the manifest names', async () => {
  const fetched = guardedFetch({ allowPrivate: true, resolve: resolver('169.254.169.254') });
  await expect(fetched('http://tools.example/mcp')).rejects.toMatchObject({ code: 'mcp.not-sent' });
});

test('no redirect is followed, not even within its origin', async () => {
  const paths: (string | undefined)[] = [];
  const port = await serverOf(({ url }, response) => {
    paths.push(url);
    response.writeHead(302, { location: '/other' }).end('elsewhere');
  });
  const fetched = guardedFetch({ allowPrivate: true })(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    body: 'x',
  });
  await expect(fetched).rejects.toThrow('leads elsewhere (302)');
  expect(paths).toEqual(['/mcp']);
});

test('what is sent arrives, the answer comes as it is written, and is called off by its signal', async () => {
  const port = await serverOf((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      response.writeHead(202, { 'x-told': String(request.headers['x-tells']) });
      response.write(text);
      if (text !== 'hang') response.end();
    });
  });
  const fetched = guardedFetch({ allowPrivate: true });
  const url = `http://127.0.0.1:${port}/mcp`;
  const answer = await fetched(url, { method: 'POST', headers: { 'X-Tells': 'yes' }, body: '{"ä":1}' });
  expect([answer.status, answer.headers.get('x-told'), await answer.text()]).toEqual([202, 'yes', '{"ä":1}']);
  const off = new AbortController();
  const hanging = await fetched(url, { method: 'POST', body: 'hang', signal: off.signal });
  off.abort();
  await expect(hanging.text()).rejects.toThrow('aborted');
});
