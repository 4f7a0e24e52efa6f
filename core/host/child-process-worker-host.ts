// Workers as child processes, each in a process group of its own: under the command line and in tests.

import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { HarnessStart } from '../agent/worker-harness.ts';
import type { Secrecy, WorkerHandle, WorkerHost, WorkerSpec } from '../model/ports.ts';
import type { OsProcess } from '../model/snapshot.ts';
import { compiledCodeDirectory } from './compiled-code.ts';
import { osProcessStartTime, reapOsProcess } from './os-process.ts';
import {
  superviseWorker,
  type ProcessExit,
  type Supervision,
  type WorkerProcess,
} from './supervise-worker.ts';
import { spawnFailed } from './worker-start.ts';

const ENTRY = fileURLToPath(new URL('../agent/child-process-entry.ts', import.meta.url));
const NODE_OPTIONS = [
  '--disable-warning=ExperimentalWarning',
  '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
];
/** No process was started then. */
const NOBODYS = 'unknown';

export interface ChildProcessWorkers {
  /** The Node that runs them; this one unless given. */
  readonly node?: string;
}

export function childProcessWorkerHost({ node = process.execPath }: ChildProcessWorkers = {}): WorkerHost {
  return {
    spawn: (spec, callOff, output, secrecy) => spawnWorker(node, spec, { callOff, output, secrecy }),
    reap: reapOsProcess,
  };
}

async function spawnWorker(
  node: string,
  spec: WorkerSpec,
  { callOff, output, secrecy }: Pick<Supervision, 'callOff' | 'output' | 'secrecy'>,
): Promise<WorkerHandle> {
  const outputMark = newOutputMark();
  const start: HarnessStart = { ...spec, outputMark };
  const compiled = compiledCodeDirectory();
  let child: ChildProcess;
  try {
    child = spawn(
      node,
      [...NODE_OPTIONS, ...memoryOptions(spec), ENTRY, JSON.stringify({ ...start, compiled })],
      {
        // The last is never written to: its end tells the worker that this host has gone.
        stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
        env: workerEnvironment(secrecy),
        // Its own group, so that whatever it starts can be ended with it [S30]. It ends itself when this host goes.
        detached: process.platform !== 'win32',
      },
    );
  } catch (error) {
    throw spawnFailed(spec, error);
  }
  return superviseWorker(workerProcess(child), { spec, callOff, output, secrecy, outputMark });
}

/** The host's own, but for what is kept from workers. */
export function workerEnvironment(secrecy: Secrecy | undefined): NodeJS.ProcessEnv {
  if (secrecy === undefined) return process.env;
  const kept = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !secrecy.isWithheld(name, value),
  );
  return Object.fromEntries(kept);
}

/** Tells marks in the output from what an agent writes. */
export function newOutputMark(): string {
  return randomBytes(12).toString('hex');
}

/** The heap ends at the limit, before all of the worker does. */
export function memoryOptions({ limits }: WorkerSpec): readonly string[] {
  const memoryMb = limits?.memoryMb ?? null;
  return memoryMb === null ? [] : [`--max-old-space-size=${memoryMb}`];
}

function workerProcess(child: ChildProcess): WorkerProcess {
  // Read at once: the number of a worker that has already ended may be somebody else's by now.
  const identity = identify(child);
  // Where descriptors are scarce there are no streams at all, whatever the types say.
  const { stdio } = child as Partial<ChildProcess>;
  const lifeline = stdio?.[4];
  lifeline?.on('error', () => {}); // It ends with the worker, and there is nobody to tell.
  return {
    identity: () => identity,
    out: child.stdout ?? null,
    err: child.stderr ?? null,
    send: (message) => {
      if (child.connected) child.send(message, () => {});
    },
    onMessage: (listener) => void child.on('message', listener),
    exit: exitOf(child),
    channelEnd: new Promise((resolve) => {
      if (child.connected) child.once('disconnect', () => resolve());
      else resolve();
    }),
  };
}

function identify({ pid }: ChildProcess): OsProcess | null {
  return pid === undefined ? null : { pid, startTime: osProcessStartTime(pid) ?? NOBODYS };
}

function exitOf(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, refusal: null }));
    child.on('error', (error) => {
      // Others are about messages to one that is going.
      if (child.pid === undefined) resolve({ code: null, signal: null, refusal: error });
    });
  });
}
