// Secrets from the command line: a value comes by standard input or from a variable, and never as an argument.

import { spawnSync } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { HOLDFAST, holdfast, MANY_PROGRAMS } from '../support/child.ts';
import { runHost, workspaceOf } from '../support/run-host.ts';

vi.setConfig(MANY_PROGRAMS);

test.each([
  [['rotate-secret', '.', 'a', 'KEY'], /"rotate-secret" needs --reason/],
  [['rotate-secret', '.', 'a', 'KEY', 'the-value-1', '--reason', 'x'], /too many arguments/],
  [['rotate-secret', '.', 'a', 'KEY', '--from-env', 'HF_NONE', '--reason', 'x'], /HF_NONE is not set here/],
  [['rotate-secret', '.', 'a', 'KEY', '--ttl', '5', '--reason', 'x'], /a number and a unit/],
  [['revoke-secret', '.', 'a', 'KEY'], /"revoke-secret" needs --reason/],
])('wrong usage: holdfast %j', async (args, message) => {
  const { code, stderr } = await holdfast(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('listed without values, rotated by standard input and from a variable, and revoked [P7]', async () => {
  process.env['HF_CLI_KEY'] = 'first-value-4711';
  const workspace = workspaceOf(
    { clerk: `return (await ctx.secret('KEY')).length + ' characters';` },
    'secrets:\n  secrets: { KEY: "${HF_CLI_KEY}" }\n  ttls: { KEY: 3600 }\n',
  );
  const host = await runHost(workspace);
  delete process.env['HF_CLI_KEY'];
  const listed = await host.command('secrets', workspace, 'clerk');
  expect(listed.stdout).toMatch(/^KEY {2}active {2}from \$\{HF_CLI_KEY\} · until \S+ · never read$/m);
  const env = { ...process.env, HOLDFAST_DATA: host.data, HF_NEXT: 'third-value-4711' };
  const piped = spawnSync(
    process.execPath,
    [HOLDFAST, 'rotate-secret', workspace, 'clerk', 'KEY', '--reason', 'regular'],
    { input: 'second-value-4711\n', env, encoding: 'utf8' },
  );
  expect(piped.status, piped.stderr).toBe(0);
  expect(piped.stdout).toMatch(/KEY of clerk has another value, from now on\. It expires at/);
  const args = [
    'rotate-secret',
    workspace,
    'clerk',
    'KEY',
    '--from-env',
    'HF_NEXT',
    '--ttl',
    '2h',
    '--reason',
    'again',
  ];
  const rotated = await holdfast(args, { env });
  expect(rotated.code, rotated.stderr).toBe(0);
  const short = spawnSync(
    process.execPath,
    [HOLDFAST, 'rotate-secret', workspace, 'clerk', 'KEY', '--reason', 'x'],
    { input: 'short', env, encoding: 'utf8' },
  );
  expect(short.stderr).toMatch(/it has 5 characters/);
  const revoked = await host.command('revoke-secret', workspace, 'clerk', '--reason', 'it may have leaked');
  expect(revoked.stdout).toContain('All secrets of clerk are revoked');
  const told = (await host.command('tail', workspace, 'clerk', '-n', '100', '--json')).stdout;
  expect(told).toMatch(/secret_rotated[^]*"reason":"again"[^]*secret_revoked/);
  expect(told + listed.stdout + piped.stdout + rotated.stdout).not.toMatch(/(first|second|third)-value/);
});
