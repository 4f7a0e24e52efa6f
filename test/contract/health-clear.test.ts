// What was found of a process's health, as a console sees it and clears it.

import { expect, test } from 'vitest';
import type { DetectorView } from '../../core/contract/health-views.ts';
import type { ProcessDetail } from '../../core/contract/process-detail.ts';
import { readFileJournal } from '../../core/journal/index.ts';
import { command, openConsole, workspaceOf } from '../support/run-host.ts';
import { waitFor } from '../support/wait-for.ts';

const LOOKS = `
  for (const n of event.payload) await ctx.effect('look', { class: 'retry', args: { n } }, async () => n);
  await ctx.promise('done', { data: null });`;
const MANIFEST = 'health:\n  on_anomaly: pause\n';

test('[P5] [P7] the views tell what each detector sees, what was found, and what it holds; cleared, it goes on', async () => {
  const workspace = workspaceOf({ clerk: LOOKS }, MANIFEST);
  const { get, ask } = await openConsole(workspace, null);
  const { journals, processes } = await get('fleet.read', {});
  const target = { journalId: journals[0]!.id, process: 'clerk' };
  // Nothing ran yet, so nothing is known to be well.
  expect(processes[0]!.health).toMatchObject({ verdict: 'unknown', anomalies: [] });
  const detail = (): Promise<ProcessDetail> => get('processes.read', target);
  const detector = (of: ProcessDetail, type: DetectorView['type']): DetectorView =>
    of.detectors.find((one) => one.type === type)!;
  const before = await detail();
  expect(before.detectors.map(({ type, state }) => [type, state])).toEqual([
    ['stuck', 'unknown'],
    ['loop', 'unknown'],
    ['empty_response', 'unknown'],
    ['high_error_rate', 'unknown'],
    ['silent', 'unknown'],
    ['slow', 'unknown'],
  ]);

  await get('processes.trigger', { ...target, ...command(), payloadText: '[1, 2, 3, 7, 7, 7]' });
  await waitFor(async () => (await detail()).row.state === 'suspended', { what: 'the hold' });
  const held = await detail();
  const text = 'look was called 3 times in a row with the same arguments';
  expect(held.row).toMatchObject({
    why: `health: ${text}; resume it, or stop it`,
    health: { verdict: 'unwell', anomalies: [{ type: 'stuck', text }] },
  });
  expect(held.row.actions).toContain('resume');
  expect(held.holds).toMatchObject([{ kind: 'health', reason: text, actor: 'host' }]);
  expect(detector(held, 'stuck')).toMatchObject({
    state: 'found',
    sample: 3,
    needed: 3,
    action: 'pause',
    last: { description: text, overAt: null, action: 'pause' },
    coolsUntil: expect.any(String),
  });
  expect(detector(held, 'loop')).toMatchObject({ state: 'ok', sample: 6, needed: 4 });
  const preview = await get('processes.preview', { ...target, action: 'resume' });
  expect(preview.holdsThatStay).toEqual([]);

  const refused = await ask('health.clear', { ...target, ...command('x'), type: 'loop' });
  expect(refused).toMatchObject({
    ok: false,
    error: { code: 'health.nothing-found', message: expect.stringContaining('There is stuck.') },
  });
  expect(await ask('health.clear', { ...target, ...command(''), type: null })).toMatchObject({ ok: false });
  const cleared = await get('health.clear', { ...target, ...command('looked into it'), type: 'stuck' });
  expect(cleared.message).toBe(
    'stuck of clerk is cleared, and is looked for anew. It is not held by its health any more.',
  );
  await waitFor(async () => (await detail()).row.state === 'awaiting', { what: 'the end of its calls' });
  const after = await detail();
  expect(after.row.health).toMatchObject({ verdict: 'unknown', anomalies: [] });
  expect(detector(after, 'stuck')).toMatchObject({
    state: 'unknown',
    last: { overAt: expect.any(String) },
    coolsUntil: null,
  });
  const entries = await readFileJournal(journals[0]!.directory).read('clerk');
  expect(entries.find(({ entry_type }) => entry_type === 'health_cleared')?.data).toMatchObject({
    anomaly_type: 'stuck',
    reason: 'looked into it',
  });
  expect(
    entries.find(({ data }) => data['action'] === 'clear-health' && data['reason'] === 'looked into it'),
  ).toBeDefined();
});
