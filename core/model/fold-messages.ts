// What the journal tells of messages: to others, from the record that they are delivered from, and to the agent's inbox.

import { taken } from './fold-waits.ts';
import { inboxMessageOf, MAX_INBOX, urgency } from './inbox.ts';
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

/** Full, the least urgent goes, the oldest of them first. */
export function inboxWritten(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const message = inboxMessageOf(data, timestamp);
  if (state.taken.includes(message.messageId)) return;
  taken(state, message.messageId);
  state.inbox.push(message);
  while (state.inbox.length > MAX_INBOX) {
    const least = state.inbox.reduce((a, b) => (urgency(b) < urgency(a) ? b : a));
    state.inbox = state.inbox.filter((other) => other !== least);
  }
}
