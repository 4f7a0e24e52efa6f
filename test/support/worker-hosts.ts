// Both kinds of workers, real ones, and agents for them that are written where the test is.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { childProcessWorkerHost } from '../../core/host/child-process-worker-host.ts';
import type {
  WorkerHandle,
  WorkerHost,
  WorkerLimits,
  WorkerOutput,
  WorkerOutputLine,
  WorkerSpec,
} from '../../core/model/ports.ts';
import { DEFAULT_PROCESS_CONFIG } from '../../core/model/process-config.ts';
import { emptySnapshot, openedInvocation } from '../../core/model/snapshot.ts';
import type { ToWorker } from '../../core/model/worker-protocol.ts';
import { recordOf } from '../../core/runtime/invocation-record.ts';
import { tempDirectory } from './temp-directory.ts';
import { utilityHost } from './utility-host.ts';

export const KINDS = ['child process', 'utility process'] as const;
export type Kind = (typeof KINDS)[number];

export function workerHost(kind: Kind): WorkerHost {
  return kind === 'child process' ? childProcessWorkerHost() : utilityHost();
}

export const NEVER = { aborted: false, addEventListener: () => {} } as const;
export const LIMITS: WorkerLimits = { memoryMb: null, startDeadlineMs: 30_000, stopDeadlineMs: 20_000 };

/** `source` is the module; what it exports is an agent that answers at once unless it says otherwise. */
export function agentSpec(source: string, limits: Partial<WorkerLimits> = {}): WorkerSpec {
  const entrypoint = join(tempDirectory(), 'agent.mjs');
  const agent = source.includes('export default')
    ? source
    : `${source}\nexport default { async onTrigger() {} };`;
  writeFileSync(entrypoint, agent);
  return { process: 'agent', entrypoint, generation: 7, limits: { ...LIMITS, ...limits } };
}

export interface HeardOutput extends WorkerOutput {
  readonly lines: WorkerOutputLine[];
  /** Since when there has been no room. */
  close(): void;
  dropped: number;
}

export function hearOutput(): HeardOutput {
  let isOpen = true;
  const heard: HeardOutput = {
    lines: [],
    dropped: 0,
    close: () => {
      isOpen = false;
    },
    hasRoom: () => isOpen,
    onLine: (line) => void heard.lines.push(line),
    onDropped: (_stream, lines) => {
      heard.dropped += lines;
    },
  };
  return heard;
}

/** A worker of that source; whatever the test does, it is gone after it. */
export async function startWorker(
  host: WorkerHost,
  source: string,
  limits: Partial<WorkerLimits> = {},
  output?: WorkerOutput,
): Promise<WorkerHandle> {
  const worker = await host.spawn(agentSpec(source, limits), NEVER, output);
  onTestFinished(async () => {
    worker.kill();
    await worker.exited;
  });
  return worker;
}

/** An invocation from its beginning. */
export function invoke(run: number, eventId: string): ToWorker {
  const event = { eventId, triggerId: 'manual', triggerType: 'manual', payload: '', acceptedAt: '' };
  const open = openedInvocation({
    event,
    invocation: 1,
    attempt: 1,
    attemptSeq: 0,
    startedAt: '',
    codeHash: '',
    seed: '0'.repeat(32),
    inbox: [],
    conversationFrom: 0,
  });
  return {
    type: 'invoke',
    run,
    mode: 'run',
    event,
    process: 'agent',
    workspace: '',
    attempt: 1,
    record: recordOf(emptySnapshot(), open, { config: DEFAULT_PROCESS_CONFIG }, []),
    keyPrefix: 'test',
    isDurable: true,
    writableKeys: [],
  };
}
