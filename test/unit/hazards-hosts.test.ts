// What a host leaves when it dies or is started twice, and what its successor makes of it. Workers, hosts and journals are
// real; hosts are killed without warning.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { osProcessStartTime } from '../../core/host/os-process.ts';
import { openFileJournal, readFileJournal } from '../../core/journal/index.ts';
import { isObject, numberAt, textAt } from '../../core/model/json.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { HOLDFAST, startNode } from '../support/child.ts';
import { endsWithTest } from '../support/ends-with-test.ts';
import { bench, isIdle, OPERATOR } from '../support/runtime.ts';
import { command, openConsole, runHost, workspaceOf } from '../support/run-host.ts';
import { startStepped } from '../support/stepped-host.ts';
import { AGENT, type Kill, type SweptOrder } from '../support/swept-life.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

const EVENTS = 12;

const SWEPT_HOST = fileURLToPath(new URL('../support/swept-host.ts', import.meta.url));
const LEDGER = fileURLToPath(new URL('../support/effect-ledger.ts', import.meta.url));

async function ledgerIn(directory: string): Promise<string> {
  const socket = join(directory, 'ledger.socket');
  const ledger = startNode(LEDGER, [socket]);
  endsWithTest(ledger);
  await waitFor(() => ledger.stdout() !== '', { what: 'the ledger' });
  return socket;
}

test('[C1] [C2] [C22] [T28] kill -9 of a host in the middle of its work: context, conversation, queue, and what counts for the day are back, and the dead worker is found and said', async () => {
  const root = tempDirectory();
  const directory = join(root, 'journal');
  const ledger = await ledgerIn(root);
  const live = (kill: Kill | null) => {
    const order: SweptOrder = { directory, ledger, life: 'one', events: EVENTS, kill };
    return startNode(SWEPT_HOST, [JSON.stringify(order)]).ended;
  };
  // In the middle of the third event, while the others are handed in or wait.
  const first = await live({ victim: 'host', at: { effect: 17, delayMs: 4 } });
  expect(first).toMatchObject({ signal: 'SIGKILL', stderr: '' });
  const journal = readFileJournal(directory);
  const atDeath = await journal.read(AGENT);
  const { snapshot } = await new ReplayEngine(journal).recover(AGENT);
  const of = (type: string): number => atDeath.filter(({ entry_type }) => entry_type === type).length;
  expect(snapshot.open.length).toBeGreaterThan(0);
  expect(snapshot.queue).toHaveLength(of('trigger_event') - of('invocation_start'));
  expect(snapshot.conversation).toHaveLength(of('conversation_appended'));
  expect(snapshot.conversation.length).toBeGreaterThan(1);
  expect(Object.keys(snapshot.context)).toHaveLength(of('context_update'));
  expect(snapshot.context).toHaveProperty('done-1');
  expect(snapshot.budget.spent.runs).toBe(of('invocation_start'));
  const worker = snapshot.workers[0]!;

  const second = await live(null);
  expect(second).toMatchObject({ code: 0, stderr: '' });
  const entries = await journal.read(AGENT);
  const behind = entries.slice(atDeath.length);
  expect(behind.find(({ entry_type }) => entry_type === 'worker_exited')!.data).toMatchObject({
    pid: worker.pid,
    reason: 'its host is gone',
  });
  expect(osProcessStartTime(worker.pid)).not.toBe(worker.startTime);
  const recovered = behind.findIndex(({ entry_type }) => entry_type === 'recovered');
  const worked = behind.findIndex(({ entry_type }) =>
    /^(trigger_event|invocation_|effect_)/.test(entry_type),
  );
  expect(recovered).toBeGreaterThanOrEqual(0);
  expect(recovered).toBeLessThan(worked);
  const end = (await new ReplayEngine(journal).recover(AGENT)).snapshot;
  expect(end).toMatchObject({ invocationCount: EVENTS, open: [], queue: [] });
  // Counted on, and not from the beginning; unless midnight came between.
  const isSameDay = end.budget.period!.id === snapshot.budget.period!.id;
  expect(isSameDay ? end.budget.spent.runs : EVENTS).toBe(EVENTS);
  const ends = entries.filter(({ entry_type }) => entry_type === 'invocation_result');
  const payloads = entries
    .filter(({ entry_type }) => entry_type === 'trigger_event')
    .map(({ data }) => (isObject(data['payload']) ? numberAt(data['payload'], 'n') : 0));
  expect(new Set(ends.map(({ data }) => textAt(data, 'event_id'))).size).toBe(EVENTS);
  expect(payloads).toEqual(Array.from({ length: EVENTS }, (_, at) => at + 1));
});

