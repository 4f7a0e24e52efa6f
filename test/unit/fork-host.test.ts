import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFileJournal } from '../../core/journal/index.ts';
import { command, openConsole, runHost, workspaceOf, type TestConsole } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const COUNTS = `const count = (ctx.state.get('count') ?? 0) + 1;
  await ctx.state.set('count', count);
  return String(count);`;

const MANIFEST = `# what it is for
instructions: Counts.
config:
  concurrency: 1 # one after the other
triggers:
  - type: cron
    cron_expression: '0 0 1 1 *'
`;

interface Counting {
  readonly workspace: string;
  readonly console: TestConsole;
  readonly journalId: string;
  /** Asks about the process. */
  readonly of: { readonly journalId: string; readonly process: string };
  readonly at: number;
}

async function counted(times: number): Promise<Counting> {
  const workspace = workspaceOf({ clerk: COUNTS }, MANIFEST);
  const console = await openConsole(workspace, tempDirectory());
  const { journals } = await console.get('fleet.read', {});
  const journalId = journals[0]!.id;
  const of = { journalId, process: 'clerk' };
  for (let count = 1; count <= times; count += 1) {
    await console.get('processes.trigger', { ...of, ...command(), payloadText: String(count) });
    await waitFor(async () => {
      const { row } = await console.get('processes.read', of);
      return row.invocations === count;
    });
  }
  const entries = await readFileJournal(join(workspace, '.holdfast-journal')).read('clerk');
  return { workspace, console, journalId, of, at: entries.at(-1)!.seq };
}

const manifests = (workspace: string): readonly string[] =>
  readdirSync(workspace)
    .filter((name) => name.includes('.agent'))
    .sort();

test('[S40] a fork gets a manifest of its own, with what was changed; the one that it comes from keeps its comments', async () => {
  const { workspace, console, of, at } = await counted(2);
  const asked = {
    ...of,
    at,
    name: 'clerk two',
    set: { count: '40' },
    configure: { 'config.concurrency': '3' },
  };
  const plan = await console.get('fork.plan', asked);
  expect(plan).toMatchObject({ from: 'clerk', at, name: 'clerk two', contextKeys: 1, unfinished: [] });
  expect(manifests(workspace)).toEqual(['clerk.agent']);
  const { message, state } = await console.get('fork.apply', { ...asked, ...command('to try it') });
  expect(message).toBe(
    `clerk two begins where clerk was at entry ${at}: suspended, and with its triggers off.`,
  );
  // Of the fork, and not of the one that it comes from.
  expect(state).toBe('suspended');
  expect(manifests(workspace)).toEqual(['clerk%20two.agent', 'clerk.agent']);
  const text = readFileSync(join(workspace, 'clerk%20two.agent'), 'utf8');
  expect(text).toContain('name: clerk two');
  expect(text).toContain('concurrency: 3');
  expect(text).toContain('# what it is for');
  expect(readFileSync(join(workspace, 'clerk.agent'), 'utf8')).toContain('concurrency: 1 # one after');
  const fork = await console.get('processes.read', { ...of, process: 'clerk two' });
  expect(fork).toMatchObject({
    row: { state: 'suspended' },
    lineage: { process: 'clerk', seq: at },
    triggersPaused: { reason: `forked from entry ${at} of clerk`, actor: 'operator:tester' },
  });
});

test('[S40] a fork can be forked before its host has started anew', async () => {
  const { console, of, at } = await counted(1);
  const asked = { set: {}, configure: {} };
  await console.get('fork.apply', { ...of, ...asked, at, name: 'second', ...command() });
  const { row } = await console.get('processes.read', { ...of, process: 'second' });
  expect(row.state).toBe('suspended');
  const again = { journalId: of.journalId, process: 'second', ...asked, at: 3, name: 'third' };
  await console.get('fork.apply', { ...again, ...command() });
  const third = await console.get('processes.read', { ...of, process: 'third' });
  expect(third).toMatchObject({ lineage: { process: 'second', seq: 3 } });
});

test.each([
  [{ 'config.concurrency': '"many"' }, /^manifest\./],
  [{ 'config.concurrency.deep': '1' }, /^fork\.bad-setting$/],
  [{ 'config.journal': '{"level": "none"}' }, /^(journal\.required|manifest\.)/],
  [{ nonsense: '1' }, /^manifest\./],
])(
  '[S40] with %j it would have no valid manifest: refused, and nothing is written',
  async (configure, code) => {
    const { workspace, console, of, at } = await counted(1);
    const asked = { ...of, at, name: 'other', set: {}, configure: configure as Record<string, string> };
    for (const result of [
      await console.ask('fork.plan', asked),
      await console.ask('fork.apply', { ...asked, ...command() }),
    ]) {
      expect(result).toMatchObject({ ok: false, error: { code: expect.stringMatching(code) as string } });
    }
    expect(manifests(workspace)).toEqual(['clerk.agent']);
    expect(await readFileJournal(join(workspace, '.holdfast-journal')).processes()).toEqual(['clerk']);
  },
);

