import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { drainStream } from '../../core/host/drain-stream.ts';
import { reapOsProcess } from '../../core/host/os-process.ts';
import { factsOf, parsePs } from '../../core/host/process-usage.ts';
import { superviseWorker, type ProcessExit, type WorkerProcess } from '../../core/host/supervise-worker.ts';
import { describeEnd, type EndFacts } from '../../core/host/worker-end.ts';
import { LIMITS, NEVER } from '../support/worker-hosts.ts';

const FACTS: EndFacts = {
  code: 0,
  signal: null,
  stage: 'none',
  killedFor: null,
  lastOutput: '',
  stopDeadlineMs: 5_000,
  memoryMb: null,
  isUndead: false,
};

describe('[T27] the end of a worker in words', () => {
  const cases: readonly (readonly [Partial<EndFacts>, string])[] = [
    [{}, 'exited with code 0'],
    [{ code: 7, lastOutput: 'a\nno such key\n' }, 'exited with code 7: no such key'],
    [{ code: null, signal: 'SIGSEGV' }, 'was ended by SIGSEGV'],
    [{ stage: 'asked' }, 'ended when asked'],
    [{ stage: 'asked', code: 1, lastOutput: 'oh' }, 'exited with code 1: oh'],
    [
      { stage: 'terminated', code: null, signal: 'SIGTERM' },
      'ended by SIGTERM: 2.5 s after it was asked it was still there',
    ],
    [
      { stage: 'killed', code: null, signal: 'SIGKILL' },
      'ended by SIGKILL: 5 s after it was asked it was still there',
    ],
    [
      { stage: 'killed', killedFor: 'memory: 812 MB of 512 MB', signal: 'SIGKILL' },
      'memory: 812 MB of 512 MB',
    ],
    [
      {
        code: null,
        signal: 'SIGABRT',
        memoryMb: 512,
        lastOutput: 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n',
      },
      'memory: the JavaScript heap has reached 512 MB',
    ],
    [
      { code: 0, lastOutput: 'JavaScript heap out of memory, said the log' },
      'exited with code 0: JavaScript heap out of memory, said the log',
    ],
  ];
  test.each(cases)('%j', (facts, text) => {
    expect(describeEnd({ ...FACTS, ...facts })).toBe(text);
  });
});

/** A process of nobody's: the system tells what the test says. */
function puppetProcess() {
  const events = new EventEmitter();
  const exit = Promise.withResolvers<ProcessExit>();
  const out = new PassThrough();
  const child: WorkerProcess = {
    identity: () => null,
    out,
    err: new PassThrough(),
    send: () => {},
    onMessage: (listener) => void events.on('message', listener),
    exit: exit.promise,
    channelEnd: Promise.resolve(),
  };
  return { child, out, says: (message: unknown) => events.emit('message', message), exit: exit.resolve };
}

const supervision = {
  spec: { process: 'agent', entrypoint: '/agent.ts', generation: 1, limits: LIMITS },
  callOff: NEVER,
  output: undefined,
  outputMark: 'abc',
  killPatienceMs: 20,
} as const;

test('[S30] [T27] a worker that outlives its killing is told as undead, and nobody waits for ever', async () => {
  const { child, says } = puppetProcess();
  const starting = superviseWorker(child, supervision);
  says({ type: 'ready' });
  const worker = await starting;
  worker.kill();
  expect(await worker.exited).toMatchObject({
    isUndead: true,
    why: expect.stringMatching(/^was killed; it or something it started is still there/) as string,
  });
});

test('[S30] so is one that is gone while what it started is not', async () => {
  const { child, says, exit } = puppetProcess();
  const starting = superviseWorker(
    { ...child, identity: () => ({ pid: 4_194_304, startTime: '1' }) },
    { ...supervision, reap: async () => Promise.reject(new Error('process.undead')) },
  );
  says({ type: 'ready' });
  const worker = await starting;
  exit({ code: 0, signal: null, refusal: null });
  expect(await worker.exited).toMatchObject({ code: 0, isUndead: true });
});

