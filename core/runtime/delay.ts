import type { Clock } from '../model/ports.ts';

/** One thing to do later, at most: starting it anew or cancelling it forgets the last. */
export class Delay {
  readonly #clock: Clock;
  #cancel: (() => void) | null = null;
  #at: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Epoch milliseconds at which it is due; null when nothing is waited for. */
  get at(): number | null {
    return this.#at;
  }

  start(delayMs: number, act: () => void): void {
    this.cancel();
    this.#at = this.#clock.now() + delayMs;
    this.#cancel = this.#clock.after(delayMs, () => {
      this.#forget();
      act();
    });
  }

  cancel(): void {
    this.#cancel?.();
    this.#forget();
  }

  #forget(): void {
    this.#cancel = null;
    this.#at = null;
  }
}
