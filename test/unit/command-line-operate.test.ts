// The verbs of the command line that act, as a program: each reaches the host that runs the journal, a program of its own.

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAlive } from '../../core/host/os-process.ts';
import { headPath, readHead } from '../../core/journal/head-file.ts';
import { readFileJournal } from '../../core/journal/index.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { holdfast, mapLimited } from '../support/child.ts';
import { PROMPTISE_JOURNALS, promptiseCases, treeHash } from '../support/fixtures.ts';
import { heldJournal } from '../support/held-journal.ts';
import { NEVER_BACK, runHost, workspaceOf, type ChildHost } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const journalOf = (workspace: string): string => join(workspace, '.holdfast-journal');
const entries = (workspace: string, process: string): Promise<readonly StoredEntry[]> =>
  readFileJournal(journalOf(workspace)).read(process);
const typed = (all: readonly StoredEntry[], type: string): StoredEntry['data'][] =>
  all.filter(({ entry_type }) => entry_type === type).map(({ data }) => data);

/** A word for each verb, with what it needs. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  start: [],
  stop: [],
  suspend: [],
  resume: [],
  restart: ['--reason', 'why'],
  kill: ['--reason', 'why'],
  trigger: [],
  resolve: ['effect', '--skip', '--reason', 'why'],
};

describe('wrong usage: one line, exit code 2, and nobody is looked for', () => {
  test.each<[string[], RegExp]>([
    [['kill', '.', 'a'], /"kill" needs --reason <text>: why it is done is kept in the journal/],
    [['kill', '.', 'a', '--reason', '  '], /"kill" needs --reason/],
    [['restart', '.', 'a'], /"restart" needs --reason/],
    [['resolve', '.', 'a', 'e', '--skip'], /"resolve" needs --reason/],
    [['recover', '.', 'a', '--apply'], /"recover --apply" needs --reason/],
    [['recover', '.', 'a', '--reason', 'x'], /--reason only with --apply/],
    [['stop', '.', 'a', '--reason', 'x'.repeat(501)], /reason: .*500/],
    [['stop', '.'], /missing required argument 'process'/],
    [['stop', '.', ''], /process: /],
    [['trigger', '.', 'a', '--payload', '{"n":'], /is not JSON: .+ A text needs quotes/],
    [['resolve', '.', 'a', 'e', '--happened', 'yes', '--reason', 'x'], /is not JSON/],
    [
      ['resolve', '.', 'a', 'e', '--reason', 'x'],
      /one of these: --happened <json>, --did-not-happen or --skip/,
    ],
    [['resolve', '.', 'a', 'e', '--skip', '--did-not-happen', '--reason', 'x'], /one of these/],
    [['resolve', '.', 'a', '--skip', '--reason', 'x'], /missing required argument 'effect'/],
  ])('holdfast %j', async (args, message) => {
    const { code, stdout, stderr } = await holdfast(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^holdfast: [^\n]+"holdfast (?:[a-z-]+ )?--help"[^\n]+\n$/);
    expect(stderr).toMatch(message);
  });
});

describe('nobody to ask: why, and what to do', () => {
  test('no host runs it: the line that does, exit code 6, and no trace', async () => {
    const workspace = workspaceOf({ a: '' });
    const host = await runHost(workspace);
    await host.kill();
    const before = treeHash(workspace);
    const results = await mapLimited(Object.entries(VERBS), 2, ([verb, [effect, ...rest]]) =>
      verb === 'resolve'
        ? host.command(verb, workspace, 'a', effect!, ...rest)
        : host.command(verb, journalOf(workspace), 'a', ...(effect === undefined ? [] : [effect, ...rest])),
    );
    for (const { code, stdout, stderr } of results) {
      expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
      expect(stderr).toBe(
        `holdfast: No host runs ${journalOf(workspace)}, so nothing can be done to its processes. To run it: holdfast run ${workspace}\n`,
      );
    }
    expect(treeHash(workspace)).toBe(before);
  });

  test('a host without a socket: who holds it, exit code 5', async () => {
    const workspace = workspaceOf({ a: '' });
    const holder = await heldJournal(journalOf(workspace));
    const [stop, recover, status] = await Promise.all([
      holdfast(['stop', workspace, 'held']),
      holdfast(['recover', workspace, 'held', '--apply', '--reason', 'x']),
      holdfast(['status', workspace]),
    ]);
    for (const { code, stdout, stderr } of [stop, recover]) {
      expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
      expect(stderr).toMatch(
        new RegExp(`^holdfast: Process ${holder.process.pid} holds [^\\n]+ can't be asked`),
      );
    }
    expect(status.stdout).toContain(`Being written by process ${holder.process.pid}`);
  });

  test('a journal of Promptise’s, no journal, a workspace that was not run yet: exit code 3', async () => {
    const foreign = join(tempDirectory(), 'journal');
    cpSync(join(PROMPTISE_JOURNALS, promptiseCases()[0]!, 'journal'), foreign, { recursive: true });
    const empty = tempDirectory();
    const unrun = workspaceOf({ a: '' });
    const results = await Promise.all([
      holdfast(['stop', foreign, 'a']),
      holdfast(['stop', empty, 'a']),
      holdfast(['stop', unrun, 'a']),
    ]);
    expect(results.map(({ code }) => code)).toEqual([3, 3, 3]);
    expect(results[0].stderr).toMatch(/never acted on\. Adopt it into a copy first: holdfast adopt/);
    expect(results[2].stderr).toMatch(/has not been run yet\. To run it: holdfast run/);
  });
});

describe('a host that runs it', () => {
  let workspace = '';
  let host: ChildHost;
  const started = async (): Promise<void> => {
    workspace = workspaceOf({ a: `return 'ok';`, b: NEVER_BACK });
    host = await runHost(workspace);
  };

  test('[P7] each verb acts there, says the state it led to, and is on record with who and why', async () => {
    await started();
    const said: unknown[] = [];
    for (const [verb, ...more] of [
      ['suspend', '--reason', 'too loud'],
      ['resume'],
      ['stop'],
      ['start'],
      ['restart', '--reason', 'new disk'],
      ['trigger', '--payload', '{"n":12345678901234567890}'],
    ] as const) {
      const { code, stdout, stderr } = await host.command(verb, workspace, 'a', ...more, '--json');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      said.push((JSON.parse(stdout) as { state: string }).state);
    }
    expect(said.slice(0, 3)).toEqual(['suspended', 'running', 'stopped']);
    expect(said.slice(3).every((state) => state !== 'stopped' && state !== 'suspended')).toBe(true);
    const all = await entries(workspace, 'a');
    expect(typed(all, 'operator_action')).toMatchObject(
      [
        { action: 'suspend', reason: 'too loud' },
        { action: 'resume', reason: '' },
        { action: 'stop' },
        { action: 'start' },
        { action: 'restart', reason: 'new disk' },
        { action: 'trigger' },
      ].map((asked) => ({ ...asked, operator: userInfo().username })),
    );
    expect(typed(all, 'operator_outcome').every(({ ok }) => ok === true)).toBe(true);
    expect(JSON.stringify(typed(all, 'trigger_event'))).toContain('n');
    const { stdout } = await host.command('suspend', journalOf(workspace), 'a');
    expect(stdout).toBe('❚❚ Suspended · a is suspended; what it was doing stops before its next effect.\n');
  });

  test('a worker that is killed in an effect leaves a doubt, which resolve decides', async () => {
    await started();
    expect((await host.command('kill', workspace, 'b', '--reason', 'x')).stderr).toMatch(/has no worker/);
    await host.command('trigger', workspace, 'b');
    await waitFor(async () => typed(await entries(workspace, 'b'), 'effect_started').length > 0);
    const killed = await host.command('kill', workspace, 'b', '--reason', 'it hangs');
    expect(killed).toMatchObject({ code: 0, stderr: '' });
    const effect = await waitFor(async () => {
      const { stdout } = await host.command('status', workspace, '--json');
      const { processes } = JSON.parse(stdout) as { processes: { name: string; doubts: number }[] };
      const doubts = processes.find(({ name }) => name === 'b')?.doubts ?? 0;
      return (
        doubts > 0 && (typed(await entries(workspace, 'b'), 'effect_started')[0]!['effect_id'] as string)
      );
    });
    const resolve = (...more: string[]) => host.command('resolve', workspace, 'b', effect, ...more);
    const decided = await resolve('--happened', '{"paid": true}', '--reason', 'the bank says so');
    expect(decided).toMatchObject({ code: 0, stderr: '' });
    expect(decided.stdout).toContain('is decided: it happened, and its invocation gets the result.');
    const again = await resolve('--skip', '--reason', 'x');
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toMatch(/is not in doubt \(any more\)/);
    expect(typed(await entries(workspace, 'b'), 'effect_resolved')).toMatchObject([
      { resolution: 'happened', result: { paid: true }, reason: 'the bank says so' },
    ]);
  });

  test('[P5] status says what is, not what was recorded, and changes nothing', async () => {
    await started();
    // The live state is ahead of the disk.
    await waitFor(
      async () => {
        const { stdout } = await host.command('status', workspace, '--json');
        const { processes } = JSON.parse(stdout) as { processes: { name: string; entries: number }[] };
        const written = await Promise.all(processes.map(({ name }) => entries(workspace, name)));
        return processes.every(({ entries: count }, at) => written[at]!.length === count);
      },
      { what: 'the last entries of its start' },
    );
    const before = await Promise.all([entries(workspace, 'a'), entries(workspace, 'b')]);
    const text = await host.command('status', workspace);
    const json = await host.command('status', workspace, '--json');
    const place = await host.command('status', join(journalOf(workspace), 'journal.holdfast'));
    for (const { stdout, code, stderr } of [text, place]) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`Run by process ${host.pid}.`);
      expect(stdout).toMatch(/^a +● Running/m);
      expect(stdout).not.toContain('last recorded');
      expect(stdout).not.toContain('To run it');
    }
    expect(JSON.parse(json.stdout)).toMatchObject({
      journal: { access: 'live' },
      processes: [
        { name: 'a', live: true },
        { name: 'b', live: true },
      ],
    });
    expect(await Promise.all([entries(workspace, 'a'), entries(workspace, 'b')])).toEqual(before);
    const nobody = await host.command('stop', workspace, 'nobody');
    expect(nobody).toMatchObject({ code: 3, stdout: '' });
    expect(nobody.stderr).toMatch(/There is no process "nobody" here\. There are: a, b\./);
  });

  test('a verb typed while the host is still starting waits for it', async () => {
    const early = workspaceOf({ a: '' });
    const first = await runHost(early);
    await first.kill();
    const starting = runHost(early, first.data);
    await waitFor(async () => (await first.command('suspend', early, 'a')).code === 0);
    await starting;
  });

  test('recover --apply is done by the host, while it runs', async () => {
    await started();
    const { code, stdout } = await host.command(
      'recover',
      workspace,
      'a',
      '--apply',
      '--reason',
      'to be sure',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^● Running · a was rebuilt from its journal/);
    expect(typed(await entries(workspace, 'a'), 'recovered').at(-1)).toMatchObject({
      forced: true,
      reason: 'to be sure',
    });
  });
});

describe('recover --apply where nobody runs it', () => {
  test('[S30] [P7] takes over, ends the dead host’s worker, leaves a checkpoint, and lets go', async () => {
    const workspace = workspaceOf({ a: '', b: NEVER_BACK });
    const host = await runHost(workspace);
    await host.command('trigger', workspace, 'b');
    await waitFor(async () => typed(await entries(workspace, 'b'), 'effect_started').length > 0);
    const [worker] = typed(await entries(workspace, 'b'), 'worker_started');
    await host.kill();
    const before = (await entries(workspace, 'b')).length;
    const other = await entries(workspace, 'a');
    const { code, stdout, stderr } = await host.command(
      ...(['recover', workspace, 'b', '--apply', '--reason', 'the host is dead', '--json'] as const),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      process: 'b',
      state: 'suspended',
      message: expect.stringContaining(`To run it: holdfast run ${workspace}`),
    });
    const { pid, start_time: startTime } = worker as { pid: number; start_time?: string };
    expect(isAlive({ pid, startTime: startTime ?? '' })).toBe(false);
    const added = (await entries(workspace, 'b')).slice(before);
    const types = added.map(({ entry_type }) => entry_type);
    expect(types.slice(0, 2)).toEqual(['writer_opened', 'operator_action']);
    for (const type of ['worker_exited', 'recovered', 'operator_outcome', 'checkpoint'])
      expect(types).toContain(type);
    expect(types.at(-1)).toBe('checkpoint');
    expect(typed(added, 'operator_action')).toMatchObject([
      { action: 'force-recover', operator: userInfo().username, reason: 'the host is dead' },
    ]);
    expect(typed(added, 'operator_outcome')).toMatchObject([{ ok: true }]);
    // Only that process was touched, nobody holds anything, and the next host goes on.
    expect(await entries(workspace, 'a')).toEqual(other);
    expect((await host.command('status', workspace)).stdout).toMatch(/^b +last recorded: Suspended/m);
    const next = await runHost(workspace, host.data);
    const { processes } = JSON.parse((await next.command('status', workspace, '--json')).stdout) as {
      processes: { name: string; why: string; live: boolean }[];
    };
    expect(processes.map(({ live }) => live)).toEqual([true, true]);
  });

  test('one that has left its workspace is made good all the same; one that never was is refused', async () => {
    const workspace = workspaceOf({ a: '' });
    const host = await runHost(workspace);
    await host.kill();
    const apart = join(tempDirectory(), 'journal');
    cpSync(journalOf(workspace), apart, { recursive: true });
    const orphan = await host.command('recover', apart, 'a', '--apply', '--reason', 'x');
    expect(orphan).toMatchObject({ code: 0, stderr: '' });
    const before = treeHash(workspace);
    const nobody = await host.command('recover', workspace, 'nobody', '--apply', '--reason', 'x');
    expect(nobody).toMatchObject({ code: 3, stdout: '' });
    expect(nobody.stderr).toMatch(/has no process "nobody"\. It has: a\./);
    expect(treeHash(workspace)).toBe(before);
  });

  test('a damaged journal is refused with 4, and stays as it is', async () => {
    const workspace = workspaceOf({ a: '' });
    const host = await runHost(workspace);
    const head = headPath(journalOf(workspace), 'a');
    // Else the line that is damaged below may be the last that is known durable, and its end counts as lost [S13].
    await waitFor(() => (readHead(head)?.seq ?? 0) > 1, { what: 'a second line that is durable' });
    await host.kill();
    const path = join(journalOf(workspace), 'a.jsonl');
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, ['x'.repeat(lines[0]!.length), ...lines.slice(1)].join('\n'));
    const before = readFileSync(path);
    const { code, stderr } = await host.command('recover', workspace, 'a', '--apply', '--reason', 'x');
    expect(code).toBe(4);
    expect(stderr).toMatch(/line 1 at byte 0/);
    expect(readFileSync(path)).toEqual(before);
  });
});
