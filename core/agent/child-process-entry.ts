// What a worker under the command line and in tests starts with: a child process with an IPC channel. It ends with its
// host, whatever its agent is doing [S30].

import { messageOf } from '../model/errors.ts';
import type { ToWorker } from '../model/worker-protocol.ts';
import { resolveHoldfast } from './resolve-holdfast.ts';
import { runWorker, type WorkerStart } from './run-worker.ts';

const start = JSON.parse(process.argv[2]!) as WorkerStart;
process.title = `holdfast worker ${start.process}`;
process.on('disconnect', () => {
  // The host is gone: what this worker started goes with it, and it itself, whatever its agent is doing.
  if (process.platform !== 'win32') process.kill(-process.pid, 'SIGKILL');
  process.exit(0);
});

resolveHoldfast(new URL('./index.ts', import.meta.url).href);
runWorker(
  {
    send: (message) => void process.send?.(message),
    onMessage: (listener) => void process.on('message', (message) => listener(message as ToWorker)),
  },
  start,
).catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
});
