// From an event that is handed in to the first line of the agent's code, in a worker that is warm.

import { join } from 'node:path';
import { hrtime } from 'node:process';
import { childProcessWorkerHost } from '../../core/host/child-process-worker-host.ts';
import { openLiveWorkspace } from '../../core/host/open-workspace.ts';
import { writeAgents } from './agents.ts';
import { describeMachine } from './machine.ts';
import { atMost, measured, percentile, type BenchResult } from './result.ts';
import { sized, takeTurns, type Samples } from './rounds.ts';
import { workDirectory } from './work-directory.ts';

const EVENTS = sized(300, 10);
/** On the clock that all processes of the machine share. */
const FIRST_LINE = `const at = Number(process.hrtime.bigint()) / 1e6; await ctx.state.set('at', at);`;

export async function run(): Promise<BenchResult> {
  using work = workDirectory();
  const at = new Date().toISOString();
  let round = 0;
  const rounds = await takeTurns([() => wake(join(work.path, String((round += 1))))]);
  return {
    bench: 'wake',
    at,
    machine: describeMachine(),
    limits: {},
    results: [
      measured('event to first line of agent code, median', rounds('median'), 'ms'),
      measured('event to first line of agent code, 99th percentile', rounds('p99'), 'ms', {
        target: atMost(20),
      }),
    ],
  };
}

async function wake(workspace: string): Promise<Samples> {
  const [name] = writeAgents(workspace, 1, FIRST_LINE);
  const live = await openLiveWorkspace({
    workspace,
    workerHost: childProcessWorkerHost(),
    knownJournals: null,
    onChange: () => {},
    onFailure: (error) => {
      throw error;
    },
  });
  try {
    const process = live.runtime.process(name!);
    const samples: number[] = [];
    for (let n = 0; n <= EVENTS; n += 1) {
      const handedIn = Number(hrtime.bigint()) / 1e6;
      await process.trigger(null);
      while (process.snapshot.invocationCount <= n)
        await new Promise((resolve) => void setImmediate(resolve));
      // The first one starts the worker.
      if (n > 0) samples.push(Number(process.snapshot.context['at']) - handedIn);
    }
    if (samples.some((sample) => !(sample > 0))) throw new Error('Some code ran before its event.');
    return { median: percentile(samples, 0.5), p99: percentile(samples, 0.99) };
  } finally {
    await live.close();
  }
}
