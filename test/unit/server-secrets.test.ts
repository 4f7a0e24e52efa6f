// Secrets in the arguments and the address of a server of tools: named in the manifest, the plan and the journal, and filled
// in by the worker where the server is started or called [J10].

import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withoutLiterals } from '../../core/host/manifest-secrets.ts';
import { hostileHttp, httpServer, mcpBench } from '../support/mcp.ts';
import { wireModel } from '../support/turns.ts';
import { countingServer, whole } from '../support/whole-agents.ts';
import { call, steps } from '../support/wire-model.ts';

const SLOW = { timeout: 60_000 };
const SECRET = 'b0x/7 Zq&93-secret';

/** What is asked for at an address, in front of a server there. */
async function seenAt(server: string): Promise<{ readonly address: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const front = createServer((request, response) => {
    seen.push(request.url ?? '');
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const forwarded = { method: request.method, ...(body === '' ? {} : { body }) } as RequestInit;
      fetch(server, { ...forwarded, headers: { 'content-type': 'application/json' } }).then(
        async (answer) => {
          const type = answer.headers.get('content-type');
          response.writeHead(answer.status, type === null ? {} : { 'content-type': type });
          response.end(await answer.text());
        },
        () => response.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    front.closeAllConnections();
    front.close();
  });
  return { address: `http://127.0.0.1:${(front.address() as AddressInfo).port}`, seen };
}

test(
  'a server is started with the value among its arguments, and neither plan nor journal has it',
  SLOW,
  async () => {
    const token = 'b0x7-Zq93-secret';
    process.env['BOX_TOKEN'] = token;
    onTestFinished(() => void delete process.env['BOX_TOKEN']);
    const model = await wireModel(steps({ calls: [call('c1', 'echo', { text: 'hi' })] }, { text: 'done' }));
    const w = await whole({
      model: model.name('chat'),
      instructions: 'Use the box.',
      servers: { box: countingServer({ ledger: 'calls of ${BOX_TOKEN}.txt' }) },
      holdfast: { tools: { echo: { class: 'retry' } } },
    });
    expect(await w.turn()).toBe('done');
    // It wrote where it was told to.
    expect(readFileSync(join(w.workspace, `calls of ${token}.txt`), 'utf8')).toBe('echo {"text":"hi"}\n');
    await w.opened.close();
    const files = readdirSync(w.workspace, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    const texts = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
    expect(texts.filter((text) => text.includes('calls of ${BOX_TOKEN}')).length).toBeGreaterThan(1);
    for (const text of texts) expect(text).not.toContain(token);
  },
);

test(
  'an argument has it as it is, an address percent-encoded; what an agent connected itself is given none',
  SLOW,
  async () => {
    const { address, seen } = await seenAt(await hostileHttp());
    const secrets = { BOX: SECRET };
    const own = mcpBench({ web: httpServer(`${address}/\${BOX}/mcp?key=\${BOX}`) }, { secrets });
    await own.list();
    const value = encodeURIComponent(SECRET);
    expect(new Set(seen)).toEqual(new Set([`/${value}/mcp?key=${value}`]));
    seen.length = 0;
    const connected = mcpBench(
      { web: httpServer(`${address}/mcp?key=\${BOX}`, { reach: 'named' } as object) },
      { secrets },
    );
    const { offers } = await connected.list();
    expect(offers.length).toBeGreaterThan(0);
    expect(seen.length).toBeGreaterThan(0);
    for (const path of seen) expect(decodeURIComponent(path)).toBe('/mcp?key=${BOX}');
  },
);

test('a change of a manifest that has one itself there is told without it', () => {
  const document = {
    servers: {
      a: { command: 'x', args: ['--token', 'abc', '--level', 'abc', '--token', '${TOKEN}'] },
      b: { url: 'http://a/sk-0123456789abcdefghij' },
    },
  };
  const shown = JSON.stringify(withoutLiterals([], document));
  expect(shown).toContain('["--token","**********","--level","abc","--token","${TOKEN}"]');
  expect(shown).not.toContain('sk-0123');
});
