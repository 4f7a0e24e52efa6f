// What a process has to do: what is under way, what waits in line, and what was given up.

import { z } from 'zod';

export const EffectView = z.strictObject({
  effectId: z.string(),
  name: z.string(),
  effectClass: z.string(),
  key: z.string(),
  argsPreview: z.string(),
  attempts: z.number().int(),
  announcedAt: z.string(),
  end: z.enum(['open', 'done', 'did_not_happen', 'in_doubt']),
  /** What it said where it did not happen or is in doubt; empty otherwise. */
  error: z.string(),
  /** In doubt, of a class that only an operator may decide, and nobody is performing it. */
  needsOperator: z.boolean(),
  /** In doubt is only what it gave: it happened, so running it again is no answer [S16]. */
  isValueLost: z.boolean(),
  /** Calls of a model that may have been paid and gave nothing: they stay reserved [S33]. */
  maybePaid: z.number().int(),
});
export type EffectView = z.infer<typeof EffectView>;

export const WaitView = z.strictObject({
  /** Of a promise: what whoever settles it holds. */
  waitId: z.string(),
  kind: z.enum(['promise', 'timer']),
  name: z.string(),
  createdAt: z.string(),
  /** ISO 8601; null for never. */
  dueAt: z.string().nullable(),
  /** What whoever settles it gets to see, as JSON. */
  dataText: z.string(),
  status: z.enum(['open', 'fired', 'resolved', 'rejected', 'expired']),
});
export type WaitView = z.infer<typeof WaitView>;

export const InvocationView = z.strictObject({
  eventId: z.string(),
  invocation: z.number().int(),
  attempt: z.number().int(),
  triggerId: z.string(),
  triggerType: z.string(),
  startedAt: z.string(),
  standing: z.enum(['running', 'ready', 'waiting', 'backing-off', 'in-doubt']),
  /** When the next attempt begins, after one that failed. */
  retryAt: z.string().nullable(),
  /** Of more than there is room for, those that wait for an operator, and the newest. */
  effects: z.array(EffectView),
  effectCount: z.number().int(),
  /** Those that are still waited for, and the last of the others. */
  waits: z.array(WaitView),
  openWaitCount: z.number().int(),
  signals: z.number().int(),
});
export type InvocationView = z.infer<typeof InvocationView>;

export const QueuedView = z.strictObject({
  eventId: z.string(),
  triggerId: z.string(),
  acceptedAt: z.string(),
  /** Scheduled times that it stands for besides its own. */
  missed: z.number().int(),
});

export const DeadLetterView = z.strictObject({
  eventId: z.string(),
  triggerId: z.string(),
  reason: z.string(),
  error: z.string(),
  attempts: z.number().int(),
  at: z.string(),
  /** Effects of it that are done, and would not be done again. */
  doneEffects: z.number().int(),
});
export type DeadLetterView = z.infer<typeof DeadLetterView>;
