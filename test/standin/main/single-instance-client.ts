// A thread of the second instance, which blocks until this has told the first one what it was asked to open.
import { connect } from 'node:net';
import { workerData } from 'node:worker_threads';

export interface Errand {
  readonly address: string;
  readonly message: string;
  /** Becomes 1 when the first instance has answered, 2 when there is none. */
  readonly outcome: SharedArrayBuffer;
}

const { address, message, outcome } = workerData as Errand;

function end(value: 1 | 2): void {
  const cell = new Int32Array(outcome);
  if (Atomics.compareExchange(cell, 0, 0, value) === 0) Atomics.notify(cell, 0);
}

const socket = connect(address, () => socket.end(message));
socket.on('data', () => end(1));
socket.on('error', () => end(2));
socket.on('close', () => end(2));
