// Limits from the command line: what is used of them, and more of one.

import { expect, test, vi } from 'vitest';
import { FAR_HOUR } from '../support/budgets.ts';
import { holdfast, MANY_PROGRAMS } from '../support/child.ts';
import { runHost, workspaceOf } from '../support/run-host.ts';
import { waitFor } from '../support/wait-for.ts';

vi.setConfig(MANY_PROGRAMS);

const LIMIT = 'max_cost_per_day';
const MANIFEST = `budget:\n  max_tool_calls_per_run: 50\n  ${LIMIT}: 5\n  tool_costs: { charge: { cost_weight: 2.5 } }\n  daily_reset_hour_utc: ${FAR_HOUR}\n`;
const CHARGES = `for (let n = 0; n < event.payload; n += 1) await ctx.effect('charge', { class: 'ask', args: { n } }, async () => n);`;

test.each([
  [['extend', '.', 'a', LIMIT, '1'], /"extend" needs --reason/],
  [['extend', '.', 'a', LIMIT, '--reason', 'x'], /missing required argument 'amount'/],
  [['extend', '.', 'a', LIMIT, 'much', '--reason', 'x'], /<amount> must be a number above 0 .* not much/],
  [['extend', '.', 'a', LIMIT, '1', '--for', '30', '--reason', 'x'], /a number and a unit/],
])('wrong usage: holdfast %j', async (args, message) => {
  const { code, stderr } = await holdfast(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('[P4] [P7] what did not fit is told, extended with a reason, and goes on; where nobody runs it limits are unknown', async () => {
  const workspace = workspaceOf({ clerk: CHARGES }, MANIFEST);
  const host = await runHost(workspace);
  const told = async (verb: string, ...more: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await host.command(verb, workspace, ...more);
    expect({ code, stderr }, verb).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  await told('trigger', 'clerk', '--payload', '3');
  const isOver = async (): Promise<boolean> => (await told('show', 'clerk')).includes('did not fit: ');
  await waitFor(isOver, { what: 'the hold' });
  const shown = await told('show', 'clerk');
  expect(shown).toMatch(/^budget of the day, until \d{4}-\d\d-\d\dT[^ ]+: 1 run, cost 5$/m);
  expect(shown).toMatch(/^ {2}max_tool_calls_per_run: 2 spent of 50 \(effects in a run\)$/m);
  expect(shown).toMatch(/^ {2}max_cost_per_day: 5 spent of 5 \(cost of a day\)$/m);
  expect(shown).toMatch(/^did not fit: cost of a day: 5 of 5 used, and 2\.5 more is asked for/m);
  const status = await told('status');
  expect(status).toMatch(/NAME +STATE +RUNS TODAY +BUDGET/);
  expect(status).toMatch(/clerk .*5 of 5 \(cost of a day\).*budget: cost of a day: 5 of 5 used/);
  const detail = JSON.parse(await told('show', 'clerk', '--json')) as { readonly row: unknown };
  expect(detail.row).toMatchObject({
    budget: { limits: [{ max: 50 }, { max: 5 }], exceeded: { limit: LIMIT } },
  });

  const other = await host.command('extend', workspace, 'clerk', 'max_runs_per_day', '1', '--reason', 'x');
  expect(other.code).toBe(3);
  expect(other.stderr).toContain('Its manifest sets max_tool_calls_per_run, max_cost_per_day.');
  const extended = JSON.parse(
    await told('extend', 'clerk', LIMIT, '2.5', '--for', '30m', '--reason', 'worth it', '--json'),
  ) as Record<string, unknown>;
  expect(extended).toMatchObject({
    process: 'clerk',
    message: expect.stringContaining('is 2.5 more for 30 m'),
  });
  await waitFor(async () => (await told('tail', 'clerk')).includes('invocation_result'), { what: 'the end' });
  expect(await told('tail', 'clerk', '-n', '50')).toContain('worth it');
  expect(await told('show', 'clerk')).toMatch(/^ {2}max_cost_per_day: 7\.5 spent of 7\.5 /m);

  await host.kill();
  const recorded = await told('show', 'clerk');
  expect(recorded).toContain('limits unknown: no host runs it');
  expect(recorded).toMatch(/1 run, cost 7\.5$/m);
  expect(await told('status')).not.toContain('BUDGET');
});
