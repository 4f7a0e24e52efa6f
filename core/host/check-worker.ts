// Runs invocations again, one after the other, in one worker that only checks: everything they ask for is answered from
// their record, and nothing is ever permitted. A run that does not come to its end costs the worker.

import { divergenceOf, END_OF_INVOCATION, type Divergence } from '../agent/check-message.ts';
import type { WorkerHandle, WorkerHost, WorkerSpec } from '../model/ports.ts';
import type { FromWorker, ToWorker } from '../model/worker-protocol.ts';

export type Invocation = Omit<Extract<ToWorker, { type: 'invoke' }>, 'type' | 'run' | 'mode'>;

/** What became of an invocation when it was run again. */
export type Found =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  | { readonly kind: 'diverged'; readonly divergence: Divergence }
  /** It waits, has asked for all that is recorded, and nothing more will come. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'no-end'; readonly why: string };

export interface CheckWorkerOptions {
  readonly workerHost: WorkerHost;
  readonly spec: WorkerSpec;
  /** One that takes longer is given up. */
  readonly patienceMs: number;
}

const NEVER = { aborted: false, addEventListener: () => {} } as const;

export class CheckWorker {
  readonly #options: CheckWorkerOptions;
  #worker: WorkerHandle | null = null;
  #hear: (message: FromWorker) => void = () => {};
  #last = 0;

  constructor(options: CheckWorkerOptions) {
    this.#options = options;
  }

  /**
   * `mayWait`: an invocation that had not ended need only come as far as its record.
   * @throws `worker.*` when the module can't be loaded
   */
  async run(invocation: Invocation, mayWait: boolean): Promise<Found> {
    const worker = await this.#ready();
    this.#last += 1;
    const run = this.#last;
    const { patienceMs } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Found>((resolve) => {
      const why = `no end within ${patienceMs / 1000} s`;
      timer = setTimeout(() => resolve({ kind: 'no-end', why }), patienceMs);
    });
    const died = worker.exited.then(({ why }): Found => ({ kind: 'no-end', why: `its worker ${why}` }));
    const said = new Promise<Found>((resolve) => {
      this.#hear = (message) => {
        const found = 'run' in message && message.run === run ? foundIn(message, mayWait) : null;
        if (found !== null) resolve(found);
      };
    });
    worker.send({ type: 'invoke', run, mode: 'check', ...invocation });
    const found = await Promise.race([said, died, late]);
    clearTimeout(timer);
    // What still hangs in there would be in the way of the next.
    if (found.kind === 'waiting' || found.kind === 'no-end') await this.end();
    return found;
  }

  async #ready(): Promise<WorkerHandle> {
    if (this.#worker !== null) return this.#worker;
    const { workerHost, spec } = this.#options;
    const worker = await workerHost.spawn(spec, NEVER);
    worker.onMessage((message) => this.#hear(message));
    // What an invocation left behind may end it later, and the next one is not to answer for that.
    void worker.exited.then(() => {
      if (this.#worker === worker) this.#worker = null;
    });
    this.#worker = worker;
    return worker;
  }

  /** Resolves when it is gone, with everything that it started. */
  async end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    worker?.kill();
    await worker?.exited;
  }
}

function foundIn(message: FromWorker, mayWait: boolean): Found | null {
  switch (message.type) {
    case 'invocation-done':
    case 'invocation-refused':
      return { kind: 'done' };
    case 'invocation-failed': {
      const { code, message: text } = message;
      const divergence = code === 'replay.diverged' ? divergenceOf(text) : null;
      return divergence === null ? { kind: 'failed', code, message: text } : { kind: 'diverged', divergence };
    }
    case 'invocation-waiting':
      return mayWait ? { kind: 'waiting' } : null;
    case 'invocation-held':
    case 'effect-unlike':
    case 'effect-announced': {
      // It would be permitted by nobody; no run of this mode says so.
      const found = `the effect ${message.effectId}`;
      return { kind: 'diverged', divergence: { expected: END_OF_INVOCATION, found } };
    }
    case 'ready':
    case 'pong':
    case 'log':
    case 'glimpsed':
    case 'secret-asked':
    case 'host-asked':
    case 'query-answered':
    case 'judged':
    case 'effect-ended':
    case 'wait-began':
    case 'state-written':
    case 'said':
    case 'compacted':
    case 'clock-read':
    case 'version-chosen':
    case 'message-sent':
    case 'tools-listed':
    case 'tool-servers':
      return null;
  }
}
