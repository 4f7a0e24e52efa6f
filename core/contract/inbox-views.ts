// What people wrote to an agent.

import { z } from 'zod';

export const InboxView = z.strictObject({
  messageId: z.string(),
  messageType: z.string(),
  content: z.string(),
  sender: z.string(),
  priority: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
});
export type InboxView = z.infer<typeof InboxView>;

/** One that an invocation got, with the beginning of its text. */
export const DeliveredView = z.strictObject({
  ...InboxView.shape,
  deliveredAt: z.string(),
  eventId: z.string(),
  invocation: z.number().int(),
  answer: z.strictObject({ text: z.string(), at: z.string() }).nullable(),
});
export type DeliveredView = z.infer<typeof DeliveredView>;
