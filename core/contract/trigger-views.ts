// What may wake a process, and what holds that.

import { z } from 'zod';

export const PauseView = z.strictObject({ reason: z.string(), actor: z.string(), at: z.string() });
export type PauseView = z.infer<typeof PauseView>;

export const TriggerView = z.strictObject({
  id: z.string(),
  type: z.string(),
  description: z.string(),
  /** Of a schedule; null for what follows none, or is closed. */
  next: z.string().nullable(),
  /** Where to post to, or what is watched; null for neither, or while it is closed. */
  address: z.string().nullable(),
  filter: z.string().nullable(),
  /** Whether somebody added it, beside the manifest. */
  isAdded: z.boolean(),
  paused: PauseView.nullable(),
  problem: z.strictObject({ code: z.string(), message: z.string(), at: z.string() }).nullable(),
  accepted: z.number().int(),
  filtered: z.number().int(),
  /** Scheduled times that nothing ran for. */
  missed: z.number().int(),
  lastEventAt: z.string().nullable(),
});
export type TriggerView = z.infer<typeof TriggerView>;
