import type { ForkOptions, UtilityProcess } from 'electron';
import {
  memoryOptions,
  newOutputMark,
  workerEnvironment,
} from '../../core/host/child-process-worker-host.ts';
import { orphanGuard } from '../../core/host/orphan-guard.ts';
import { osProcessStartTime, reapOsProcess } from '../../core/host/os-process.ts';
import {
  superviseWorker,
  type ProcessExit,
  type Supervision,
  type WorkerProcess,
} from '../../core/host/supervise-worker.ts';
import { spawnFailed } from '../../core/host/worker-start.ts';
import type { Secrecy, WorkerHandle, WorkerHost, WorkerSpec } from '../../core/model/ports.ts';
import type { OsProcess } from '../../core/model/snapshot.ts';

export type Fork = (modulePath: string, args: string[], options: ForkOptions) => UtilityProcess;

/**
 * Workers as Electron's utility processes: children of the browser process, which end with it. They lead no group; what
 * they start is found by its mark. `workerPath` is the built electron/worker.
 */
export function utilityWorkerHost(fork: Fork, workerPath: string): WorkerHost {
  const environment = orphanGuard();
  const forkWorker =
    (secrecy: Secrecy | undefined): ForkWorker =>
    (argument, options) =>
      fork(workerPath, [argument], { ...options, env: { ...workerEnvironment(secrecy), ...environment() } });
  return {
    spawn: (spec, callOff, output, secrecy) =>
      spawnWorker(forkWorker(secrecy), spec, { callOff, output, secrecy }),
    reap: reapOsProcess,
  };
}

type ForkWorker = (argument: string, options: ForkOptions) => UtilityProcess;

async function spawnWorker(
  fork: ForkWorker,
  spec: WorkerSpec,
  { callOff, output, secrecy }: Pick<Supervision, 'callOff' | 'output' | 'secrecy'>,
): Promise<WorkerHandle> {
  const outputMark = newOutputMark();
  let child: UtilityProcess;
  try {
    child = fork(JSON.stringify({ ...spec, outputMark }), {
      serviceName: `Agent ${spec.process}`,
      stdio: ['ignore', 'pipe', 'pipe'],
      execArgv: [...memoryOptions(spec)],
    });
  } catch (error) {
    throw spawnFailed(spec, error);
  }
  return superviseWorker(workerProcess(child), { spec, callOff, output, secrecy, outputMark });
}

function workerProcess(child: UtilityProcess): WorkerProcess {
  let identity: OsProcess | null = null;
  let isGone = false;
  child.once('spawn', () => {
    if (child.pid !== undefined)
      identity = { pid: child.pid, startTime: osProcessStartTime(child.pid) ?? '' };
  });
  // Read before it can have ended.
  const { stdout, stderr } = child;
  return {
    identity: () => identity,
    out: stdout as WorkerProcess['out'],
    err: stderr as WorkerProcess['err'],
    send: (message) => {
      if (!isGone) child.postMessage(message, []);
    },
    onMessage: (listener) => void child.on('message', listener),
    exit: new Promise<ProcessExit>((resolve) => {
      let complaint: Error | null = null;
      // A fatal error of the engine. The exit that follows is what counts; unheard, this event would be thrown here.
      child.on('error', (type, location) => {
        complaint = new Error(`${type} at ${location}`);
        // One that never was there has no exit.
        if (identity === null) resolve({ code: null, signal: null, refusal: complaint });
      });
      child.once('exit', (code) => {
        isGone = true;
        resolve({ code, signal: null, refusal: identity === null ? complaint : null });
      });
    }),
    channelEnd: Promise.resolve(),
  };
}
