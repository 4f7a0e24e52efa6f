// What tells a receiver who sends, when, and which delivery it is: the same id at every attempt.

import { createHmac } from 'node:crypto';

export interface SignedDelivery {
  readonly id: string;
  readonly body: string;
  /** Null for no signature. */
  readonly secret: string | null;
  readonly nowMs: number;
}

/** `X-Holdfast-Signature: t=<seconds>,v1=<hex HMAC-SHA256 of "<t>." and the body>`. */
export function deliveryHeaders({
  id,
  body,
  secret,
  nowMs,
}: SignedDelivery): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(nowMs / 1_000));
  const headers = { 'x-holdfast-delivery': id, 'x-holdfast-timestamp': seconds };
  if (secret === null) return headers;
  const digest = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return { ...headers, 'x-holdfast-signature': `t=${seconds},v1=${digest}` };
}
