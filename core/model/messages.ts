// What processes send each other: events, to all who listen for their type, and messages, to a topic. Both are recorded
// by the sender before anybody hears of them, and delivered from that record as often as it takes [S38].

import type { Json } from './json.ts';

export const MESSAGE_KINDS = ['event', 'message'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

export interface SentMessage {
  /** One counter for each sending process: whoever has heard a number of a numbering has heard all of it below. */
  readonly number: number;
  /** Begun anew where the sender's journal may not know of all that it sent; absent for one from before they had names. */
  readonly numbering?: string;
  readonly kind: MessageKind;
  /** An event's type, or a message's topic. */
  readonly topic: string;
  readonly data: Json;
  readonly sentAt: string;
}

const MAX_TOPIC = 200;

/** Null where it may be sent to; otherwise what is wrong with it. */
export function topicProblem(topic: unknown): string | null {
  if (typeof topic !== 'string' || topic === '') return 'it must be a text';
  if (topic.length > MAX_TOPIC) return `it has more than ${MAX_TOPIC} characters`;
  if (/[*?[\]#]/.test(topic)) return 'it holds one of * ? [ ] #, which only a listener may use';
  return null;
}

/** Whether a listener's pattern takes a topic: `*` stands for any text and `?` for one character, as in a shell. */
export function matchesTopic(pattern: string, topic: string): boolean {
  let at = 0;
  let star = -1;
  let mark = 0;
  for (let read = 0; read < topic.length;) {
    if (at < pattern.length && pattern[at] === '*') {
      star = at;
      mark = read;
      at += 1;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === topic[read])) {
      at += 1;
      read += 1;
    } else if (star >= 0) {
      at = star + 1;
      mark += 1;
      read = mark;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
