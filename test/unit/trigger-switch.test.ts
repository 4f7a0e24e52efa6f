// One switch for the triggers of all processes.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { foldEntries } from '../../core/model/fold.ts';
import type { JsonObject } from '../../core/model/json.ts';
import { scheduledFrom } from '../../core/model/trigger-record.ts';
import { openConsole, workspaceOf, type TestConsole } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

/** Twice a second. */
const TICKS = `triggers: [{ type: cron, cron_expression: '* * * * * *' }]
`;

interface Opened extends TestConsole {
  readonly journalId: string;
  readonly command: (reason?: string) => {
    readonly journalId: string;
    readonly commandId: string;
    readonly reason: string;
  };
  readonly invocations: () => Promise<Readonly<Record<string, number>>>;
}

async function opened(workspace: string, data: string): Promise<Opened> {
  const console = await openConsole(workspace, data);
  const { journals } = await console.get('fleet.read', {});
  const journalId = journals[0]!.id;
  return {
    ...console,
    journalId,
    command: (reason = '') => ({ journalId, commandId: crypto.randomUUID(), reason }),
    invocations: async () =>
      Object.fromEntries(
        (await console.get('fleet.read', {})).processes.map(({ name, invocations }) => [name, invocations]),
      ),
  };
}

test('[P7] held, nothing wakes any process but a person, also after another start; released, what was due is over', async () => {
  const workspace = workspaceOf({ one: '', two: '' }, TICKS);
  const data = tempDirectory();
  const a = await opened(workspace, data);
  await waitFor(async () => Object.values(await a.invocations()).every((count) => count > 0), {
    what: 'ticks',
  });
  const held = await a.get('workspace.hold-triggers', a.command('a bad night'));
  expect(held).toMatchObject({ held: true, reached: 2, failed: [] });
  const { journals } = await a.get('fleet.read', {});
  expect(journals[0]!.triggersHeld).toMatchObject({ actor: 'operator:tester', reason: 'a bad night' });
  await expect(a.get('workspace.hold-triggers', a.command('again'))).rejects.toThrow('triggers.held');
  const read = { journalId: a.journalId, process: 'one' };
  const detail = await a.get('processes.read', read);
  expect(detail.triggersPaused).toMatchObject({ reason: 'a bad night' });
  expect(detail.triggers.map(({ next }) => next)).toEqual([null]);
  const { rows } = await a.get('timeline.read', { ...read, before: null, limit: 50 });
  expect(rows.map(({ summary }) => summary)).toContain(
    'the triggers of all processes paused, by operator:tester · a bad night',
  );
  // What is in each process beside it is another matter, and stays when it is released.
  await a.get('triggers.pause', { ...a.command('mine'), process: 'two', triggerId: null });
  await a.host.close();

  const b = await opened(workspaceOf({ three: '' }, TICKS, workspace), data);
  expect((await b.get('fleet.read', {})).journals[0]!.triggersHeld).toMatchObject({ reason: 'a bad night' });
  const three = await b.get('processes.read', { ...read, process: 'three' });
  expect(three.triggersPaused).toMatchObject({ actor: 'operator:tester', reason: 'a bad night' });
  await b.get('processes.trigger', { ...b.command(), process: 'three' });
  await waitFor(async () => (await b.invocations())['three'] === 1, { what: 'the one by hand' });
  // What was accepted before it was held is handled all the same.
  const isQuiet = async (process: string): Promise<boolean> => {
    const { counts, row } = await b.get('processes.read', { ...read, process });
    return counts.open + row.queued === 0;
  };
  await waitFor(async () => (await isQuiet('one')) && (await isQuiet('two')), { what: 'the rest' });
  const before = await b.invocations();
  const released = await b.get('workspace.release-triggers', b.command());
  expect(released).toMatchObject({ held: false, reached: 3, failed: [] });
  await waitFor(async () => (await b.invocations())['three']! > 1, { what: 'a tick' });
  expect((await b.invocations())['two']).toBe(before['two']);
  const one = await b.get('processes.read', read);
  expect(one.triggersPaused).toBeNull();
  await expect(b.get('workspace.release-triggers', b.command())).rejects.toThrow('triggers.not-held');
  expect((await b.get('processes.read', { ...read, process: 'two' })).triggersPaused).toMatchObject({
    reason: 'mine',
  });
  expect(readdirSync(join(data, 'host')).length).toBe(1);
});

test('a process that is forked while they are held is held too', async () => {
  const workspace = workspaceOf({ one: '' }, TICKS);
  const a = await opened(workspace, tempDirectory());
  await a.get('workspace.hold-triggers', a.command('a bad night'));
  const { entries } = (await a.get('fleet.read', {})).processes[0]!;
  await a.get('fork.apply', {
    ...a.command('try it'),
    process: 'one',
    at: entries - 1,
    name: 'two',
    set: {},
    configure: {},
  });
  const of = { journalId: a.journalId, process: 'two' };
  await a.get('triggers.resume', { ...a.command(), ...of, triggerId: null });
  expect((await a.get('processes.read', of)).triggersPaused).toMatchObject({ reason: 'a bad night' });
});

test('[S22] released, a schedule begins anew: nothing of the time between is due', () => {
  const entry = (seq: number, entry_type: string, data: JsonObject) => ({
    seq,
    timestamp: `2026-01-0${seq}T00:00:00.000+00:00`,
    entry_type,
    data,
  });
  const state = foldEntries([
    entry(1, 'trigger_event', {
      event_id: 'e',
      trigger_id: 'cron-1',
      scheduled_time: '2026-01-01T00:00:00Z',
    }),
    entry(2, 'trigger_paused', { workspace: 1, actor: 'operator:test', reason: 'asked' }),
    entry(3, 'trigger_paused', { actor: 'operator:test', reason: 'mine' }),
    entry(4, 'trigger_resumed', { workspace: 2, actor: 'operator:test', reason: '' }),
  ]);
  expect(state.triggers.allPaused).toMatchObject({ reason: 'mine' });
  expect(state.triggers.switch).toEqual({ number: 2, pause: null });
  expect(scheduledFrom(state.triggers.known['cron-1']!, state.triggers)).toBe(
    Date.parse('2026-01-04T00:00:00Z'),
  );
});

test('the same command is one act: asked twice it is answered twice', async () => {
  const a = await opened(workspaceOf({ one: '' }), tempDirectory());
  const command = a.command('once');
  const first = await a.get('workspace.hold-triggers', command);
  expect(await a.get('workspace.hold-triggers', command)).toEqual(first);
});
