// What every kind of worker host promises, on real processes: the command line's child processes, and Electron's utility
// processes as the stand-in runs them.

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isAlive, osProcessStartTime } from '../../core/host/os-process.ts';
import type { FromWorker } from '../../core/model/worker-protocol.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import {
  agentSpec,
  hearOutput,
  invoke,
  KINDS,
  NEVER,
  startWorker,
  workerHost,
} from '../support/worker-hosts.ts';

describe.each(KINDS)('a %s', (kind) => {
  const host = workerHost(kind);
  /** Once it is told to, it says that it begins, and from then on is busy with itself for ever. */
  const busy = (begun: string): string => `
    import { writeFileSync as tell } from 'node:fs';
    export default { onTrigger() { tell(${JSON.stringify(begun)}, ''); for (;;); } };`;

  test('is there when it is ready, and tells how it is doing to who asks', async () => {
    const before = Date.now();
    const worker = await startWorker(host, '');
    const readyAt = Date.now();
    expect(isAlive(worker)).toBe(true);
    expect(osProcessStartTime(worker.pid)).toBe(worker.startTime);
    const { rssBytes, cpuPercent, startedAt, ...facts } = worker.facts();
    expect(facts).toEqual({ pid: worker.pid, generation: 7 });
    expect(startedAt).toBeGreaterThanOrEqual(before);
    expect(startedAt).toBeLessThan(readyAt);
    // Where the system tells nothing, nothing is guessed [P5].
    const isTold = process.platform !== 'win32';
    expect(rssBytes === null || rssBytes < 10 * 1024 * 1024).toBe(!isTold);
    // Since its start, though nobody had looked before.
    expect(cpuPercent === null || cpuPercent < 0 || cpuPercent > 100 * availableParallelism() + 50).toBe(
      !isTold,
    );
  });

  test('answers in order, and says how much memory it takes', async () => {
    const worker = await startWorker(host, '');
    const heard: FromWorker[] = [];
    worker.onMessage((message) => void heard.push(message));
    for (let id = 1; id <= 300; id += 1) worker.send({ type: 'ping', id });
    await waitFor(() => heard.length === 300, { what: 'all answers' });
    expect(heard.map((message) => (message.type === 'pong' ? message.id : null))).toEqual(
      Array.from({ length: 300 }, (_, at) => at + 1),
    );
    expect(heard.every((message) => message.type === 'pong' && message.rss! > 1024 * 1024)).toBe(true);
  });

  test('is killed at once, whatever it is doing', async () => {
    const begun = join(tempDirectory(), 'begun');
    const worker = await startWorker(host, `process.on('SIGTERM', () => {}); ${busy(begun)}`);
    worker.send(invoke(1, 'event'));
    await waitFor(() => existsSync(begun), { what: 'its work' });
    worker.kill();
    expect(await worker.exited).toMatchObject({
      code: null,
      signal: 'SIGKILL',
      why: 'was killed',
      isUndead: false,
    });
    expect(isAlive(worker)).toBe(false);
  });

  test('ends when it is asked, with what it was waiting for left where it is', async () => {
    const worker = await startWorker(
      host,
      `setInterval(() => {}, 1000); process.on('SIGTERM', () => {});
       export default { onTrigger: () => new Promise(() => {}) };`,
    );
    worker.send(invoke(1, 'waits'));
    worker.end();
    worker.end();
    expect(await worker.exited).toMatchObject({ code: 0, signal: null, why: 'ended when asked' });
  });

  test('[S30] asked to end, it lets what it is performing end, and begins nothing more', async () => {
    const file = join(tempDirectory(), 'go');
    const worker = await startWorker(
      host,
      `
      import { existsSync } from 'node:fs';
      import { setTimeout as delay } from 'node:timers/promises';
      export default { async onTrigger(ctx) {
        await ctx.effect('first', { class: 'retry' }, async () => {
          while (!existsSync(${JSON.stringify(file)})) await delay(5);
          return 'done';
        });
        await ctx.effect('second', { class: 'retry' }, async () => 'done too');
      } };`,
    );
    const heard: FromWorker[] = [];
    worker.onMessage((message) => {
      heard.push(message);
      if (message.type === 'effect-announced') {
        const { run, effectId } = message;
        worker.send({ type: 'effect-permitted', run, effectId });
        worker.end();
        worker.send({ type: 'ping', id: 1 });
      }
      if (message.type === 'pong') void import('node:fs').then((fs) => fs.writeFileSync(file, ''));
    });
    worker.send(invoke(1, 'event'));
    expect(await worker.exited).toMatchObject({ why: 'ended when asked' });
    expect(heard.map((message) => message.type)).toEqual(['effect-announced', 'pong', 'effect-ended']);
  });

  test.runIf(process.platform !== 'win32')(
    '[T27] is told by SIGTERM where asking does not help, and killed where that does not',
    async () => {
      const [first, second] = ['deaf', 'stubborn'].map((name) => join(tempDirectory(), name)) as [
        string,
        string,
      ];
      const deaf = await startWorker(host, busy(first), { stopDeadlineMs: 2_000 });
      const stubborn = await startWorker(host, `process.on('SIGTERM', () => {}); ${busy(second)}`, {
        stopDeadlineMs: 2_000,
      });
      for (const worker of [deaf, stubborn]) worker.send(invoke(1, 'event'));
      await waitFor(() => existsSync(first) && existsSync(second), { what: 'their work' });
      const since = performance.now();
      deaf.end();
      stubborn.end();
      expect(await deaf.exited).toMatchObject({
        signal: 'SIGTERM',
        why: 'ended by SIGTERM: 1 s after it was asked it was still there',
      });
      expect(await stubborn.exited).toMatchObject({
        signal: 'SIGKILL',
        why: 'ended by SIGKILL: 2 s after it was asked it was still there',
      });
      expect(performance.now() - since).toBeGreaterThanOrEqual(1_990);
    },
  );

  test('a memory hog is ended, and its end says how much it took', async () => {
    const worker = await startWorker(
      host,
      `const kept = []; setInterval(() => kept.push(Buffer.alloc(8 * 1024 * 1024, 1)), 20);`,
      { memoryMb: 200 },
    );
    const beat = setInterval(() => worker.send({ type: 'ping', id: 1 }), 50);
    onTestFinished(() => clearInterval(beat));
    const { why } = await worker.exited;
    expect(why).toMatch(/^memory: \d+ MB of 200 MB$/);
  });

  test('a heap that is full ends it too, and is told as what it is', async () => {
    const worker = await startWorker(
      host,
      `const kept = [];
       export default { onTrigger() { for (;;) kept.push({ at: kept.length, more: [1.5, kept.length] }); } };`,
      { memoryMb: 120 },
    );
    worker.send(invoke(1, 'event'));
    expect((await worker.exited).why).toMatch(/^memory: /);
  });

  test('one that never loads is given up at its deadline, and is gone', async () => {
    const waiting = host.spawn(
      agentSpec(`setInterval(() => {}, 1000); await new Promise(() => {});`, { startDeadlineMs: 800 }),
      NEVER,
    );
    await expect(waiting).rejects.toMatchObject({ code: 'worker.start-timeout' });
    const computing = host.spawn(agentSpec(`for (;;);`, { startDeadlineMs: 800 }), NEVER);
    await expect(computing).rejects.toMatchObject({ code: 'worker.start-timeout' });
  });

  test('one that can not be loaded says why, and what it wrote is heard', async () => {
    const output = hearOutput();
    const throwing = host.spawn(
      agentSpec(`console.log('so far'); throw new Error('no such model')`),
      NEVER,
      output,
    );
    await expect(throwing).rejects.toMatchObject({
      code: 'worker.start-failed',
      message: expect.stringContaining('no such model') as string,
    });
    expect(output.lines.map((line) => line.text)).toContain('so far');
    await expect(host.spawn(agentSpec(`process.exit(3)`), NEVER)).rejects.toMatchObject({
      code: 'worker.start-failed',
      message: expect.stringContaining('code 3') as string,
    });
  });

  test('one that says what no worker says is ended for that', async () => {
    const send = kind === 'child process' ? 'process.send' : 'process.parentPort.postMessage';
    const worker = await startWorker(
      host,
      `export default { onTrigger: () => ${send}({ type: 'nonsense' }) };`,
    );
    worker.send(invoke(1, 'event'));
    expect((await worker.exited).why).toBe('sent what no worker sends, so it was ended');
  });

  test('[T25] nothing is sent to one that is gone, and asking or killing it again is nothing', async () => {
    const worker = await startWorker(host, '');
    worker.kill();
    const exit = await worker.exited;
    worker.send({ type: 'ping', id: 1 });
    worker.end();
    worker.kill('again');
    expect(await worker.exited).toBe(exit);
    await host.reap(worker);
  });
});
