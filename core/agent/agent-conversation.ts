// `ctx.conversation`: as of the start of the invocation, with its own messages [S23].

import { AppError } from '../model/errors.ts';
import { textAt } from '../model/json.ts';
import { MAX_CONTENT } from '../model/limits.ts';
import type { Conversation, ConversationMessage } from './define-agent.ts';
import type { RunScope } from './run-scope.ts';

const MAX_ROLE = 100;

export function agentConversation(scope: RunScope): Conversation {
  const { conversation, sayings, attemptSeq } = scope.invoke.record;
  const recorded = new Map(sayings.map((saying) => [saying.ordinal, saying]));
  const said: ConversationMessage[] = conversation.map((message) => ({
    role: textAt(message, 'role'),
    content: textAt(message, 'content'),
  }));
  let ordinal = 0;

  scope.addLeftover(() => {
    const left = sayings.find((saying) => saying.ordinal >= ordinal && saying.seq > attemptSeq);
    return left === undefined
      ? undefined
      : { seq: left.seq, text: `message ${left.ordinal} of ${left.role}` };
  });

  return {
    messages: () => said.map((message) => ({ ...message })),
    append: async (message) => {
      scope.refuseUnlessOpen('ctx.conversation.append');
      const { role, content } = scope.secrets.json(message);
      checkText('role', role, MAX_ROLE);
      checkText('content', content, MAX_CONTENT);
      const at = ordinal;
      ordinal += 1;
      said.push({ role, content });
      scope.asked();
      const before = recorded.get(at);
      if (before?.role === role && before.content === content) return;
      const found = `message ${at} of ${role}`;
      if (before !== undefined && before.seq > attemptSeq) {
        throw scope.diverge(`message ${at} of ${before.role} as it was recorded`, found);
      }
      if (scope.isCheck) throw scope.unrecorded(found);
      await scope.lineUp(found, () => scope.send({ type: 'said', ordinal: at, role, content }));
    },
  };
}

function checkText(what: string, text: unknown, most: number): void {
  if (typeof text === 'string' && text.length <= most) return;
  throw new AppError(
    'conversation.bad-message',
    `A message's ${what} must be a text of at most ${most} characters.`,
  );
}
