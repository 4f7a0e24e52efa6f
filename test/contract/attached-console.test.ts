// A second console on a workspace that a host runs: it attaches, acts through that host, and looks when the host is gone.
// The host is a program of its own, and is killed for real.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attachedConsole } from '../../core/host/attached-console.ts';
import { seekHost } from '../../core/host/seek-host.ts';
import { readFileJournal } from '../../core/journal/index.ts';
import { readMarker } from '../../core/journal/marker.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { HOLDFAST, startNode } from '../support/child.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { PROMPTISE_JOURNALS, promptiseCases } from '../support/fixtures.ts';
import { heldJournal } from '../support/held-journal.ts';
import {
  command,
  NEVER_BACK,
  openConsole,
  runHost,
  useConsole,
  workspaceOf,
  type ChildHost,
  type TestConsole,
} from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const journalOf = (workspace: string): string => join(workspace, '.holdfast-journal');

function entries(workspace: string, process: string, type: string): Promise<readonly StoredEntry[]> {
  return readFileJournal(journalOf(workspace)).read(process, { entryType: type });
}

interface Attached extends TestConsole {
  readonly holder: ChildHost;
  readonly workspace: string;
  readonly journalId: string;
}

async function attached(workspace = workspaceOf({ a: '', b: '' })): Promise<Attached> {
  const holder = await runHost(workspace);
  const opened = await openConsole(workspace, holder.data);
  return { ...opened, holder, workspace, journalId: readMarker(journalOf(workspace))!.id };
}

const stateOf = ({ host }: TestConsole, name: string): string | undefined =>
  host.fleet().processes.find((row) => row.name === name)?.state;

describe('while the host lives', () => {
  test('its fleet is shown as live, and says whose it is', async () => {
    const { host, holder, notices, events } = await attached();
    expect(host.fleet().journals).toMatchObject([{ access: 'live', note: `Run by process ${holder.pid}.` }]);
    expect(host.fleet().processes).toMatchObject([
      { name: 'a', live: true, state: 'running' },
      { name: 'b', live: true, state: 'running' },
    ]);
    expect(host.fleet().processes[0]!.actions).toContain('suspend');
    await waitFor(() => notices().includes('host.attached'));
    const notice = events.find(({ name }) => name === 'console.notice')!;
    expect(notice.payload).toMatchObject({ message: expect.stringContaining(`process ${holder.pid}`) });
    expect(host.busy()).toEqual([]);
  });

  test('[P7] what two consoles do at once is done once each, by the host, and is on record', async () => {
    const first = await attached();
    const { workspace, journalId, holder } = first;
    const second = await openConsole(workspace, holder.data);
    const same = { journalId, process: 'a', ...command('both') };
    const other = { journalId, process: 'b', ...command('one') };
    const [one, two] = await Promise.all([
      first.get('processes.suspend', same),
      second.get('processes.suspend', same),
      second.get('processes.suspend', other),
    ]);
    expect(one).toEqual(two);
    for (const at of [first, second])
      await waitFor(() => stateOf(at, 'a') === 'suspended' && stateOf(at, 'b') === 'suspended');
    const { stdout } = await holder.command('resume', workspace, 'b', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ process: 'b', state: 'running' });
    for (const at of [first, second]) await waitFor(() => stateOf(at, 'b') === 'running');
    const asked = await entries(workspace, 'a', 'operator_action');
    expect(asked.map(({ data }) => data)).toMatchObject([
      { action: 'suspend', reason: 'both', command_id: same.commandId },
    ]);
    expect(await entries(workspace, 'b', 'operator_action')).toHaveLength(2);
  });

  test('each console watches a process of its own', async () => {
    const first = await attached();
    const { journalId, workspace, holder } = first;
    const second = await openConsole(workspace, holder.data);
    await first.get('processes.watch', { target: { journalId, process: 'a' } });
    await second.get('processes.watch', { target: { journalId, process: 'b' } });
    for (const process of ['a', 'b'])
      await first.get('processes.trigger', { journalId, process, ...command() });
    const watched = ({ events }: TestConsole): string[] =>
      events.flatMap((event) => (event.name === 'process.changed' ? [event.payload.process] : []));
    await waitFor(() => watched(first).length > 1 && watched(second).length > 1);
    expect(new Set(watched(first))).toEqual(new Set(['a']));
    expect(new Set(watched(second))).toEqual(new Set(['b']));
    const page = await first.get('timeline.read', { journalId, process: 'a', before: null, limit: 50 });
    expect(page.rows.some(({ type }) => type === 'trigger_event')).toBe(true);
    expect((await first.get('processes.read', { journalId, process: 'a' })).row.live).toBe(true);
  });

  test('[P6] other journals are looked at from here, and the host hears nothing of it', async () => {
    const at = await attached();
    const foreign = join(PROMPTISE_JOURNALS, promptiseCases()[0]!, 'journal');
    const opened = await at.get('journals.open', { path: foreign });
    expect(opened.access).toBe('read-only');
    expect(at.host.fleet().journals.map(({ id }) => id)).toEqual([at.journalId, opened.id]);
    const other = await openConsole(at.workspace, at.holder.data);
    expect(other.host.fleet().journals).toHaveLength(1);
    const [row] = at.host.fleet().processes.filter(({ journalId }) => journalId === opened.id);
    const target = { journalId: opened.id, process: row!.name };
    await at.get('processes.read', target);
    expect(await at.ask('processes.suspend', { ...target, ...command() })).toMatchObject({
      ok: false,
      error: { code: 'journal.read-only' },
    });
    await at.get('journals.close', { journalId: opened.id });
    // The same journal again is the one that is there, and a copy of it is refused.
    expect(await at.get('journals.open', { path: at.workspace })).toMatchObject({
      id: at.journalId,
      access: 'live',
    });
    const copy = join(tempDirectory(), 'copy');
    cpSync(journalOf(at.workspace), copy, { recursive: true });
    expect(await at.ask('journals.open', { path: copy })).toMatchObject({
      error: { code: 'journal.same-id' },
    });
    expect(await at.ask('journals.close', { journalId: at.journalId })).toMatchObject({
      error: { code: 'journal.is-live' },
    });
  });

  test('closing the attached console ends nothing', async () => {
    const at = await attached();
    await at.host.close();
    expect(await at.ask('fleet.read', {})).toMatchObject({ error: { code: 'host.closing' } });
    const after = await at.holder.command('status', at.workspace, '--json');
    expect(JSON.parse(after.stdout)).toMatchObject({ processes: [{ live: true }, { live: true }] });
    expect(await entries(at.workspace, 'a', 'hold_placed')).toEqual([]);
  });
});

