// What an agent remembers, from the command line: looked at with and without a host, and changed by the host alone.

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test, vi } from 'vitest';
import { HOLDFAST, holdfast, MANY_PROGRAMS } from '../support/child.ts';
import { memoryOf } from '../support/memories.ts';
import { rememberingWorkspace } from '../support/remembering.ts';
import { runHost, workspaceOf } from '../support/run-host.ts';

vi.setConfig(MANY_PROGRAMS);

test.each([
  [['memory', '.', 'a', 'remember'], /"memory" has no action "remember"\. There are list, search, read/],
  [['memory', '.', 'a', 'search'], /"memory search" needs a text/],
  [['memory', '.', 'a', 'read'], /"memory read" needs the id of a record/],
  [['memory', '.', 'a', 'forget', 'x'], /"forget" needs --reason/],
  [['memory', '.', 'a', 'forget', '--reason', 'x'], /takes the id of one record, or --all <collection>/],
  [
    ['memory', '.', 'a', 'forget', 'x', '--all', 'y', '--reason', 'x'],
    /takes the id of one record, or --all/,
  ],
  [['memory', '.', 'a', 'add', ' '], /"memory add" needs a text/],
  [['memory', '.', 'a', 'list', '-n', '0'], /a whole number from 1 to 200/],
])('wrong usage: holdfast %j', async (args, message) => {
  const { code, stderr } = await holdfast(args);
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});

test('[P6, P7] listed, searched, added to, edited and forgotten; without a host it is only looked at', async () => {
  const { workspace, memory, path } = await rememberingWorkspace();
  await memory((open) => open.add(memoryOf('a', 'Anna drinks\ntea \u001b[31m', { userId: 'default' })));
  const lone = await holdfast(['memory', workspace, 'clerk', 'search', 'tea']);
  expect(lone.stdout).toMatch(
    /^agent_memory of default: 1 record\na · score 0\.\d\d · 2026-01-01T00:00:00\.000Z · by its own wish of clerk, event e1\n/,
  );
  expect(lone.stdout).toContain('Anna drinks tea \\u001b[31m');
  expect(readdirSync(dirname(path))).toEqual(['agent_memory.sqlite']);
  // Nobody runs it, or this test is taken for who does.
  expect([5, 6]).toContain((await holdfast(['memory', workspace, 'clerk', 'add', 'x'])).code);

  const host = await runHost(workspace);
  const run = (...args: string[]) => host.command('memory', workspace, 'clerk', ...args);
  const added = await run('add', 'Ben', 'drinks', 'coffee', '--pin', '--reason', 'he said so');
  const id = /mem_[0-9a-f]{24}/.exec(added.stdout)![0];
  expect(added.stdout).toMatch(/It is remembered as mem_[0-9a-f]{24}, and pinned\.$/m);
  const env = { ...process.env, HOLDFAST_DATA: host.data };
  const piped = spawnSync(process.execPath, [HOLDFAST, 'memory', workspace, 'clerk', 'edit', id, '-'], {
    input: 'Ben drinks water',
    env,
    encoding: 'utf8',
  });
  expect(piped.status, piped.stderr).toBe(0);
  expect((await run('read', id)).stdout).toMatch(/changed .* by an operator of clerk\nBen drinks water$/m);
  const found = JSON.parse((await run('search', 'water', '--json')).stdout) as { records: { id: string }[] };
  expect(found.records.map((record) => record.id)).toEqual([id]);
  expect((await run('forget', 'nobody', '--reason', 'x')).code).toBe(3);
  expect((await run('forget', '--all', 'other', '--reason', 'x')).stderr).toContain(
    'name the collection: agent_memory',
  );
  expect((await run('forget', id, '--reason', 'wrong')).stdout).toContain(`${id} is forgotten.`);
  expect((await run('repair', '--reason', 'to be sure')).stdout).toContain('is whole');
  expect((await run('forget', '--all', 'agent_memory', '--reason', 'all of it')).stdout).toContain(
    '1 record of default in agent_memory is forgotten.',
  );
  expect((await run('list')).stdout).toBe('agent_memory of default: 0 records\nNothing is remembered yet.\n');
});

test('a process that remembers nothing is said to be one', async () => {
  const workspace = workspaceOf({ clerk: '' });
  const host = await runHost(workspace);
  const { code, stderr } = await host.command('memory', workspace, 'clerk', 'list');
  expect(stderr).toContain('clerk remembers nothing but its conversation');
  expect(code).toBe(3);
});