test('[T36] why a process is held is on record before anything stops for it, and holds it after a restart', async () => {
  const b = await bench(
    `await ctx.effect('slow', { class: 'retry' }, async () => { note('slow'); while (!existsSync(event.payload)) await delay(5); });
     await ctx.effect('next', { class: 'ask' }, async () => { note('next'); });`,
  );
  const gate = join(b.directory, 'gate');
  await b.trigger(gate);
  await b.until('the effect', () => b.ledger().length === 1);
  await b.process.suspend({ name: 'operator:ada', reason: 'it costs too much' });
  writeFileSync(gate, '');
  await b.quit();
  const entries = await b.entries();
  const at = (type: string): number => entries.findIndex(({ entry_type }) => entry_type === type);
  expect(entries[at('hold_placed')]!.data).toMatchObject({
    hold: 'operator',
    reason: 'it costs too much',
    actor: 'operator:ada',
  });
  const suspended = entries.findIndex(({ data }) => data['to_state'] === 'suspended');
  expect(at('hold_placed')).toBeLessThan(suspended);
  expect(suspended).toBeLessThan(at('worker_exited'));
  const next = await bench(`note('again');`, {}, b.directory);
  expect(next.process.snapshot).toMatchObject({
    lifecycle: 'suspended',
    holds: [{ kind: 'operator', reason: 'it costs too much', actor: 'operator:ada' }],
  });
  expect(next.process.live.worker).toBeNull();
  expect(next.ledger()).toEqual(['slow']);
});

test('[T31] two hosts take over what a dead one left, at once: one of them runs it, the other is refused and says who has it', async () => {
  const workspace = workspaceOf({
    clerk: `const { appendFileSync } = await import('node:fs');
      await ctx.effect('book', { class: 'idempotent' }, async () => appendFileSync(event.payload, 'x'));`,
  });
  const dead = await runHost(workspace);
  await dead.kill();
  const start = () =>
    startNode(HOLDFAST, ['run', workspace, '--json'], {
      // Those that can't find each other can't attach to each other.
      env: { ...process.env, HOLDFAST_DATA: tempDirectory() },
    });
  const hosts = [start(), start()];
  hosts.forEach(endsWithTest);
  const runs = (host: (typeof hosts)[number]): boolean => host.stdout().includes('"event":"fleet"');
  await waitFor(() => hosts.some((host) => host.process.exitCode !== null) && hosts.some(runs), {
    what: 'a winner and a loser',
  });
  const winner = hosts.find((host) => host.process.exitCode === null)!;
  const loser = hosts.find((host) => host.process.exitCode !== null)!;
  const { code, stderr } = await loser.ended;
  expect(code).toBe(5);
  // Who has it says so a moment after taking it.
  expect(stderr).toMatch(new RegExp(`being written by (process ${winner.process.pid}|another process),`));
  winner.process.kill('SIGTERM');
  await winner.ended;
  const entries = await readFileJournal(join(workspace, '.holdfast-journal')).read('clerk');
  const writers = entries
    .filter(({ entry_type }) => entry_type === 'writer_opened')
    .map(({ data }) => data['epoch']);
  expect(writers).toEqual([1, 2].slice(-writers.length));
});

