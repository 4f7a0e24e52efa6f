// `ctx.onSignal` and `ctx.onQuery`: what reaches into an invocation while it is under way.

import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { recordable, type Json } from '../model/json.ts';
import { MAX_CODE, MAX_ERROR_TEXT, refuseTooLarge } from '../model/limits.ts';
import type { RecordedSignal } from '../model/snapshot.ts';
import type { QueryAnswer } from '../model/worker-protocol.ts';
import type { AgentContext } from './define-agent.ts';
import type { RunScope } from './run-scope.ts';

type Handler = (payload: Json) => void | Promise<void>;

export type SignalsAndQueries = Pick<AgentContext, 'onSignal' | 'onQuery'> & {
  /** Its turn has come. */
  readonly signalled: (signal: RecordedSignal) => void;
  readonly ask: (name: string, args: Json) => QueryAnswer;
  /** Rejects with what the first failing handler threw; never resolves. */
  readonly failed: Promise<never>;
};

export function signalKey(signalId: string): string {
  return `signal ${signalId}`;
}

export function signalsAndQueries(scope: RunScope): SignalsAndQueries {
  const handlers = new Map<string, Handler[]>();
  const queries = new Map<string, (args: Json) => Json>();
  /** Came before anybody listened. */
  const unheard: RecordedSignal[] = [];
  let fail: (error: unknown) => void;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {});

  const handle = (handler: Handler, payload: Json): void => {
    (async () => handler(recordable(payload)))().catch((error: unknown) => fail(error));
  };

  return {
    failed,
    onSignal: (name, handler) => {
      scope.refuseUnlessOpen(`ctx.onSignal(${JSON.stringify(name)})`);
      scope.isListening = true;
      handlers.set(name, [...(handlers.get(name) ?? []), handler as Handler]);
      const before = unheard.filter((signal) => signal.name === name);
      for (const signal of before) unheard.splice(unheard.indexOf(signal), 1);
      // Each in its turn, as if it came now: a run to which it comes later hears it there too.
      for (const { seq, payload } of before) {
        void scope.deliveries.soon(seq).then(() => handle(handler as Handler, payload));
      }
    },
    onQuery: (name, handler) => {
      scope.refuseUnlessOpen(`ctx.onQuery(${JSON.stringify(name)})`);
      queries.set(name, handler as (args: Json) => Json);
    },
    signalled: (signal) => {
      const listening = handlers.get(signal.name);
      if (listening === undefined) unheard.push(signal);
      else for (const handler of listening) handle(handler, signal.payload);
    },
    ask: (name, args) => {
      const query = queries.get(name);
      if (query === undefined) {
        const known = [...queries.keys()].join(', ');
        return {
          ok: false,
          code: 'query.unknown',
          message: `This invocation answers no query ${JSON.stringify(name)}. It answers: ${known || 'none'}.`,
        };
      }
      try {
        const value = scope.within(`the query ${name}`, () => query(recordable(args)));
        if ((value as unknown) instanceof Promise) {
          (value as unknown as Promise<unknown>).catch(() => {}); // Nobody waits for it.
          throw new AppError(
            'query.async',
            `The query ${name} is answered with a promise. A query only looks, and answers at once.`,
          );
        }
        const answer = recordable(value ?? null, `the answer to ${name}`);
        refuseTooLarge('query', `The answer to ${name}`, answer);
        return { ok: true, value: answer };
      } catch (error) {
        const code = codeOf(error).slice(0, MAX_CODE);
        return { ok: false, code, message: messageOf(error).slice(0, MAX_ERROR_TEXT) };
      }
    },
  };
}
