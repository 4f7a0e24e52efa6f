// Run with few of them: takes every file descriptor there is, asks for a worker, gives them back, and asks again. Tells what came of both.
//
//   node spawn-without-descriptors.ts <spec as JSON>

import { closeSync, openSync } from 'node:fs';
import { childProcessWorkerHost } from '../../core/host/child-process-worker-host.ts';
import { asAppError } from '../../core/model/errors.ts';
import type { WorkerSpec } from '../../core/model/ports.ts';

const spec = JSON.parse(process.argv[2]!) as WorkerSpec;
const host = childProcessWorkerHost();

async function attempt(): Promise<string> {
  try {
    const worker = await host.spawn(spec, { aborted: false, addEventListener: () => {} });
    worker.kill();
    await worker.exited;
    return 'started';
  } catch (error) {
    const { code, detail } = asAppError(error);
    return `${code} ${JSON.stringify(detail['code'])}`;
  }
}

function takeAll(): readonly number[] {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync(spec.entrypoint, 'r'));
  } catch {
    // There are no more, as was wanted.
  }
  return taken;
}

const taken = takeAll();
const first = await attempt();
taken.forEach((fd) => closeSync(fd));
process.stdout.write(JSON.stringify({ first, second: await attempt() }));
