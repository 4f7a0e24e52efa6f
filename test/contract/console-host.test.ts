// The host behind the contract, without any window: a real workspace, real workers, real journals.

import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ConsoleEvent, ConsoleHost } from '../../core/contract/console-host.ts';
import type { Result } from '../../core/contract/define.ts';
import { EVENTS } from '../../core/contract/events.ts';
import { REQUESTS, type RequestName, type RequestOf, type ResponseOf } from '../../core/contract/requests.ts';
import { childProcessWorkerHost } from '../../core/host/child-process-worker-host.ts';
import { createConsoleHost } from '../../core/host/create-console-host.ts';
import { readFileJournal } from '../../core/journal/index.ts';
import { demoWorkspace } from '../support/demo.ts';
import { PROMPTISE_JOURNALS, promptiseCases, treeHash } from '../support/fixtures.ts';
import { heldJournal } from '../support/held-journal.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { tinyDisk } from '../support/tiny-disk.ts';
import { waitFor } from '../support/wait-for.ts';

interface Client {
  readonly host: ConsoleHost;
  readonly events: ConsoleEvent[];
  readonly ask: <N extends RequestName>(name: N, request: RequestOf<N>) => Promise<Result<ResponseOf<N>>>;
  readonly get: <N extends RequestName>(name: N, request: RequestOf<N>) => Promise<ResponseOf<N>>;
}

async function connect(workspace: string | null): Promise<Client> {
  const host = await createConsoleHost({
    knownJournals: null,
    app: { version: '0', host: 'test', isStandIn: false, platform: process.platform },
    workspace,
    workerHost: childProcessWorkerHost(),
    operator: 'tester',
    chooseJournal: async () => null,
  });
  onTestFinished(() => host.close());
  const events: ConsoleEvent[] = [];
  host.subscribe((event) => {
    EVENTS[event.name].parse(event.payload); // What is told is as agreed.
    events.push(event);
  });
  const ask: Client['ask'] = async (name, request) => {
    const result = (await host.handle(name, request)) as Result<never>;
    if (result.ok) REQUESTS[name].response.parse(result.value); // So is what is answered.
    return result;
  };
  const get: Client['get'] = async (name, request) => {
    const result = await ask(name, request);
    if (!result.ok) throw new Error(`${name}: ${result.error.code}: ${result.error.message}`);
    return result.value;
  };
  return { host, events, ask, get };
}

const command = () => ({ commandId: crypto.randomUUID(), reason: 'test' });

test('junk is answered with what is wrong with it, never with a throw', async () => {
  const { host } = await connect(null);
  const junk: readonly unknown[] = [
    undefined,
    null,
    5,
    'x',
    [],
    { a: 1 },
    { path: '' },
    { path: 7 },
    { __proto__: { path: 'x' } },
  ];
  for (const name of [...Object.keys(REQUESTS), 'nothing', '__proto__', 'constructor', '']) {
    for (const request of junk) {
      const result = await host.handle(name, request);
      if (result.ok) continue;
      expect(result.error.code).toMatch(/^(request|journal)\./);
      expect(result.error.message).not.toBe('');
    }
  }
});

test('[P5] the fleet is whole when it is read, and every change carries the next number', async () => {
  const { get, events } = await connect(demoWorkspace());
  const fleet = await get('fleet.read', {});
  expect(fleet.processes.map((row) => [row.name, row.state, row.live])).toEqual([
    ['archivist', 'running', true],
    ['file-clerk', 'running', true],
    ['invoice-clerk', 'running', true],
    ['mail-triage', 'running', true],
    ['market-watcher', 'running', true],
  ]);
  expect(fleet.processes.find(({ name }) => name === 'invoice-clerk')!.budget).toMatchObject({
    until: expect.any(String),
    cost: expect.any(Number),
    exceeded: null,
  });
  // What was told before it was read is in it.
  const numbers = await waitFor(() => {
    const told = events.flatMap((event) => (event.name === 'fleet.changed' ? [event.payload.sequence] : []));
    const since = told.filter((sequence) => sequence > fleet.sequence);
    return since.length >= 3 && since;
  });
  expect(numbers).toEqual(numbers.map((_, at) => fleet.sequence + 1 + at));
});

