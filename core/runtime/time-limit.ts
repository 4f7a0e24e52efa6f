import type { Clock } from '../model/ports.ts';
import { Delay } from './delay.ts';
import type { Run } from './run-set.ts';

/** Sees to it that no run moves for longer than it may. What waits takes no time. */
export class TimeLimit {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onOver: (run: Run) => void;
  readonly #delay: Delay;

  /** `limitMs` 0: as long as it likes. */
  constructor(clock: Clock, limitMs: number, onOver: (run: Run) => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onOver = onOver;
    this.#delay = new Delay(clock);
  }

  /** Whenever a run has begun, ended, moved on or come to rest. */
  watch(runs: readonly Run[]): void {
    if (this.#limitMs === 0) return;
    const moving = runs.filter(({ isParked }) => !isParked);
    if (moving.length === 0) {
      this.#delay.cancel();
      return;
    }
    const oldest = moving.reduce((a, b) => (b.movingSince < a.movingSince ? b : a));
    const left = oldest.movingSince + this.#limitMs - this.#clock.monotonic();
    this.#delay.start(Math.max(1, left), () => {
      if (this.#clock.monotonic() - oldest.movingSince < this.#limitMs) this.watch(runs);
      else this.#onOver(oldest);
    });
  }

  stop(): void {
    this.#delay.cancel();
  }
}
