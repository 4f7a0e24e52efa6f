// A worker in which invocations are checked one after the other: each answers for itself.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CheckWorker, type Invocation } from '../../core/host/check-worker.ts';
import type { WorkerHandle, WorkerHost } from '../../core/model/ports.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { agentSpec, invoke, workerHost } from '../support/worker-hosts.ts';

test('what one leaves behind and ends the worker later is not held against the next', async () => {
  const real = workerHost('child process');
  const workers: WorkerHandle[] = [];
  const host: WorkerHost = {
    ...real,
    spawn: async (...args) => {
      const worker = await real.spawn(...args);
      workers.push(worker);
      return worker;
    },
  };
  const gate = join(tempDirectory(), 'gate');
  const spec = agentSpec(`import { existsSync } from 'node:fs';
    const leave = () => existsSync(${JSON.stringify(gate)}) && process.exit(3);
    export default { async onTrigger(_, { eventId }) { if (eventId === 'first') setInterval(leave, 5); } };`);
  const checking = new CheckWorker({ workerHost: host, spec, patienceMs: 30_000 });
  onTestFinished(() => checking.end());
  expect(await checking.run(invocation('first'), false)).toEqual({ kind: 'done' });
  // Not before its answer is here.
  writeFileSync(gate, '');
  await workers[0]!.exited;
  expect(await checking.run(invocation('second'), false)).toEqual({ kind: 'done' });
  expect(workers).toHaveLength(2);
});

function invocation(eventId: string): Invocation {
  const message = invoke(0, eventId);
  if (message.type !== 'invoke') throw new Error(message.type);
  const { type: _type, run: _run, mode: _mode, ...given } = message;
  return given;
}
