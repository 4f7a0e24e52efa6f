// When a receiver that did not take something is told again, and when no more.

const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 5 * 60_000;
/** A delivery is tried so often at most, over all lives of the host, and for so long in each of them. */
export const MAX_ATTEMPTS = 12;
export const MAX_TIME_MS = 60 * 60_000;

export interface Failed {
  /** Attempts so far. */
  readonly attempts: number;
  /** Since the first of this life of the host. */
  readonly elapsedMs: number;
  readonly mayRetry: boolean;
  /** What the receiver asked for. */
  readonly retryAfterMs: number | null;
  /** From 0 to 1, so that those who failed together don't come back together. */
  readonly chance: number;
}

/** How long to wait before the next attempt; null for none. */
export function nextWaitMs({
  attempts,
  elapsedMs,
  mayRetry,
  retryAfterMs: asked,
  chance,
}: Failed): number | null {
  if (!mayRetry || attempts >= MAX_ATTEMPTS) return null;
  const most = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, attempts - 1));
  // From half of it on: what fails at once is not asked at once again.
  const waitMs = Math.max(asked ?? 0, Math.round(most * (0.5 + chance / 2)));
  return elapsedMs + waitMs > MAX_TIME_MS ? null : waitMs;
}

/** Of a `Retry-After` header: seconds, or a date; null where it is neither. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
