// Plans of rewinds and forks as views: bounded, with the counts of what is left out.

import type { ForkPlanView, RewindPlanView } from '../contract/rewind-views.ts';
import type { RewindPlan } from '../model/rewind.ts';
import type { ForkPlan } from '../runtime/write-fork.ts';
import { cut, cutOrNull, showCut } from './cut.ts';
import { MAX_ID, MAX_LINE, shownOf } from './view-limits.ts';

const MAX_KEYS = 200;
const MAX_UNDONE = 200;
const MAX_FACTS = 500;
const MAX_VALUE = 2_000;

export function rewindPlanView(plan: RewindPlan): RewindPlanView {
  const said = (value: RewindPlan['context'][number]['now']): { valueText: string } | null =>
    value === null ? null : { valueText: showCut(value.value, MAX_VALUE, 2).text };
  return {
    process: plan.process,
    target: { ...plan.target, entryType: cut(plan.target.entryType, MAX_LINE) },
    basedOn: plan.basedOn,
    isHandledAgain: plan.isHandledAgain,
    context: plan.context.slice(0, MAX_KEYS).map(({ key, now, was }) => ({
      key: cut(key, MAX_ID),
      now: said(now),
      was: said(was),
    })),
    contextChanges: plan.context.length,
    conversation: { ...plan.conversation },
    undone: plan.undone.slice(0, MAX_UNDONE).map((one) => ({
      ...one,
      eventId: cut(one.eventId, MAX_ID),
      triggerId: cut(one.triggerId, MAX_LINE),
    })),
    undoneCount: plan.undone.length,
    facts: shownFacts(plan.facts).map((fact) => ({
      ...fact,
      text: cut(fact.text, MAX_LINE),
      eventId: cutOrNull(fact.eventId, MAX_ID),
      end: cutOrNull(fact.end, MAX_LINE),
    })),
    factCount: { ...plan.factCount },
  };
}

/** Effects first, where there is no room for all: they are what nothing takes back. */
function shownFacts(facts: RewindPlan['facts']): RewindPlan['facts'] {
  return shownOf(facts, MAX_FACTS, [...facts.filter(({ kind }) => kind === 'effect'), ...facts]);
}

export function forkPlanView(name: string, plan: ForkPlan): ForkPlanView {
  const { lineage, left, unfinished, contextKeys, conversation } = plan;
  return {
    from: lineage.process,
    at: lineage.seq,
    name,
    contextKeys,
    conversation,
    unfinished: unfinished.slice(0, MAX_UNDONE).map(({ eventId, effects }) => ({
      eventId: cut(eventId, MAX_ID),
      effects,
    })),
    unfinishedCount: unfinished.length,
    left: {
      queue: left.queue.length,
      inbox: left.inbox.length,
      promises: left.promises.length,
      timers: left.timers.length,
    },
  };
}
