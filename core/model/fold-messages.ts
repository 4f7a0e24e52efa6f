// What the journal tells of messages: to others, from the record that they are delivered from, and to the agent's inbox.

import { taken } from './fold-waits.ts';
import {
  inboxMessageOf,
  MAX_DELIVERED,
  MAX_DELIVERED_LENGTH,
  MAX_INBOX,
  urgency,
  type InboxMessage,
} from './inbox.ts';
import { MAX_INBOX_ANSWER } from './inbox-answers.ts';
import { numberAt, textAt, type JsonObject } from './json.ts';
import type { SentMessage } from './messages.ts';
import { openOf, type ProcessSnapshot } from './snapshot.ts';

/** Sent counts as done: its delivery is the host's affair from now on, whatever becomes of the invocation [S38]. */
export function messageSent(state: ProcessSnapshot, data: JsonObject, timestamp: string, seq: number): void {
  const number = numberAt(data, 'number');
  if (number <= state.sent) return;
  state.sent = number;
  const numbering = textAt(data, 'numbering');
  if (numbering !== '') state.numbering = numbering;
  const message: SentMessage = {
    number,
    ...(numbering === '' ? {} : { numbering }),
    kind: data['kind'] === 'event' ? 'event' : 'message',
    topic: textAt(data, 'topic'),
    data: data['data'] ?? null,
    sentAt: timestamp,
  };
  state.outbox.push(message);
  const open = openOf(state, data['event_id']);
  if (open === undefined) return;
  open.sends.push({
    kind: message.kind,
    topic: message.topic,
    occurrence: numberAt(data, 'occurrence'),
    argsHash: textAt(data, 'args_hash'),
    seq,
  });
}

export function messageDelivered(state: ProcessSnapshot, data: JsonObject): void {
  state.outbox = state.outbox.filter(({ number }) => number !== data['number']);
}

/** Full, the least urgent goes, the oldest of them first. How many there may be stands in the entry, where a manifest says. */
export function inboxWritten(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const message = inboxMessageOf(data, timestamp);
  if (state.taken.includes(message.messageId)) return;
  taken(state, message.messageId);
  state.inbox.push(message);
  const most = Math.max(1, numberAt(data, 'max_messages', MAX_INBOX));
  while (state.inbox.length > most) {
    const least = state.inbox.reduce((a, b) => (urgency(b) < urgency(a) ? b : a));
    state.inbox = state.inbox.filter((other) => other !== least);
  }
}

/** They are delivered with this invocation, and with no other. */
export function inboxDelivered(
  state: ProcessSnapshot,
  messages: readonly InboxMessage[],
  by: { readonly eventId: string; readonly invocation: number; readonly at: string },
): void {
  if (messages.length === 0) return;
  const delivered = messages.map((message) => ({
    message: { ...message, content: beginning(message.content, MAX_DELIVERED_LENGTH) },
    deliveredAt: by.at,
    eventId: by.eventId,
    invocation: by.invocation,
    answer: null,
  }));
  state.inboxRead = [...state.inboxRead, ...delivered].slice(-MAX_DELIVERED);
}

/** The first answer counts. */
export function inboxAnswered(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const messageId = textAt(data, 'message_id');
  state.inboxRead = state.inboxRead.map((read) =>
    read.message.messageId === messageId && read.answer === null
      ? { ...read, answer: { text: beginning(textAt(data, 'answer'), MAX_INBOX_ANSWER), at: timestamp } }
      : read,
  );
}

function beginning(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
