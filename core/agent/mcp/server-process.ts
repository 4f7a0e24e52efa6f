// A server that runs: a child process of the worker, in its group and with its mark, so that it ends with it [S30]; or, for a
// server that comes with the installed app, which holds no Node that could be started, a thread of it.

import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../model/errors.ts';
import type { ServerCommand } from './server-command.ts';

export interface ServerProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Rejects where it could not be started. */
  readonly started: Promise<void>;
  /** With how it ended, also where it never began. */
  readonly ended: Promise<string>;
  readonly isOver: () => boolean;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** Of a thread: it shares the worker's process, and may not take all of its memory. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/** Those that run, so that none outlives a worker that leaves by itself. */
const running = new Set<ChildProcess>();
let isWatched = false;

export function startServer(command: ServerCommand, cwd: string): ServerProcess {
  const started = command.kind === 'thread' ? startThread(command) : startProcess(command, cwd);
  // What can't be written or read is known from its end.
  for (const stream of [started.stdin, started.stdout, started.stderr]) stream.on('error', () => {});
  started.started.catch(() => {}); // whoever starts it is told
  return started;
}

function startProcess(
  { command, args, env }: Extract<ServerCommand, { kind: 'process' }>,
  cwd: string,
): ServerProcess {
  const child = spawn(command, args, { cwd, env, stdio: 'pipe', windowsHide: true });
  watch(child);
  let isOver = false;
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    started: new Promise((resolve, reject) => {
      child.once('spawn', () => resolve());
      child.once('error', reject);
    }),
    ended: new Promise((resolve) => {
      const end = (how: string): void => {
        isOver = true;
        running.delete(child);
        resolve(how);
      };
      child.once('exit', (code, signal) => {
        end(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`);
      });
      child.on('error', (error) => {
        if (child.pid === undefined) end(error.message);
      });
    }),
    isOver: () => isOver,
    kill: (signal) => void child.kill(signal),
  };
}

function startThread({ file, args, env }: Extract<ServerCommand, { kind: 'thread' }>): ServerProcess {
  const thread = new Worker(file, {
    argv: [...args],
    env: { ...env },
    stdin: true,
    stdout: true,
    stderr: true,
    execArgv: [],
    resourceLimits: THREAD_LIMITS,
  });
  let isOver = false;
  return {
    stdin: thread.stdin!,
    stdout: thread.stdout,
    stderr: thread.stderr,
    started: new Promise((resolve, reject) => {
      thread.once('online', () => resolve());
      thread.once('error', reject);
    }),
    ended: new Promise((resolve) => {
      let why: string | null = null;
      thread.on('error', (error) => {
        why = messageOf(error);
      });
      thread.once('exit', (code) => {
        isOver = true;
        resolve(why ?? `it ended with code ${code}`);
      });
    }),
    isOver: () => isOver,
    kill: () => void thread.terminate(),
  };
}

function watch(child: ChildProcess): void {
  running.add(child);
  if (isWatched) return;
  isWatched = true;
  process.on('exit', () => {
    for (const one of running) one.kill('SIGKILL');
  });
}
