// The verbs about the work of a process, as a program: promises, signals, queries, dead letters, what is written to it, and
// what its workers wrote.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFileJournal } from '../../core/journal/index.ts';
import { holdfast } from '../support/child.ts';
import { runHost, workspaceOf } from '../support/run-host.ts';
import { waitFor } from '../support/wait-for.ts';

const CLERK = `
  const notes = [];
  ctx.onQuery('notes', ({ plus }) => [...notes, plus]);
  ctx.onSignal('note', (note) => void notes.push(note));
  console.log('reads ' + ctx.inbox.map(({ content }) => content).join());
  const approval = ctx.promise('approve', { data: { amount: 5 } });
  if (await approval) return 'approved';
  throw new Error('not approved');`;

test('an agent is written to, asked, signalled and approved from the command line, and its dead letters handled', async () => {
  const workspace = workspaceOf(
    { clerk: CLERK },
    'config: { worker_idle: 0.2, max_consecutive_failures: 50 }\n',
  );
  const host = await runHost(workspace);
  const ok = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await host.command(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const promise = async (): Promise<string> => {
    const found = await waitFor(async () => {
      const shown = JSON.parse(await ok('show', workspace, 'clerk', '--json')) as {
        open: { waits: { waitId: string; status: string }[] }[];
      };
      return shown.open[0]?.waits.find(({ status }) => status === 'open') ?? null;
    });
    return found.waitId;
  };

  expect(await ok('write', workspace, 'clerk', 'slow down', '--priority', 'high')).toMatch(/next invocation/);
  await ok('trigger', workspace, 'clerk');
  const id = await promise();
  expect(await ok('show', workspace, 'clerk')).toContain(`waits for: promise approve · ${id} · {"amount":5}`);
  await ok('signal', workspace, 'clerk', 'note', '--payload', '7');
  expect(JSON.parse(await ok('query', workspace, 'clerk', 'notes', '--args', '{"plus":8}'))).toEqual([7, 8]);
  expect(await ok('resolve-promise', workspace, id, '--resolved', 'false')).toContain('is resolved');
  expect(await ok('resolve-promise', workspace, id, '--rejected', 'no')).toContain('settled before');

  const letters = await waitFor(async () => {
    const listed = JSON.parse(await ok('deadletters', workspace, 'clerk', '--json')) as { eventId: string }[];
    return listed.length > 0 ? listed : null;
  });
  const [{ eventId }] = letters as [{ eventId: string }];
  expect(await ok('deadletters', workspace, 'clerk')).toContain('retries exhausted · not approved');
  // The same promise of the same invocation: it is settled, so it fails again, and keeps its place.
  expect(await ok('redeliver', workspace, 'clerk', eventId)).toContain('goes on from');
  await waitFor(async () => (await ok('deadletters', workspace, 'clerk', '--json')).includes(eventId));
  await ok('redeliver', workspace, 'clerk', eventId, '--as-new');
  expect(await ok('resolve-promise', workspace, await promise(), '--resolved', 'true')).toContain(
    'is resolved',
  );
  expect(await ok('deadletters', workspace, 'clerk')).toContain('has no dead letters');
  await ok('trigger', workspace, 'clerk');
  await ok('resolve-promise', workspace, await promise(), '--resolved', 'false');
  const [last] = (await waitFor(async () => {
    const listed = JSON.parse(await ok('deadletters', workspace, 'clerk', '--json')) as { eventId: string }[];
    return listed.length > 0 ? listed : null;
  })) as [{ eventId: string }];
  await ok('drop', workspace, 'clerk', last.eventId, '--reason', 'not needed');
  expect(await ok('deadletters', workspace, 'clerk')).toContain('has no dead letters');

  const lines = (await ok('logs', workspace, 'clerk', '-n', '100')).split('\n');
  expect(lines.filter((line) => line.endsWith('out  reads slow down')).length).toBeGreaterThan(0);
  expect(lines.some((line) => line.endsWith('out  reads '))).toBe(true);

  // Each of them is on record before it was done [P7].
  const entries = await readFileJournal(join(workspace, '.holdfast-journal')).read('clerk', {
    entryType: 'operator_action',
  });
  expect(entries.map(({ data }) => data['action'])).toEqual([
    'write',
    'trigger',
    'signal',
    'settle',
    'settle',
    'redeliver',
    'redeliver',
    'settle',
    'trigger',
    'settle',
    'drop',
  ]);
  await host.kill();
});

test.each<[string[], RegExp, number]>([
  [['resolve-promise', '.', 'p'], /one of these: --resolved <json> or --rejected <text>/, 2],
  [['resolve-promise', '.', 'p', '--resolved', '1', '--rejected', 'x'], /one of these/, 2],
  [['write', '.', 'a', 'x', '--type', 'poem'], /Allowed choices are directive, context/, 2],
  [['write', '.', 'a', 'x', '--expires-in', '0'], /above 0/, 2],
  [['write', '.', 'a', 'x'.repeat(2_001)], /content: /, 2],
  [['drop', '.', 'a', 'e'], /"drop" needs --reason/, 2],
  [['query', '.', 'a', 'q', '--args', '{'], /is not JSON/, 2],
  [['repair', '.', '--to', ''], /must name a directory/, 2],
])('wrong usage is told: %#', async (args, message, code) => {
  const ended = await holdfast(args);
  expect(ended.stderr).toMatch(message);
  expect(ended.code).toBe(code);
});
