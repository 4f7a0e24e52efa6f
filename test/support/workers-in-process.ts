// Workers that run in this very process and still die: the agent's code is that of a real worker, behind a channel that
// copies every message and takes a turn for each. Death cuts the channel; and whatever of a dead worker is still under way
// here stops at its next look at `ofTheLiving`.

import { AsyncLocalStorage } from 'node:async_hooks';
import { runWorker } from '../../core/agent/run-worker.ts';
import { AppError } from '../../core/model/errors.ts';
import type {
  CallOff,
  Clock,
  WorkerExit,
  WorkerHandle,
  WorkerHost,
  WorkerSpec,
} from '../../core/model/ports.ts';
import type { FromWorker, ToWorker } from '../../core/model/worker-protocol.ts';

interface Life {
  isAlive: boolean;
}

const lives = new AsyncLocalStorage<Life>();

/** Within a worker: resolves in a later turn, and never in one that is dead by then. */
export async function ofTheLiving(): Promise<void> {
  await new Promise((resolve) => void setImmediate(resolve));
  if (lives.getStore()?.isAlive === false) await new Promise<never>(() => {});
}

export interface WorkersInProcess extends WorkerHost {
  readonly living: number;
  /** The next so many are not started. */
  failNext(count: number): void;
}

export interface InProcessOptions {
  readonly clock: Clock;
  /** In [0, 1): how long things take, and whether what a dying worker said last still arrives. */
  readonly random: () => number;
}

/** What a worker that is to end does no more. */
const BEGINS: ReadonlySet<ToWorker['type']> = new Set(['invoke', 'effect-permitted', 'judge']);
const MAX_START_TURNS = 8;

export function workersInProcess(options: InProcessOptions): WorkersInProcess {
  const { random } = options;
  const living = new Set<InProcessWorker>();
  let toFail = 0;
  let lastPid = 0;
  return {
    get living() {
      return living.size;
    },
    failNext: (count) => {
      toFail = count;
    },
    spawn: async (spec, callOff) => {
      const turns = Math.floor(random() * MAX_START_TURNS);
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
      if (toFail > 0) {
        toFail -= 1;
        throw new AppError('worker.spawn-failed', 'spawn EAGAIN');
      }
      refuseCalledOff(callOff);
      lastPid += 1;
      const worker = new InProcessWorker(lastPid, spec, options);
      living.add(worker);
      void worker.exited.then(() => living.delete(worker));
      await worker.ready;
      if (callOff.aborted) {
        worker.kill();
        await worker.exited;
      }
      refuseCalledOff(callOff);
      return worker;
    },
    // Those of a host that is gone are gone with it.
    reap: async () => {},
  };
}

function refuseCalledOff({ aborted }: CallOff): void {
  if (aborted) throw new AppError('worker.called-off', 'It was called off.');
}

class InProcessWorker implements WorkerHandle {
  readonly pid: number;
  readonly startTime = '1';
  readonly exited: Promise<WorkerExit>;
  readonly ready: Promise<void>;
  readonly #generation: number;
  readonly #options: InProcessOptions;
  readonly #life: Life = { isAlive: true };
  readonly #exit = Promise.withResolvers<WorkerExit>();
  readonly #performing = new Set<string>();
  readonly #unheard: FromWorker[] = [];
  #listener: ((message: FromWorker) => void) | null = null;
  #isEnding = false;
  #isGone = false;
  /** Whether what was on its way when it died still arrives. */
  #isLastHeard = true;

  constructor(
    pid: number,
    { entrypoint, process, generation, limits }: WorkerSpec,
    options: InProcessOptions,
  ) {
    this.pid = pid;
    this.#generation = generation;
    this.#options = options;
    this.#stopDeadlineMs = limits?.stopDeadlineMs ?? 10_000;
    this.exited = this.#exit.promise;
    const ready = Promise.withResolvers<void>();
    this.ready = ready.promise;
    const channel = {
      send: (message: FromWorker): void => {
        if (message.type === 'ready') ready.resolve();
        else this.#said(message);
      },
      onMessage: (listener: (message: ToWorker) => void): void => {
        this.#tell = listener;
      },
    };
    lives.run(this.#life, () => {
      runWorker(channel, { entrypoint, process, generation }).catch(ready.reject);
    });
  }

  readonly #stopDeadlineMs: number;
  #tell: (message: ToWorker) => void = () => {};

  send(message: ToWorker): void {
    const copy = structuredClone(message);
    setImmediate(() => {
      if (!this.#life.isAlive || (this.#isEnding && BEGINS.has(copy.type))) return;
      if (copy.type === 'effect-permitted') this.#performing.add(`${copy.run} ${copy.effectId}`);
      lives.run(this.#life, () => this.#tell(copy));
    });
  }

  onMessage(listener: (message: FromWorker) => void): void {
    this.#listener = listener;
    this.#unheard.splice(0).forEach(listener);
  }

  #said(message: FromWorker): void {
    if (!this.#life.isAlive) return;
    const copy = structuredClone(message);
    setImmediate(() => {
      if (this.#isGone || (!this.#life.isAlive && !this.#isLastHeard)) return;
      if (this.#listener === null) this.#unheard.push(copy);
      else this.#listener(copy);
    });
    if (message.type !== 'effect-ended') return;
    this.#performing.delete(`${message.run} ${message.effectId}`);
    this.#leaveWhenIdle();
  }

  #leaveWhenIdle(): void {
    if (this.#isEnding && this.#performing.size === 0)
      this.#die({ code: 0, signal: null, why: 'ended when asked' });
  }

  end(): void {
    if (this.#isEnding || !this.#life.isAlive) return;
    this.#isEnding = true;
    this.#options.clock.after(this.#stopDeadlineMs, () => this.kill('did not end'));
    this.#leaveWhenIdle();
  }

  kill(why = 'was killed'): void {
    if (!this.#life.isAlive) return;
    this.#isLastHeard = this.#options.random() < 0.5;
    this.#die({ code: null, signal: 'SIGKILL', why });
  }

  #die(how: Pick<WorkerExit, 'code' | 'signal' | 'why'>): void {
    if (!this.#life.isAlive) return;
    this.#life.isAlive = false;
    // What it said before comes first.
    setImmediate(() =>
      setImmediate(() => {
        this.#isGone = true;
        this.#exit.resolve({ ...how, lastOutput: '', isUndead: false });
      }),
    );
  }

  facts(): ReturnType<WorkerHandle['facts']> {
    const generation = this.#generation;
    return { pid: this.pid, generation, startedAt: 0, rssBytes: null, cpuPercent: null };
  }
}
