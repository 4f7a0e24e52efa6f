// What going back would do, and what a process that begins from an entry of another would begin with.

import { z } from 'zod';

const Said = z.strictObject({ valueText: z.string() }).nullable();

/** What a rewind would do. Lists are bounded; counts are not. */
export const RewindPlanView = z.strictObject({
  process: z.string(),
  target: z.strictObject({ seq: z.number().int(), timestamp: z.string(), entryType: z.string() }),
  basedOn: z.number().int(),
  isHandledAgain: z.boolean(),
  context: z.array(z.strictObject({ key: z.string(), now: Said, was: Said })),
  contextChanges: z.number().int(),
  conversation: z.strictObject({ now: z.number().int(), was: z.number().int() }),
  undone: z.array(
    z.strictObject({
      eventId: z.string(),
      triggerId: z.string(),
      how: z.enum(['done', 'failed', 'given up', 'under way']),
      isCutShort: z.boolean(),
      effects: z.number().int(),
    }),
  ),
  undoneCount: z.number().int(),
  facts: z.array(
    z.strictObject({
      seq: z.number().int(),
      kind: z.enum(['effect', 'message', 'promise', 'timer', 'event', 'decision']),
      text: z.string(),
      eventId: z.string().nullable(),
      end: z.string().nullable(),
    }),
  ),
  factCount: z.strictObject({
    effect: z.number().int(),
    message: z.number().int(),
    promise: z.number().int(),
    timer: z.number().int(),
    event: z.number().int(),
    decision: z.number().int(),
  }),
});
export type RewindPlanView = z.infer<typeof RewindPlanView>;

/** What a fork would begin with. The list is bounded; counts are not. */
export const ForkPlanView = z.strictObject({
  from: z.string(),
  at: z.number().int(),
  name: z.string(),
  contextKeys: z.number().int(),
  conversation: z.number().int(),
  unfinished: z.array(z.strictObject({ eventId: z.string(), effects: z.number().int() })),
  unfinishedCount: z.number().int(),
  left: z.strictObject({
    queue: z.number().int(),
    inbox: z.number().int(),
    promises: z.number().int(),
    timers: z.number().int(),
  }),
});
export type ForkPlanView = z.infer<typeof ForkPlanView>;
