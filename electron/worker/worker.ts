// The entry of a worker under Electron: hands the port to its parent to the agent's code, and is nothing else. It ends
// with its host, since a utility process does.

import { endWhenOutputBreaks } from '../../core/agent/end-with-everything.ts';
import { resolveHoldfast } from '../../core/agent/resolve-holdfast.ts';
import { runWorker } from '../../core/agent/run-worker.ts';
import { harness, type HarnessStart, type ToHarness } from '../../core/agent/worker-harness.ts';
import { messageOf } from '../../core/model/errors.ts';
import type { ToWorker } from '../../core/model/worker-protocol.ts';

const { parentPort } = process;
const start = JSON.parse(process.argv[2] ?? '') as HarnessStart;
endWhenOutputBreaks();

// Built beside this file out of the same modules, so that an agent and its worker share one copy of each.
resolveHoldfast(new URL('./holdfast.js', import.meta.url).href);
runWorker(
  harness(
    {
      send: parentPort.postMessage.bind(parentPort),
      onMessage: (listener) => {
        parentPort.on('message', (event) => listener(event.data as ToWorker | ToHarness));
      },
    },
    start,
  ),
  start,
).catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
});
