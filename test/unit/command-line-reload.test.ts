// Changed manifests from the command line.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { holdfast, MANY_PROGRAMS } from '../support/child.ts';
import { runHost, workspaceOf } from '../support/run-host.ts';

vi.setConfig(MANY_PROGRAMS);

test.each([
  [['reload', '.', 'clerk'], /"reload" needs --reason/],
  [['reload', '.', '--reason', 'x'], /Name the processes to load anew, or say --all/],
  [['reload', '.', 'clerk', '--all', '--reason', 'x'], /Name the processes to load anew, or say --all/],
])('wrong usage: holdfast %j', async (args, message) => {
  const { code, stderr } = await holdfast(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('changes are shown, and put in force one by one or all at once', async () => {
  const workspace = workspaceOf({ clerk: '', scribe: '' }, 'instructions: old\n');
  const host = await runHost(workspace);
  const run = (verb: string, ...more: readonly string[]) => host.command(verb, workspace, ...more);
  const edit = (file: string, from: string, to: string): void =>
    writeFileSync(join(workspace, file), readFileSync(join(workspace, file), 'utf8').replace(from, to));
  expect((await run('changes')).stdout).toBe('All manifests are in force.\n');
  expect((await run('reload', 'clerk', '--reason', 'x')).code).toBe(3);

  edit('clerk.agent', 'old', 'new');
  edit('scribe.agent', 'name:', 'nam:');
  const lines = (await run('changes')).stdout.split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'clerk (clerk.agent) changed',
      '  instructions: "old" → "new"',
      '  clerk alone is restarted, from its journal; queue, timers and promises stay.',
      "scribe (scribe.agent) can't be used",
      expect.stringMatching(/^ {2}! line 1, nam: the manifest has "nam", which is not a setting; there are /),
      '  scribe goes on as it is until the file can be used again.',
    ]),
  );
  const shown = (await run('changes', '--json')).stdout;
  expect(JSON.parse(shown)).toMatchObject({ count: 2, changes: [{ kind: 'changed' }, { kind: 'faulty' }] });

  const reloaded = await run('reload', 'clerk', '--reason', 'better words');
  expect(reloaded).toMatchObject({ code: 0, stdout: 'clerk was loaded anew, and is running.\n' });
  const faulty = await run('reload', 'scribe', '--reason', 'x');
  expect(faulty.code).toBe(1);
  expect(faulty.stderr).toContain("scribe.agent can't be used, so nothing of it was put in force");

  edit('scribe.agent', 'nam:', 'name:');
  rmSync(join(workspace, 'clerk.agent'));
  edit('scribe.agent', 'old', 'newer');
  const all = await run('reload', '--all', '--reason', 'all of it');
  expect(all.stdout).toBe('scribe was loaded anew, and is running.\n');
  const gone = await run('reload', 'clerk', '--reason', 'x');
  expect(gone.stderr).toContain('say that it is to be removed (--remove)');
  expect((await run('reload', 'clerk', '--remove', '--reason', 'x')).stdout).toBe(
    'clerk was stopped and let go of; its journal stays.\n',
  );
  expect((await run('status')).stdout).toContain('orphaned');
});
