// Servers of tools over the web: what is refused, lost or sent elsewhere harms nobody, and what did not happen is told from what is
// in doubt [S28].

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DidNotHappen } from '../../core/agent/effect-errors.ts';
import { caught, hostile, hostileHttp, httpServer, mcpBench, refusingHttp } from '../support/mcp.ts';
import { waitFor } from '../support/wait-for.ts';

describe.each([false, true])('over HTTP, as a stream: %s', (isStream) => {
  test('a result of 100 MB, one that never comes, an error and garbage end their own call', async () => {
    const bench = mcpBench({ web: httpServer(await hostileHttp({}, isStream)) });
    await bench.list();
    expect((await bench.call('huge')).text).toContain('nothing of its answer was kept');
    const dead = await caught(bench.call('die'));
    expect(dead).toBeInstanceOf(Error);
    expect(dead).not.toBeInstanceOf(DidNotHappen);
    expect(await bench.call('errs')).toMatchObject({
      text: expect.stringContaining('no such luck'),
      isError: true,
    });
    expect((await bench.call('echo', { text: 'on' })).text).toContain('on');
  });
});

test.each([false, true])(
  '[S28] an answer that ends before it has begun leaves its call in doubt, at once; as a stream: %s',
  async (isStream) => {
    const bench = mcpBench({ web: httpServer(await hostileHttp({}, isStream, true)) });
    const doubt = await caught(bench.call('die'));
    expect(doubt).toBeInstanceOf(Error);
    expect(doubt).not.toBeInstanceOf(DidNotHappen);
    expect((await bench.call('echo', { text: 'on' })).text).toContain('on');
  },
);

test.each(['streamable-http', 'sse'] as const)(
  '[S28] over HTTP what was refused did not happen, and what went wrong there is in doubt: %s',
  async (transport) => {
    let status = 403;
    const address = await refusingHttp(transport, (method) => (method === 'tools/call' ? status : null));
    const bench = mcpBench({ web: httpServer(address, { transport }) });
    await bench.offer('echo');
    const refused = await caught(bench.call('echo'));
    expect(refused).toBeInstanceOf(DidNotHappen);
    expect(String(refused)).toContain('echo was refused with 403');
    for (status of [500, 408]) {
      const doubt = await caught(bench.call('echo'));
      expect(doubt).toBeInstanceOf(Error);
      expect(doubt).not.toBeInstanceOf(DidNotHappen);
    }
  },
);

test('[S28] a session that its server has forgotten is begun anew, and the call in between did not happen', async () => {
  let hasForgotten = false;
  const forgets = (method: string): number | null => (hasForgotten && method === 'tools/call' ? 404 : null);
  const bench = mcpBench({ web: httpServer(await refusingHttp('streamable-http', forgets)) });
  await bench.offer('echo');
  hasForgotten = true;
  expect(await caught(bench.call('echo'))).toBeInstanceOf(DidNotHappen);
  expect(bench.told.at(-1)).toMatchObject([{ state: 'down', why: 'its session is over' }]);
  hasForgotten = false;
  await waitFor(() => Date.now() > bench.told.at(-1)![0]!.retryAt!, { what: 'its time' });
  expect((await bench.call('echo', { text: 'back' })).isError).toBe(false);
});

test('a secret that no header or variable can hold is named, and not told', async () => {
  const secrets = { TOKEN: 'first-line\nsecond', ZERO: 'before\u0000after' };
  const bench = mcpBench(
    {
      web: httpServer('http://127.0.0.1:9/mcp', { headers: { Authorization: 'Bearer ${TOKEN}' } }),
      local: hostile({}, { env: { KEY: '${ZERO}' } }),
    },
    { secrets },
  );
  const { problems } = await bench.list();
  expect(problems).toEqual([
    expect.stringContaining("The header Authorization can't be given to it: what the secret TOKEN fills in"),
    expect.stringContaining("The variable KEY can't be given to it: what the secret ZERO fills in"),
  ]);
  expect(JSON.stringify([problems, bench.told])).not.toMatch(/first-line|second|before|after/);
});

test('a redirect to another place takes neither headers nor questions there', async () => {
  const elsewhere = await hostileHttp();
  const heard = vi.fn<(headers: IncomingHttpHeaders) => void>();
  const other = createServer((request, response) => {
    heard(request.headers);
    response.writeHead(307, { location: elsewhere }).end();
  });
  const first = createServer((_, response) => response.writeHead(307, { location: portOf(other) }).end());
  for (const server of [other, first]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
  }
  const headers = { 'x-api-key': 'sk-0001' };
  for (const transport of ['streamable-http', 'sse'] as const) {
    const { problems } = await mcpBench({ web: httpServer(portOf(first), { headers, transport }) }).list();
    expect(problems).toEqual([expect.stringMatching(/^web is down: .*[Rr]edirect/)]);
  }
  expect(heard).not.toHaveBeenCalled();
});

function portOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

test('[S28] where nobody listens nothing was sent', async () => {
  const gone = mcpBench({ web: httpServer('http://127.0.0.1:9/mcp') });
  const { problems } = await gone.list();
  expect(problems).toEqual([expect.stringMatching(/^web is down: /)]);
});
