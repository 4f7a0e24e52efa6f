// What is told to somebody outside: a cause, once, to whoever the manifest names.

import type { JsonObject } from './json.ts';

/** Promptise's words in a manifest: `webhook_url` and `event_type`; at least one of them is set. */
export interface EscalationTarget {
  readonly webhookUrl: string | null;
  /** The type of an event of the host's own event bus. */
  readonly eventType: string | null;
}

export const CAUSE_KINDS = ['budget', 'health', 'mission', 'process'] as const;
export type CauseKind = (typeof CAUSE_KINDS)[number];

export interface Cause {
  readonly kind: CauseKind;
  /** The same cause has the same key, and is told once until it is over: "budget/max_cost_per_day". */
  readonly key: string;
  /** A sentence for a person. */
  readonly summary: string;
  /** For a program: what is told beside it, of Promptise's names where it has them. */
  readonly detail: JsonObject;
  /** Beside the desktop; null where the manifest names nobody. */
  readonly target: EscalationTarget | null;
}