describe('[T27] a host that stood still for longer than a worker has to end', () => {
  const STOP_MS = 100;
  async function stoodStill() {
    const { child, out, says, exit } = puppetProcess();
    const limits = { ...LIMITS, stopDeadlineMs: STOP_MS };
    const starting = superviseWorker(child, { ...supervision, spec: { ...supervision.spec, limits } });
    says({ type: 'ready' });
    const worker = await starting;
    // Behind what lies ready come timers, and then what lies ready by then.
    await turns();
    worker.end();
    return { worker, out, exit };
  }

  test('hears first that it has ended when it was asked', async () => {
    const { worker, exit } = await stoodStill();
    setImmediate(() => exit({ code: 0, signal: null, refusal: null }));
    standStill(2 * STOP_MS);
    expect(await worker.exited).toMatchObject({ code: 0, why: 'ended when asked' });
  });

  test('leaves it the time to end by SIGTERM', async () => {
    const { worker, exit } = await stoodStill();
    standStill(2 * STOP_MS);
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
    exit({ code: null, signal: 'SIGTERM', refusal: null });
    expect((await worker.exited).why).toMatch(/^ended by SIGTERM/);
  });

  test('reads what it wrote last', async () => {
    const { worker, out, exit } = await stoodStill();
    exit({ code: 0, signal: null, refusal: null });
    await turns();
    setImmediate(() => void out.write('its last words'));
    standStill(600);
    expect((await worker.exited).lastOutput).toBe('its last words');
  });
});

/** Nothing of this program is done meanwhile. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('[S30] nothing of ours is ended where somebody else has the number by now', async () => {
  await reapOsProcess({ pid: process.pid, startTime: '1' });
  await reapOsProcess({ pid: 4_194_304, startTime: '1' });
  expect(process.pid).toBeGreaterThan(0);
});

test('a stream is read as fast as can be afforded, and to its end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const chunk = Buffer.alloc(1024 * 1024);
  const stream = new PassThrough({ highWaterMark: 64 * chunk.length });
  let chunks = 0;
  const { ended, hurry } = drainStream(stream, () => {
    chunks += 1;
  });
  for (let sent = 0; sent < 24; sent += 1) stream.write(chunk);
  await turns();
  expect(stream.isPaused()).toBe(true);
  expect(chunks).toBe(8);
  vi.advanceTimersByTime(1_000);
  await turns();
  expect(chunks).toBeGreaterThan(8);
  expect(chunks).toBeLessThan(24);
  hurry();
  stream.end();
  await ended;
  expect(chunks).toBe(24);
});

/** Whatever lies ready is done. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}

test('facts are looked up when they are asked for, and at most once a second', () => {
  let looks = 0;
  let cpuMs = 0;
  let now = 0;
  const facts = factsOf(
    () => 42,
    3,
    () => {
      looks += 1;
      return { rssBytes: 1_000, cpuMs };
    },
    { now: () => now },
  );
  expect(looks).toBe(0);
  now = 2_000;
  cpuMs = 500;
  expect(facts()).toMatchObject({ pid: 42, generation: 3, rssBytes: 1_000, cpuPercent: 25 });
  now = 2_900;
  cpuMs = 900;
  expect(facts()).toMatchObject({ cpuPercent: 25 });
  expect(looks).toBe(1);
  now = 4_000;
  cpuMs = 3_500;
  expect(facts()).toMatchObject({ cpuPercent: 150 });
  const unknown = factsOf(
    () => 42,
    3,
    () => null,
    { now: () => now },
  );
  now += 5_000;
  expect(unknown()).toMatchObject({ rssBytes: null, cpuPercent: null });
});

test('what ps says on macOS is read in each of its forms', () => {
  expect(parsePs('  1234   0:01.50\n')).toEqual({ rssBytes: 1234 * 1024, cpuMs: 1_500 });
  expect(parsePs('5 01:02:03.00')).toEqual({ rssBytes: 5 * 1024, cpuMs: 3_723_000 });
  expect(parsePs('5 2-01:00:00')).toEqual({ rssBytes: 5 * 1024, cpuMs: 49 * 3_600_000 });
  expect(parsePs('')).toBeNull();
});
