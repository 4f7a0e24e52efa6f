// Health from the command line: what its detectors see, and that somebody has seen what they found.

import { expect, test, vi } from 'vitest';
import { holdfast, MANY_PROGRAMS } from '../support/child.ts';
import { runHost, workspaceOf } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

vi.setConfig(MANY_PROGRAMS);

const MANIFEST = 'health:\n  on_anomaly: pause\n  holdfast: { slow: false }\n';
const LOOKS = `
  for (let n = 0; n < 3; n += 1) await ctx.effect('look', { class: 'retry' }, async () => n);
  return 'a reply that says something';`;

test.each([
  [['clear', '.', 'a'], /"clear" needs --reason/],
  [['clear', '.', 'a', 'quick', '--reason', 'x'], /\[type\] must be one of stuck, loop, .* not quick/],
])('wrong usage: holdfast %j', async (args, message) => {
  const { code, stderr } = await holdfast(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('[P4] [P5] [P7] what is found is told, cleared with a reason, and outlives its host; what is not known is unknown', async () => {
  const workspace = workspaceOf({ clerk: LOOKS }, MANIFEST);
  const data = tempDirectory();
  let host = await runHost(workspace, data);
  const told = async (verb: string, ...more: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await host.command(verb, workspace, ...more);
    expect({ code, stderr }, verb).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  await told('trigger', 'clerk');
  await waitFor(async () => (await told('show', 'clerk')).includes('stuck: found'), { what: 'the hold' });
  const shown = await told('show', 'clerk');
  expect(shown).toMatch(/^health:$/m);
  expect(shown).toMatch(/^ {2}stuck: found; since \d{4}-.*: look was called 3 times in a row/m);
  expect(shown).toMatch(/^ {2}high_error_rate: unknown, 0 of 10 needed; runs that failed: 0 of the last 0$/m);
  expect(shown).not.toMatch(/^ {2}slow/m);
  await host.kill();
  const recorded = await told('show', 'clerk');
  expect(recorded).toMatch(/^ {2}stuck: found; since .*: look was called 3 times in a row/m);
  expect(recorded).not.toContain('high_error_rate');
  host = await runHost(workspace, data);
  const again = await told('show', 'clerk');
  expect(again).toMatch(/^ {2}stuck: found; since .*: look was called 3 times in a row/m);
  expect(again).toMatch(/^held: health by host since /m);
  const other = await host.command('clear', workspace, 'clerk', 'loop', '--reason', 'x');
  expect(other.code).toBe(3);
  expect(other.stderr).toContain('There is stuck.');
  expect(await told('clear', 'clerk', '--reason', 'seen')).toContain('is cleared, and is looked for anew.');
  await waitFor(async () => (await told('tail', 'clerk')).includes('invocation_result'), { what: 'the end' });
  expect(await told('tail', 'clerk', '-n', '50')).toMatch(
    /health_cleared .*whatever was found seen by .*seen/,
  );
});
