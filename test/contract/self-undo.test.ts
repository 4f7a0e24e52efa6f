// What an agent changed about itself, through the contract and on the command line: told, and taken back with a reason.

import { expect, test } from 'vitest';
import { openLive } from '../support/open-live.ts';
import { command, openConsole, runHost, workspaceOf } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const MANIFEST = 'instructions: as the manifest says\n';

/** A workspace whose agent has given itself other instructions and another trigger. */
async function changed(): Promise<{ readonly workspace: string; readonly seqs: readonly number[] }> {
  const workspace = workspaceOf({ clerk: '' }, MANIFEST);
  const { live, close } = await openLive(workspace);
  const process = live.runtime.process('clerk');
  const by = { event_id: 'event', actor: 'agent:clerk', reason: 'they were long' };
  const changes = [
    { path: 'instructions', manifest: 'as the manifest says', from: 'as the manifest says', to: 'be brief' },
  ];
  await process.record('settings_changed', { changes, key: 'one', ...by });
  const config = { type: 'event', event_type: 'news' };
  await process.record('trigger_added', { trigger_id: 'event-news', config, key: 'two', ...by });
  const seqs = process.snapshot.self.changes.map(({ seq }) => seq);
  await close();
  return { workspace, seqs };
}

test('[P7] what it changed is told, and taken back one by one with who and why', async () => {
  const { workspace, seqs } = await changed();
  const { get, ask } = await openConsole(workspace, tempDirectory());
  const { journals } = await get('fleet.read', {});
  const target = { journalId: journals[0]!.id, process: 'clerk' };
  const { self } = await get('processes.read', target);
  expect(self).toMatchObject({
    inForce: 2,
    parent: null,
    changes: [
      { seq: seqs[1], kind: 'trigger', text: 'the trigger event-news', end: null },
      { seq: seqs[0], kind: 'instructions', text: 'its instructions', reason: 'they were long', end: null },
    ],
  });
  const { message } = await get('self.undo', { ...target, ...command('no'), changes: [seqs[0]!] });
  expect(message).toBe('Undone what clerk changed about itself: its instructions.');
  const { self: after, settings } = await get('processes.read', target);
  expect(settings.changedCount).toBe(0);
  expect(after.inForce).toBe(1);
  expect(after.changes[1]!.end).toMatchObject({ how: 'undone', actor: 'operator:tester', reason: 'no' });
  const again = await ask('self.undo', { ...target, ...command(), changes: [seqs[0]!] });
  expect(again).toMatchObject({ ok: false, error: { code: 'self.no-change' } });
});

test('on the command line: shown, and taken back as a whole', async () => {
  const { workspace, seqs } = await changed();
  const host = await runHost(workspace);
  const shown = await host.command('undo-changes', workspace, 'clerk');
  expect(shown.stdout).toContain(`changed by itself: ${seqs[0]} its instructions at `);
  const undone = await host.command('undo-changes', workspace, 'clerk', '--all', '--reason', 'no');
  expect(undone).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('the trigger event-news, its instructions'),
  });
  const left = await host.command('undo-changes', workspace, 'clerk', '--all', '--reason', 'no');
  expect(left.code).not.toBe(0);
  expect(left.stderr).toContain('changed nothing about itself');
});
