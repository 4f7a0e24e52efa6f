// `ctx.secret`: asked of the host at each call, so that a rotation counts from the next one on. What comes is no part of the
// record; a re-run asks again, and gets what there is then.
//
// * What the worker was given it knows for good, and takes it out of all that its code sends through `ctx`.
// * While one is asked for, nothing else is delivered: it comes before whatever comes next, in every run [S26].
// * A run that only looks is given no secret, but a text that stands for one and goes by the same name.

import type { AgentContext } from './define-agent.ts';
import { SecretUnavailable } from './effect-errors.ts';
import type { Reply, RunScope } from './run-scope.ts';

type Told = Extract<Reply, { type: 'secret-told' }>;

export interface AgentSecrets extends Pick<AgentContext, 'secret'> {
  readonly told: (reply: Told) => void;
}

const MAX_NAME = 100;
/** Of this worker: no two of them have the same. */
const standIns = new Map<string, string>();

export function agentSecrets(scope: RunScope): AgentSecrets {
  const asked = new Map<number, (answer: Told['answer']) => void>();
  let last = 0;

  const ask = async (name: string): Promise<string> => {
    last += 1;
    const id = last;
    const release = scope.deliveries.hold();
    const answer = await new Promise<Told['answer']>((resolve) => {
      asked.set(id, resolve);
      scope.send({ type: 'secret-asked', id, name });
    });
    release();
    if (!answer.ok) throw new SecretUnavailable(name, answer.refusal, answer.message);
    scope.secrets.know(name, answer.value);
    return answer.value;
  };

  return {
    secret: async (name) => {
      scope.refuseIfOver('ctx.secret');
      if (typeof name !== 'string' || name === '' || name.length > MAX_NAME) {
        const message = `The name of a secret is a text of 1 to ${MAX_NAME} characters, as the manifest has it.`;
        throw new SecretUnavailable('', 'unknown', message);
      }
      if (scope.isReal) return scope.track(ask(name));
      const standIn = standInFor(name);
      scope.secrets.know(name, standIn);
      return standIn;
    },
    told: ({ id, answer }) => {
      asked.get(id)?.(answer);
      asked.delete(id);
    },
  };
}

function standInFor(name: string): string {
  const known = standIns.get(name) ?? `stands-in-${crypto.randomUUID()}`;
  standIns.set(name, known);
  return known;
}
