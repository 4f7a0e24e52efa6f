// What other supervisors leak, lose or can't stop: workers that do not start, do not answer, or are restarted again and again.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFAULT_DELIVERY } from '../../core/model/delivery.ts';
import type { ProcessConfig } from '../../core/model/process-config.ts';
import { seeded } from '../crash/random.ts';
import { bench, isIdle, OPERATOR } from '../support/runtime.ts';
import { startStepped, type SteppedHost } from '../support/stepped-host.ts';
import { waitFor } from '../support/wait-for.ts';

async function stepped(config: Partial<ProcessConfig> = {}): Promise<SteppedHost> {
  const host = await startStepped(seeded(1), config);
  host.world.isKind = true;
  return host;
}

/** Living children of this very process, by pid. */
function children(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === process.pid);
}

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? null : Number(parent);
  } catch {
    return null; // It has just ended.
  }
}

const held = (): Record<string, number> => ({
  descriptors: readdirSync('/proc/self/fd').length,
  timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
  listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
});

test.runIf(process.platform === 'linux')(
  '[C24] restarted 50 times, ten of them with a worker at work: no process, descriptor, timer or listener is left behind',
  { timeout: 120_000 },
  async () => {
    const b = await bench(
      `await ctx.effect('x', { class: 'retry' }, async () => { note('x'); await delay(20); });`,
      { maxRestarts: 1_000 },
    );
    const others = children();
    const round = async (withWorker: boolean): Promise<void> => {
      if (withWorker) {
        await b.trigger();
        await b.until('a worker', ({ live }) => live.worker !== null);
      }
      await b.process.restart(OPERATOR);
    };
    await round(true);
    await b.until('the end', isIdle);
    await b.process.restart(OPERATOR);
    await waitFor(() => children().length === others.length, { what: 'the end of the first worker' });
    const before = held();
    for (let restart = 1; restart <= 50; restart += 1) await round(restart % 5 === 0);
    await b.until('the end', isIdle);
    await b.process.restart(OPERATOR);
    await waitFor(() => children().length === others.length, { what: 'the end of every worker' });
    await waitFor(
      () => {
        const now = held();
        return Object.entries(before).every(([what, count]) => now[what]! <= count);
      },
      { what: `no more than ${JSON.stringify(before)}` },
    ).catch((error: unknown) => {
      throw new Error(`now there are ${JSON.stringify(held())}`, { cause: error });
    });
    expect(b.process.snapshot).toMatchObject({ lifecycle: 'running', invocationCount: 11 });
  },
);

test('[C24] restarted 50 times at once with its work under way: one worker at most, and no callback is left waiting', async () => {
  const host = await stepped({ maxRestarts: 1_000, concurrency: 1 });
  const { agent, clock, workers } = host;
  await host.turns(5);
  const before = clock.pending;
  for (let restart = 0; restart < 50; restart += 1) {
    await host.outcome('accepting', agent.trigger({ errand: 'count' }));
    await host.turns(restart % 7, 1);
    await host.outcome('restarting', agent.restart(OPERATOR));
    expect(workers.living).toBeLessThanOrEqual(1);
  }
  await host.until('the end', isIdle);
  await host.outcome('restarting', agent.restart(OPERATOR));
  // A worker that was ended in time leaves the callback that would have killed it; it comes due and does nothing.
  clock.pass(60_000);
  expect(workers.living).toBe(0);
  expect(clock.pending).toBe(before);
  expect(agent.snapshot).toMatchObject({ lifecycle: 'running', invocationCount: 50, context: { count: 50 } });
});

test('[T26] a worker that the system does not start fails the process in the end, with the system’s word for it', async () => {
  const host = await stepped({ restartPolicy: 'never' });
  host.workers.failNext(1_000);
  await host.outcome('accepting', host.agent.trigger({ errand: 'count' }));
  await host.until('the failure', ({ snapshot }) => snapshot.lifecycle === 'failed');
  expect(host.agent.snapshot.lifecycleReason).toMatch(/could not be started: spawn EAGAIN; 4 times in a row/);
  expect(host.agent.snapshot.queue).toHaveLength(1);
  host.workers.failNext(0);
  await host.outcome('starting', host.agent.start(OPERATOR));
  await host.until('the end', isIdle);
  expect(host.agent.snapshot.context['count']).toBe(1);
});

test.each(['stop', 'suspend', 'restart', 'forceRecover'] as const)(
  '[T26] %s is done while the next worker is waited for, and while the next start of a failed process is',
  async (order) => {
    const host = await stepped({ restartBackoffMs: 60_000, maxRestarts: 5, restartPolicy: 'always' });
    const { agent } = host;
    host.workers.failNext(1_000);
    await host.outcome('accepting', agent.trigger({ errand: 'count' }));
    await host.until('the backing off', ({ live }) => live.respawnAt !== null);
    await host.outcome(order, agent[order](OPERATOR));
    const expected = { stop: 'stopped', suspend: 'suspended', restart: 'running', forceRecover: 'running' };
    expect(agent.snapshot.lifecycle).toBe(expected[order]);
    // Where it is to stand still nothing is started any more; otherwise that goes on at once.
    const isStill = order === 'stop' || order === 'suspend';
    if (isStill) host.clock.pass(10 * 60_000);
    await host.turns(5, 0);
    expect(agent.live.worker).toBeNull();
    expect(isStill && (agent.live.respawnAt !== null || agent.live.isSpawning)).toBe(false);
    host.workers.failNext(0);
    if (order === 'stop') await host.outcome('starting', agent.start(OPERATOR));
    if (order === 'suspend') await host.outcome('resuming', agent.resume(OPERATOR));
    await host.until('the end', isIdle);
    expect(agent.snapshot.context['count']).toBe(1);
  },
);

