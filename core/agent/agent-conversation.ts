// `ctx.conversation`: as of the start of the invocation, with its own messages [S23].

import { AppError } from '../model/errors.ts';
import { textAt } from '../model/json.ts';
import { MAX_CONTENT } from '../model/limits.ts';
import type { Conversation, ConversationMessage } from './define-agent.ts';
import type { RunScope } from './run-scope.ts';

const MAX_ROLE = 100;

export function agentConversation(scope: RunScope): Conversation {
  const { conversation, sayings, compactions, attemptSeq } = scope.invoke.record;
  const recorded = new Map(sayings.map((saying) => [saying.ordinal, saying]));
  const said: ConversationMessage[] = conversation.map((message) => ({
    role: textAt(message, 'role'),
    content: textAt(message, 'content'),
  }));
  const inWords = new Map(compactions.map((compaction) => [compaction.ordinal, compaction]));
  /** Of `said`, how many were there when the invocation began. */
  let atStart = said.length;
  let ordinal = 0;

  scope.addLeftover(() => {
    const isLeft = (one: { readonly ordinal: number; readonly seq: number }): boolean =>
      one.ordinal >= ordinal && one.seq > attemptSeq;
    const saying = sayings.find(isLeft);
    const compaction = compactions.find(isLeft);
    if (compaction !== undefined && (saying === undefined || compaction.seq < saying.seq)) {
      return { seq: compaction.seq, text: `compaction ${compaction.ordinal} of the conversation` };
    }
    return saying === undefined
      ? undefined
      : { seq: saying.seq, text: `message ${saying.ordinal} of ${saying.role}` };
  });

  /** Says something of its own, in its order; what is recorded of this attempt has to be the same. */
  const told = async (
    found: string,
    before: { readonly isSame: boolean; readonly seq: number; readonly text: string } | null,
    tell: () => void,
  ): Promise<void> => {
    scope.asked();
    if (before?.isSame === true) return;
    if (before !== null && before.seq > attemptSeq)
      throw scope.diverge(`${before.text} as it was recorded`, found);
    if (scope.isCheck) throw scope.unrecorded(found);
    await scope.lineUp(found, tell);
  };

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
      const before = recorded.get(at);
      const isSame = before?.role === role && before.content === content;
      const known =
        before === undefined ? null : { isSame, seq: before.seq, text: `message ${at} of ${before.role}` };
      await told(`message ${at} of ${role}`, known, () =>
        scope.send({ type: 'said', ordinal: at, role, content }),
      );
    },
    compact: async (count, words) => {
      scope.refuseUnlessOpen('ctx.conversation.compact');
      const summary = scope.secrets.json(words);
      checkText('summary', summary, MAX_CONTENT);
      if (!Number.isInteger(count) || count < 1 || count > atStart) throw badCount(count, atStart);
      const at = ordinal;
      ordinal += 1;
      const keep = atStart - count;
      said.splice(0, count, { role: 'system', content: summary });
      atStart = keep + 1;
      const before = inWords.get(at);
      const isSame = before?.keep === keep && before.summary === summary;
      const text = `compaction ${at} of the conversation`;
      const known = before === undefined ? null : { isSame, seq: before.seq, text };
      await told(text, known, () => scope.send({ type: 'compacted', ordinal: at, keep, count, summary }));
    },
  };
}

function badCount(count: unknown, most: number): AppError {
  return new AppError(
    'conversation.bad-count',
    `ctx.conversation.compact(${String(count)}, …) takes how many of the first messages are put into words: of those that there were when the invocation began, which are ${most}.`,
  );
}

function checkText(what: string, text: unknown, most: number): void {
  if (typeof text === 'string' && text.length <= most) return;
  throw new AppError(
    'conversation.bad-message',
    `A message's ${what} must be a text of at most ${most} characters.`,
  );
}
