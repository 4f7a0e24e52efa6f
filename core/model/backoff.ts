const MAX_BACKOFF_MS = 60_000;

/** How long to wait before attempt `attempt`, counted from 1: `baseMs` doubled each time, a minute at most. */
export function backoffMs(baseMs: number, attempt: number): number {
  return Math.min(MAX_BACKOFF_MS, baseMs * 2 ** Math.max(0, attempt - 1));
}
