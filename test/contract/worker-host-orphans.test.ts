// [S30] No worker outlives its host, and nothing that it started outlives it, on real processes of every kind.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isAlive, osProcessStartTime } from '../../core/host/os-process.ts';
import { startNode } from '../support/child.ts';
import { areGone, expectGone, grandchildren, pidsIn } from '../support/grandchildren.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { agentSpec, invoke, KINDS, startWorker, workerHost } from '../support/worker-hosts.ts';

const isLinux = process.platform === 'linux';
const HOST_OF_ONE = fileURLToPath(new URL('../support/host-of-one-worker.ts', import.meta.url));

describe.each(KINDS)('a %s', (kind) => {
  const host = workerHost(kind);

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
        // In a later turn, so that it has said that it is ready.
        setImmediate(() => {
          writeFileSync(${JSON.stringify(begun)}, '');
          ${work}
        });`);
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
