// What tells one question to a model from another, the same in every re-run: what there was before the turn, and which answers
// and results came since. Not their words: the journal may have those without a secret that was in them.

import { hash } from 'node:crypto';
import type { LanguageModelV4Message } from '@ai-sdk/provider';

export interface Skeleton {
  readonly text: string;
  /** How many messages it is of: not the conversation, of which less may be kept by then than there was. */
  readonly messages: number;
}

export function skeletonOf(
  recorded: readonly LanguageModelV4Message[],
): (exchange: readonly LanguageModelV4Message[]) => Skeleton {
  const before = hash('sha256', JSON.stringify(recorded));
  return (exchange) => ({
    text: [before, ...exchange.map(boneOf)].join('\n'),
    messages: recorded.length + exchange.length,
  });
}

function boneOf({ role, content }: LanguageModelV4Message): string {
  if (typeof content === 'string') return role;
  const parts = content.flatMap((part) => {
    if (part.type === 'tool-call') return [`calls ${part.toolName} ${part.toolCallId}`];
    if (part.type === 'tool-result') return [`gave ${part.toolName} ${part.toolCallId} ${part.output.type}`];
    return [];
  });
  return [role, ...parts].join(' ');
}
