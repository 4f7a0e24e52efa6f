// What an agent asks of its host about itself, inside an effect: the effect's outcome is the record of it, so a re-run asks
// nothing, and one that follows a crash asks with the same key.

import type { Json } from '../model/json.ts';
import type { HostAnswer, SelfAction } from '../model/self-actions.ts';
import { never, type Reply, type RunScope } from './run-scope.ts';

type Answered = Extract<Reply, { type: 'host-answered' }>;

export interface AskHost {
  (asked: { readonly key: string; readonly action: SelfAction; readonly args: Json }): Promise<HostAnswer>;
}

export function agentHost(scope: RunScope): {
  readonly ask: AskHost;
  readonly answered: (reply: Answered) => void;
} {
  const asked = new Map<number, (answer: HostAnswer) => void>();
  let last = 0;
  return {
    ask: async ({ key, action, args }) => {
      scope.refuseIfOver('the host');
      // Nothing is asked in a run that only looks.
      if (!scope.isReal) return never();
      last += 1;
      const id = last;
      return new Promise<HostAnswer>((resolve) => {
        asked.set(id, resolve);
        scope.send({ type: 'host-asked', id, key, action, args });
      });
    },
    answered: ({ id, answer }) => {
      asked.get(id)?.(answer);
      asked.delete(id);
    },
  };
}
