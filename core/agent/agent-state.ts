// `ctx.state`: the context as of the start of the invocation, with its own writes [S23].

import { recordable, sameJson, type Json } from '../model/json.ts';
import type { AgentState } from './define-agent.ts';
import type { RunScope } from './run-scope.ts';

const SHOWN = 80;

export interface RunState {
  readonly state: AgentState;
  /** The first recorded write that nobody made again. */
  leftover(): string | undefined;
}

export function agentState(scope: RunScope): RunState {
  const { state, writes } = scope.invoke;
  const view = new Map(Object.entries(state));
  let ordinal = 0;

  const write = async (key: string, given: Json, deleted: boolean): Promise<void> => {
    scope.refuseUnlessOpen(`ctx.state on ${JSON.stringify(key)}`);
    const value = recordable(given, `the state ${JSON.stringify(key)}`);
    const at = ordinal;
    ordinal += 1;
    if (deleted) view.delete(key);
    else view.set(key, value);
    const recorded = writes.find((candidate) => candidate.ordinal === at);
    if (recorded === undefined) {
      await scope.ask(`write ${at}`, { type: 'state-written', ordinal: at, key, value, deleted });
    } else if (recorded.key !== key || recorded.deleted !== deleted || !sameJson(recorded.value, value)) {
      throw scope.diverge(
        describe(at, recorded.key, recorded.value, recorded.deleted),
        describe(at, key, value, deleted),
      );
    }
  };
  const get = <T extends Json>(key: string): T | undefined => {
    const value = view.get(key);
    return value === undefined ? undefined : (recordable(value) as T);
  };
  return {
    state: {
      get,
      set: (key, value) => scope.track(write(key, value, false)),
      update: async <T extends Json>(key: string, change: (value: T | undefined) => T) => {
        const value = change(get<T>(key));
        await scope.track(write(key, value, false));
        return value;
      },
      delete: (key) => scope.track(write(key, null, true)),
      keys: () => [...view.keys()],
    },
    leftover: () => {
      const left = writes.find((candidate) => candidate.ordinal >= ordinal);
      return left === undefined ? undefined : describe(left.ordinal, left.key, left.value, left.deleted);
    },
  };
}

function describe(ordinal: number, key: string, value: Json, deleted: boolean): string {
  const text = JSON.stringify(value);
  return `write ${ordinal} of ${key} ${deleted ? 'deleting it' : `= ${text.length <= SHOWN ? text : `${text.slice(0, SHOWN - 1)}…`}`}`;
}
