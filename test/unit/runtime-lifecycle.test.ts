import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { osProcessStartTime } from '../../core/host/os-process.ts';
import { bench, isIdle, OPERATOR } from '../support/runtime.ts';
import { waitFor } from '../support/wait-for.ts';

const states = (entries: readonly { entry_type: string; data: Readonly<Record<string, unknown>> }[]) =>
  entries.filter((entry) => entry.entry_type === 'state_transition').map((entry) => entry.data['to_state']);

test('a new process starts, runs, is stopped and started again, and its journal says so', async () => {
  const b = await bench(`note('ran');`, { initialState: { n: 0 } });
  expect(b.process.snapshot).toMatchObject({ lifecycle: 'running', context: { n: 0 } });
  await b.trigger();
  await b.until('the run', isIdle);
  await b.process.stop(OPERATOR);
  expect(b.process.snapshot.lifecycle).toBe('stopped');
  await expect(b.trigger()).rejects.toMatchObject({ code: 'process.not-active' });
  await b.process.start(OPERATOR);
  expect(b.process.snapshot.lifecycle).toBe('running');
  await b.quit();
  expect(states(await b.entries())).toEqual([
    'starting',
    'running',
    'stopping',
    'stopped',
    'starting',
    'running',
    'suspended',
  ]);
});

test('a suspended process accepts events and handles them, in order, once it is resumed', async () => {
  const b = await bench(`note(event.payload);`);
  await b.process.suspend(OPERATOR);
  for (const payload of ['1', '2', '3']) await b.trigger(payload);
  expect(b.process.snapshot.queue).toHaveLength(3);
  expect(b.process.live.worker).toBeNull();
  await b.process.resume(OPERATOR);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['1', '2', '3']);
});

test('[S34] suspending stops an invocation before its next effect, and resuming lets it go on', async () => {
  const b = await bench(
    `await ctx.effect('first', { class: 'idempotent' }, async () => { note('first'); while (!existsSync(${JSON.stringify('')} + event.payload)) await delay(5); });
     await ctx.effect('second', { class: 'idempotent' }, async () => { note('second'); });`,
  );
  const gate = `${b.directory}/gate`;
  await b.trigger(gate);
  await b.until('the first effect', () => b.ledger().includes('first'));
  await b.process.suspend(OPERATOR);
  appendFileSync(gate, '');
  // The second effect has been announced, and is not permitted.
  await b.until('the announcement', (process) => process.snapshot.open[0]?.effects.length === 2);
  await b.process.record('log', {});
  expect(b.ledger()).toEqual(['first']);
  await b.process.resume(OPERATOR);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['first', 'second']);
});

test('[S34] what the host held when it quit goes on at the next start; what an operator held stays', async () => {
  const b = await bench(`note(event.payload);`);
  const second = await b.again();
  expect(second.process.snapshot).toMatchObject({ lifecycle: 'running', holds: [] });
  await second.process.suspend(OPERATOR);
  const third = await second.again();
  expect(third.process.snapshot).toMatchObject({ lifecycle: 'suspended', holds: [{ kind: 'operator' }] });
});

test('failing three times in a row fails the process, with the reason, and what is queued waits', async () => {
  const b = await bench(`throw new Error('no ' + event.payload);`);
  // A process that has failed takes no more.
  await b.process.suspend(OPERATOR);
  for (const payload of ['1', '2', '3', '4']) await b.trigger(payload);
  await b.process.resume(OPERATOR);
  await b.until('the failure', (process) => process.snapshot.lifecycle === 'failed');
  expect(b.process.snapshot.lifecycleReason).toBe('3 failures in a row, the last: no 3');
  expect(b.process.snapshot.queue.map((event) => event.payload)).toEqual(['4']);
  expect(b.process.snapshot.recentRuns.map((run) => run.ok)).toEqual([false, false, false]);
});

test('a failed process restarts with backoff as often as its policy allows, then stays failed', async () => {
  const b = await bench(`throw new Error('never');`, {
    restartPolicy: 'on_failure',
    maxRestarts: 2,
    maxConsecutiveFailures: 1,
  });
  await b.process.suspend(OPERATOR);
  for (let event = 0; event < 5; event += 1) await b.trigger();
  await b.process.resume(OPERATOR);
  const all = await waitFor(async () => {
    const entries = await b.entries();
    return entries.some((entry) => entry.entry_type === 'restart_exhausted') && entries;
  });
  expect(all.filter((entry) => entry.entry_type === 'restart').map((entry) => entry.data['attempt'])).toEqual(
    [1, 2],
  );
  expect(b.process.snapshot).toMatchObject({ lifecycle: 'failed', restarts: 2 });
});

