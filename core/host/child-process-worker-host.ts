// Workers as child processes, each in a process group of its own: under the command line, in tests, and in the stand-in.

import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AppError, messageOf } from '../model/errors.ts';
import type { WorkerExit, WorkerHandle, WorkerHost, WorkerSpec } from '../model/ports.ts';
import type { FromWorker } from '../model/worker-protocol.ts';
import { killGroup, osProcessStartTime, reapOsProcess } from './os-process.ts';

const ENTRY = fileURLToPath(new URL('../agent/child-process-entry.ts', import.meta.url));
const START_PATIENCE_MS = 30_000;
const LAST_OUTPUT_CHARACTERS = 4_096;

export function childProcessWorkerHost(): WorkerHost {
  return { spawn: spawnWorker, reap: reapOsProcess };
}

async function spawnWorker(spec: WorkerSpec): Promise<WorkerHandle> {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
      ENTRY,
      JSON.stringify(spec),
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Its own group, so that whatever it starts can be ended with it [S30]. It ends itself when this host goes.
      detached: process.platform !== 'win32',
    },
  );
  const output = lastOutput(child);
  const exited = new Promise<WorkerExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, lastOutput: output() }));
    child.once('error', (error) => resolve({ code: null, signal: null, lastOutput: messageOf(error) }));
  });
  const listeners: ((message: FromWorker) => void)[] = [];
  const ready = new Promise<void>((resolve) => {
    child.on('message', (message) => {
      if ((message as FromWorker).type === 'ready') resolve();
      for (const listener of listeners) listener(message as FromWorker);
    });
  });
  await readyOrGone(spec, child, ready, exited);
  const pid = child.pid!;
  return {
    pid,
    startTime: osProcessStartTime(pid) ?? '',
    send: (message) => {
      // A worker that is going is told nothing; its exit says the rest.
      if (child.connected) child.send(message, () => {});
    },
    onMessage: (listener) => void listeners.push(listener),
    exited,
    kill: () => killGroup(pid),
  };
}

async function readyOrGone(
  spec: WorkerSpec,
  child: ChildProcess,
  ready: Promise<void>,
  exited: Promise<WorkerExit>,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), START_PATIENCE_MS);
  });
  const first = await Promise.race([ready.then(() => 'ready' as const), exited, late]);
  clearTimeout(timer);
  if (first === 'ready') return;
  if (first === 'late') {
    if (child.pid !== undefined) killGroup(child.pid);
    throw new AppError(
      'worker.start-timeout',
      `The worker of ${spec.process} did not load ${spec.entrypoint} within ${START_PATIENCE_MS / 1000} s and was ended. Look for work that the module does at import.`,
      { process: spec.process },
    );
  }
  const said = first.lastOutput.trim();
  throw new AppError(
    'worker.start-failed',
    said === ''
      ? `The worker of ${spec.process} ended before it was ready (code ${first.code ?? '?'}, signal ${first.signal ?? 'none'}).`
      : said,
    { process: spec.process },
  );
}

/** Drains both streams, so that a chatty agent never blocks, and keeps the end of them. */
function lastOutput(child: ChildProcess): () => string {
  let text = '';
  const keep = (chunk: Buffer): void => {
    text = (text + chunk.toString()).slice(-LAST_OUTPUT_CHARACTERS);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return () => text;
}
