// What an agent changed about itself, as the console shows it.

import { z } from 'zod';
import { SELF_KINDS } from '../model/self-change.ts';

export const SelfChangeView = z.strictObject({
  /** Its entry, by which it is known. */
  seq: z.number().int(),
  kind: z.enum(SELF_KINDS),
  /** *the trigger cron-1a2b* */
  text: z.string(),
  reason: z.string(),
  at: z.string(),
  /** The invocation that asked for it. */
  eventId: z.string(),
  /** What became of it; null while it is in force. */
  end: z.strictObject({ how: z.string(), actor: z.string(), reason: z.string(), at: z.string() }).nullable(),
  /** Entries of changes that are taken back with it, itself among them; none where it is over. */
  takesBack: z.array(z.number().int()),
});
export type SelfChangeView = z.infer<typeof SelfChangeView>;

export const SelfView = z.strictObject({
  /** The newest first: of the `inForce` that are in force as many as there may be, and the last that are over. */
  changes: z.array(SelfChangeView),
  inForce: z.number().int(),
  /** The processes that it began and that are not discarded, by name; the first of `spawnedCount`. */
  spawned: z.array(z.string()),
  spawnedCount: z.number().int(),
  /** Which process began this one; null for one with a manifest. */
  parent: z.strictObject({ process: z.string(), depth: z.number().int() }).nullable(),
});
export type SelfView = z.infer<typeof SelfView>;
