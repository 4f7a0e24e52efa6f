import type { JsonObject } from './json.ts';

/** What people write to an agent; Promptise's kinds and priorities. */
export const INBOX_TYPES = ['directive', 'context', 'question', 'correction'] as const;
export type InboxType = (typeof INBOX_TYPES)[number];
export const INBOX_PRIORITIES = ['low', 'normal', 'high', 'critical'] as const;
export type InboxPriority = (typeof INBOX_PRIORITIES)[number];

export interface InboxMessage {
  readonly messageId: string;
  readonly messageType: InboxType;
  readonly content: string;
  readonly sender: string;
  readonly priority: InboxPriority;
  readonly createdAt: string;
  /** ISO 8601; null for never. */
  readonly expiresAt: string | null;
}

/** One that an invocation got. */
export interface DeliveredMessage {
  /** With the beginning of its text alone. */
  readonly message: InboxMessage;
  readonly deliveredAt: string;
  /** The invocation: its event, and its number. */
  readonly eventId: string;
  readonly invocation: number;
  /** Of a question, once it is answered. */
  readonly answer: { readonly text: string; readonly at: string } | null;
}

/** So many delivered messages are remembered, and so much of their texts and answers. */
export const MAX_DELIVERED = 20;
export const MAX_DELIVERED_LENGTH = 500;

/** What may be written to an agent: Promptise's limits where its manifest has an inbox, else those of this program alone. */
export interface InboxConfig {
  readonly isEnabled: boolean;
  readonly maxMessages: number;
  readonly maxLength: number;
  /** Null for never. */
  readonly defaultTtlMs: number | null;
  /** Null: as long as one likes. */
  readonly maxTtlMs: number | null;
  /** Null: as many as one likes. */
  readonly maxPerHour: number | null;
}

export const MAX_INBOX = 50;
export const MAX_INBOX_LENGTH = 2_000;

export const DEFAULT_INBOX: InboxConfig = {
  isEnabled: true,
  maxMessages: MAX_INBOX,
  maxLength: MAX_INBOX_LENGTH,
  defaultTtlMs: null,
  maxTtlMs: null,
  maxPerHour: null,
};

/** What an invocation that begins now gets: what has not expired, the most urgent and then the oldest first. */
export function inboxDelivery(inbox: readonly InboxMessage[], nowMs: number): readonly InboxMessage[] {
  return inbox
    .filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > nowMs)
    .sort((a, b) => urgency(b) - urgency(a));
}

export function urgency({ priority }: InboxMessage): number {
  return INBOX_PRIORITIES.indexOf(priority);
}

export function inboxMessageOf(data: JsonObject, timestamp: string): InboxMessage {
  const text = (key: string): string => (typeof data[key] === 'string' ? data[key] : '');
  return {
    messageId: text('message_id'),
    messageType: INBOX_TYPES.find((type) => type === data['message_type']) ?? 'context',
    content: text('content'),
    sender: text('sender'),
    priority: INBOX_PRIORITIES.find((priority) => priority === data['priority']) ?? 'normal',
    createdAt: timestamp,
    expiresAt: typeof data['expires_at'] === 'string' ? data['expires_at'] : null,
  };
}
