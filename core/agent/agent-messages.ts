// `ctx.emit` and `ctx.send`: recorded once; delivering is the host's affair [S38].

import { AppError } from '../model/errors.ts';
import { recordable, type Json } from '../model/json.ts';
import { refuseTooLarge } from '../model/limits.ts';
import { topicProblem, type MessageKind } from '../model/messages.ts';
import { argsHash } from './args-hash.ts';
import type { AgentContext } from './define-agent.ts';
import type { RunScope } from './run-scope.ts';

/** Behind a rewind and in a fork, where nobody is asked about it as about an effect [S39]. */
const SENT_BEFORE =
  'It was sent before the rewind or the fork, and is not taken back or sent twice. Put back the code that sends the same, then force-recover; or, where the invocation had come to its end, rewind to an entry behind that.';

export function agentMessages(scope: RunScope): Pick<AgentContext, 'emit' | 'send'> {
  const { sends, attemptSeq } = scope.invoke.record;
  const placeOf = (kind: MessageKind, topic: string, occurrence: number): string =>
    `${kind} ${topic}#${occurrence}`;
  const records = new Map(sends.map((sent) => [placeOf(sent.kind, sent.topic, sent.occurrence), sent]));
  const unasked = new Map([...records].filter(([, { seq }]) => seq > attemptSeq));
  const occurrences = new Map<string, number>();

  scope.addLeftover(() => {
    for (const [text, { seq }] of unasked) return { seq, text };
    return undefined;
  });

  const send = async (kind: MessageKind, to: string, given: Json): Promise<void> => {
    const what = kind === 'event' ? 'ctx.emit' : 'ctx.send';
    scope.refuseUnlessOpen(what);
    scope.refuseUnlessDurable(what);
    const topic = scope.secrets.json(to);
    const problem = topicProblem(topic);
    if (problem !== null) {
      throw new AppError('message.bad-topic', `${what} can't go to ${JSON.stringify(topic)}: ${problem}.`);
    }
    const data = scope.secrets.json(recordable(given, `what goes to ${topic}`));
    refuseTooLarge('message', `What ${what} sends to ${topic}`, data);
    const name = `${kind} ${topic}`;
    const occurrence = occurrences.get(name) ?? 0;
    occurrences.set(name, occurrence + 1);
    const place = placeOf(kind, topic, occurrence);
    const hash = argsHash(data);
    unasked.delete(place);
    scope.asked();
    const recorded = records.get(place);
    if (recorded?.argsHash === hash) return;
    if (recorded !== undefined) {
      const expected = `${place} with the data ${recorded.argsHash}`;
      const next = recorded.isUndone === true ? SENT_BEFORE : undefined;
      throw scope.diverge(expected, `${place} with the data ${hash}`, next);
    }
    await scope.lineUp(place, () =>
      scope.send({ type: 'message-sent', kind, topic, occurrence, data, argsHash: hash }),
    );
  };
  return {
    emit: (type, data = null) => send('event', type, data),
    send: (topic, content) => send('message', topic, content),
  };
}
