import type { ForkOptions, UtilityProcess } from 'electron';
import { setTimeout as delay } from 'node:timers/promises';
import { killGroup, osProcessStartTime, reapOsProcess } from '../../core/host/os-process.ts';
import { parseFromWorker } from '../../core/host/worker-messages.ts';
import { readyWorker, START_PATIENCE_MS } from '../../core/host/worker-start.ts';
import type { CallOff, WorkerExit, WorkerHandle, WorkerHost, WorkerSpec } from '../../core/model/ports.ts';
import type { FromWorker } from '../../core/model/worker-protocol.ts';

const LAST_OUTPUT_CHARACTERS = 4_096;
const DRAIN_PATIENCE_MS = 200;

export type Fork = (modulePath: string, args: string[], options: ForkOptions) => UtilityProcess;

/**
 * Workers as Electron's utility processes: children of the browser process, which end with it. `workerPath` is the built
 * electron/worker.
 */
export function utilityWorkerHost(fork: Fork, workerPath: string): WorkerHost {
  return { spawn: (spec, callOff) => spawnWorker(fork, workerPath, spec, callOff), reap: reapOsProcess };
}

async function spawnWorker(
  fork: Fork,
  workerPath: string,
  spec: WorkerSpec,
  callOff: CallOff,
): Promise<WorkerHandle> {
  const child = fork(workerPath, [JSON.stringify(spec)], {
    serviceName: `Agent ${spec.process}`,
    // Both are drained, so that a chatty agent never blocks.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (text: string): void => {
    output = (output + text).slice(-LAST_OUTPUT_CHARACTERS);
  };
  child.stdout?.on('data', (bytes: Buffer) => keep(bytes.toString('utf8')));
  child.stderr?.on('data', (bytes: Buffer) => keep(bytes.toString('utf8')));
  // A fatal error of the engine. The exit that follows is what counts; unheard, this event would be thrown here.
  child.on('error', (type, location) => keep(`${type} at ${location}\n`));

  let killed = false;
  let gone = false;
  const exited = new Promise<WorkerExit>((resolve) => {
    // What it said last may still be on its way when the exit is known, or may have been dropped with the streams.
    const said = Promise.all([child.stdout, child.stderr].map((stream) => ended(stream)));
    child.once('exit', (code) => {
      gone = true;
      void Promise.race([said, delay(DRAIN_PATIENCE_MS)]).then(() =>
        resolve({ code: killed ? null : code, signal: killed ? 'SIGKILL' : null, lastOutput: output }),
      );
    });
  });
  /** What Electron offers is a request to end; an agent that is stuck does not hear it. */
  const kill = (): void => {
    if (gone || child.pid === undefined) return;
    killed = true;
    killGroup(child.pid);
  };

  // Whatever comes before somebody listens waits, in order.
  let listener: ((message: FromWorker) => void) | null = null;
  const waiting: FromWorker[] = [];
  const ready = new Promise<'ready'>((resolve) => {
    child.on('message', (raw: unknown) => {
      const message = parseFromWorker(raw);
      if (message === null) {
        keep('it sent what no worker sends, so it was ended\n');
        kill();
      } else if (message.type === 'ready') resolve('ready');
      else if (listener === null) waiting.push(message);
      else listener(message);
    });
  });
  await readyWorker({ spec, ready, exited, callOff, kill, patienceMs: START_PATIENCE_MS });
  const pid = child.pid ?? 0;
  return {
    pid,
    startTime: osProcessStartTime(pid) ?? '',
    exited,
    kill,
    send: (message) => {
      // A worker that is going is told nothing; its exit says the rest.
      if (!gone) child.postMessage(message, []);
    },
    onMessage(next) {
      listener = next;
      waiting.splice(0).forEach(next);
    },
  };
}

function ended(stream: NodeJS.ReadableStream | null): Promise<void> {
  return new Promise((resolve) => {
    if (stream === null) resolve();
    else stream.once('end', resolve);
  });
}
