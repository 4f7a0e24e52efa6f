/** How often a failing event is tried; Promptise's fields and defaults, in milliseconds. */
export interface DeliveryPolicy {
  readonly maxRetries: number;
  readonly retryBackoffMs: number;
  readonly retryBackoffMaxMs: number;
  readonly deadLetterSize: number;
}

export const DEFAULT_DELIVERY: DeliveryPolicy = {
  maxRetries: 0,
  retryBackoffMs: 2_000,
  retryBackoffMaxMs: 60_000,
  deadLetterSize: 100,
};

/** `failed`: nobody need try it again. `dead-letter`: tried often enough, and kept for somebody to decide. */
export type AfterFailure =
  | { readonly next: 'retry'; readonly delayMs: number }
  | { readonly next: 'dead-letter' }
  | { readonly next: 'failed' };

/** What becomes of an event whose attempt number `attempt`, from 1, has failed. */
export function afterFailure(
  { maxRetries, retryBackoffMs, retryBackoffMaxMs, deadLetterSize }: DeliveryPolicy,
  { attempt, isTerminal }: { readonly attempt: number; readonly isTerminal: boolean },
): AfterFailure {
  if (isTerminal) return { next: 'failed' };
  if (attempt <= maxRetries) {
    return { next: 'retry', delayMs: Math.min(retryBackoffMaxMs, retryBackoffMs * 2 ** (attempt - 1)) };
  }
  return { next: deadLetterSize > 0 ? 'dead-letter' : 'failed' };
}
