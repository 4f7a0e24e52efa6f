// A wait of any length, which can be cut short.

import { setTimeout as delay } from 'node:timers/promises';

/** What a timer can hold; more than this would come due at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits so long, or until the first of these. */
export async function pause(
  ms: number,
  { soon, signal }: { readonly soon?: Promise<unknown>; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const over = new AbortController();
  const stop = (): void => over.abort();
  signal?.addEventListener('abort', stop, { once: true });
  const wait = (async () => {
    for (let left = ms; left > 0 && !over.signal.aborted; left -= MAX_TIMER_MS) {
      await delay(Math.min(left, MAX_TIMER_MS), undefined, { signal: over.signal });
    }
  })();
  await Promise.race(soon === undefined ? [wait] : [wait, soon]).catch(() => {}); // It was cut short.
  stop();
  wait.catch(() => {}); // It was cut short.
  signal?.removeEventListener('abort', stop);
}
