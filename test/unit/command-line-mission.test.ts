// Missions from the command line: how they stand, and what somebody decides.

import { expect, test, vi } from 'vitest';
import { holdfast, MANY_PROGRAMS } from '../support/child.ts';
import { runHost, workspaceOf } from '../support/run-host.ts';
import { waitFor } from '../support/wait-for.ts';

vi.setConfig(MANY_PROGRAMS);

const MANIFEST = `mission:\n  objective: every order is shipped\n  eval_every: 1\n  max_invocations: 9\n  on_complete: continue\n`;
const CLERK = `return 'done'; }, async judge() { return { achieved: false, confidence: 0.25, reasoning: 'half' };`;

test.each([
  [['mission', '.', 'a', '--pause'], /"mission" needs --reason/],
  [['mission', '.', 'a', '--pause', '--fail', '--reason', 'x'], /Say one of these: --pause, --resume/],
  [['mission', '.'], /missing required argument 'process'/],
])('wrong usage: holdfast %j', async (args, message) => {
  const { code, stderr } = await holdfast(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('[P7] a mission is shown, paused, resumed and completed with a reason', async () => {
  const workspace = workspaceOf({ clerk: CLERK }, MANIFEST);
  const host = await runHost(workspace);
  const told = async (verb: string, ...more: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await host.command(verb, workspace, ...more);
    expect({ code, stderr }, verb).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  await told('trigger', 'clerk');
  await waitFor(async () => (await told('mission', 'clerk')).includes('1 verdict'), { what: 'a verdict' });
  const shown = await told('mission', 'clerk');
  expect(shown).toMatch(/^mission, active since [^ ]+: every order is shipped$/m);
  expect(shown).toMatch(/^ {2}1 run of 9, 1 verdict, last advance /m);
  expect(shown).toMatch(/^ {2}next verdict: after 1 more run$/m);
  expect(shown).toMatch(/after invocation 1 {2}not achieved, confidence 0\.25, progress unknown · half$/m);
  expect(await told('show', 'clerk')).toContain('mission, active since');
  const json = JSON.parse(await told('mission', 'clerk', '--json')) as Record<string, unknown>;
  expect(json).toMatchObject({ mission: { status: 'active', evaluations: 1 } });
  expect(await told('mission', 'clerk', '--pause', '--reason', 'a while')).toContain('is paused');
  expect(await told('mission', 'clerk')).toMatch(/^mission, paused since [^ ]+ \(a while\): /m);
  const again = await host.command('mission', workspace, 'clerk', '--pause', '--reason', 'x');
  expect(again.code).toBe(1);
  expect(again.stderr).toContain('Now it can be told to: resume, fail, complete.');
  expect(await told('mission', 'clerk', '--complete', '--reason', 'checked')).toContain(
    'is completed; the process goes on',
  );
  await host.kill();
});
