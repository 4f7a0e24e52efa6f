// Causes that were raised, and who was told of them: what has to survive a crash, so that nobody is forgotten [P4].

import { CAUSE_KINDS, type CauseKind } from './escalation.ts';
import type { JsonObject } from './json.ts';

export const DELIVERY_TARGETS = ['webhook', 'event'] as const;
export type DeliveryTarget = (typeof DELIVERY_TARGETS)[number];

/** `dropped`: the cause was over before it was due. */
export const DELIVERY_STATUSES = ['pending', 'sent', 'failed', 'dropped'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface EscalationDelivery {
  readonly target: DeliveryTarget;
  /** As it may be shown: a web address without its path, or the type of an event. */
  readonly to: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastAt: string | null;
  /** Not before then; null for at once, or for never again. */
  readonly dueAt: string | null;
  /** What the receiver answered last, as a status of HTTP; null where it did not answer. */
  readonly answer: number | null;
  /** Why the last attempt failed; empty where it did not. */
  readonly reason: string;
}

export interface RaisedCause {
  /** The same over all attempts, and in all that is told. */
  readonly id: string;
  readonly key: string;
  readonly kind: CauseKind;
  readonly summary: string;
  /** Kept until everybody is told. */
  readonly detail: JsonObject;
  readonly at: string;
  /** How often it came up again while it was open, as far as that is on record. */
  readonly repeats: number;
  readonly overAt: string | null;
  readonly overWhy: string;
  readonly deliveries: readonly EscalationDelivery[];
}

/** So many are remembered, those that are over among them. */
export const MAX_RAISED = 100;
export const MAX_OVER = 20;

/** The open cause of this key. */
export function openCause(
  { escalations }: { readonly escalations: readonly RaisedCause[] },
  key: string,
): RaisedCause | undefined {
  return escalations.find((cause) => cause.overAt === null && cause.key === key);
}

export function isPending({ deliveries }: RaisedCause): boolean {
  return deliveries.some(({ status }) => status === 'pending');
}

export function isCauseKind(text: string): text is CauseKind {
  return (CAUSE_KINDS as readonly string[]).includes(text);
}

export function isDeliveryTarget(text: string): text is DeliveryTarget {
  return (DELIVERY_TARGETS as readonly string[]).includes(text);
}

/** Of a checkpoint that somebody else wrote: kinds of causes and of receivers that this version does not know are not there. */
export function withKnownKinds(causes: readonly RaisedCause[]): readonly RaisedCause[] {
  return causes
    .filter(({ kind }) => isCauseKind(kind))
    .map((cause) => {
      const known = cause.deliveries.filter(
        ({ target, status }) =>
          isDeliveryTarget(target) && (DELIVERY_STATUSES as readonly string[]).includes(status),
      );
      return known.length === cause.deliveries.length ? cause : { ...cause, deliveries: known };
    });
}