test('a module that can not be loaded is tried, then fails the process with what is wrong', async () => {
  const b = await bench(`export default defineAgent({ onTrigger: ;`, { maxRestarts: 1 });
  await b.trigger();
  await b.until('the failure', (process) => process.snapshot.lifecycle === 'failed');
  expect(b.process.snapshot.lifecycleReason).toMatch(/could not be started.*agent\.ts/s);
  expect(b.process.snapshot.queue).toHaveLength(1);
});

test('a worker that dies again and again without progress is a crash loop, and fails the process', async () => {
  const b = await bench(`process.exit(7);`, { maxRestarts: 2 });
  await b.trigger();
  await b.until('the failure', (process) => process.snapshot.lifecycle === 'failed');
  expect(b.process.snapshot.lifecycleReason).toMatch(/exited with code 7; 3 times in a row without progress/);
  expect(b.process.snapshot.open).toHaveLength(1);
});

test('[J7] a journal that somebody else writes to stops the process; force-recover takes it over again', async () => {
  const b = await bench(`note('ran');`);
  const foreign = {
    entry_id: 'x',
    process_id: 'agent',
    timestamp: '2026-01-01T00:00:00+00:00',
    entry_type: 'note',
    data: {},
  };
  appendFileSync(b.journal.pathOf('agent'), `${JSON.stringify(foreign)}\n`);
  await expect(b.trigger()).rejects.toMatchObject({ code: 'journal.foreign-writer' });
  expect(b.process.live.trouble).toMatchObject({ code: 'journal.foreign-writer' });
  await expect(b.trigger()).rejects.toMatchObject({ code: 'journal.foreign-writer' });
  await b.process.forceRecover(OPERATOR);
  expect(b.process.live.trouble).toBeNull();
  await b.trigger();
  await b.until('the run', isIdle);
  expect(b.ledger()).toEqual(['ran']);
  expect(b.process.snapshot.lifecycle).toBe('running');
});

test('force-recover ends the worker, rebuilds from the journal, and the invocation goes on', async () => {
  const b = await bench(
    `await ctx.effect('wait', { class: 'idempotent' }, async ({ attempt }) => { note('wait ' + attempt); if (attempt === 1) await delay(60_000); });`,
  );
  await b.trigger();
  await b.until('the effect', () => b.ledger().length === 1);
  const before = b.process.live.worker!.pid;
  await b.process.forceRecover(OPERATOR);
  await b.until('the end', isIdle);
  expect(b.ledger()).toEqual(['wait 1', 'wait 2']);
  expect(osProcessStartTime(before)).toBeNull();
  const recovered = (await b.entries()).find((entry) => entry.entry_type === 'recovered');
  expect(recovered!.data).toMatchObject({ from: 'running', forced: true, actor: 'operator:tester' });
});

test('illegal operator actions are refused with the state as it is', async () => {
  const b = await bench(`note('ran');`);
  await expect(b.process.start(OPERATOR)).rejects.toThrowError(/A process that is running can't start/);
  await expect(b.process.resume(OPERATOR)).rejects.toThrowError(/is running, not suspended/);
  await expect(b.process.killWorker()).rejects.toThrowError(/has no worker right now/);
  await b.process.stop(OPERATOR);
  await expect(b.process.suspend(OPERATOR)).rejects.toThrowError(
    /is stopped, so there is nothing to suspend/,
  );
});

test('a worker with nothing to do is ended, and another is started for the next event', async () => {
  const b = await bench(`note(String(process.pid));`, { workerIdleMs: 50 });
  await b.trigger();
  await b.until('the run', isIdle);
  await b.until('the reaping', (process) => process.live.worker === null);
  await b.trigger();
  await b.until('the second run', isIdle);
  expect(new Set(b.ledger()).size).toBe(2);
  expect(b.process.snapshot.workerDeaths).toBe(0);
});

test('concurrency: as many invocations as configured are under way, and no more', async () => {
  const b = await bench(
    `note('in ' + event.payload); while (!existsSync(event.payload)) await delay(5); note('out');`,
    { concurrency: 2 },
  );
  const gate = `${b.directory}/gate`;
  for (let event = 0; event < 4; event += 1) await b.trigger(gate);
  await b.until('two under way', () => b.ledger().length === 2);
  expect(b.process.snapshot).toMatchObject({ open: { length: 2 }, queue: { length: 2 } });
  appendFileSync(gate, '');
  await b.until('the end', isIdle);
  expect(b.process.snapshot.invocationCount).toBe(4);
});
