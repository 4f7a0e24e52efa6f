import type { Clock } from '../model/ports.ts';

/** What a timer can hold; more than this would come due at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after: (delayMs, callback) => {
      let timer: NodeJS.Timeout;
      const wait = (leftMs: number): void => {
        const step = Math.min(leftMs, MAX_TIMER_MS);
        timer = setTimeout(() => (step < leftMs ? wait(leftMs - step) : callback()), step);
      };
      wait(delayMs);
      return () => clearTimeout(timer);
    },
  };
}
