// What a manifest says of what people may write to an agent: Promptise's keys and defaults, but that an inbox is there
// without it. Durations in seconds.

import { z } from 'zod';
import { DEFAULT_INBOX, MAX_INBOX, MAX_INBOX_LENGTH, type InboxConfig } from '../model/inbox.ts';

const MAX_SECONDS = 31_536_000;
const Seconds = z.number().nonnegative().max(MAX_SECONDS, 'a year at most');

export const ManifestInbox = z
  .strictObject({
    enabled: z.boolean().default(true),
    max_messages: z
      .number()
      .int()
      .min(1)
      .max(MAX_INBOX, `${MAX_INBOX} are the most that are kept`)
      .default(MAX_INBOX),
    max_message_length: z
      .number()
      .int()
      .min(1)
      .max(MAX_INBOX_LENGTH, `a message has ${MAX_INBOX_LENGTH} characters at most`)
      .default(MAX_INBOX_LENGTH),
    default_ttl: Seconds.default(3_600),
    max_ttl: Seconds.default(86_400),
    rate_limit_per_sender: z.number().int().min(1).max(1_000_000).default(20),
    scan_with_guardrails: z.boolean().optional(),
  })
  .superRefine(({ default_ttl, max_ttl }, context) => {
    if (max_ttl === 0 || default_ttl <= max_ttl) return;
    context.addIssue({
      code: 'custom',
      path: ['default_ttl'],
      message: `${default_ttl} seconds are more than the ${max_ttl} of max_ttl`,
    });
  });

/** 0 seconds are no end. */
export function inboxOf(inbox: z.output<typeof ManifestInbox> | null | undefined): InboxConfig {
  if (inbox == null) return DEFAULT_INBOX;
  return {
    isEnabled: inbox.enabled,
    maxMessages: inbox.max_messages,
    maxLength: inbox.max_message_length,
    defaultTtlMs: inbox.default_ttl === 0 ? null : inbox.default_ttl * 1_000,
    maxTtlMs: inbox.max_ttl === 0 ? null : inbox.max_ttl * 1_000,
    maxPerHour: inbox.rate_limit_per_sender,
  };
}
