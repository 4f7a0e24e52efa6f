// A worker under the command line and in tests: a child process with an IPC channel, and a pipe that ends when its host
// does. Then it ends too, with everything it started, whatever its agent is doing [S30].

import { Worker } from 'node:worker_threads';
import { messageOf } from '../model/errors.ts';
import type { ToWorker } from '../model/worker-protocol.ts';
import { endWhenOutputBreaks, endWithEverything } from './end-with-everything.ts';
import { resolveHoldfast } from './resolve-holdfast.ts';
import { runWorker } from './run-worker.ts';
import { harness, type HarnessStart, type ToHarness } from './worker-harness.ts';

/** Of the pipe that only ends. */
const LIFELINE = 4;
/** The thread does nothing but wait. */
const SMALL = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

export function serve(start: HarnessStart): void {
  process.title = `holdfast worker ${start.process}`;
  new Worker(new URL('./lifeline.ts', import.meta.url), {
    workerData: { fd: LIFELINE },
    resourceLimits: SMALL,
    execArgv: [],
  }).unref();
  process.on('disconnect', endWithEverything);
  endWhenOutputBreaks();

  resolveHoldfast(new URL('./index.ts', import.meta.url).href);
  runWorker(
    harness(
      {
        send: (message) => void process.send?.(message),
        onMessage: (listener) => {
          process.on('message', (message) => listener(message as ToWorker | ToHarness));
        },
      },
      start,
    ),
    start,
  ).catch((error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  });
}
