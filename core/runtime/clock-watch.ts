import type { Clock } from '../model/ports.ts';

/** Clocks that differ by more than this were set, and did not only drift. */
const MAX_DRIFT_MS = 1_000;

/** Notices when the clock was set, or stood still while the machine slept [S22]. */
export class ClockWatch {
  readonly #clock: Clock;
  #now: number;
  #monotonic: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#now = clock.now();
    this.#monotonic = clock.monotonic();
  }

  /** By how many milliseconds it was set since the last look; null for none to speak of. */
  look(): number | null {
    const now = this.#clock.now();
    const monotonic = this.#clock.monotonic();
    const byMs = Math.round(now - this.#now - (monotonic - this.#monotonic));
    this.#now = now;
    this.#monotonic = monotonic;
    return Math.abs(byMs) > MAX_DRIFT_MS ? byMs : null;
  }
}
