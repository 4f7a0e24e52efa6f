// What somebody outside was told.

import { z } from 'zod';
import { DELIVERY_STATUSES, DELIVERY_TARGETS } from '../model/escalation-state.ts';
import { CAUSE_KINDS } from '../model/escalation.ts';

export const ReceiverKind = z.enum(DELIVERY_TARGETS);

/** A cause that was raised, and who was told of it. */
export const EscalationView = z.strictObject({
  id: z.string(),
  key: z.string(),
  kind: z.enum(CAUSE_KINDS),
  summary: z.string(),
  at: z.string(),
  /** How often it came up again while it was open. */
  repeats: z.number().int(),
  /** Null: it is open. */
  overAt: z.string().nullable(),
  overWhy: z.string(),
  deliveries: z.array(
    z.strictObject({
      target: ReceiverKind,
      /** Without what a web address has behind its host. */
      to: z.string(),
      status: z.enum(DELIVERY_STATUSES),
      attempts: z.number().int(),
      lastAt: z.string().nullable(),
      /** When it is tried next; null for at once, or never. */
      dueAt: z.string().nullable(),
      /** A status of HTTP; null where nothing answered. */
      answer: z.number().int().nullable(),
      reason: z.string(),
    }),
  ),
});
export type EscalationView = z.infer<typeof EscalationView>;
