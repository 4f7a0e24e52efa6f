// Invocations under way, and those that were given up, as views. Pure.

import type { DeadLetterView, EffectView, InvocationView, WaitView } from '../contract/work-views.ts';
import { needsOperator, type RecordedEffect } from '../model/effects.ts';
import type { DeadLetter, OpenInvocation } from '../model/snapshot.ts';
import { standingOf } from '../model/standing.ts';
import { timestampOf } from '../model/time.ts';
import type { DurableWait } from '../model/waits.ts';
import { cut, cutOrNull, showCut } from './cut.ts';
import { countOf, MAX_ID, MAX_LINE, MAX_SENTENCE, MAX_WORD, shownOf } from './view-limits.ts';

const MAX_OPEN = 100;
const MAX_EFFECTS = 200;
const MAX_WAITS = 100;

/** Whether a worker of ours has this invocation in hand; null where no process of ours runs. */
export type InHand = ((eventId: string) => boolean) | null;

/** While a worker has it in hand, not knowing an outcome is no doubt yet. */
function isUnattended(isInHand: InHand, { event }: OpenInvocation): boolean {
  return isInHand === null || !isInHand(event.eventId);
}

/** The effects that only an operator may decide. */
export function doubtsOf(open: readonly OpenInvocation[], isInHand: InHand): number {
  const unattended = open.filter((invocation) => isUnattended(isInHand, invocation));
  return unattended.flatMap(({ effects }) => effects).filter(needsOperator).length;
}

export function openPromisesOf(open: readonly OpenInvocation[]): number {
  return open.flatMap(({ waits }) => waits).filter(isOpenPromise).length;
}

function isOpenPromise({ kind, end }: DurableWait): boolean {
  return kind === 'promise' && end === null;
}

/** The oldest, and before them those that wait for somebody, who could not answer what is not shown. */
export function invocationViews(
  open: readonly OpenInvocation[],
  isInHand: InHand,
  nowMs: number,
): InvocationView[] {
  const asking = open.filter(
    ({ effects, waits }) => effects.some(needsOperator) || waits.some(isOpenPromise),
  );
  return shownOf(open, MAX_OPEN, [...asking, ...open]).map((one) => ({
    eventId: cut(one.event.eventId, MAX_ID),
    invocation: countOf(one.invocation),
    attempt: countOf(one.attempt),
    triggerId: cut(one.event.triggerId, MAX_WORD),
    triggerType: cut(one.event.triggerType, MAX_WORD),
    startedAt: cut(one.startedAt, MAX_WORD),
    standing: isInHand?.(one.event.eventId) === true ? 'running' : standingOf(one, nowMs),
    retryAt: cutOrNull(one.retryAt, MAX_WORD),
    waits: shownWaits(one).map(waitView),
    openWaitCount: one.waits.filter(({ end }) => end === null).length,
    signals: one.signals.length,
    effects: shownEffects(one).map((effect) => effectView(effect, isUnattended(isInHand, one))),
    effectCount: one.effects.length,
  }));
}

/** The newest, and before them those that wait for an operator, who could not decide what is not shown. */
function shownEffects({ effects }: OpenInvocation): readonly RecordedEffect[] {
  if (effects.length <= MAX_EFFECTS) return effects;
  return shownOf(effects, MAX_EFFECTS, [...effects.filter(needsOperator), ...effects.toReversed()]);
}

/** Those that are still waited for, and the last of the others. */
function shownWaits({ waits }: OpenInvocation): readonly DurableWait[] {
  if (waits.length <= MAX_WAITS) return waits;
  return shownOf(waits, MAX_WAITS, [...waits.filter(({ end }) => end === null), ...waits.toReversed()]);
}

function waitView({ waitId, kind, name, createdAt, dueAt, data, end }: DurableWait): WaitView {
  return {
    waitId: cut(waitId, MAX_ID),
    kind,
    name: cut(name, MAX_WORD),
    createdAt: cut(createdAt, MAX_WORD),
    dueAt: dueAt === null || Number.isNaN(dueAt) ? null : timestampOf(dueAt),
    dataText: showCut(data, MAX_SENTENCE).text,
    status: end === null ? 'open' : end.status,
  };
}

function effectView(effect: RecordedEffect, isOperators: boolean): EffectView {
  return {
    effectId: cut(effect.effectId, MAX_ID),
    name: cut(effect.name, MAX_LINE),
    effectClass: cut(effect.effectClass, MAX_WORD),
    key: cut(effect.key, MAX_ID),
    argsPreview: cut(effect.argsPreview, MAX_LINE),
    attempts: countOf(effect.attempts),
    announcedAt: cut(effect.announcedAt, MAX_WORD),
    end: effect.end?.kind ?? 'open',
    error: cut(effect.end === null || effect.end.kind === 'done' ? '' : effect.end.error, MAX_SENTENCE),
    needsOperator: isOperators && needsOperator(effect),
    isValueLost: effect.end?.kind === 'in_doubt' && effect.end.happened === true,
    maybePaid: maybePaid(effect),
  };
}

function maybePaid({ end, maybe, booked }: RecordedEffect): number {
  const now = end?.kind === 'in_doubt' ? (booked?.modelTurns ?? 0) : 0;
  return Math.round(now + (maybe?.modelTurns ?? 0));
}

export function deadLetterView({ event, open, reason, error, attempts, at }: DeadLetter): DeadLetterView {
  return {
    eventId: cut(event.eventId, MAX_ID),
    triggerId: cut(event.triggerId, MAX_WORD),
    reason: cut(reason, MAX_SENTENCE),
    error: cut(error, MAX_SENTENCE),
    attempts: countOf(attempts),
    at: cut(at, MAX_WORD),
    doneEffects: open?.effects.filter(({ end }) => end?.kind === 'done').length ?? 0,
  };
}