test('[P7] an operator action is on record, with who and why, before it acts; asked twice it is done once', async () => {
  const workspace = demoWorkspace();
  const { get, ask } = await connect(workspace);
  const { journals, processes } = await get('fleet.read', {});
  const target = { journalId: journals[0]!.id, process: processes[0]!.name };
  const once = { ...target, ...command() };
  const answers = await Promise.all([get('processes.suspend', once), get('processes.suspend', once)]);
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0].state).toBe('suspended');
  const refused = await ask('processes.start', { ...target, ...command() });
  expect(refused).toMatchObject({ ok: false, error: { code: 'process.illegal-transition' } });
  await get('processes.resume', { ...target, ...command() });

  const entries = await readFileJournal(join(workspace, '.holdfast-journal')).read(target.process);
  const types = entries.map((entry) => entry.entry_type);
  const asked = entries.filter((entry) => entry.entry_type === 'operator_action');
  expect(asked.map((entry) => entry.data['action'])).toEqual(['suspend', 'start', 'resume']);
  expect(asked[0]!.data).toMatchObject({ operator: 'tester', reason: 'test', command_id: once.commandId });
  expect(types.indexOf('operator_action')).toBeLessThan(types.indexOf('hold_placed'));
  const outcomes = entries.filter((entry) => entry.entry_type === 'operator_outcome');
  expect(outcomes.map((entry) => entry.data['ok'])).toEqual([true, false, true]);
});

test('destructive actions need a reason', async () => {
  const { ask, get } = await connect(demoWorkspace());
  const { journals, processes } = await get('fleet.read', {});
  const target = {
    journalId: journals[0]!.id,
    process: processes[0]!.name,
    commandId: crypto.randomUUID(),
    reason: '',
  };
  for (const name of ['processes.kill-worker', 'processes.force-recover'] as const) {
    expect(await ask(name, target)).toMatchObject({ ok: false, error: { code: 'request.invalid' } });
  }
});

test('a watched process tells its detail and every new entry once', async () => {
  const { get, events } = await connect(demoWorkspace());
  const { journals } = await get('fleet.read', {});
  const target = { journalId: journals[0]!.id, process: 'market-watcher' };
  await get('processes.watch', { target });
  const page = await get('timeline.read', { ...target, before: null, limit: 200 });
  await get('processes.trigger', { ...target, ...command(), payloadText: '{"n":1}' });
  const told = () => events.flatMap((event) => (event.name === 'process.changed' ? [event.payload] : []));
  const toldRows = () => told().flatMap(({ rows }) => rows);
  // It has triggers of its own.
  await waitFor(
    () =>
      told().some(({ detail }) => detail.row.invocations >= 1) &&
      toldRows().some((row) => row.type === 'trigger_event' && row.dataText.includes('"n": 1')),
    { what: 'its end and its beginning' },
  );
  const seqs = toldRows()
    .map((row) => row.seq)
    .sort((a, b) => a - b);
  expect(new Set(seqs).size).toBe(seqs.length);
  expect(seqs[0]).toBeLessThanOrEqual(page.rows[0]!.seq + 1);
  const bad = await get('processes.watch', { target: null });
  expect(bad).toEqual({});
});

test.each(promptiseCases())(
  '[P6] [P8] the Promptise journal "%s" opens, is shown, and stays as it is to the last byte',
  async (name) => {
    const directory = join(tempDirectory(), 'journal');
    cpSync(join(PROMPTISE_JOURNALS, name, 'journal'), directory, {
      recursive: true,
      preserveTimestamps: true,
    });
    const before = treeHash(directory);
    const { get, ask } = await connect(null);
    const journal = await get('journals.open', { path: directory });
    expect(journal).toMatchObject({ access: 'read-only', format: 'promptise' });
    const { processes } = await get('fleet.read', {});
    expect(processes.length).toBeGreaterThan(0);
    for (const row of processes) {
      expect(row).toMatchObject({ live: false, actions: [] });
      const target = { journalId: journal.id, process: row.name };
      await get('processes.read', target);
      const page = await get('timeline.read', { ...target, before: null, limit: 100 });
      expect(page.rows.length).toBeGreaterThan(0);
      expect(await ask('processes.suspend', { ...target, ...command() })).toMatchObject({
        ok: false,
        error: { code: 'journal.read-only' },
      });
    }
    await get('journals.close', { journalId: journal.id });
    expect(treeHash(directory)).toBe(before);
  },
);

test('the same directory opened twice is one journal; a copy of an open journal is refused', async () => {
  const workspace = demoWorkspace();
  const owner = await connect(workspace);
  await owner.host.close();
  const { get, ask } = await connect(null);
  const first = await get('journals.open', { path: workspace });
  const again = await get('journals.open', { path: join(workspace, '.holdfast-journal/journal.holdfast') });
  expect(again.id).toBe(first.id);
  const copy = tempDirectory();
  for (const file of ['journal.holdfast', 'mail-triage.jsonl'])
    copyFileSync(join(first.directory, file), join(copy, file));
  expect(await ask('journals.open', { path: copy })).toMatchObject({
    ok: false,
    error: { code: 'journal.same-id' },
  });
});