describe('when the host goes away', () => {
  test('[S41] killed: that is said, its rows are what was recorded last, nothing can be done; then it is run here', async () => {
    const at = await attached(workspaceOf({ a: NEVER_BACK, b: '' }));
    const { workspace, journalId, holder } = at;
    await at.get('processes.watch', { target: { journalId, process: 'b' } });
    await holder.kill();
    await waitFor(() => at.notices().includes('host.gone'));
    await waitFor(() => at.host.fleet().journals[0]!.note.startsWith('Not run by this console'));
    expect(at.host.fleet().journals).toMatchObject([{ id: journalId, access: 'read-only' }]);
    for (const row of at.host.fleet().processes)
      expect(row).toMatchObject({ live: false, state: 'running', actions: [], worker: null });
    expect(await at.ask('processes.suspend', { journalId, process: 'a', ...command() })).toMatchObject({
      error: { code: 'journal.read-only' },
    });
    // What it had open it still has, and it sees what the next host does there.
    const told = at.events.length;
    const next = await openConsole(workspace, holder.data);
    expect(next.host.fleet().journals).toMatchObject([{ access: 'live' }]);
    expect(next.notices()).toEqual([]);
    await next.get('processes.suspend', { journalId, process: 'b', ...command() });
    await waitFor(() => stateOf(at, 'b') === 'suspended');
    await waitFor(() =>
      at.events
        .slice(told)
        .some((event) => event.name === 'process.changed' && event.payload.detail.row.state === 'suspended'),
    );
  });

  test('[P5] between the end and the look nothing is called running', async () => {
    const at = await attached();
    const seen: string[] = [];
    at.host.subscribe((event) => {
      if (event.name === 'console.notice' && event.payload.code === 'host.gone')
        seen.push(
          ...at.host.fleet().processes.map(({ state, live, why }) => `${state} ${String(live)} ${why}`),
        );
    });
    await at.holder.kill();
    await waitFor(() => seen.length > 0);
    for (const row of seen) expect(row).toMatch(/^unknown false Process \d+, which ran .+ can't be reached/);
  });

  test('what was asked and not answered yet says so', async () => {
    const at = await attached();
    process.kill(at.holder.pid, 'SIGSTOP');
    const asked = at.ask('processes.stop', { journalId: at.journalId, process: 'a', ...command() });
    await at.holder.kill();
    expect(await asked).toMatchObject({ ok: false, error: { code: 'host.gone' } });
  });

  test('[P5] a host that hangs is not taken for one that lives', async () => {
    const workspace = workspaceOf({ a: '' });
    const holder = await runHost(workspace);
    const directory = journalOf(workspace);
    const journalId = readMarker(directory)!.id;
    const sought = await seekHost({ directory, journalId, data: () => holder.data });
    if (sought.kind !== 'reached') throw new Error(sought.kind);
    const { host: looking } = await openConsole(null, null);
    const at = await useConsole(
      await attachedConsole({ host: sought.host, looking, beatMs: 50, answerWithinMs: 2_000 }),
    );
    expect(at.host.fleet().journals).toMatchObject([{ access: 'live' }]);
    process.kill(holder.pid, 'SIGSTOP');
    await waitFor(() => at.notices().includes('host.gone'));
    await waitFor(() => at.host.fleet().journals[0]!.access === 'read-only');
    await waitFor(() => at.host.fleet().journals[0]!.note.includes(`Being written by process ${holder.pid}`));
  });

  test('`holdfast run` without a terminal ends then, with why', async () => {
    const workspace = workspaceOf({ a: '' });
    const holder = await runHost(workspace);
    const env = { ...process.env, HOLDFAST_DATA: holder.data };
    const second = startNode(HOLDFAST, ['run', workspace], { env });
    endsWithTest(second);
    await waitFor(() => second.stdout().includes('a · ● Running'));
    await holder.kill();
    const { code, stderr } = await second.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/this console is attached to it[^]+can't be reached any more/);
  });
});

describe('a host that can’t be talked to is looked at, as if there were no sockets', () => {
  test('one that holds the journal and does not listen', async () => {
    const workspace = workspaceOf({ a: '' });
    const data = tempDirectory();
    await heldJournal(journalOf(workspace));
    const at = await openConsole(workspace, data);
    expect(at.host.fleet().journals).toMatchObject([{ access: 'read-only' }]);
    await waitFor(() => at.notices().includes('journal.locked'));
  });

  test('one with another data folder', async () => {
    const workspace = workspaceOf({ a: '' });
    await runHost(workspace);
    const at = await openConsole(workspace, tempDirectory());
    expect(at.host.fleet().journals).toMatchObject([{ access: 'read-only' }]);
    await waitFor(() => at.notices().includes('journal.locked'));
  });
});
