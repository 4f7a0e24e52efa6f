import type { Clock } from '../model/ports.ts';
import { Delay } from './delay.ts';

/** Processes beat together, at one of so many moments of an interval: a timer for each of a thousand wakes the host too often. */
const STEPS = 10;
const MAX_STEP_MS = 1_000;

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
    const now = clock.monotonic();
    const step = Math.min(MAX_STEP_MS, intervalMs / STEPS);
    this.#delay.start(Math.ceil((now + intervalMs) / step) * step - now, () => {
      this.start();
      onBeat(clock.monotonic() - this.#lastWork);
    });
  }

  stop(): void {
    this.#delay.cancel();
  }
}