test('[S40] a manifest that lies where its own would is somebody else’s: refused before anything is written', async () => {
  const { workspace, console, of, at } = await counted(1);
  const other = join(workspace, 'other.agent');
  writeFileSync(other, 'name: something-else\n');
  const asked = { ...of, at, name: 'other', set: {}, configure: {}, ...command() };
  const taken = { ok: false, error: { code: 'fork.name-taken' } };
  expect(await console.ask('fork.apply', asked)).toMatchObject(taken);
  expect(readFileSync(other, 'utf8')).toBe('name: something-else\n');
  expect(await console.ask('fork.apply', { ...asked, name: 'clerk', ...command() })).toMatchObject(taken);
});

test('[S40] a fork whose host ended before its manifest was written runs nowhere, and is finished by forking again', async () => {
  const { workspace, console, of, at } = await counted(2);
  const asked = { ...of, at, name: 'other', set: {}, configure: {} };
  await console.get('fork.apply', { ...asked, ...command() });
  await console.host.close();
  // As a crash right before would leave it: the journal as it begins, and no manifest.
  const path = join(workspace, '.holdfast-journal', 'other.jsonl');
  const lines = readFileSync(path, 'utf8').split('\n');
  const begun = lines.findIndex((line) => line.includes('"entry_type":"checkpoint"'));
  const rest = lines.slice(0, begun + 1);
  rmSync(path);
  rmSync(join(workspace, 'other.agent'));
  for (const name of ['other.head']) {
    const head = readdirSync(join(workspace, '.holdfast-journal', '.holdfast'), { recursive: true }).find(
      (file) => String(file).endsWith(name),
    );
    if (head !== undefined) rmSync(join(workspace, '.holdfast-journal', '.holdfast', String(head)));
  }
  writeFileSync(path, `${rest.join('\n')}\n`);
  const next = await openConsole(workspace, tempDirectory());
  const { processes } = await next.get('fleet.read', {});
  const orphan = processes.find(({ name }) => name === 'other');
  expect(orphan).toMatchObject({ why: expect.stringContaining('no manifest') as string });
  await next.get('fork.apply', { ...asked, set: { count: '7' }, ...command() });
  const fork = await next.get('processes.read', { ...of, process: 'other' });
  expect(fork).toMatchObject({ row: { state: 'suspended' }, lineage: { process: 'clerk', seq: at } });
  expect(existsSync(join(workspace, 'other.agent'))).toBe(true);
});

test('[S39] [S40] from the command line: looked at first, and then done', async () => {
  const workspace = workspaceOf({ clerk: COUNTS }, MANIFEST);
  const host = await runHost(workspace);
  const journal = readFileJournal(join(workspace, '.holdfast-journal'));
  const ok = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await host.command(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const results = async (): Promise<readonly number[]> =>
    (await journal.read('clerk'))
      .filter(({ entry_type }) => entry_type === 'invocation_result')
      .map(({ seq }) => seq);
  for (const count of [1, 2]) {
    await ok('trigger', workspace, 'clerk');
    await waitFor(async () => (await results()).length === count);
  }
  const [first] = await results();
  const plan = await ok('rewind', workspace, 'clerk', '--to', String(first), '--plan');
  expect(plan).toContain(`clerk would go on from entry ${first}, invocation_result of`);
  expect(plan).toContain('  count: 2 → 1\n');
  expect(plan).toContain('Invocations under way there, or begun since: 1, which are handled again');
  const bad = await host.command('rewind', workspace, 'clerk', '--to', '9999', '--reason', 'test');
  expect(bad.code).not.toBe(0);
  expect(bad.stderr).toContain('clerk has no entry 9999');
  const nonsense = await host.command('rewind', workspace, 'clerk', '--to', 'x', '--reason', 'test');
  expect(nonsense.stderr).toContain('It must be the number of an entry');

  const fork = [
    'fork',
    workspace,
    'clerk',
    '--at',
    String(first),
    '--as',
    'other',
    '--set',
    'count=10',
  ] as const;
  expect(await ok(...fork, '--plan')).toContain(`other would begin where clerk was at entry ${first}`);
  expect(await ok(...fork, '--reason', 'test')).toContain(`other begins where clerk was at entry ${first}`);
  await ok('rewind', workspace, 'clerk', '--to', String(first), '--leave', '--reason', 'test');
  const shown = JSON.parse(await ok('show', workspace, 'clerk', '--json')) as { row: { state: string } };
  expect(shown.row.state).toBe('suspended');
  const types = (await journal.read('clerk')).map(({ entry_type }) => entry_type);
  expect(types).toContain('rewind');
});
