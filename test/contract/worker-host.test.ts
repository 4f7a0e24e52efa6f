// What every kind of worker host promises, on real processes: the command line's child processes, and Electron's utility
// processes as the stand-in runs them.

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isAlive, killGroup, osProcessStartTime } from '../../core/host/os-process.ts';
import type { FromWorker } from '../../core/model/worker-protocol.ts';
import { startNode } from '../support/child.ts';
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

const isLinux = process.platform === 'linux';
const HOST_OF_ONE = fileURLToPath(new URL('../support/host-of-one-worker.ts', import.meta.url));

/** Starts one that stays in the worker's group and one that leaves it, and writes their pids. */
const grandchildren = (file: string): string => `
  import { spawn } from 'node:child_process';
  import { writeFileSync, renameSync } from 'node:fs';
  const pids = [false, true].map((detached) => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached, stdio: 'ignore' });
    child.unref();
    return child.pid;
  });
  writeFileSync(${JSON.stringify(`${file}.part`)}, JSON.stringify(pids));
  renameSync(${JSON.stringify(`${file}.part`)}, ${JSON.stringify(file)});
`;
/** Whatever the test finds, they are gone after it. */
function pidsIn(file: string): readonly number[] {
  const pids = JSON.parse(readFileSync(file, 'utf8')) as number[];
  onTestFinished(() => pids.forEach(killGroup));
  return pids;
}
const areGone = (pids: readonly number[]): boolean => pids.every((pid) => osProcessStartTime(pid) === null);

/**
 * Whether any of them can still do something. A killed process gives up its memory first, and with it its mark; a busy
 * machine may take a while longer to put it away, and until then it is listed as running. On Linux.
 */
const canAct = (pids: readonly number[]): boolean =>
  pids.some((pid) => osProcessStartTime(pid) !== null && memoryOf(pid) > 0);

/** In bytes; 0 when there is no such process. */
function memoryOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything; counted from behind it, the size is the 21st.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[20]);
  } catch {
    return 0; // It went between the two looks.
  }
}

/** None of them acts from now on, and none is left behind. */
async function expectGone(pids: readonly number[]): Promise<void> {
  expect(canAct(pids)).toBe(false);
  await waitFor(() => areGone(pids), { what: 'their end' });
}