test('[T31] two consoles that press force-recover at once: it is done one after the other, and what was begun is done once', async () => {
  const workspace = workspaceOf({
    clerk: `const { appendFileSync } = await import('node:fs');
      await ctx.effect('book', { class: 'ask' }, async () => appendFileSync(event.payload, 'x'));
      await ctx.promise('go');`,
  });
  const data = tempDirectory();
  await runHost(workspace, data);
  const [one, two] = await Promise.all([openConsole(workspace, data), openConsole(workspace, data)]);
  const { journals } = await one.get('fleet.read', {});
  const of = { journalId: journals[0]!.id, process: 'clerk' };
  const booked = join(data, 'booked');
  await one.get('processes.trigger', { ...of, payloadText: JSON.stringify(booked), ...command() });
  // The file is there before what is written into it.
  await waitFor(() => existsSync(booked) && readFileSync(booked, 'utf8') !== '', { what: 'the booking' });
  const recover = (console: typeof one) =>
    console.ask('processes.force-recover', { ...of, ...command('stuck') });
  const results = await Promise.all([recover(one), recover(two)]);
  expect(results.map(({ ok }) => ok)).toEqual([true, true]);
  const journal = readFileJournal(join(workspace, '.holdfast-journal'));
  const { snapshot } = await new ReplayEngine(journal).recover('clerk');
  expect(snapshot.open).toHaveLength(1);
  expect(readFileSync(booked, 'utf8')).toBe('x');
  const forced = (await journal.read('clerk')).filter(({ data: said }) => said['forced'] === true);
  expect(forced).toHaveLength(2);
});

test('[T31] a recovery that fails says why, moves nothing, and is done again when the reason is gone', async () => {
  const b = await bench(`note('ran');`);
  await b.trigger();
  await b.until('the end', isIdle);
  await b.process.suspend(OPERATOR);
  await b.trigger('queued');
  const path = b.journal.pathOf('agent');
  await b.quit();
  renameSync(path, `${path}.away`);
  writeFileSync(path, 'no journal\n');
  const next = await bench(`note('ran');`, {}, b.directory);
  expect(next.process.live.trouble).not.toBeNull();
  const { code } = next.process.live.trouble!;
  expect(code).toMatch(/^journal\./);
  await expect(next.process.forceRecover(OPERATOR)).rejects.toMatchObject({ code });
  await expect(next.trigger()).rejects.toMatchObject({ code });
  expect(next.process.live.worker).toBeNull();
  renameSync(`${path}.away`, path);
  await next.process.forceRecover(OPERATOR);
  expect(next.process.live.trouble).toBeNull();
  expect(next.process.snapshot).toMatchObject({ lifecycle: 'suspended', queue: [{ payload: 'queued' }] });
  await next.process.resume(OPERATOR);
  await next.until('the end', isIdle);
  expect(next.ledger()).toEqual(['ran', 'ran']);
});

test('[T31] [J7] a recovery that there is no room for is refused, moves nothing, and is done when there is', async () => {
  const host = await startStepped(() => 0.5);
  const { agent } = host;
  const accept = () => host.outcome('accepting', agent.trigger({ errand: 'count' }));
  host.isFull = true;
  const full = { code: 'journal.disk-full' };
  await expect(accept()).rejects.toMatchObject(full);
  await expect(host.outcome('recovering', agent.forceRecover(OPERATOR))).rejects.toMatchObject(full);
  await expect(accept()).rejects.toMatchObject(full);
  expect(agent.live).toMatchObject({ trouble: full, worker: null, isSpawning: false });
  host.isFull = false;
  await host.outcome('recovering', agent.forceRecover(OPERATOR));
  expect(agent.live.trouble).toBeNull();
  await accept();
  await host.until('the end', isIdle);
  expect(agent.snapshot).toMatchObject({ invocationCount: 1, context: { count: 1 } });
});

test('[T31] a second runtime in the same program is refused as well, and the first goes on', async () => {
  const b = await bench(`note('ran');`);
  expect(() => openFileJournal(b.journal.directory)).toThrow(/being written by/);
  await b.trigger();
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['ran']);
});
