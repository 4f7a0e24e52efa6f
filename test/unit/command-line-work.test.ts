// The verbs about the work of a process, as a program: promises, signals, queries, dead letters, what is written to it, and
// what its workers wrote.

import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { readFileJournal } from '../../core/journal/index.ts';
import { holdfast, MANY_PROGRAMS } from '../support/child.ts';
import { runHost, workspaceOf } from '../support/run-host.ts';
import { waitFor } from '../support/wait-for.ts';

vi.setConfig(MANY_PROGRAMS);

const CLERK = `
  const notes = [];
  ctx.onQuery('notes', ({ plus }) => [...notes, plus]);
  ctx.onSignal('note', (note) => void notes.push(note));
  console.log('reads ' + ctx.inbox.map(({ content }) => content).join());
  const approval = ctx.promise('approve', { data: { amount: 5 } });
  if (await approval) return 'approved';
  throw new Error('not approved');`;

interface Clerk {
  /** Runs a verb in its workspace, and gives what it says. */
  readonly ok: (verb: string, ...more: readonly string[]) => Promise<string>;
  /** The id of the promise that its invocation waits for. */
  readonly promise: () => Promise<string>;
  /** The dead letters, once there are some. */
  readonly letters: () => Promise<readonly { eventId: string }[]>;
  /** What was asked of it, as it is on record [P7]. */
  readonly asked: () => Promise<readonly unknown[]>;
}

async function clerk(): Promise<Clerk> {
  const workspace = workspaceOf(
    { clerk: CLERK },
    'config: { worker_idle: 0.2, max_consecutive_failures: 50 }\n',
  );
  const host = await runHost(workspace);
  const ok: Clerk['ok'] = async (verb, ...more) => {
    const { code, stdout, stderr } = await host.command(verb, workspace, ...more);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  return {
    ok,
    promise: async () => {
      const found = await waitFor(async () => {
        const shown = JSON.parse(await ok('show', 'clerk', '--json')) as {
          open: { waits: { waitId: string; status: string }[] }[];
        };
        return shown.open[0]?.waits.find(({ status }) => status === 'open') ?? null;
      });
      return found.waitId;
    },
    letters: () =>
      waitFor(async () => {
        const listed = JSON.parse(await ok('deadletters', 'clerk', '--json')) as { eventId: string }[];
        return listed.length > 0 && listed;
      }),
    asked: async () => {
      const entries = await readFileJournal(join(workspace, '.holdfast-journal')).read('clerk', {
        entryType: 'operator_action',
      });
      return entries.map(({ data }) => data['action']);
    },
  };
}

test('[P7] an agent is written to, asked, signalled and approved from the command line', async () => {
  const { ok, promise, asked } = await clerk();
  expect(await ok('write', 'clerk', 'slow down', '--priority', 'high')).toMatch(/next invocation/);
  await ok('trigger', 'clerk');
  const id = await promise();
  expect(await ok('show', 'clerk')).toContain(`waits for: promise approve · ${id} · {"amount":5}`);
  await ok('signal', 'clerk', 'note', '--payload', '7');
  expect(JSON.parse(await ok('query', 'clerk', 'notes', '--args', '{"plus":8}'))).toEqual([7, 8]);
  expect(await ok('resolve-promise', id, '--resolved', 'true')).toContain('is resolved');
  expect(await ok('resolve-promise', id, '--rejected', 'no')).toContain('settled before');
  await waitFor(
    async () => (await ok('logs', 'clerk', '-n', '100')).split('\n').some(endsWith('out  reads slow down')),
    { what: 'what it wrote' },
  );
  expect(await asked()).toEqual(['write', 'trigger', 'signal', 'settle', 'settle']);
});

test('[P7] dead letters are listed, redelivered, done all over again and dropped from the command line', async () => {
  const { ok, promise, letters, asked } = await clerk();
  await ok('trigger', 'clerk');
  expect(await ok('resolve-promise', await promise(), '--resolved', 'false')).toContain('is resolved');
  const [{ eventId }] = (await letters()) as [{ eventId: string }];
  expect(await ok('deadletters', 'clerk')).toContain('retries exhausted · not approved');
  // The same promise of the same invocation: it is settled, so it fails again, and keeps its place.
  expect(await ok('redeliver', 'clerk', eventId)).toContain('goes on from');
  expect(await letters()).toMatchObject([{ eventId }]);
  await ok('redeliver', 'clerk', eventId, '--as-new');
  expect(await ok('resolve-promise', await promise(), '--resolved', 'true')).toContain('is resolved');
  expect(await ok('deadletters', 'clerk')).toContain('has no dead letters');
  await ok('trigger', 'clerk');
  await ok('resolve-promise', await promise(), '--resolved', 'false');
  const [last] = (await letters()) as [{ eventId: string }];
  await ok('drop', 'clerk', last.eventId, '--reason', 'not needed');
  expect(await ok('deadletters', 'clerk')).toContain('has no dead letters');
  await waitFor(
    async () => (await ok('logs', 'clerk', '-n', '100')).split('\n').some(endsWith('out  reads ')),
    { what: 'what it wrote' },
  );
  expect(await asked()).toEqual([
    'trigger',
    'settle',
    'redeliver',
    'redeliver',
    'settle',
    'trigger',
    'settle',
    'drop',
  ]);
});

const endsWith =
  (end: string) =>
  (line: string): boolean =>
    line.endsWith(end);

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
