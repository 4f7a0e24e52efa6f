// The place of one process's worker: asked for in turn with those of other processes, started again after a death with
// backoff, kept warm for a while, and given up when others wait.

import type { Clock, WorkerFacts, WorkerHandle, WorkerHost } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import type { FromWorker, ToWorker } from '../model/worker-protocol.ts';
import { Delay } from './delay.ts';
import type { Permit, WorkerPermits } from './worker-permits.ts';
import { WorkerSlot, type WorkerGone } from './worker-slot.ts';

/** A process that others wait for a worker of gives up its own after so long. */
const TURN_MS = 2_000;

export interface SeatOptions {
  readonly definition: ProcessDefinition;
  readonly workerHost: WorkerHost;
  readonly permits: WorkerPermits;
  readonly clock: Clock;
  readonly nextGeneration: () => number;
  readonly onStarted: (worker: WorkerHandle, generation: number) => void;
  readonly onMessage: (message: FromWorker) => void;
  readonly onGone: (gone: WorkerGone) => void;
  /** What it waited for to have a worker is over: whoever still wants one asks again. */
  readonly onFree: () => void;
}

export class WorkerSeat {
  readonly #options: SeatOptions;
  readonly #slot: WorkerSlot;
  readonly #respawn: Delay;
  readonly #reap: Delay;
  #permit: Permit | null = null;
  #turnSince = 0;

  constructor(options: SeatOptions) {
    const { workerHost, clock, onStarted, onMessage, onGone } = options;
    this.#options = options;
    this.#respawn = new Delay(clock);
    this.#reap = new Delay(clock);
    this.#slot = new WorkerSlot(
      workerHost,
      {
        onStarted: (worker, generation) => {
          this.#turnSince = clock.monotonic();
          onStarted(worker, generation);
        },
        onMessage,
        onGone: (gone) => {
          this.#reap.cancel();
          this.#giveUpPermit();
          onGone(gone);
        },
      },
      clock,
    );
  }

  get current(): { readonly pid: number; readonly generation: number } | null {
    return this.#slot.current;
  }

  get isReady(): boolean {
    return this.#slot.isReady;
  }

  get isSpawning(): boolean {
    return this.#slot.isSpawning;
  }

  get isAnswering(): boolean {
    return this.#slot.isAnswering;
  }

  /** Waits for its turn among processes that want a worker. */
  get isInLine(): boolean {
    return this.#permit !== null && !this.#permit.isGranted;
  }

  /** Epoch milliseconds of the next attempt to start a worker; null when none is waited for. */
  get respawnAt(): number | null {
    return this.#respawn.at;
  }

  /** Others wait for a worker, and this process has had its own for long enough. */
  get isTurnOver(): boolean {
    const { permits, clock } = this.#options;
    return permits.isContended && this.#slot.isReady && clock.monotonic() - this.#turnSince >= TURN_MS;
  }

  facts(): WorkerFacts | null {
    return this.#slot.facts();
  }

  send(message: ToWorker): void {
    this.#slot.send(message);
  }

  /** Asks for a worker, unless there is one, one is on its way, or its last death is too recent. */
  want(): void {
    if (this.#respawn.at !== null || this.#slot.isSpawning || this.#slot.isReady) return;
    const { definition, permits, onFree, nextGeneration } = this.#options;
    this.#reap.cancel();
    this.#permit ??= permits.request(() => {
      onFree();
      // What it was wanted for may be gone by now.
      if (!this.#slot.isSpawning && !this.#slot.isReady) this.#giveUpPermit();
    });
    if (!this.#permit.isGranted) return;
    const { name, entrypoint, config } = definition;
    this.#slot.spawn({
      process: name,
      entrypoint,
      generation: nextGeneration(),
      limits: config.workerLimits,
    });
  }

  /** No other is started before so long. */
  backOff(delayMs: number): void {
    this.#respawn.start(delayMs, () => this.#options.onFree());
  }

  forgetBackOff(): void {
    this.#respawn.cancel();
  }

  /** It has work: it stays. */
  busy(): void {
    this.#reap.cancel();
  }

  /** It has none: it is kept warm for a while, unless another process could use the room. */
  idle(letGo: () => void): void {
    if (!this.#slot.isReady) return;
    const { definition, permits } = this.#options;
    const idleMs = permits.isContended ? 0 : definition.config.workerIdleMs;
    if (this.#reap.at !== null && idleMs > 0) return;
    this.#reap.start(idleMs, letGo);
  }

  /** Asks whether its event loop turns; one that has not for too long is ended. */
  async beat(): Promise<void> {
    this.#slot.ping();
    const { workerHangMs } = this.#options.definition.config;
    // Without a worker, or with one that owes no answer, there is nothing to wait for.
    if (workerHangMs === 0 || this.#slot.hungSinceMs === null) return;
    if (!(await this.#slot.isHung(workerHangMs))) return;
    this.#slot.kill(`did not answer for ${Math.round(workerHangMs / 1000)} s`);
  }

  /** Kills it as an accident would; false when there is none. */
  kill(why?: string): boolean {
    return this.#slot.kill(why);
  }

  /** Resolves when it is gone with everything that it started. */
  async end(): Promise<void> {
    this.#respawn.cancel();
    this.#reap.cancel();
    const held = this.#permit;
    await this.#slot.end();
    // Whoever was told that it is gone may have lined up for another.
    if (this.#permit === held) this.#giveUpPermit();
  }

  #giveUpPermit(): void {
    this.#permit?.release();
    this.#permit = null;
  }
}