test('[T26] a failed process that waits for its restart can be stopped, and is not started again then', async () => {
  const host = await stepped({ restartBackoffMs: 60_000, maxConsecutiveFailures: 1, delivery: NO_RETRY });
  await host.outcome('accepting', host.agent.trigger({ errand: 'fail' }));
  await host.until('the failure', ({ live }) => live.restartAt !== null);
  await host.outcome('stopping', host.agent.stop(OPERATOR));
  expect(host.agent.live.restartAt).toBeNull();
  host.clock.pass(60 * 60_000);
  await host.turns(5, 0);
  expect(host.agent.snapshot.lifecycle).toBe('stopped');
});

test('[T26] 500 orders to kill and to restart, some of them in the middle of others, and every event is handled once', async () => {
  const host = await stepped({ maxRestarts: 1_000_000 });
  const { agent, workers } = host;
  const random = seeded(26);
  const accepted: string[] = [];
  for (let order = 0; order < 500; order += 1) {
    if (order % 10 === 0) {
      const errand = order % 20 === 0 ? 'count' : 'effects';
      accepted.push(await host.outcome('accepting', agent.trigger({ errand })));
    }
    const press = async (): Promise<void> =>
      random() < 0.6
        ? agent.killWorker()
        : random() < 0.5
          ? agent.restart(OPERATOR)
          : agent.forceRecover(OPERATOR);
    const both = random() < 0.2 ? [press(), press()] : [press()];
    await host.outcome('an order', Promise.allSettled(both));
    expect(workers.living).toBeLessThanOrEqual(1);
    await host.turns(Math.floor(random() * 12));
    await decideAll(host);
  }
  await host.until('the end', () => {
    void decideAll(host);
    return isIdle(agent);
  });
  expect(agent.snapshot.invocationCount).toBe(accepted.length);
  expect(await host.wrong()).toBeNull();
  const once = host.world.deeds.filter(({ effectClass }) => effectClass !== 'retry').map(({ key }) => key);
  expect(new Set(once).size).toBe(once.length);
});

const NO_RETRY = { ...DEFAULT_DELIVERY, maxRetries: 0 };

/** What is in doubt is decided by what is in the world. */
async function decideAll({ agent, world }: SteppedHost): Promise<void> {
  for (const { event, effects } of agent.snapshot.open) {
    if (agent.live.isRunning(event.eventId)) continue;
    for (const { effectId, key, effectClass, end } of effects) {
      if (effectClass !== 'ask' || (end !== null && end.kind !== 'in_doubt')) continue;
      const result = world.look(key);
      const resolution =
        result === null ? ({ kind: 'did_not_happen' } as const) : ({ kind: 'happened', result } as const);
      await agent.desk.resolveEffect(effectId, resolution, OPERATOR).catch(() => {}); // Somebody was faster.
    }
  }
}

test('[T27] an agent that never answers is ended for that, again and again, and the process fails with what happened', async () => {
  const b = await bench(`note('begins'); for (;;) {}`, {
    workerHangMs: 2_000,
    heartbeatIntervalMs: 200,
    maxRestarts: 1,
  });
  await b.trigger();
  await b.until('the failure', ({ snapshot }) => snapshot.lifecycle === 'failed');
  expect(b.process.snapshot.lifecycleReason).toMatch(/did not answer for .* 2 times in a row/);
  expect(b.process.live.worker).toBeNull();
  const ends = (await b.entries()).filter(({ entry_type }) => entry_type === 'worker_exited');
  expect(ends.map(({ data }) => data['reason'])).toEqual([
    expect.stringContaining('did not answer for'),
    expect.stringContaining('did not answer for'),
  ]);
  // A busy machine may keep one from its first line for so long.
  expect(['', 'begins', 'begins,begins']).toContain(b.ledger().join());
});

test('[T27] stopping ends an agent that computes and ignores SIGTERM, within its deadline', async () => {
  const b = await bench(`process.on('SIGTERM', () => {}); note('begins'); for (;;) {}`, {
    workerLimits: { memoryMb: null, startDeadlineMs: 30_000, stopDeadlineMs: 600 },
  });
  await b.trigger();
  await b.until('the work', () => b.ledger().length === 1);
  const { pid } = b.process.live.worker!;
  await b.process.stop(OPERATOR);
  expect(b.process.snapshot.lifecycle).toBe('stopped');
  expect(b.process.live.worker).toBeNull();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  const exit = (await b.entries()).findLast(({ entry_type }) => entry_type === 'worker_exited');
  expect(exit!.data).toMatchObject({ signal: 'SIGKILL', expected: true });
});
