import type { Clock } from '../model/ports.ts';
import { Delay } from './delay.ts';

export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Called at every beat with how long nothing has been done. */
  readonly onBeat: (idleMs: number) => void;
}

/** Beats until it is stopped, and knows since when there was nothing to do. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #delay: Delay;
  #lastWork: number;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#delay = new Delay(options.clock);
    this.#lastWork = options.clock.monotonic();
  }

  worked(): void {
    this.#lastWork = this.#options.clock.monotonic();
  }

  start(): void {
    const { clock, intervalMs, onBeat } = this.#options;
    this.#delay.start(intervalMs, () => {
      this.start();
      onBeat(clock.monotonic() - this.#lastWork);
    });
  }

  stop(): void {
    this.#delay.cancel();
  }
}
