// `ctx.state`: the context as of the start of the invocation, with its own writes [S23].

import { AppError } from '../model/errors.ts';
import { recordable, sameJson, type Json } from '../model/json.ts';
import { MAX_STATE_KEY, refuseTooLarge } from '../model/limits.ts';
import type { AgentState } from './define-agent.ts';
import type { RunScope } from './run-scope.ts';

const SHOWN = 80;

export function agentState(scope: RunScope): AgentState {
  const { record, writableKeys } = scope.invoke;
  const { state, writes, attemptSeq } = record;
  const view = new Map(Object.entries(state));
  const recordedWrites = new Map(writes.map((write) => [write.ordinal, write]));
  let ordinal = 0;

  scope.addLeftover(() => {
    const left = writes.find((write) => write.ordinal >= ordinal && write.seq > attemptSeq);
    if (left === undefined) return undefined;
    return { seq: left.seq, text: describe(left.ordinal, left.key, left.value, left.deleted) };
  });

  const write = async (named: string, given: Json, deleted: boolean): Promise<void> => {
    scope.refuseUnlessOpen('ctx.state');
    if (typeof named !== 'string' || named.length > MAX_STATE_KEY) {
      throw new AppError(
        'state.bad-key',
        `A key of the state is a text of at most ${MAX_STATE_KEY} characters.`,
      );
    }
    const key = scope.secrets.text(named);
    // What it has written was allowed when it was written, whatever the manifest says by now.
    const isRecorded = recordedWrites.get(ordinal)?.key === key;
    if (!isRecorded && writableKeys.length > 0 && !writableKeys.includes(key)) {
      throw new AppError(
        'state.not-writable',
        `The state ${JSON.stringify(key)} may not be written: the manifest's context.writable_keys has ${writableKeys.join(', ')}.`,
        { key },
      );
    }
    const value = scope.secrets.json(recordable(given, `the state ${JSON.stringify(key)}`));
    refuseTooLarge('state', `The state ${JSON.stringify(key.slice(0, SHOWN))}`, value);
    const at = ordinal;
    ordinal += 1;
    if (deleted) view.delete(key);
    else view.set(key, value);
    scope.asked();
    const recorded = recordedWrites.get(at);
    if (recorded !== undefined) {
      if (recorded.key === key && recorded.deleted === deleted && sameJson(recorded.value, value)) return;
      // An earlier attempt may have gone another way; this one's own record may not differ.
      if (recorded.seq > attemptSeq) {
        throw scope.diverge(
          describe(at, recorded.key, recorded.value, recorded.deleted),
          describe(at, key, value, deleted),
        );
      }
    }
    const found = describe(at, key, value, deleted);
    if (scope.isCheck) throw scope.unrecorded(found);
    await scope.lineUp(found, () => scope.send({ type: 'state-written', ordinal: at, key, value, deleted }));
  };
  const get = <T extends Json>(key: string): T | undefined => {
    const value = view.get(key);
    return value === undefined ? undefined : (recordable(value) as T);
  };
  return {
    get,
    set: (key, value) => write(key, value, false),
    update: async <T extends Json>(key: string, change: (value: T | undefined) => T) => {
      const value = change(get<T>(key));
      await write(key, value, false);
      return value;
    },
    delete: (key) => write(key, null, true),
    keys: () => [...view.keys()],
  };
}

function describe(ordinal: number, key: string, value: Json, deleted: boolean): string {
  const text = JSON.stringify(value);
  return `write ${ordinal} of ${key} ${deleted ? 'deleting it' : `= ${text.length <= SHOWN ? text : `${text.slice(0, SHOWN - 1)}…`}`}`;
}
