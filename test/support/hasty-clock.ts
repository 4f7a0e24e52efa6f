import { systemClock } from '../../core/host/system-clock.ts';
import type { Clock } from '../../core/model/ports.ts';

/** A clock on which everything comes so many times sooner. */
export function hastyClock(times: number): Clock {
  const real = systemClock();
  const startedAt = real.now();
  const startedMonotonic = real.monotonic();
  return {
    now: () => startedAt + (real.monotonic() - startedMonotonic) * times,
    monotonic: () => (real.monotonic() - startedMonotonic) * times,
    after: (ms, callback) => real.after(ms / times, callback),
  };
}
