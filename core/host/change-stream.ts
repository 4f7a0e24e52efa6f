// Changes in batches: the first at once, then one every so often while there are any.

export interface ChangeStream extends Disposable {
  /** Something changed; `emit` is called soon, once for all that changed meanwhile. */
  touch(): void;
  setPeriod(periodMs: number): void;
}

export function changeStream(periodMs: number, emit: () => void): ChangeStream {
  let period = periodMs;
  let timer: NodeJS.Timeout | null = null;
  let lastAt = Number.NEGATIVE_INFINITY;
  return {
    touch: () => {
      if (timer !== null) return;
      const wait = Math.max(0, lastAt + period - performance.now());
      timer = setTimeout(() => {
        timer = null;
        lastAt = performance.now();
        emit();
      }, wait);
    },
    setPeriod: (next) => {
      period = next;
    },
    [Symbol.dispose]: () => {
      if (timer !== null) clearTimeout(timer);
    },
  };
}
