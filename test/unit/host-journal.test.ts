// [S36] The host's own journal: what was done although a process's journal could not take it.

import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hostJournal, type HostJournal } from '../../core/host/host-journal.ts';
import { readFileJournal } from '../../core/journal/index.ts';
import { readMarker } from '../../core/journal/marker.ts';
import type { StoredEntry } from '../../core/model/entry.ts';
import { command, openConsole, workspaceOf, type TestConsole } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const entriesOf = ({ directory }: Pick<HostJournal, 'directory'>): Promise<readonly StoredEntry[]> =>
  readFileJournal(directory).read('host');

function opened(data: string, journalId: string): HostJournal {
  const journal = hostJournal(data, journalId);
  onTestFinished(() => journal.close());
  return journal;
}

describe('by itself', () => {
  test('it is made with its first entry, for this user alone, and keeps what it was given', async () => {
    const journal = opened(tempDirectory(), 'one');
    expect(existsSync(journal.directory)).toBe(false);
    const results = await Promise.all(
      ['stop', 'kill-worker'].map((action) => journal.record('operator_action', { action })),
    );
    expect(results).toEqual([null, null]);
    expect((await entriesOf(journal)).map(({ data }) => data['action'] ?? data['epoch'])).toEqual([
      1,
      'stop',
      'kill-worker',
    ]);
    expect(statSync(journal.directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(journal.directory, 'host.jsonl')).mode & 0o777).toBe(0o600);
  });

  test('each journal that is run has its own; of the same one a second host is told why, and later has its turn', async () => {
    const data = tempDirectory();
    const [one, other, again] = [opened(data, 'one'), opened(data, 'other'), opened(data, 'one')];
    expect(await one.record('operator_action', { n: 1 })).toBeNull();
    expect(await other.record('operator_action', { n: 2 })).toBeNull();
    expect(await again.record('operator_action', { n: 3 })).toMatch(/is being written by/);
    await one.close();
    expect(await again.record('operator_action', { n: 4 })).toBeNull();
    expect((await entriesOf(one)).flatMap(({ data }) => data['n'] ?? [])).toEqual([1, 4]);
  });

  test('where it can’t be made it says why, each time anew', async () => {
    const data = tempDirectory();
    writeFileSync(join(data, 'host'), '');
    const journal = opened(data, 'one');
    expect(await journal.record('operator_action', {})).toMatch(/ENOTDIR|EEXIST|can't/);
    rmSync(join(data, 'host'));
    expect(await journal.record('operator_action', {})).toBeNull();
  });
});

describe('behind the operator’s actions', () => {
  interface Troubled extends TestConsole {
    readonly data: string;
    readonly target: { readonly journalId: string; readonly process: string };
    readonly recorded: () => Promise<readonly StoredEntry[]>;
  }

  async function console(manifest = ''): Promise<Troubled & { readonly directory: string }> {
    const workspace = workspaceOf({ a: '' }, manifest);
    const data = tempDirectory();
    const at = await openConsole(workspace, data);
    const directory = join(workspace, '.holdfast-journal');
    const journalId = readMarker(directory)!.id;
    const recorded = (): Promise<readonly StoredEntry[]> => entriesOf(hostJournal(data, journalId));
    return { ...at, data, directory, target: { journalId, process: 'a' }, recorded };
  }

  /** Whoever finds its lock gone writes no more. */
  const takeLock = (directory: string): void =>
    rmSync(join(directory, '.holdfast/lock'), { recursive: true, force: true });

  test('what the journal takes is there, and nothing is here', async () => {
    const { get, target, data } = await console();
    expect((await get('processes.suspend', { ...target, ...command() })).message).not.toContain('journal');
    expect(existsSync(join(data, 'host'))).toBe(false);
  });

  test('[P7] stop acts although the journal fails, and who, why and what came of it are here, marked late', async () => {
    const { get, ask, target, directory, recorded } = await console();
    takeLock(directory);
    const order = { ...target, ...command('the disk is gone') };
    const { message } = await get('processes.stop', order);
    expect(message).toMatch(/ended\. The journal could not record it: .+ It is in the host's own journal\.$/);
    const [asked, outcome] = (await recorded()).filter(({ entry_type }) => entry_type.startsWith('operator'));
    expect(asked!.data).toMatchObject({
      action: 'stop',
      command_id: order.commandId,
      operator: 'tester',
      reason: 'the disk is gone',
      late: true,
      journal_id: target.journalId,
      process: 'a',
      because: expect.stringContaining('lock'),
    });
    expect(outcome!.data).toMatchObject({ command_id: order.commandId, ok: true, late: true, process: 'a' });
    // What may be refused is refused, and done nowhere.
    expect(await ask('processes.start', { ...target, ...command() })).toMatchObject({ ok: false });
    expect((await recorded()).filter(({ entry_type }) => entry_type === 'operator_action')).toHaveLength(1);
  });

  test('one that fails is here too, with why', async () => {
    const { ask, target, directory, recorded } = await console();
    takeLock(directory);
    expect(await ask('processes.force-recover', { ...target, ...command() })).toMatchObject({ ok: false });
    expect((await recorded()).map(({ data }) => data).slice(-2)).toMatchObject([
      { action: 'force-recover', late: true },
      { ok: false, late: true, message: expect.stringMatching(/./) },
    ]);
  });

  test('a process that keeps no journal has its actions here', async () => {
    const { get, target, recorded } = await console('journal:\n  level: none\n');
    await get('processes.suspend', { ...target, ...command('look') });
    await get('processes.resume', { ...target, ...command() });
    const asked = (await recorded()).filter(({ entry_type }) => entry_type === 'operator_action');
    expect(asked.map(({ data }) => data)).toMatchObject([
      { action: 'suspend', reason: 'look', because: 'a keeps no journal', late: true },
      { action: 'resume' },
    ]);
  });

  test('[S36] where neither can be written stop acts all the same, and says so', async () => {
    const { get, target, directory, data } = await console();
    writeFileSync(join(data, 'host'), '');
    takeLock(directory);
    const { message } = await get('processes.stop', { ...target, ...command() });
    expect(message).toMatch(
      /ended\. The journal could not record it: .+ Nor could the host's own journal: ./,
    );
  });
});
