// Workers as child processes, each in a process group of its own: under the command line and in tests.

import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../model/errors.ts';
import type { CallOff, WorkerExit, WorkerHandle, WorkerHost, WorkerSpec } from '../model/ports.ts';
import type { FromWorker } from '../model/worker-protocol.ts';
import { killGroup, osProcessStartTime, reapOsProcess } from './os-process.ts';
import { parseFromWorker } from './worker-messages.ts';
import { readyWorker, START_PATIENCE_MS } from './worker-start.ts';

const ENTRY = fileURLToPath(new URL('../agent/child-process-entry.ts', import.meta.url));
/** Between a worker's end and the last of what it wrote. */
const DRAIN_PATIENCE_MS = 500;
/** No process was started then. */
const NOBODYS = 'unknown';
const LAST_OUTPUT_CHARACTERS = 4_096;
const NODE_OPTIONS = [
  '--disable-warning=ExperimentalWarning',
  '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
];

export function childProcessWorkerHost(): WorkerHost {
  return { spawn: spawnWorker, reap: reapOsProcess };
}

async function spawnWorker(spec: WorkerSpec, callOff: CallOff): Promise<WorkerHandle> {
  const child = spawn(process.execPath, [...NODE_OPTIONS, ENTRY, JSON.stringify(spec)], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Its own group, so that whatever it starts can be ended with it [S30]. It ends itself when this host goes.
    detached: process.platform !== 'win32',
  });
  // Read at once: the number of a worker that has already ended may be somebody else's by now.
  const startTime = child.pid === undefined ? null : osProcessStartTime(child.pid);
  const output = lastOutput(child);
  const kill = (): void => {
    if (child.pid !== undefined) killGroup(child.pid);
  };
  const listeners: ((message: FromWorker) => void)[] = [];
  let complaint = '';
  const ready = new Promise<'ready'>((resolve) => {
    child.on('message', (raw) => {
      const message = parseFromWorker(raw);
      if (message === null) {
        complaint = 'it sent what no worker sends, so it was ended';
        kill();
      } else if (message.type === 'ready') resolve('ready');
      else for (const listener of listeners) listener(message);
    });
  });
  const exited = exitOf(child, startTime ?? NOBODYS, () => (complaint === '' ? output() : complaint));
  await readyWorker({ spec, ready, exited, callOff, kill, patienceMs: START_PATIENCE_MS });
  const pid = child.pid!;
  return {
    pid,
    startTime: startTime ?? '',
    send: (message) => {
      // A worker that is going is told nothing; its exit says the rest.
      if (child.connected) child.send(message, () => {});
    },
    onMessage: (listener) => void listeners.push(listener),
    exited,
    kill,
  };
}

/** Resolves when the worker is gone, with everything it started [S30], and everything it said has been heard. */
async function exitOf(child: ChildProcess, startTime: string, output: () => string): Promise<WorkerExit> {
  const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const disconnected = new Promise<void>((resolve) => void child.once('disconnect', () => resolve()));
  const exit = await new Promise<Omit<WorkerExit, 'lastOutput'>>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => {
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
  if (child.pid !== undefined) {
    // A group that outlives this hangs in the kernel; it is met again, and waited for, when its worker is reaped.
    await reapOsProcess({ pid: child.pid, startTime }).catch(() => {});
    await Promise.race([Promise.all([closed, disconnected]), delay(DRAIN_PATIENCE_MS)]);
  }
  return { ...exit, lastOutput: output() };
}

/** Drains both streams, so that a chatty agent never blocks, and keeps the end of them. */
function lastOutput(child: ChildProcess): () => string {
  let text = '';
  const keep = (said: string): void => {
    text = (text + said).slice(-LAST_OUTPUT_CHARACTERS);
  };
  child.stdout?.on('data', (chunk: Buffer) => keep(chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => keep(chunk.toString()));
  child.once('error', (error) => keep(messageOf(error)));
  return () => text;
}
