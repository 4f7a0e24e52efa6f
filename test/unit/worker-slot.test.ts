// The slot alone, with a host whose workers say and do what a test wants: what a real one only does by bad luck.

import { expect, test } from 'vitest';
import { AppError } from '../../core/model/errors.ts';
import type { WorkerExit, WorkerHandle, WorkerHost, WorkerSpec } from '../../core/model/ports.ts';
import type { FromWorker, ToWorker } from '../../core/model/worker-protocol.ts';
import { describeGone, WorkerSlot, type WorkerGone } from '../../core/runtime/worker-slot.ts';

interface PuppetWorker {
  readonly spec: WorkerSpec;
  readonly sent: ToWorker[];
  readonly calls: string[];
  says(message: FromWorker): void;
  exits(exit?: Partial<WorkerExit>): Promise<void>;
}

const EXIT: WorkerExit = { code: 0, signal: null, lastOutput: '', why: 'ended when asked', isUndead: false };

function puppets() {
  const workers: PuppetWorker[] = [];
  const heard: FromWorker[] = [];
  const gone: WorkerGone[] = [];
  const started: number[] = [];
  const reaped: number[] = [];
  const isStillThere = { now: false };
  const time = { ms: 0 };
  const host: WorkerHost = {
    reap: async ({ pid }) => {
      reaped.push(pid);
      if (isStillThere.now) throw new AppError('process.undead', `Process ${pid} is still there.`);
    },
    spawn: async (spec): Promise<WorkerHandle> => {
      const exited = Promise.withResolvers<WorkerExit>();
      const listeners: ((message: FromWorker) => void)[] = [];
      const sent: ToWorker[] = [];
      const calls: string[] = [];
      workers.push({
        spec,
        sent,
        calls,
        says: (message) => listeners.forEach((listener) => listener(message)),
        exits: async (exit = {}) => {
          exited.resolve({ ...EXIT, ...exit });
          await settled();
        },
      });
      return {
        pid: spec.generation * 100,
        startTime: '1',
        exited: exited.promise,
        send: (message) => void sent.push(message),
        onMessage: (listener) => void listeners.push(listener),
        end: () => void calls.push('end'),
        kill: (why) => void calls.push(why === undefined ? 'kill' : `kill: ${why}`),
        facts: () => ({
          pid: spec.generation * 100,
          generation: spec.generation,
          startedAt: 0,
          rssBytes: null,
          cpuPercent: null,
        }),
      };
    },
  };
  const slot = new WorkerSlot(
    host,
    {
      onStarted: (_worker, generation) => void started.push(generation),
      onMessage: (message) => void heard.push(message),
      onGone: (one) => void gone.push(one),
    },
    { monotonic: () => time.ms },
  );
  const spawn = async (generation: number): Promise<PuppetWorker> => {
    slot.spawn({ process: 'agent', entrypoint: '/agent.ts', generation });
    await settled();
    return workers.at(-1)!;
  };
  return { slot, spawn, heard, gone, started, time, workers, reaped, isStillThere };
}

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const done = (run: number): FromWorker => ({ type: 'invocation-done', run, response: '' });

test('[T25] what an earlier generation says after its end changes nothing, its late "ready" included', async () => {
  const { slot, spawn, heard, gone, started } = puppets();
  const first = await spawn(1);
  first.says(done(1));
  await first.exits({ code: 1, why: 'exited with code 1' });
  first.says({ type: 'ready' });
  first.says(done(2));
  expect(slot.current).toBeNull();
  expect(slot.isReady).toBe(false);
  const second = await spawn(2);
  slot.ping();
  first.says({ type: 'ready' });
  first.says(done(3));
  first.says({ type: 'pong', id: 1 });
  second.says(done(4));
  expect(slot.current).toEqual({ pid: 200, generation: 2 });
  expect(heard).toEqual([done(1), done(4)]);
  expect(slot.hungSinceMs).not.toBeNull();
  expect(started).toEqual([1, 2]);
  expect(gone.map(({ generation, expected }) => [generation, expected])).toEqual([[1, false]]);
});

test('a "ready" that comes twice is no message of the agent’s', async () => {
  const { spawn, heard } = puppets();
  const worker = await spawn(1);
  worker.says({ type: 'ready' });
  expect(heard).toEqual([]);
});

