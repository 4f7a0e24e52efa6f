// The verbs for what wakes a process, each a program of its own that reaches the host that runs it.

import { expect, test, vi } from 'vitest';
import { holdfast, MANY_PROGRAMS } from '../support/child.ts';
import { runHost, workspaceOf } from '../support/run-host.ts';
import { waitFor } from '../support/wait-for.ts';

vi.setConfig(MANY_PROGRAMS);

test.each([
  [['pause-trigger', '.', 'a', 'cron-1'], /"pause-trigger" needs --reason/],
  [['remove-trigger', '.', 'a', 'cron-1'], /"remove-trigger" needs --reason/],
  [['add-trigger', '.', 'a'], /missing required argument 'json'/],
  [['fire', '.', 'a', 'cron-1', '--payload', '{'], /is not JSON/],
])('wrong usage: holdfast %j', async (args, message) => {
  const { code, stderr } = await holdfast(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('[C23] [P7] triggers are listed, added, paused, resumed, fired and taken away from the command line, each with its reason on record', async () => {
  const workspace = workspaceOf({ clerk: 'return String(event.payload.n);' });
  const host = await runHost(workspace);
  const ask = async (verb: string, ...more: readonly string[]): Promise<Record<string, unknown>> => {
    const { code, stdout, stderr } = await host.command(verb, workspace, 'clerk', ...more, '--json');
    expect({ code, stderr }, verb).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const listed = async (): Promise<readonly Record<string, unknown>[]> =>
    (await ask('triggers'))['triggers'] as readonly Record<string, unknown>[];
  expect(await listed()).toEqual([]);
  // It comes only in leap years: none but the one that is fired is to be counted.
  const said = await ask(
    'add-trigger',
    '{"type":"cron","cron_expression":"0 4 29 2 *"}',
    '--reason',
    'nightly',
  );
  const id = /cron-[0-9a-f]{8}/.exec(String(said['message']))![0];
  expect(await listed()).toMatchObject([{ id, isAdded: true, paused: null }]);
  await ask('pause-trigger', id, '--reason', 'holidays');
  const { stdout } = await host.command('triggers', workspace, 'clerk');
  expect(stdout).toMatch(
    new RegExp(`^${id}  cron  0 4 29 2 \\* \\(UTC\\) · paused by operator:\\S+: holidays`),
  );
  await ask('resume-trigger', id);
  await ask('fire', id, '--payload', '{"n":7}');
  await waitFor(async () => (await listed())[0]!['accepted'] === 1, { what: 'the event' });
  await ask('remove-trigger', id, '--reason', 'no more nights');
  expect(await listed()).toEqual([]);
  const none = await host.command('fire', workspace, 'clerk', id);
  expect(none.code).toBe(3);
  expect(none.stderr).toContain(`clerk has no trigger ${id}. It has none.`);
  const bad = await host.command('add-trigger', workspace, 'clerk', '{"type":"cron","cron_expresion":"x"}');
  expect(bad.stderr).toContain('cron_expresion');
  const tail = await host.command('tail', workspace, 'clerk', '-n', '50');
  for (const reason of ['nightly', 'holidays', 'no more nights']) expect(tail.stdout).toContain(reason);
});
