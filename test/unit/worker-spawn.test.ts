// What becomes of a worker that the system does not start, and of output that has nowhere to go.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { childProcessWorkerHost } from '../../core/host/child-process-worker-host.ts';
import { keepOutput } from '../../core/host/keep-output.ts';
import { readWorkerOutput } from '../../core/host/read-worker-output.ts';
import { outputSink } from '../../core/host/worker-output.ts';
import { spawnFailed } from '../../core/host/worker-start.ts';
import { RetryableError, type AppError } from '../../core/model/errors.ts';
import { utilityWorkerHost } from '../../electron/main/utility-worker-host.ts';
import { runCommand } from '../support/run-command.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { agentSpec, invoke, KINDS, NEVER, workerHost } from '../support/worker-hosts.ts';

describe('[T26] a worker that the system does not start', () => {
  test('for want of the program is an error with the system’s code and what to do', async () => {
    const node = join(tempDirectory(), 'no-node');
    await expect(childProcessWorkerHost({ node }).spawn(agentSpec(''), NEVER)).rejects.toMatchObject({
      code: 'worker.spawn-failed',
      detail: { code: 'ENOENT', errno: -2, process: 'agent' },
      message: expect.stringMatching(
        /^No worker could be started for agent: .*ENOENT.* Install Holdfast again\.$/,
      ) as string,
    });
  });

  test('for want of permission, as well', async () => {
    const node = join(tempDirectory(), 'node');
    writeFileSync(node, '', { mode: 0o644 });
    await expect(childProcessWorkerHost({ node }).spawn(agentSpec(''), NEVER)).rejects.toMatchObject({
      detail: { code: 'EACCES' },
    });
  });

  test('under Electron, whose fork throws, as well', async () => {
    const host = utilityWorkerHost(() => {
      throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM', errno: -12 });
    }, '/worker.js');
    await expect(host.spawn(agentSpec(''), NEVER)).rejects.toMatchObject({
      code: 'worker.spawn-failed',
      detail: { code: 'ENOMEM', errno: -12 },
    });
  });

  test('what may pass is worth another try, what can not pass is not', () => {
    const { spec } = { spec: agentSpec('') };
    const failed = (code: string): AppError => spawnFailed(spec, Object.assign(new Error(code), { code }));
    for (const code of ['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])
      expect(failed(code)).toBeInstanceOf(RetryableError);
    for (const code of ['ENOENT', 'EACCES', 'E2BIG', 'other'])
      expect(failed(code)).not.toBeInstanceOf(RetryableError);
  });

  test.runIf(process.platform === 'linux')(
    'for want of file descriptors is told, and the next one starts when there are some again',
    async () => {
      const script = fileURLToPath(new URL('../support/spawn-without-descriptors.ts', import.meta.url));
      const { stdout, stderr } = await runCommand('/bin/sh', [
        '-c',
        'ulimit -n 100 && exec "$0" "$@"',
        process.execPath,
        '--disable-warning=ExperimentalWarning',
        script,
        JSON.stringify(agentSpec('')),
      ]);
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual({ first: 'worker.spawn-failed "EMFILE"', second: 'started' });
    },
  );
});

describe.each(KINDS)('the output of a %s', (kind) => {
  test('is kept: both streams and the log, with the event where it is certain', async () => {
    const directory = tempDirectory();
    using sink = outputSink(directory, 'agent');
    const host = keepOutput(workerHost(kind), () => sink);
    const worker = await host.spawn(
      agentSpec(`
        console.log('loaded');
        export default { async onTrigger(ctx) {
          console.error('written');
          ctx.log('logged', 'warning');
          setTimeout(() => { console.log('later'); process.exit(4); }, 50);
        } };`),
      NEVER,
    );
    worker.onMessage(() => {});
    worker.send(invoke(3, 'event-3'));
    await worker.exited;
    const { lines } = readWorkerOutput(directory, 'agent', { limit: 10, before: null });
    expect(lines.map(({ at: _, ...line }) => line)).toEqual(
      expect.arrayContaining([
        { generation: 7, stream: 'out', text: 'loaded' },
        { generation: 7, stream: 'err', eventId: 'event-3', text: 'written' },
        { generation: 7, stream: 'log', level: 'warning', eventId: 'event-3', text: 'logged' },
        // The invocation had ended by then.
        { generation: 7, stream: 'out', text: 'later' },
      ]),
    );
    expect(lines).toHaveLength(4);
  });

  test('of one that can not be loaded is kept too', async () => {
    const directory = tempDirectory();
    using sink = outputSink(directory, 'agent');
    const host = keepOutput(workerHost(kind), () => sink);
    await expect(
      host.spawn(agentSpec(`console.log('so far'); process.exit(9)`), NEVER),
    ).rejects.toMatchObject({ code: 'worker.start-failed' });
    const { lines } = readWorkerOutput(directory, 'agent', { limit: 10, before: null });
    expect(lines.map(({ text }) => text)).toContain('so far');
  });

  test('[T26] that can not be written keeps no worker from starting, and its end is known all the same', async () => {
    const directory = tempDirectory();
    writeFileSync(join(directory, '.holdfast'), 'in the way');
    const troubles: string[] = [];
    using sink = outputSink(directory, 'agent', { onTrouble: ({ code }) => void troubles.push(code) });
    const host = keepOutput(workerHost(kind), () => sink);
    const worker = await host.spawn(
      agentSpec(`console.log('last words'); setTimeout(() => process.exit(4), 50);`),
      NEVER,
    );
    expect(await worker.exited).toMatchObject({ code: 4, why: 'exited with code 4: last words' });
    expect(troubles).toEqual(['output.unwritable']);
  });
});
