import { z } from 'zod';

/** What an operator's action would find, before it is done. Lists are bounded; counts are not. */
export const PreviewView = z.strictObject({
  action: z.string(),
  state: z.string(),
  /** The last entry that the journal has for certain. */
  lastSeq: z.number().int(),
  lastEntryAt: z.string().nullable(),
  /** Unfinished invocations that would go on, and how many of their effects are read back instead of done again. */
  invocations: z.number().int(),
  effectsReadBack: z.number().int(),
  doubtCount: z.number().int(),
  /** Those without an outcome, what is asked of somebody first, and what would become of each. */
  doubts: z.array(
    z.strictObject({
      effectId: z.string(),
      name: z.string(),
      effectClass: z.string(),
      key: z.string(),
      argsPreview: z.string(),
      next: z.enum([
        'performed again',
        'performed again with the same key',
        'asked of the provider',
        'asked of you',
      ]),
    }),
  ),
  timersDue: z.number().int(),
  queued: z.number().int(),
  deadLetters: z.number().int(),
  /** Holds that stay, whatever is done. */
  holdsThatStay: z.array(z.string()),
  worker: z
    .strictObject({ pid: z.number().int(), generation: z.number().int(), isAnswering: z.boolean() })
    .nullable(),
  /** One sentence for each thing that would happen, in order. */
  steps: z.array(z.string()),
});
export type PreviewView = z.infer<typeof PreviewView>;
