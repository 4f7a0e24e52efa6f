// What became of an attempt of which nobody knows: whoever it was done with is asked, and asked again.

import { messageOf } from '../model/errors.ts';
import { recordable, type Json } from '../model/json.ts';
import type { ReconcileCall, Reconciled } from './define-agent.ts';
import { pause } from './pause.ts';
import type { RunScope } from './run-scope.ts';

/** So often whoever an effect was done with is asked what became of it, where asking fails. */
const MAX_RECONCILE_TRIES = 3;
/** Between two questions, however soon the next one is wanted. */
const LEAST_RETRY_AFTER_MS = 20;
/** One question may take so long, also where less is left of its time. */
const LEAST_ANSWER_MS = 60_000;
/** A year: beyond it a duration is a slip of the unit. */
const MAX_DURATION_MS = 366 * 24 * 60 * 60 * 1000;

export interface Asked {
  readonly name: string;
  readonly args: Json;
  readonly key: string;
  readonly backoff: (attempt: number) => number;
  readonly reconcile: (call: ReconcileCall<Json>) => Promise<Reconciled>;
  /** For how long it is asked again where it can't tell yet. */
  readonly reconcileForMs: number;
  /** When an attempt that may have happened was announced first, in epoch milliseconds. */
  readonly announcedAt: number;
}

export interface IsOver {
  readonly soon: Promise<unknown>;
  /** Throws where it is. */
  readonly refuse: (name: string) => void;
}

/**
 * What whoever it was done with says; one that fails to answer does not know. One that does not know yet is asked again
 * until its time is over: asking changes nothing, so a run that is cut short meanwhile leaves the doubt to the next one.
 */
export async function askWhatBecame(
  scope: Pick<RunScope, 'within'>,
  effect: Asked,
  about: About,
): Promise<Reconciled> {
  const until = performance.now() + effect.reconcileForMs;
  let isLast = false;
  for (let fails = 0; ;) {
    const answer = await asked(scope, effect, about, Math.max(LEAST_ANSWER_MS, until - performance.now()));
    about.isOver.refuse(effect.name);
    if (answer instanceof Failed) {
      fails += 1;
      if (fails >= MAX_RECONCILE_TRIES) return { happened: 'unknown', why: answer.why };
      await pause(effect.backoff(fails), about.isOver);
    } else {
      fails = 0;
      if (answer.happened !== 'unknown' || answer.retryAfterMs === undefined) return answer;
      const left = until - performance.now();
      if (isLast || left <= 0) return answer;
      const after = Math.max(LEAST_RETRY_AFTER_MS, answer.retryAfterMs);
      // The end is not read off the clock again: a timer may ring a millisecond early.
      isLast = left <= after;
      await pause(Math.min(left, after), about.isOver);
    }
    about.isOver.refuse(effect.name);
  }
}

export interface About {
  readonly attempt: number;
  readonly overAt: number;
  readonly isOver: IsOver;
}

class Failed {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

async function asked(
  scope: Pick<RunScope, 'within'>,
  effect: Asked,
  { attempt, overAt, isOver }: About,
  withinMs: number,
): Promise<Reconciled | Failed> {
  const abort = new AbortController();
  const call = {
    args: recordable(effect.args),
    key: effect.key,
    attempt,
    signal: abort.signal,
    announcedAt: Math.min(effect.announcedAt, Date.now()),
    overForMs: Math.max(0, Math.floor(performance.now() - overAt)),
  };
  const work = scope.within(`reconcile of ${effect.name}`, async () => effect.reconcile(call));
  try {
    const late = pause(withinMs, { soon: isOver.soon, signal: abort.signal }).then(() => 'late' as const);
    const answer = await Promise.race([work, late]);
    if (answer === 'late') {
      work.catch(() => {}); // Too late to count.
      return new Failed(`there was no answer within ${Math.round(withinMs)} ms`);
    }
    const problem = problemOf(answer);
    return problem === null ? answer : { happened: 'unknown', why: problem };
  } catch (error) {
    return new Failed(messageOf(error));
  } finally {
    abort.abort();
  }
}

function problemOf(answer: unknown): string | null {
  const told = `it answered ${JSON.stringify(answer)}, which`;
  if (!isAnswer(answer)) return `${told} has no happened: true, false or 'unknown'`;
  if (answer.happened !== 'unknown' || answer.retryAfterMs === undefined) return null;
  const { retryAfterMs } = answer;
  const isDuration = typeof retryAfterMs === 'number' && retryAfterMs >= 0 && retryAfterMs <= MAX_DURATION_MS;
  return isDuration ? null : `${told} has no number of milliseconds for retryAfterMs`;
}

function isAnswer(answer: unknown): answer is Reconciled {
  if (typeof answer !== 'object' || answer === null || !('happened' in answer)) return false;
  return answer.happened === true || answer.happened === false || answer.happened === 'unknown';
}
