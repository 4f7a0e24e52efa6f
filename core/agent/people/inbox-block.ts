// What people wrote to an agent, as its model reads it. The text of a person is what it is; each of its lines is indented,
// whatever ends them, so nothing in it can pass for another message.

import { questionsIn } from '../../model/inbox-answers.ts';
import type { InboxMessage, InboxType } from '../../model/inbox.ts';

export { answersIn } from '../../model/inbox-answers.ts';

const HEADS: Readonly<Record<InboxType, string>> = {
  directive: 'DIRECTIVE',
  context: 'CONTEXT',
  question: 'QUESTION',
  correction: 'CORRECTION',
};

/** Whatever somebody, or a model, may take for one. */
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;

/** Empty where there is nothing. */
export function inboxBlock(messages: readonly InboxMessage[]): string {
  if (messages.length === 0) return '';
  const questions = questionsIn(messages);
  const parts = messages.map((message) => {
    const number = questions.indexOf(message) + 1;
    const what = number === 0 ? HEADS[message.messageType] : `QUESTION Q${number}`;
    const text = message.content.split(LINE_END).map((line) => `    ${line}`);
    const urgency = message.priority === 'normal' ? '' : `, priority ${message.priority}`;
    return [`- ${what} from ${oneLine(message.sender)}, ${message.createdAt}${urgency}:`, ...text].join('\n');
  });
  const how =
    questions.length === 0
      ? ''
      : '\n\nAnswer each question in your reply, on a line of its own that begins with "ANSWER Q1:" for question Q1, and so on.';
  return `[Inbox]\nThe people who are responsible for you wrote this since you were last called. Follow directives and corrections; take context into account.\n${parts.join('\n')}${how}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 200);
}
