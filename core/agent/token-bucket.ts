/** How much may pass in a while: `capacity` at once, `perSecond` in the long run. Decides nothing by itself. */
export interface TokenBucket {
  /** What there is to take; negative after more was taken. */
  level(nowMs: number): number;
  take(nowMs: number, amount: number): void;
}

export function tokenBucket({
  capacity,
  perSecond,
}: {
  readonly capacity: number;
  readonly perSecond: number;
}): TokenBucket {
  let left = capacity;
  let since: number | null = null;
  const level = (nowMs: number): number => {
    const passedMs = since === null ? 0 : Math.max(0, nowMs - since);
    since = nowMs;
    left = Math.min(capacity, left + (passedMs * perSecond) / 1_000);
    return left;
  };
  return {
    level,
    take: (nowMs, amount) => {
      left = level(nowMs) - amount;
    },
  };
}
