// Questions in an inbox and how a reply answers them: Promptise's protocol, in which an agent writes `ANSWER Q1: …`.

import type { InboxMessage } from './inbox.ts';

export const MAX_INBOX_ANSWER = 4_000;

export interface InboxAnswer {
  readonly messageId: string;
  readonly answer: string;
}

/** The questions among them, in the order in which they are numbered, from 1. */
export function questionsIn(messages: readonly InboxMessage[]): readonly InboxMessage[] {
  return messages.filter(({ messageType }) => messageType === 'question');
}

/** Of several answers to one question the first counts; an answer ends where the next begins. */
export function answersIn(reply: string, messages: readonly InboxMessage[]): readonly InboxAnswer[] {
  const questions = questionsIn(messages);
  if (questions.length === 0) return [];
  // In bold, in a list or quoted, as models write.
  const heads = [...reply.matchAll(/^[ \t>*_#-]{0,10}ANSWER\s{1,3}Q(\d{1,4})[*_]{0,3}\s{0,3}:[*_]{0,3}/gim)];
  const answered = new Map<string, string>();
  for (const [index, head] of heads.entries()) {
    const question = questions[Number(head[1]) - 1];
    const text = reply.slice(head.index + head[0].length, heads[index + 1]?.index ?? reply.length).trim();
    if (question === undefined || text === '' || answered.has(question.messageId)) continue;
    answered.set(question.messageId, text.slice(0, MAX_INBOX_ANSWER).toWellFormed());
  }
  return [...answered].map(([messageId, answer]) => ({ messageId, answer }));
}
