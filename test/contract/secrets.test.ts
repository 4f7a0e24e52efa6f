// Secrets as a console has them: all about them but their values; what a fork has of them; and what signs webhooks among them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hostJournal } from '../../core/host/host-journal.ts';
import { SecretVault } from '../../core/governance/secret-vault.ts';
import { readFileJournal } from '../../core/journal/index.ts';
import { command, openConsole, workspaceOf, type TestConsole } from '../support/run-host.ts';
import { OTHER, PLANTED } from '../support/secrets.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { freePort } from '../support/webhooks.ts';

const VARIABLE = 'HF_CONTRACT_KEY';
const MANIFEST = `secrets:\n  secrets: { KEY: "\${${VARIABLE}}" }\n  ttls: { KEY: 600 }\n`;

interface Opened extends TestConsole {
  readonly workspace: string;
  readonly target: { readonly journalId: string; readonly process: string };
}

async function opened(body: string, manifest = MANIFEST): Promise<Opened> {
  process.env[VARIABLE] = PLANTED;
  onTestFinished(() => void delete process.env[VARIABLE]);
  const workspace = workspaceOf({ clerk: body }, manifest);
  const console = await openConsole(workspace, null);
  const { journals } = await console.get('fleet.read', {});
  return { ...console, workspace, target: { journalId: journals[0]!.id, process: 'clerk' } };
}

test('a value goes in once and never comes back; asked twice with the same id it is done once [P7]', async () => {
  const { get, ask, target } = await opened(`await ctx.secret('KEY');`);
  const secret = async () => (await get('processes.read', target)).secrets[0]!;
  expect(await secret()).toMatchObject({
    name: 'KEY',
    source: 'variable',
    status: 'active',
    lastReadAt: null,
  });
  const order = { ...target, ...command('regular'), name: 'KEY', value: OTHER, ttlMs: 60_000 };
  const first = await get('secrets.rotate', order);
  expect(await get('secrets.rotate', order)).toEqual(first);
  expect(first.message).toMatch(/It expires at .* put it there too\.$/);
  expect(await ask('secrets.rotate', { ...order, value: `${OTHER}!` })).toMatchObject({
    ok: false,
    error: { code: 'request.command-reused' },
  });
  expect(await secret()).toMatchObject({ status: 'active', rotatedAt: expect.any(String) });
  await get('secrets.revoke', { ...target, ...command('leaked'), name: null });
  expect(await secret()).toMatchObject({ status: 'revoked' });
  const { rows } = await get('timeline.read', { ...target, limit: 100, before: null });
  expect(rows.filter(({ type }) => type === 'secret_rotated').map(({ summary }) => summary)).toEqual([
    expect.stringMatching(/^secret KEY rotated, until .*, by operator:tester · regular$/),
  ]);
});

test.each([
  [{ name: 'NONE', value: OTHER }, 'secret.unknown'],
  [{ name: 'KEY', value: 'short' }, 'secret.bad-value'],
  [{ name: 'KEY', value: OTHER, ttlMs: 0 }, 'request.invalid'],
  [{ name: 'KEY', value: '' }, 'request.invalid'],
])('%j is refused', async (order, code) => {
  const { ask, target } = await opened('');
  const answer = await ask('secrets.rotate', { ...target, ...command(), ...order });
  expect(answer).toMatchObject({ ok: false, error: { code } });
  expect(JSON.stringify(answer)).not.toContain(JSON.stringify(OTHER).slice(1, -1));
});

test('[S40] a fork has no secrets, but those that it is granted', async () => {
  const { get, workspace, target } = await opened(`await ctx.secret('KEY');`);
  await get('processes.trigger', { ...target, ...command() });
  const fork = { ...target, at: 5, set: {}, configure: {} };
  await get('fork.apply', { ...fork, ...command(), name: 'bare' });
  expect(readFileSync(join(workspace, 'bare.agent'), 'utf8')).not.toContain('secrets');
  const granted = { secrets: JSON.stringify({ secrets: { KEY: `\${${VARIABLE}}` } }) };
  await get('fork.apply', { ...fork, ...command(), name: 'granted', configure: granted });
  const secretsOf = async (process: string) => (await get('processes.read', { ...target, process })).secrets;
  expect(await secretsOf('bare')).toEqual([]);
  expect((await secretsOf('granted')).map(({ name, status }) => [name, status])).toEqual([['KEY', 'active']]);
});

test('what a webhook is signed with is taken out too, and so is a value in its payload [J10]', async () => {
  const port = await freePort();
  const { get, target, workspace } = await opened(
    `ctx.log(JSON.stringify(event.payload)); return JSON.stringify(event.payload);`,
    `${MANIFEST}journal: { level: full }\ntriggers:\n  - { type: webhook, webhook_port: ${port}, hmac_secret: "signed-with-4711" }\n`,
  );
  await get('processes.trigger', {
    ...target,
    ...command(),
    payloadText: JSON.stringify({ key: PLANTED, signed: 'signed-with-4711' }),
  });
  const entries = () => readFileJournal(join(workspace, '.holdfast-journal')).read('clerk');
  const result = await waitFor(async () =>
    (await entries()).find(({ entry_type: type }) => type === 'invocation_result'),
  );
  expect(result.data['response']).toBe('{"key":"[secret:KEY]","signed":"[secret:hmac_secret]"}');
});

test("the host's own journal has none either [S36]", async () => {
  const vault = new SecretVault();
  vault.know('clerk', 'KEY', PLANTED);
  const journal = hostJournal(tempDirectory(), 'one', vault);
  onTestFinished(() => journal.close());
  await journal.record('operator_action', { action: 'stop', reason: `was ${PLANTED}` });
  const entries = await readFileJournal(journal.directory).read('host');
  expect(entries.at(-1)?.data['reason']).toBe('was [secret:KEY]');
});