test('a workspace that another host runs is looked at instead, and the console says who runs it', async () => {
  const workspace = demoWorkspace();
  const holder = await heldJournal(join(workspace, '.holdfast-journal'));
  const second = await connect(workspace);
  const fleet = await second.get('fleet.read', {});
  expect(fleet.journals).toMatchObject([
    { access: 'read-only', note: `Being written by process ${holder.process.pid}; looked at from here.` },
  ]);
  const notice = await waitFor(() => second.events.find((event) => event.name === 'console.notice'));
  expect(notice.payload).toMatchObject({ code: 'journal.locked' });
});

test('one unusable manifest is named, and the others run', async () => {
  const workspace = demoWorkspace();
  writeFileSync(join(workspace, 'bad-key.agent'), 'name: bad\nentrypoint: ./mail-triage.ts\ncolour: red\n');
  writeFileSync(
    join(workspace, 'bad-cron.agent'),
    'name: worse\nentrypoint: ./mail-triage.ts\ntriggers: [{ type: cron, cron_expression: "0 0 30 2 *" }]\n',
  );
  writeFileSync(join(workspace, 'outside.agent'), 'name: out\nentrypoint: ../../etc/passwd\n');
  const { get, events } = await connect(workspace);
  const { processes, journals } = await get('fleet.read', {});
  expect(processes.map((row) => row.name)).toEqual([
    'archivist',
    'file-clerk',
    'invoice-clerk',
    'mail-triage',
    'market-watcher',
  ]);
  await waitFor(() => events.filter((event) => event.name === 'console.notice').length === 3);
  expect(journals[0]!.note).toMatch(
    /"colour", which is not a setting.*not inside the workspace.*never comes due/s,
  );
});

/** A workspace of these manifests, all of one module that does nothing. */
function workspaceOf(manifests: Readonly<Record<string, string>>): string {
  const workspace = tempDirectory();
  writeFileSync(
    join(workspace, 'quiet.ts'),
    `import { defineAgent } from 'holdfast';\nexport default defineAgent({ async onTrigger() { return 'ok'; } });\n`,
  );
  for (const [file, text] of Object.entries(manifests)) {
    writeFileSync(join(workspace, file), `${text}entrypoint: ./quiet.ts\n`);
  }
  return workspace;
}

test('two manifests of one name, a directory and an editor lock among them: the rest runs', async () => {
  const workspace = workspaceOf({ 'a.agent': 'name: a\n', 'b.agent': 'name: a\n', 'c.agent': 'name: c\n' });
  mkdirSync(join(workspace, 'old.agent'));
  symlinkSync('somebody@machine.1:2', join(workspace, '.#a.agent'));
  const { get, events } = await connect(workspace);
  const { processes, journals } = await get('fleet.read', {});
  expect(processes.map((row) => [row.name, row.state])).toEqual([
    ['a', 'running'],
    ['c', 'running'],
  ]);
  expect(journals).toMatchObject([{ access: 'live' }]);
  const notice = await waitFor(() => events.find((event) => event.name === 'console.notice'));
  expect(notice.payload.code).toBe('manifest.duplicate-name');
  for (const file of ['a.agent', 'b.agent']) expect(notice.payload.message).toContain(join(workspace, file));
});

test('a workspace on a disk that can not be written says what and what to do', async (context) => {
  const disk = tinyDisk(512 * 1024);
  if (typeof disk === 'string') return context.skip(disk);
  cpSync(workspaceOf({ 'a.agent': 'name: a\n' }), disk.directory, { recursive: true });
  execFileSync('mount', ['-o', 'remount,ro', disk.directory]);
  const { get, events } = await connect(disk.directory);
  expect((await get('fleet.read', {})).journals).toEqual([]);
  const notice = await waitFor(() => events.find((event) => event.name === 'console.notice'));
  expect(notice.payload.code).toBe('workspace.not-writable');
  expect(notice.payload.message).toContain(join(disk.directory, '.holdfast-journal'));
  expect(notice.payload.message).toMatch(/read-only.*Make the workspace writable/s);
});

test('[P7] a command id used for another process or another verb is refused, and does nothing', async () => {
  const workspace = workspaceOf({ 'a.agent': 'name: a\n', 'b.agent': 'name: b\n' });
  const { get, ask } = await connect(workspace);
  const journalId = (await get('fleet.read', {})).journals[0]!.id;
  const once = { journalId, process: 'a', ...command() };
  const first = await get('processes.suspend', once);
  expect(await get('processes.suspend', { ...once })).toEqual(first);
  const refused = { ok: false, error: { code: 'request.command-reused' } };
  expect(await ask('processes.suspend', { ...once, process: 'b' })).toMatchObject(refused);
  expect(await ask('processes.resume', once)).toMatchObject(refused);
  expect(await ask('processes.suspend', { ...once, reason: 'another' })).toMatchObject(refused);
  const { processes } = await get('fleet.read', {});
  expect(processes.map((row) => row.state)).toEqual(['suspended', 'running']);
});

