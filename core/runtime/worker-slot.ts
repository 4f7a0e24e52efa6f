// The one worker of a process: spawned for an invocation, kept warm, reaped when idle. A worker that dies is not a failed
// invocation: whoever owns the slot asks for another.

import { messageOf } from '../model/errors.ts';
import type { Clock, WorkerExit, WorkerFacts, WorkerHandle, WorkerHost, WorkerSpec } from '../model/ports.ts';
import type { OsProcess } from '../model/snapshot.ts';
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

/** `ask`: what it is doing outside may end first. */
export type EndHow = 'ask' | 'at-once';

export class WorkerSlot {
  readonly #host: WorkerHost;
  readonly #events: WorkerSlotEvents;
  #state: SlotState = { kind: 'empty' };
  readonly #clock: Pick<Clock, 'monotonic'>;
  #pings = 0;
  #answered = 0;
  #silentSince: number | null = null;
  /** An earlier worker that could not be made to go. */
  #undead: OsProcess | null = null;

  constructor(
    host: WorkerHost,
    events: WorkerSlotEvents,
    clock: Pick<Clock, 'monotonic'> = { monotonic: () => performance.now() },
  ) {
    this.#host = host;
    this.#events = events;
    this.#clock = clock;
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

  /**
   * Since when, on the monotonic clock, the worker owes an answer: since its last one, or since the first ping that it has
   * not answered where that is later. Null when it owes none.
   */
  get hungSinceMs(): number | null {
    return this.#state.kind === 'ready' ? this.#silentSince : null;
  }

  /**
   * Whether the worker has left pings unanswered for this long. Answers that were on their way while the host itself stood
   * still are heard first.
   */
  async isHung(hangTimeoutMs: number): Promise<boolean> {
    const asked = this.#state;
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
    const since = this.hungSinceMs;
    return since !== null && this.#state === asked && this.#clock.monotonic() - since >= hangTimeoutMs;
  }

  /** How the worker is doing, looked up now; null where there is none. */
  facts(): WorkerFacts | null {
    return this.#state.kind === 'ready' ? this.#state.handle.facts() : null;
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
      await this.#reapUndead();
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
    this.#silentSince = null;
    handle.onMessage((message) => {
      // A worker that is being ended may still say what became of something; it may begin nothing.
      // What comes after its end belongs to a generation that is over, whichever is in its place by then.
      if (this.#state !== ready || (ready.ending && message.type === 'effect-announced')) return;
      if (message.type === 'pong') this.#heardPong(message.id);
      else if (message.type !== 'ready') this.#events.onMessage(message);
    });
    void handle.exited.then((exit) => {
      this.#state = { kind: 'empty' };
      if (exit.isUndead) this.#undead = { pid: handle.pid, startTime: handle.startTime };
      this.#events.onGone({ generation, pid: handle.pid, exit, error: null, expected: ready.ending });
    });
    if (ready.ending) handle.kill();
    else this.#events.onStarted(handle, generation);
  }

  /** Nobody acts for the process while an earlier worker still might [S30]. @throws `process.undead` */
  async #reapUndead(): Promise<void> {
    if (this.#undead === null) return;
    await this.#host.reap(this.#undead);
    this.#undead = null;
  }

  send(message: ToWorker): void {
    if (this.#state.kind === 'ready' && !this.#state.ending) this.#state.handle.send(message);
  }

  /** An answer to what was never asked counts for nothing. */
  #heardPong(id: number): void {
    if (id <= this.#answered || id > this.#pings) return;
    this.#answered = id;
    this.#silentSince = id === this.#pings ? null : this.#clock.monotonic();
  }

  ping(): void {
    if (this.#state.kind !== 'ready' || this.#state.ending) return;
    this.#pings += 1;
    this.#silentSince ??= this.#clock.monotonic();
    this.send({ type: 'ping', id: this.#pings });
  }

  /**
   * Ends the worker, if there is one; resolves when it is gone with everything it started, or can't be made to go. Asking
   * again `at-once` cuts the asking short.
   */
  async end(how: EndHow = 'ask'): Promise<void> {
    if (this.#state.kind === 'spawning') {
      const { callOff, done } = this.#state;
      this.#state.ending = true;
      callOff.abort();
      await done;
    }
    if (this.#state.kind !== 'ready') return;
    const { handle } = this.#state;
    this.#state.ending = true;
    if (how === 'ask') handle.end();
    else handle.kill();
    await handle.exited;
  }

  /** Ends it as an accident would: the owner is told that it was not expected. False when there is none. */
  kill(why?: string): boolean {
    if (this.#state.kind === 'empty' || this.#state.ending) return false;
    if (this.#state.kind === 'spawning') this.#state.callOff.abort();
    else this.#state.handle.kill(why);
    return true;
  }
}

/** What a person reads about a worker's end. */
export function describeGone({ exit, error, pid }: WorkerGone): string {
  return exit === null
    ? `the worker could not be started: ${messageOf(error)}`
    : `worker ${pid}: ${exit.why}`;
}
