// What is told to somebody outside: a cause, once, to whoever the manifest names.

import type { JsonObject } from './json.ts';

/** Promptise's words in a manifest: `webhook_url` and `event_type`; at least one of them is set. */
export interface EscalationTarget {
  readonly webhookUrl: string | null;
  /** The type of an event of the host's own event bus. */
  readonly eventType: string | null;
}

/** Who is told where a section of the manifest names nobody, and how all webhooks of the process are told. */
export interface EscalationConfig {
  readonly target: EscalationTarget;
  /** What webhooks are signed with; null for no signature. */
  readonly secret: string | null;
  /** Whether a webhook may lie on this machine or in a private network. */
  readonly allowPrivate: boolean;
}

/** `test`: somebody wants to know whether it arrives. */
export const CAUSE_KINDS = ['budget', 'health', 'mission', 'process', 'approval', 'test'] as const;
export type CauseKind = (typeof CAUSE_KINDS)[number];

export interface Cause {
  readonly kind: CauseKind;
  /** The same cause has the same key, and is told once until it is over: "budget/max_cost_per_day". */
  readonly key: string;
  /** A sentence for a person. */
  readonly summary: string;
  /** For a program: what is told beside it, of Promptise's names where it has them. */
  readonly detail: JsonObject;
  /** Beside the desktop; null where its section of the manifest names nobody, and the process's default is told. */
  readonly target: EscalationTarget | null;
}

const TYPES: Readonly<Record<CauseKind, string>> = {
  budget: 'budget_violation',
  health: 'health_anomaly',
  mission: 'low_confidence',
  process: 'process_failure',
  approval: 'approval_requested',
  test: 'test',
};

/** What is known of a cause once it is raised. */
export interface Told {
  readonly id: string;
  readonly kind: CauseKind;
  readonly key: string;
  readonly summary: string;
  readonly detail: JsonObject;
  readonly at: string;
}

/**
 * What a webhook and an event carry: Promptise's keys, and ours beside them. The same at every attempt; a `type` that a
 * cause brings along says more than its kind.
 */
export function payloadOf(process: string, { id, kind, key, summary, detail, at }: Told): JsonObject {
  return {
    type: TYPES[kind],
    ...detail,
    process_id: process,
    process_name: process,
    kind,
    key,
    summary,
    raised_at: at,
    escalation_id: id,
  };
}

/** Where a webhook goes, as it may be shown: its path is often all that protects it. */
export function shownUrl(url: string): string {
  const [, origin = '', rest = ''] = /^(https?:\/\/[^/?#]*)(.*)$/i.exec(url) ?? [];
  return rest === '' || rest === '/' ? origin : `${origin}/…`;
}

/** As it may stand in a journal. */
export function withShownUrl(target: EscalationTarget): EscalationTarget {
  return { ...target, webhookUrl: target.webhookUrl === null ? null : shownUrl(target.webhookUrl) };
}
