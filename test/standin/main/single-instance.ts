import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { decodeValue, encodeValue } from '../page/values.ts';
import type { Errand } from './single-instance-client.ts';

/** What a second instance tells the first. */
export interface Launch {
  readonly argv: string[];
  readonly workingDirectory: string;
  readonly additionalData: unknown;
}

const ANSWER_MS = 5000;

/**
 * One address for each user data folder; short, because a socket's path may have a hundred bytes. Only macOS needs a
 * file for it, which one that is killed leaves behind.
 */
function addressOf(userData: string): string {
  const id = createHash('sha256').update(userData).digest('hex').slice(0, 20);
  if (process.platform === 'win32') return `\\\\.\\pipe\\standin-${id}`;
  return process.platform === 'linux' ? `\0standin-${id}` : join(tmpdir(), `standin-${id}.sock`);
}

function receive(socket: Socket, onLaunch: (launch: Launch) => void): void {
  let text = '';
  socket.setEncoding('utf8');
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('end', () => {
    socket.end('heard');
    onLaunch(decodeValue(JSON.parse(text)) as Launch);
  });
}

/** Binding happens within `listen`, so whether it worked is known at once. */
function listen(address: string, onLaunch: (launch: Launch) => void): Server | undefined {
  const server = createServer({ allowHalfOpen: true }, (socket) => receive(socket, onLaunch));
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') console.error('stand-in: the single instance lock failed:', error);
  });
  server.listen(address);
  server.unref();
  return server.listening ? server : undefined;
}

/** Blocks until the first instance has heard of this launch; false if nobody is there. */
function tell(address: string, launch: Launch): boolean {
  const outcome = new SharedArrayBuffer(4);
  const errand: Errand = { address, message: JSON.stringify(encodeValue(launch)), outcome };
  const worker = new Worker(new URL('./single-instance-client.ts', import.meta.url), {
    workerData: errand,
    execArgv: [],
  });
  worker.unref();
  const cell = new Int32Array(outcome);
  Atomics.wait(cell, 0, 0, ANSWER_MS);
  return Atomics.load(cell, 0) !== 2;
}

/**
 * Takes the lock of a user data folder, or tells its holder about this launch and gives undefined. The lock is a
 * listening socket, which the kernel closes however its holder ends.
 */
export function takeInstanceLock(
  userData: string,
  launch: Launch,
  onLaunch: (launch: Launch) => void,
): Disposable | undefined {
  const address = addressOf(userData);
  let server = listen(address, onLaunch);
  if (!server) {
    if (tell(address, launch)) return undefined;
    // The socket of one that was killed.
    if (isAbsolute(address)) rmSync(address, { force: true });
    server = listen(address, onLaunch);
  }
  if (!server)
    throw new Error(`The single instance lock ${address} can neither be taken nor its holder be told.`);
  const held = server;
  // Closing removes a socket's file, which ending alone does not.
  const release = (): void => void held.close();
  process.once('exit', release);
  return {
    [Symbol.dispose]() {
      process.off('exit', release);
      release();
    },
  };
}
