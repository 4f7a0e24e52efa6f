// The whole host, killed without warning in the middle of an effect, and started again on what is left.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import type { ConsoleEvent } from '../../core/contract/console-host.ts';
import type { FleetView } from '../../core/contract/fleet-views.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import { osProcessStartTime } from '../../core/host/os-process.ts';
import { readFileJournal, type FileJournal } from '../../core/journal/index.ts';
import { ReplayEngine } from '../../core/replay/index.ts';
import { HOLDFAST, holdfast } from '../support/child.ts';
import { bookedKeys, demoWorkspace } from '../support/demo.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';

interface RunningHost {
  readonly child: ChildProcess;
  readonly gone: Promise<unknown>;
  row(name: string): ProcessRow | undefined;
}

function startHost(workspace: string): RunningHost {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', HOLDFAST, 'run', workspace, '--json'],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, HOLDFAST_DATA: tempDirectory() } },
  );
  const gone = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  const rows = new Map<string, ProcessRow>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = JSON.parse(line) as { event: string } & FleetView &
      Extract<ConsoleEvent, { name: 'fleet.changed' }>['payload'];
    for (const row of event.processes ?? event.upserts ?? []) rows.set(row.name, row);
  });
  return { child, gone, row: (name) => rows.get(name) };
}

async function isBookingTax(journal: FileJournal): Promise<boolean> {
  const { snapshot } = await new ReplayEngine(journal).recover('invoice-clerk');
  const effects = snapshot.open.flatMap((invocation) => invocation.effects);
  return effects.some(({ name, end }) => name === 'book-tax' && end === null);
}

test('[P1] [P2] [P4] kill -9 of the host inside an effect: everything is recovered before the first new trigger, and no line is booked twice', async () => {
  const workspace = demoWorkspace();
  const journal = readFileJournal(join(workspace, '.holdfast-journal'));

  const first = startHost(workspace);
  await waitFor(() => first.row('invoice-clerk')?.worker, { what: 'its worker' });
  const workers = ['invoice-clerk', 'mail-triage', 'market-watcher'].flatMap(
    (name) => first.row(name)?.worker?.pid ?? [],
  );
  // Its journal says how it is only while it stands still.
  await waitFor(
    async () => {
      first.child.kill('SIGSTOP');
      if (await isBookingTax(journal)) return true;
      first.child.kill('SIGCONT');
      return false;
    },
    { what: 'a moment inside of the second booking' },
  );
  first.child.kill('SIGKILL');
  await first.gone;
  await waitFor(() => workers.every((pid) => osProcessStartTime(pid) === null), {
    what: 'the end of orphaned workers',
  });

  const before = await new ReplayEngine(journal).recover('invoice-clerk');
  expect(before.snapshot.open).toHaveLength(1);
  const killedAt = new Map<string, number>();
  for (const name of await journal.processes()) killedAt.set(name, (await journal.read(name)).at(-1)!.seq);

  const second = startHost(workspace);
  await waitFor(() => (second.row('invoice-clerk')?.invocations ?? 0) >= 2, {
    what: 'the invoice that was begun and the next',
  });
  second.child.kill('SIGTERM');
  await second.gone;

  for (const [name, seq] of killedAt) {
    const types = (await journal.read(name))
      .filter((entry) => entry.seq > seq)
      .map((entry) => entry.entry_type);
    const untilFirstTrigger = types.includes('trigger_event')
      ? types.slice(0, types.indexOf('trigger_event'))
      : types;
    expect(untilFirstTrigger, name).toContain('recovered');
  }
  const keys = bookedKeys(workspace);
  expect(new Set(keys).size).toBe(keys.length);
  const finished = (await journal.read('invoice-clerk')).filter(
    (entry) => entry.entry_type === 'invocation_result',
  ).length;
  expect(keys.length).toBeGreaterThanOrEqual(finished * 3);
  const after = await new ReplayEngine(journal).recover('invoice-clerk');
  // One that is open may have been counted before the host was ended.
  const counted = after.context_state['invoices_booked'];
  expect(counted).toBeGreaterThanOrEqual(finished);
  expect(counted).toBeLessThanOrEqual(finished + after.snapshot.open.length);
  expect(after.lifecycle_state).toBe('suspended');
  expect(after.snapshot.holds.map((hold) => hold.kind)).toEqual(['quit']);
}, 300_000);

test('[J5] a second host is refused with the pid of the first, and changes nothing', async () => {
  const workspace = demoWorkspace();
  const first = startHost(workspace);
  await waitFor(() => first.row('market-watcher')?.state === 'running');
  const { code, stderr } = await holdfast(['run', workspace]);
  expect(code).toBe(5);
  expect(stderr).toContain(`being written by process ${first.child.pid}`);
});
