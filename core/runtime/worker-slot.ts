// The one worker of a process: spawned for an invocation, kept warm, reaped when idle. A worker that dies is not a failed
// invocation: whoever owns the slot asks for another.

import { messageOf } from '../model/errors.ts';
import type { WorkerExit, WorkerHandle, WorkerHost, WorkerSpec } from '../model/ports.ts';
import type { FromWorker, ToWorker } from '../model/worker-protocol.ts';

export interface WorkerSlotEvents {
  readonly onStarted: (worker: WorkerHandle, generation: number) => void;
  readonly onMessage: (message: FromWorker) => void;
  /** `expected`: we ended it. A worker that could not be started comes with the error instead of an exit. */
  readonly onGone: (gone: WorkerGone) => void;
}

export interface WorkerGone {
  readonly generation: number;
  readonly pid: number | null;
  readonly exit: WorkerExit | null;
  readonly error: unknown;
  readonly expected: boolean;
}

interface Spawning {
  readonly kind: 'spawning';
  readonly callOff: AbortController;
  ending: boolean;
  done: Promise<void>;
}
type SlotState =
  | { readonly kind: 'empty' }
  | Spawning
  | { readonly kind: 'ready'; readonly generation: number; readonly handle: WorkerHandle; ending: boolean };

/** Missed this many pings in a row: the worker's event loop is busy or hung. */
const MISSED_PINGS = 3;

export class WorkerSlot {
  readonly #host: WorkerHost;
  readonly #events: WorkerSlotEvents;
  #state: SlotState = { kind: 'empty' };
  #pings = 0;
  #answered = 0;

  constructor(host: WorkerHost, events: WorkerSlotEvents) {
    this.#host = host;
    this.#events = events;
  }

  get current(): { readonly pid: number; readonly generation: number } | null {
    return this.#state.kind === 'ready'
      ? { pid: this.#state.handle.pid, generation: this.#state.generation }
      : null;
  }

  get isSpawning(): boolean {
    return this.#state.kind === 'spawning';
  }

  get isReady(): boolean {
    return this.#state.kind === 'ready' && !this.#state.ending;
  }

  /** False once the worker has left several pings unanswered. */
  get isAnswering(): boolean {
    return this.#pings - this.#answered < MISSED_PINGS;
  }

  /** Starts a worker unless there is one; what comes of it arrives as an event. */
  spawn(spec: WorkerSpec): void {
    if (this.#state.kind !== 'empty') return;
    const callOff = new AbortController();
    const spawning: Spawning = { kind: 'spawning', callOff, ending: false, done: Promise.resolve() };
    this.#state = spawning;
    spawning.done = this.#spawn(spec, spawning);
  }

  async #spawn(spec: WorkerSpec, spawning: Spawning): Promise<void> {
    const { generation } = spec;
    let handle: WorkerHandle;
    try {
      handle = await this.#host.spawn(spec, spawning.callOff.signal);
    } catch (error) {
      this.#state = { kind: 'empty' };
      this.#events.onGone({ generation, pid: null, exit: null, error, expected: spawning.ending });
      return;
    }
    const ready = { kind: 'ready' as const, generation, handle, ending: spawning.ending };
    this.#state = ready;
    this.#pings = 0;
    this.#answered = 0;
    handle.onMessage((message) => {
      // A worker that is being ended may still say what became of something; it may begin nothing.
      if (this.#state !== ready || (ready.ending && message.type === 'effect-announced')) return;
      if (message.type === 'pong') this.#answered = message.id;
      else this.#events.onMessage(message);
    });
    void handle.exited.then((exit) => {
      this.#state = { kind: 'empty' };
      this.#events.onGone({ generation, pid: handle.pid, exit, error: null, expected: ready.ending });
    });
    if (ready.ending) handle.kill();
    else this.#events.onStarted(handle, generation);
  }

  send(message: ToWorker): void {
    if (this.#state.kind === 'ready' && !this.#state.ending) this.#state.handle.send(message);
  }

  ping(): void {
    if (this.#state.kind !== 'ready') return;
    this.#pings += 1;
    this.send({ type: 'ping', id: this.#pings });
  }

  /** Ends the worker, if there is one; resolves when it is gone with its whole group. */
  async end(): Promise<void> {
    if (this.#state.kind === 'spawning') {
      const { callOff, done } = this.#state;
      this.#state.ending = true;
      callOff.abort();
      await done;
    }
    if (this.#state.kind !== 'ready') return;
    this.#state.ending = true;
    this.#state.handle.kill();
    await this.#state.handle.exited;
  }

  /** Ends it as an accident would: the owner is told that it was not expected. False when there is none. */
  kill(): boolean {
    if (this.#state.kind === 'empty' || this.#state.ending) return false;
    if (this.#state.kind === 'spawning') this.#state.callOff.abort();
    else this.#state.handle.kill();
    return true;
  }
}

/** What a person reads about a worker's end. */
export function describeGone({ exit, error, pid }: WorkerGone): string {
  if (exit === null) return `the worker could not be started: ${messageOf(error)}`;
  const how = exit.signal === null ? `exited with code ${exit.code ?? '?'}` : `was ended by ${exit.signal}`;
  const last = exit.lastOutput.trim().split('\n').at(-1) ?? '';
  return `worker ${pid} ${how}${last === '' ? '' : `: ${last.slice(0, 200)}`}`;
}
