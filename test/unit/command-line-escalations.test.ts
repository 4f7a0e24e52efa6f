// Who is told, from the command line; what makes no sense is said before anything runs.

import { expect, test } from 'vitest';
import { holdfast } from '../support/child.ts';
import { workspaceOf } from '../support/run-host.ts';

test.each([
  [['escalate', '.', 'a'], /required option '--test' not specified/],
  [
    ['run', '.', '--heartbeat-url', 'https://b.example/', '--heartbeat-every', 'often'],
    /every often is not a number/,
  ],
])('wrong usage: holdfast %j', async (args, message) => {
  const { code, stderr } = await holdfast(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('where nobody runs it, it is not asked', async () => {
  const { code } = await holdfast(['escalations', workspaceOf({ clerk: '' }), 'clerk']);
  expect(code).not.toBe(0);
});
