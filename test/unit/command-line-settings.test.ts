// Settings, the switch for all triggers, and metrics, from the command line.

import { expect, test, vi } from 'vitest';
import { holdfast, MANY_PROGRAMS } from '../support/child.ts';
import { parsePrometheus } from '../support/prometheus.ts';
import { runHost, workspaceOf } from '../support/run-host.ts';

vi.setConfig(MANY_PROGRAMS);

const MANIFEST = `budget:\n  max_cost_per_day: 5\ntriggers: [{ type: cron, cron_expression: '0 0 1 1 *' }]\n`;

test.each([
  [['set', '.', 'a', 'budget.max_cost_per_day=5'], /"set" needs --reason/],
  [['set', '.', 'a', '--reason', 'x'], /Say what to set/],
  [['set', '.', 'a', 'budget.max_cost_per_day', '--reason', 'x'], /must be a path, "=" and JSON/],
  [['set', '.', 'a', 'budget.max_cost_per_day=lots', '--reason', 'x'], /lots is not JSON/],
  [['set', '.', 'a', 'budget.max_cost_per_day=1', 'budget.max_cost_per_day=2', '--reason', 'x'], /set twice/],
  [['hold-triggers', '.'], /"hold-triggers" needs --reason/],
])('wrong usage: holdfast %j', async (args, message) => {
  const { code, stderr } = await holdfast(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('[C13] [P7] settings are planned, changed and taken back, with who and why on record', async () => {
  const workspace = workspaceOf({ clerk: '' }, MANIFEST);
  const host = await runHost(workspace);
  const run = (verb: string, ...more: readonly string[]) => host.command(verb, workspace, ...more);
  const planned = await run(
    'set',
    'clerk',
    'budget.max_cost_per_day=20',
    'budget.max_runs_per_day=3',
    '--plan',
    '--reason',
    'x',
  );
  expect(planned.stdout).toBe(
    'clerk would have:\n  budget.max_cost_per_day: 5 → 20 (manifest: 5)\n  budget.max_runs_per_day: not set → 3 (manifest: not set)\n',
  );
  const wrong = await run('set', 'clerk', 'budget.max_cost_per_day=20', 'budget.max_fun=1', '--reason', 'x');
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('budget has no setting "max_fun"; there are enabled, ');
  const changed = await run('set', 'clerk', 'budget.max_cost_per_day=20', '--reason', 'a busy week');
  expect(changed.stdout).toContain('clerk has budget.max_cost_per_day = 20 from now on.');
  const shown = (await run('show', 'clerk')).stdout;
  expect(shown).toContain('max_cost_per_day: 0 spent of 20');
  expect(shown).toMatch(/^set: budget\.max_cost_per_day = 20 \(manifest: 5\) by operator:.* · a busy week$/m);
  const undone = await run('set', 'clerk', '--undo', 'budget.max_cost_per_day', '--reason', 'calm again');
  expect(undone.stdout).toContain('budget.max_cost_per_day = 5 from now on');
  const tail = (await run('tail', 'clerk', '-n', '50')).stdout;
  expect(tail.match(/settings_changed/g)).toHaveLength(2);

  const held = await run('hold-triggers', '--reason', 'a bad night');
  expect(held.stdout).toBe('The triggers of 1 process are held: only people wake them.\n');
  expect((await run('triggers', 'clerk')).stdout).toContain('a bad night');
  const twice = await run('hold-triggers', '--reason', 'again');
  expect(twice.stderr).toContain('a bad night');
  const metrics = parsePrometheus((await run('metrics')).stdout);
  expect(metrics.get('holdfast_triggers_held')!.samples[0]!.value).toBe(1);
  expect((await run('release-triggers')).stdout).toContain('are on again');
});
