// What an attempt to tell somebody came to, and how the journal says so.

import type { DeliveryTarget, RaisedCause } from '../model/escalation-state.ts';
import type { JsonObject } from '../model/json.ts';

interface Attempted {
  readonly target: DeliveryTarget;
  /** As it may be shown. */
  readonly to: string;
  readonly attempt: number;
  readonly status: number | null;
}

export type DeliveryResult =
  | (Attempted & { readonly isSent: true })
  | (Attempted & {
      readonly isSent: false;
      readonly reason: string;
      /** Null where nobody tries again. */
      readonly retryAt: string | null;
    });

/** The data of `escalation_sent` and `escalation_failed`. */
export function deliveryOf({ id, key }: RaisedCause, result: DeliveryResult): JsonObject {
  const { target, to, attempt, status } = result;
  const said = { key, id, target, to, attempt, ...(status === null ? {} : { status }) };
  if (result.isSent) return said;
  const { reason, retryAt } = result;
  return { ...said, reason, ...(retryAt === null ? {} : { retry_at: retryAt }) };
}

/** For whoever asked for a test. */
export function sentenceOf(result: DeliveryResult): string {
  const { target, to, status } = result;
  if (!result.isSent) return `${to} was not told: ${result.reason}.`;
  return target === 'event' ? `The event ${to} was sent.` : `${to} answered ${status ?? 'nothing'}.`;
}
