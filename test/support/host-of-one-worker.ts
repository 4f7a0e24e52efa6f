// A host of one worker that tells the worker's pid and start time and then waits for its own end.
//
//   node host-of-one-worker.ts <kind> <spec as JSON>

import type { WorkerSpec } from '../../core/model/ports.ts';
import { childProcessWorkerHost } from '../../core/host/child-process-worker-host.ts';
import { utilityHost } from './utility-host.ts';

const [, , kind, spec] = process.argv;
const host = kind === 'utility process' ? utilityHost() : childProcessWorkerHost();
const worker = await host.spawn(JSON.parse(spec!) as WorkerSpec, {
  aborted: false,
  addEventListener: () => {},
});
process.stdout.write(`${JSON.stringify({ pid: worker.pid, startTime: worker.startTime })}\n`);
await worker.exited;
