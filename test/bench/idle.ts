// What a process costs that does nothing: memory of the host, and its processor time.

import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { writeAgents } from './agents.ts';
import { startHost } from './host-process.ts';
import { describeMachine } from './machine.ts';
import { atMost, measured, type BenchResult } from './result.ts';
import { sized, takeTurns, type Contender } from './rounds.ts';
import { workDirectory } from './work-directory.ts';

const MANY = sized(1_000, 20);
/** What starting left is collected by then: a host that has just started is not idle yet. */
const SETTLE_MS = sized(20_000, 100);
const WATCH_MS = sized(10_000, 200);
const MEBIBYTE = 1024 * 1024;

export async function run(): Promise<BenchResult> {
  using work = workDirectory();
  const at = new Date().toISOString();
  const few = join(work.path, 'few');
  const many = join(work.path, 'many');
  writeAgents(few, 1, '');
  writeAgents(many, MANY, '');
  const rounds = await takeTurns([host('few', few, 1), host('many', many, MANY)], sized(3, 1));
  const over = (what: string): number[] =>
    rounds(`many ${what}`).map((sample, round) => sample - rounds(`few ${what}`)[round]!);
  return {
    bench: 'idle',
    at,
    machine: describeMachine(),
    limits: {},
    results: [
      measured('host of one idle process: memory', rounds('few memory'), 'MiB'),
      measured(`host of ${MANY} idle processes: memory over it`, over('memory'), 'MiB', {
        target: atMost(60),
      }),
      measured('host of one idle process: of a core', rounds('few core'), '%'),
      measured(`host of ${MANY} idle processes: of a core over it`, over('core'), '%', { target: atMost(1) }),
    ],
  };
}

function host(name: string, workspace: string, count: number): Contender {
  return async () => {
    const running = await startHost(workspace);
    await delay(SETTLE_MS);
    const before = await running.facts();
    await delay(WATCH_MS);
    const after = await running.facts();
    await running.quit();
    if (after.states['running'] !== count)
      throw new Error(`${JSON.stringify(after.states)} are not ${count} running.`);
    return {
      [`${name} memory`]: after.rssBytes / MEBIBYTE,
      [`${name} core`]: ((after.cpuSeconds.asked - before.cpuSeconds.answered) / (WATCH_MS / 1000)) * 100,
    };
  };
}