describe.each(KINDS)('a %s', (kind) => {
  const host = workerHost(kind);
  /** Says that it begins, and from then on is busy with itself for ever. */
  const busy = (begun: string): string => `
    import { writeFileSync as tell } from 'node:fs';
    setTimeout(() => { tell(${JSON.stringify(begun)}, ''); for (;;); }, 50);`;

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

  test('is heard line by line on both streams, what is no text and what has no end included', async () => {
    const output = hearOutput();
    const worker = await startWorker(
      host,
      String.raw`
      import { writeSync } from 'node:fs';
      console.log('one\ntwo\r');
      console.error('trouble \u0007');
      writeSync(1, Buffer.from([0x66, 0xff, 0x0a]));
      writeSync(1, '\u001e is no mark\n' + 'long '.repeat(10_000) + '\n');
      writeSync(1, 'no end');`,
      {},
      output,
    );
    worker.end();
    const { lastOutput } = await worker.exited;
    const texts = (stream: string): string[] =>
      output.lines.filter((line) => line.stream === stream).map((line) => line.text);
    const [one, two, broken, separator, long, ...rest] = texts('out');
    expect([one, two, broken, separator, rest]).toEqual([
      'one',
      'two',
      'f\ufffd',
      '\u001e is no mark',
      ['no end'],
    ]);
    expect(long).toMatch(/^long long /);
    expect(long!.length).toBeLessThanOrEqual(20 * 1024);
    expect(texts('err')).toEqual(['trouble \u0007']);
    expect(output.lines.every((line) => line.run === null)).toBe(true);
    expect(lastOutput).toContain('no end');
    expect(lastOutput).not.toMatch(/\u001e[0-9a-f]{24}/);
  });

  test('what it writes belongs to the run in hand, where that is the only one', async () => {
    const output = hearOutput();
    const worker = await startWorker(
      host,
      `
      console.log('before');
      const gates = [];
      export default { async onTrigger(ctx, event) {
        console.log('begins ' + event.eventId);
        if (event.eventId.startsWith('waits')) await new Promise((resolve) => gates.push(resolve));
        else gates.splice(0).forEach((open) => open());
        console.error('ends ' + event.eventId);
      } };`,
      {},
      output,
    );
    const done: number[] = [];
    worker.onMessage((message) => {
      if (message.type === 'invocation-done') done.push(message.run);
    });
    worker.send(invoke(1, 'first'));
    await waitFor(() => done.length === 1);
    worker.send(invoke(2, 'waits'));
    await waitFor(() => output.lines.some((line) => line.text === 'begins waits'));
    worker.send(invoke(3, 'opens'));
    await waitFor(() => done.length === 3);
    worker.end();
    await worker.exited;
    const run = (text: string): number | null | undefined =>
      output.lines.find((line) => line.text === text)?.run;
    expect(output.lines).toHaveLength(7);
    expect(run('before')).toBeNull();
    expect(run('begins first')).toBe(1);
    expect(run('ends first')).toBe(1);
    expect(run('begins waits')).toBe(2);
    expect(run('begins opens')).toBeNull();
  });

  test('a flood that nobody has room for is counted to its last line, and does not keep the worker from its end', async () => {
    const output = hearOutput();
    const worker = await startWorker(
      host,
      `
      import { writeSync } from 'node:fs';
      const lines = Buffer.from(('x'.repeat(9) + '\\n').repeat(6_554));
      setTimeout(() => {
        for (let at = 0; at < 300; at += 1) {
          for (let done = 0; done < lines.length;) {
            try { done += writeSync(1, lines, done); } catch (error) { if (error.code !== 'EAGAIN') throw error; }
          }
        }
        process.exit(5);
      }, 50);`,
      {},
      output,
    );
    output.close();
    const exit = await worker.exited;
    expect(exit.code).toBe(5);
    expect(output.dropped + output.lines.length).toBe(300 * 6_554);
    expect(exit.lastOutput.length).toBeLessThanOrEqual(64 * 1024);
  });

  test('a flood through its log is bounded before it is sent, and says what was dropped', async () => {
    const worker = await startWorker(
      host,
      `export default { async onTrigger(ctx) {
        for (let at = 0; at < 20_000; at += 1) ctx.log('line ' + at);
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        ctx.log('after');
      } };`,
    );
    const heard: FromWorker[] = [];
    worker.onMessage((message) => void heard.push(message));
    worker.send(invoke(1, 'event'));
    await waitFor(() => heard.some((message) => message.type === 'invocation-done'), { what: 'its end' });
    const texts = heard.flatMap((message) => (message.type === 'log' ? [message.text] : []));
    expect(texts.length).toBeLessThan(6_000);
    const dropped = texts.flatMap((text) => /^… (\d+) lines dropped$/.exec(text)?.[1] ?? []).map(Number);
    const lines = texts.filter((text) => text.startsWith('line ')).length;
    expect(lines + dropped.reduce((sum, count) => sum + count, 0)).toBe(20_000);
    expect(texts.at(-1)).toBe('after');
  });

  test('is killed at once, whatever it is doing', async () => {
    const begun = join(tempDirectory(), 'begun');
    const worker = await startWorker(host, `process.on('SIGTERM', () => {}); ${busy(begun)}`);
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
      const deaf = await startWorker(host, busy(first), { stopDeadlineMs: 1_000 });
      const stubborn = await startWorker(host, `process.on('SIGTERM', () => {}); ${busy(second)}`, {
        stopDeadlineMs: 1_000,
      });
      await waitFor(() => existsSync(first) && existsSync(second), { what: 'their work' });
      const since = performance.now();
      deaf.end();
      stubborn.end();
      expect(await deaf.exited).toMatchObject({
        signal: 'SIGTERM',
        why: 'ended by SIGTERM: 0.5 s after it was asked it was still there',
      });
      expect(await stubborn.exited).toMatchObject({
        signal: 'SIGKILL',
        why: 'ended by SIGKILL: 1 s after it was asked it was still there',
      });
      expect(performance.now() - since).toBeGreaterThanOrEqual(990);
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
      `const kept = []; setTimeout(() => { for (;;) kept.push({ at: kept.length, more: [1.5, kept.length] }); }, 20);`,
      { memoryMb: 120 },
    );
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

  test('[S30] one that is called off while it starts is gone when that is told, with what it started', async () => {
    const callOff = new AbortController();
    const file = join(tempDirectory(), 'pids');
    const starting = host.spawn(
      agentSpec(`${grandchildren(file)} await new Promise((resolve) => setTimeout(resolve, 60_000));`),
      callOff.signal,
    );
    starting.catch(() => {});
    await waitFor(() => existsSync(file), { what: 'what it starts' });
    callOff.abort();
    await expect(starting).rejects.toMatchObject({ code: 'worker.called-off' });
    if (isLinux) await expectGone(pidsIn(file));
  });

  test('[S30] what it started acts no more when its end is told, also what left its group', async () => {
    const file = join(tempDirectory(), 'pids');
    const worker = await startWorker(
      host,
      `${grandchildren(file)} export default { async onTrigger() { process.exit(0); } };`,
    );
    const pids = pidsIn(file);
    expect(pids.some((pid) => osProcessStartTime(pid) === null)).toBe(false);
    worker.send(invoke(1, 'event'));
    await worker.exited;
    if (isLinux) await expectGone(pids);
  });

  test('one that says what no worker says is ended for that', async () => {
    const send = kind === 'child process' ? 'process.send' : 'process.parentPort.postMessage';
    const worker = await startWorker(host, `setTimeout(() => ${send}({ type: 'nonsense' }), 50);`);
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

  test.runIf(isLinux)('[S30] kill -9 of its host ends one that computes while it loads', async () => {
    const file = join(tempDirectory(), 'pids');
    const spec = agentSpec(`
      import { renameSync, writeFileSync } from 'node:fs';
      writeFileSync(${JSON.stringify(`${file}.part`)}, JSON.stringify([process.pid]));
      renameSync(${JSON.stringify(`${file}.part`)}, ${JSON.stringify(file)});
      for (;;);`);
    const running = startNode(HOST_OF_ONE, [kind, JSON.stringify(spec)]);
    onTestFinished(() => void running.process.kill('SIGKILL'));
    await waitFor(() => existsSync(file), { what: 'its work' });
    const pids = pidsIn(file);
    expect(areGone(pids)).toBe(false);
    running.process.kill('SIGKILL');
    await waitFor(() => areGone(pids), { what: 'its end' });
  });

  const ends = {
    'that computes without end': 'for (;;);',
    'that writes without end, whatever is said to it': `
      process.on('uncaughtException', () => {});
      for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
      setInterval(() => { for (let at = 0; at < 500; at += 1) console.log('still here'); }, 0);`,
  };
  test.runIf(isLinux).each(Object.entries(ends))(
    '[S30] [T30] kill -9 of its host ends one %s, and what it started',
    async (_what, work) => {
      const directory = tempDirectory();
      const file = join(directory, 'pids');
      const begun = join(directory, 'begun');
      const spec = agentSpec(`
        ${grandchildren(file)}
        setTimeout(() => {
          writeFileSync(${JSON.stringify(begun)}, '');
          ${work}
        }, 50);`);
      const running = startNode(HOST_OF_ONE, [kind, JSON.stringify(spec)]);
      onTestFinished(() => void running.process.kill('SIGKILL'));
      await waitFor(() => existsSync(begun) && running.stdout().endsWith('\n'), { what: 'its work' });
      const worker = JSON.parse(running.stdout()) as { pid: number; startTime: string };
      const pids = pidsIn(file);
      expect(isAlive(worker)).toBe(true);
      running.process.kill('SIGKILL');
      await once(running.process, 'exit');
      await waitFor(() => !isAlive(worker), { what: 'the worker’s end' });
      await waitFor(() => areGone(pids), { what: 'the end of what it had started' });
    },
  );
});
