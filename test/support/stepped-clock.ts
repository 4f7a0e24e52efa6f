import type { Clock } from '../../core/model/ports.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that stands still until it is told to go on, and that can be set. */
export class SteppedClock implements Clock {
  readonly #timers = new Set<Timer>();
  #wall: number;
  #monotonic = 0;
  #called = 0;

  constructor(startsAt: number) {
    this.#wall = startsAt;
  }

  /** Callbacks that are waited for. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Callbacks that came due. */
  get called(): number {
    return this.#called;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.#monotonic + delayMs, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Time goes by, and what comes due meanwhile is called in its order. */
  pass(ms: number): void {
    const until = this.#monotonic + ms;
    for (;;) {
      let first: Timer | null = null;
      for (const timer of this.#timers) {
        if (timer.at <= until && (first === null || timer.at < first.at)) first = timer;
      }
      if (first === null) break;
      this.#timers.delete(first);
      this.#go(first.at);
      this.#called += 1;
      first.callback();
    }
    this.#go(until);
  }

  #go(monotonic: number): void {
    const to = Math.max(monotonic, this.#monotonic);
    this.#wall += to - this.#monotonic;
    this.#monotonic = to;
  }

  /** Somebody sets it; no time goes by. */
  set(byMs: number): void {
    this.#wall += byMs;
  }
}
