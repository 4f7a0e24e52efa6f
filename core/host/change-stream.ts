// Changes in batches: the first at once, then one every so often while there are any. Telling them takes a fifth of the
// time at most, unless that would mean to be silent for long.

/** How long it rests after telling, in times of what the telling took. */
const REST = 4;
const MAX_REST_MS = 2_000;

export interface ChangeStream extends Disposable {
  /** Something changed; `emit` is called soon, once for all that changed meanwhile. */
  touch(): void;
  setPeriod(periodMs: number): void;
}

/** `emit` is never called again before it has resolved. What it throws goes to `onFailure`, and the stream goes on. */
export function changeStream(
  periodMs: number,
  emit: () => void | Promise<void>,
  onFailure: (error: unknown) => void,
): ChangeStream {
  let period = periodMs;
  let timer: NodeJS.Timeout | null = null;
  let isTouched = false;
  let isEmitting = false;
  let isOver = false;
  let lastAt = Number.NEGATIVE_INFINITY;
  let restUntil = Number.NEGATIVE_INFINITY;

  const schedule = (): void => {
    if (timer !== null || isEmitting || isOver || !isTouched) return;
    const at = Math.max(lastAt + period, restUntil);
    timer = setTimeout(() => void run(), Math.max(0, at - performance.now()));
  };
  const run = async (): Promise<void> => {
    timer = null;
    isTouched = false;
    isEmitting = true;
    lastAt = performance.now();
    try {
      await emit();
    } catch (error) {
      onFailure(error);
    } finally {
      const now = performance.now();
      restUntil = now + Math.min(MAX_REST_MS, REST * (now - lastAt));
      isEmitting = false;
      schedule();
    }
  };
  return {
    touch: () => {
      isTouched = true;
      schedule();
    },
    setPeriod: (next) => {
      period = next;
    },
    [Symbol.dispose]: () => {
      isOver = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
