// The world: what reaches it and when, and the time that passes in it.

import type { Add } from './action.ts';
import { Machine, type Model } from './machine.ts';
import type { State, Touched } from './state.ts';

export const UNTOUCHED: Touched = {
  mayHaveHappened: false,
  happened: 0,
  key: '',
  since: 0,
  underWayUntil: null,
  isToBeDone: false,
};

export function world(model: Model, state: State, add: Add, accident: Add): void {
  for (const [id, touched] of Object.entries(state.world)) {
    if (touched.underWayUntil === null || state.now >= touched.underWayUntil) continue;
    add(`${id} arrives late`, (on) => {
      const late = on.state.world[id]!;
      if (late.happened > 0) on.blame('P2', `${id} was done again, and then arrives late`);
      on.state.world[id] = {
        ...late,
        mayHaveHappened: true,
        happened: late.happened + 1,
        underWayUntil: null,
      };
    });
  }
  for (const { generation, mayDo } of state.orphans) {
    for (const effect of mayDo) {
      accident(`the orphan does ${effect.effectId}`, (on) => {
        const orphan = on.state.orphans.find((candidate) => candidate.generation === generation)!;
        orphan.mayDo = orphan.mayDo.filter(({ effectId }) => effectId !== effect.effectId);
        touch(on, effect.effectId, effect.effectClass, effect.key, 'lost', null);
      });
    }
  }
  if (state.fenced !== null) {
    accident('the fenced host writes', (on) => {
      const { checksLockBeforeWriting, locksOutOthers } = model.rules;
      if (!checksLockBeforeWriting || !locksOutOthers)
        on.blame('one writer', `epoch ${on.state.fenced} writes behind epoch ${on.state.epoch}`);
      on.state.fenced = null;
    });
  }
}

export function time(model: Model, state: State, add: Add): void {
  if (state.left.ticks === 0 || !isTimed(model, state)) return;
  add('time passes', ({ state: next }) => {
    next.now += 1;
    next.left.ticks -= 1;
    for (const [id, touched] of Object.entries(next.world)) {
      const { underWayUntil } = touched;
      if (underWayUntil !== null && next.now >= underWayUntil)
        next.world[id] = { ...touched, underWayUntil: null };
    }
  });
}

/** Whether anything depends on what time it is. */
function isTimed(model: Model, state: State): boolean {
  const { facts } = new Machine(model, state).head;
  // A call follows its permit at once: nobody could keep a clock from passing in between.
  const isUnderWay =
    state.host?.worker?.runs.some(({ ops }) =>
      ops.some(({ is, effectClass }) => is === 'permitted' && isClocked(effectClass)),
    ) === true || state.orphans.some(({ mayDo }) => mayDo.some(({ effectClass }) => isClocked(effectClass)));
  if (isUnderWay) return false;
  return (
    Object.values(facts.waits).some(({ due, end }) => due !== null && end === null) ||
    Object.values(facts.events).some(({ retryAt }) => retryAt !== null) ||
    Object.values(facts.effects).some(({ effectClass }) => isClocked(effectClass))
  );
}

/** Its key ages, or its call takes its time. */
function isClocked(effectClass: string | null): boolean {
  return effectClass === 'idempotent' || effectClass === 'reconcile';
}

export type Went = 'done' | 'lost' | 'never' | 'no' | 'late';

/** A call reaches the world. Whether it may is what all of this is about. */
export function touch(
  on: Machine,
  effectId: string,
  effectClass: string,
  key: string,
  went: Went,
  timeout: number | null,
): void {
  const { state, head } = on;
  const before = state.world[effectId] ?? UNTOUCHED;
  const fact = head.facts.effects[effectId];
  if (fact?.state === 'done') on.blame('P2', `${effectId} has an outcome and is done again`);
  if (head.facts.events[effectId.split('/')[0]!]?.at === 'over')
    on.blame('P2', `${effectId} is done after the end`);
  if (before.mayHaveHappened) {
    if (effectClass === 'ask' || effectClass === 'reconcile')
      on.blame('P2', `${effectId} of class ${effectClass} may have happened and is done again`);
    if (effectClass === 'idempotent' && before.key !== key)
      on.blame('P2', `${effectId} is repeated under another key`);
    if (effectClass === 'idempotent' && state.now >= before.since + KEY_TTL)
      on.blame('P2', `${effectId} is repeated when its key is forgotten`);
  }
  const isFirst = !before.mayHaveHappened && went !== 'no';
  state.world[effectId] = {
    mayHaveHappened: before.mayHaveHappened || went !== 'no',
    happened: Math.min(2, before.happened + (went === 'done' || went === 'lost' ? 1 : 0)),
    key: isFirst ? key : before.key,
    since: isFirst ? state.now : before.since,
    underWayUntil: went === 'late' && timeout !== null ? state.now + timeout : before.underWayUntil,
    isToBeDone: false,
  };
}

/** Of every `idempotent` effect of the programs, in ticks. */
const KEY_TTL = 2;