test('[T27] knows since when a worker owes an answer, and a new worker owes none', async () => {
  const { slot, spawn, time } = puppets();
  const worker = await spawn(1);
  expect(slot.hungSinceMs).toBeNull();
  time.ms = 1_000;
  slot.ping();
  time.ms = 11_000;
  slot.ping();
  expect(slot.hungSinceMs).toBe(1_000);
  time.ms = 12_000;
  worker.says({ type: 'pong', id: 1 });
  expect(slot.hungSinceMs).toBe(12_000);
  worker.says({ type: 'pong', id: 99 });
  worker.says({ type: 'pong', id: 1 });
  expect(slot.hungSinceMs).toBe(12_000);
  time.ms = 13_000;
  expect(await slot.isHung(1_001)).toBe(false);
  expect(await slot.isHung(1_000)).toBe(true);
  worker.says({ type: 'pong', id: 2 });
  expect(slot.hungSinceMs).toBeNull();
  expect(await slot.isHung(0)).toBe(false);
  slot.ping();
  await worker.exits();
  expect(slot.hungSinceMs).toBeNull();
  await spawn(2);
  expect(slot.hungSinceMs).toBeNull();
  expect(slot.isAnswering).toBe(true);
});

test('a host that stood still hears the answers that lay there before it calls a worker hung', async () => {
  const { slot, spawn, time } = puppets();
  const worker = await spawn(1);
  slot.ping();
  time.ms = 60_000;
  slot.ping();
  const asking = slot.isHung(30_000);
  setImmediate(() => {
    worker.says({ type: 'pong', id: 1 });
    worker.says({ type: 'pong', id: 2 });
  });
  expect(await asking).toBe(false);
});

test('ending asks first; asking at once does not wait; nothing new is begun meanwhile', async () => {
  const { slot, spawn, heard, gone } = puppets();
  const worker = await spawn(1);
  const ending = slot.end();
  slot.send({ type: 'ping', id: 5 });
  slot.ping();
  worker.says({
    type: 'effect-announced',
    run: 1,
    effectId: 'x',
    name: 'x',
    occurrence: 0,
    effectClass: 'ask',
    argsHash: '',
    args: null,
    key: '',
    keyTtlMs: null,
    timeoutMs: null,
    attempt: 1,
  });
  worker.says(done(1));
  expect(slot.isReady).toBe(false);
  expect(slot.kill()).toBe(false);
  const hurried = slot.end('at-once');
  await worker.exits();
  await Promise.all([ending, hurried]);
  expect(worker.calls).toEqual(['end', 'kill']);
  expect(worker.sent).toEqual([]);
  expect(heard).toEqual([done(1)]);
  expect(gone).toMatchObject([{ generation: 1, expected: true }]);
});

test('[S30] no worker is started while an earlier one that was killed is still there', async () => {
  const { slot, spawn, gone, workers, reaped, isStillThere } = puppets();
  const worker = await spawn(1);
  slot.kill();
  await worker.exits({ isUndead: true });
  isStillThere.now = true;
  await spawn(2);
  expect(workers).toHaveLength(1);
  expect(slot.isSpawning).toBe(false);
  expect(gone.map(describeGone).at(-1)).toBe('the worker could not be started: Process 100 is still there.');
  isStillThere.now = false;
  await spawn(3);
  await spawn(4);
  expect(slot.current).toEqual({ pid: 300, generation: 3 });
  expect(reaped).toEqual([100, 100]);
});

test('killing it says why, and its end is an accident', async () => {
  const { slot, spawn, gone } = puppets();
  const worker = await spawn(1);
  expect(slot.facts()).toMatchObject({ pid: 100, generation: 1 });
  expect(slot.kill('hung: no answer for 60 s')).toBe(true);
  expect(worker.calls).toEqual(['kill: hung: no answer for 60 s']);
  await worker.exits({ signal: 'SIGKILL', code: null, why: 'hung: no answer for 60 s' });
  expect(gone[0]).toMatchObject({ expected: false });
  expect(describeGone(gone[0]!)).toBe('worker 100: hung: no answer for 60 s');
  expect(slot.facts()).toBeNull();
});
