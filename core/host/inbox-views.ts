// What people wrote to an agent and what was said, as views. Pure.

import type { DeliveredView, InboxView } from '../contract/inbox-views.ts';
import type { ProcessDetail } from '../contract/process-detail.ts';
import { MAX_INBOX_ANSWER } from '../model/inbox-answers.ts';
import { MAX_INBOX_LENGTH, type DeliveredMessage, type InboxMessage } from '../model/inbox.ts';
import { textAt } from '../model/json.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { cut, cutOrNull, showCut } from './cut.ts';
import { countOf, MAX_ID, MAX_WORD } from './view-limits.ts';

const MAX_MESSAGES = 30;
const MAX_TEXT = 2_000;

export function messageView(message: InboxMessage): InboxView {
  return {
    messageId: cut(message.messageId, MAX_ID),
    messageType: message.messageType,
    content: cut(message.content, MAX_INBOX_LENGTH),
    sender: cut(message.sender, MAX_WORD),
    priority: message.priority,
    createdAt: cut(message.createdAt, MAX_WORD),
    expiresAt: cutOrNull(message.expiresAt, MAX_WORD),
  };
}

export function deliveredView({
  message,
  deliveredAt,
  eventId,
  invocation,
  answer,
}: DeliveredMessage): DeliveredView {
  return {
    ...messageView(message),
    deliveredAt: cut(deliveredAt, MAX_WORD),
    eventId: cut(eventId, MAX_ID),
    invocation: countOf(invocation),
    answer:
      answer === null ? null : { text: cut(answer.text, MAX_INBOX_ANSWER), at: cut(answer.at, MAX_WORD) },
  };
}

/** What is no text is shown as JSON. */
export function conversationView({ conversation }: Readonly<ProcessSnapshot>): ProcessDetail['conversation'] {
  const messages = conversation.slice(-MAX_MESSAGES).map((message) => {
    const content = message['content'] ?? null;
    return {
      role: cut(textAt(message, 'role'), MAX_WORD),
      text: typeof content === 'string' ? cut(content, MAX_TEXT) : showCut(content, MAX_TEXT).text,
    };
  });
  return { count: conversation.length, messages };
}
