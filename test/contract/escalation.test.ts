// Who is told, as a console sees it; and a host that says that it is alive.

import { join } from 'node:path';
import { readdirSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { readFileJournal } from '../../core/journal/index.ts';
import { never, receiver, status } from '../support/receiver.ts';
import { command, openConsole, workspaceOf } from '../support/run-host.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

afterEach(() => void vi.unstubAllEnvs());

const FAILS = `throw new Error('the till is empty');`;
const manifest = (url: string): string =>
  `config: { max_consecutive_failures: 1 }\nholdfast: { escalation: { webhook_url: "${url}", event_type: ops.alert, allow_private: true } }\n`;

test('[P7] a test is on record before it is sent, and its answer says what came of it', async () => {
  const one = await receiver(status(200));
  const workspace = workspaceOf({ clerk: FAILS }, manifest(one.url));
  const { get, ask } = await openConsole(workspace, null);
  const journalId = (await get('fleet.read', {})).journals[0]!.id;
  const target = { journalId, process: 'clerk' };
  const { message } = await get('escalation.test', { ...target, ...command('does it arrive?') });
  expect(message).toBe(`http://127.0.0.1:${one.port}/… answered 200. The event ops.alert was sent.`);
  const detail = await get('processes.read', target);
  expect(detail.row.causes).toEqual([]);
  expect(detail.receivers).toEqual([
    { target: 'webhook', to: `http://127.0.0.1:${one.port}/…` },
    { target: 'event', to: 'ops.alert' },
  ]);
  expect(detail.escalations).toMatchObject([
    {
      kind: 'test',
      overWhy: 'it was a test',
      deliveries: [{ status: 'sent', answer: 200 }, { status: 'sent' }],
    },
  ]);
  const entries = await readFileJournal(join(workspace, '.holdfast-journal')).read('clerk');
  const types = entries.map(({ entry_type }) => entry_type);
  expect(types.indexOf('operator_action')).toBeLessThan(types.indexOf('escalation_raised'));
  expect(entries.find(({ entry_type }) => entry_type === 'operator_action')!.data).toMatchObject({
    action: 'escalation-test',
    reason: 'does it arrive?',
  });
  const nobody = await openConsole(workspaceOf({ mute: FAILS }), null);
  const other = (await nobody.get('fleet.read', {})).journals[0]!.id;
  expect(
    await nobody.ask('escalation.test', { journalId: other, process: 'mute', ...command() }),
  ).toMatchObject({
    error: { code: 'escalation.no-target' },
  });
  expect(await ask('escalation.test', { ...target, process: 'nobody', ...command() })).toMatchObject({
    error: { code: 'process.not-found' },
  });
});

test('what is wrong is in the row while it is open; who could not be told is a notice', async () => {
  const one = await receiver(status(404));
  const { get, events } = await openConsole(workspaceOf({ clerk: FAILS }, manifest(one.url)), null);
  const journalId = (await get('fleet.read', {})).journals[0]!.id;
  const target = { journalId, process: 'clerk' };
  await get('processes.trigger', { ...target, ...command() });
  const notice = await waitFor(
    () =>
      events.find((event) => event.name === 'console.notice' && event.payload.code === 'escalation.failed'),
    { what: 'the notice' },
  );
  expect(notice.payload).toMatchObject({
    tone: 'attention',
    message: expect.stringMatching(/could not be told .*it answered 404\. It is: clerk has failed/),
  });
  const { row, escalations } = await get('processes.read', target);
  expect(row.causes).toMatchObject([{ key: 'process/failed', kind: 'process' }]);
  expect(escalations[0]!.deliveries[0]).toMatchObject({ status: 'failed', answer: 404, attempts: 1 });
  await get('processes.start', { ...target, ...command() });
  expect((await get('processes.read', target)).row.causes).toEqual([]);
});

test("[S36] a host says that it is alive, and whether that is heard is in the host's own journal", async () => {
  const one = await receiver(status(500));
  vi.stubEnv('HOLDFAST_HEARTBEAT_URL', one.url);
  vi.stubEnv('HOLDFAST_HEARTBEAT_PRIVATE', '1');
  const data = tempDirectory();
  const { get, events, host } = await openConsole(workspaceOf({ clerk: FAILS }), data);
  const journalId = (await get('fleet.read', {})).journals[0]!.id;
  await waitFor(() => one.received.length === 1, { what: 'the beat' });
  expect(one.received[0]!.body).toEqual({
    type: 'heartbeat',
    host_id: expect.any(String),
    journal_id: journalId,
    at: expect.any(String),
    every_seconds: 60,
    processes: { running: 1 },
  });
  await waitFor(
    () =>
      events.some((event) => event.name === 'console.notice' && event.payload.code === 'heartbeat.failing'),
    { what: 'the notice' },
  );
  await host.close();
  const [directory] = readdirSync(join(data, 'host'));
  const entries = await readFileJournal(join(data, 'host', directory!)).read('host');
  expect(entries.filter(({ entry_type }) => entry_type === 'heartbeat_changed')).toMatchObject([
    { data: { to: `http://127.0.0.1:${one.port}/…`, state: 'failing', reason: 'it answered 500' } },
  ]);
});

test('a heartbeat that makes no sense is said, and one that hangs keeps nobody from closing; the host runs all the same', async () => {
  vi.stubEnv('HOLDFAST_HEARTBEAT_URL', 'http://127.0.0.1:1/');
  const { notices, get } = await openConsole(workspaceOf({ clerk: FAILS }), tempDirectory());
  await waitFor(() => notices().includes('heartbeat.invalid'), { what: 'the notice' });
  expect((await get('fleet.read', {})).processes).toMatchObject([{ name: 'clerk', state: 'running' }]);
  const one = await receiver(never);
  vi.stubEnv('HOLDFAST_HEARTBEAT_URL', one.url);
  vi.stubEnv('HOLDFAST_HEARTBEAT_PRIVATE', '1');
  const other = await openConsole(workspaceOf({ clerk: FAILS }), tempDirectory());
  await waitFor(() => one.received.length === 1, { what: 'the beat' });
  await other.host.close();
});