test('once it closes it refuses every request, and what was asked before is done', async () => {
  const { host, ask, get } = await connect(workspaceOf({ 'a.agent': 'name: a\n' }));
  const { journals } = await get('fleet.read', {});
  const target = { journalId: journals[0]!.id, process: 'a' };
  const asked = ask('processes.suspend', { ...target, ...command() });
  const closed = host.close();
  const refused = { ok: false, error: { code: 'host.closing' } };
  expect(await ask('processes.resume', { ...target, ...command() })).toMatchObject(refused);
  expect(await ask('journals.open', { path: tempDirectory() })).toMatchObject(refused);
  expect(await asked).toMatchObject({ ok: true, value: { state: 'suspended' } });
  expect(host.close()).toBe(closed);
  await closed;
  expect(await ask('fleet.read', {})).toMatchObject(refused);
});

test('a journal that was being opened when it closed is let go of', async () => {
  const directory = tempDirectory();
  cpSync(join(PROMPTISE_JOURNALS, promptiseCases()[0]!, 'journal'), directory, { recursive: true });
  const { host, ask } = await connect(null);
  const opening = ask('journals.open', { path: directory });
  await host.close();
  expect(await opening).toMatchObject({ ok: false, error: { code: 'host.closing' } });
  expect(host.fleet().journals).toEqual([]);
});

test('a listener that throws is said once, keeps nothing from the others and ends nothing', async () => {
  const { host, events, get } = await connect(workspaceOf({ 'a.agent': 'name: a\n' }));
  host.subscribe((event) => {
    if (event.name === 'fleet.changed') throw new Error('a window that is gone');
  });
  const told = (): number => events.filter((event) => event.name === 'fleet.changed').length;
  const target = { journalId: (await get('fleet.read', {})).journals[0]!.id, process: 'a' };
  for (const act of ['processes.suspend', 'processes.resume', 'processes.suspend'] as const) {
    const before = told();
    await get(act, { ...target, ...command() });
    await waitFor(() => told() > before);
  }
  const notices = events.flatMap((event) => (event.name === 'console.notice' ? [event.payload.message] : []));
  expect(notices).toEqual(['a window that is gone']);
});

test('[P5] a looked-at directory that fails leaves the host running and its size unknown', async () => {
  const { get, events } = await connect(workspaceOf({ 'a.agent': 'name: a\n' }));
  const live = (await get('fleet.read', {})).journals[0]!.id;
  const directory = join(tempDirectory(), 'journal');
  cpSync(join(PROMPTISE_JOURNALS, promptiseCases()[0]!, 'journal'), directory, { recursive: true });
  const { id, sizeBytes } = await get('journals.open', { path: directory });
  expect(sizeBytes).toBeGreaterThan(0);
  renameSync(directory, `${directory}-gone`);
  symlinkSync('journal', directory);
  await waitFor(() =>
    events.some(
      (event) =>
        event.name === 'fleet.changed' &&
        event.payload.journals?.some((journal) => journal.id === id && journal.sizeBytes === null),
    ),
  );
  await get('processes.suspend', { journalId: live, process: 'a', ...command() });
});

test('[P5] the rows that are told and the rows that are read are as of now, whatever is not made again', async () => {
  const manifests = Array.from({ length: 20 }, (_, at) => [`p${at}.agent`, `name: p${at}\n`] as const);
  const { get, events } = await connect(workspaceOf(Object.fromEntries(manifests)));
  const fleet = await get('fleet.read', {});
  const journalId = fleet.journals[0]!.id;
  const rows = new Map(fleet.processes.map((row) => [row.key, row]));
  for (const process of ['p3', 'p7', 'p3']) {
    await get('processes.trigger', { journalId, process, ...command() });
    const now = await get('fleet.read', {});
    const { row } = await get('processes.read', { journalId, process });
    expect(now.processes.find(({ name }) => name === process)).toEqual(row);
  }
  const isDone = (): boolean =>
    [...rows.values()]
      .filter((row) => row.invocations > 0)
      .map((row) => row.invocations)
      .join() === '2,1';
  await waitFor(() => {
    for (const event of events.splice(0)) {
      if (event.name !== 'fleet.changed' || event.payload.sequence <= fleet.sequence) continue;
      for (const row of event.payload.upserts) rows.set(row.key, row);
    }
    return isDone();
  });
  const now = await get('fleet.read', {});
  for (const row of now.processes) expect(rows.get(row.key)?.invocations).toBe(row.invocations);
  expect(now.journals[0]!.sizeBytes).toBeGreaterThan(fleet.journals[0]!.sizeBytes!);
});
