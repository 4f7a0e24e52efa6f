// What an open invocation may do next, from its record alone, and what a process hands to a worker now. Pure, so that every
// order of events can be tried.

import { isKeyExpired, needsOperator, type RecordedEffect } from './effects.ts';
import type { OpenInvocation, ProcessSnapshot } from './snapshot.ts';

/**
 * `in-doubt`: an operator has to decide one of its effects. `waiting`: for a promise, a timer or a signal.
 * `backing-off`: its next attempt is due later. `ready`: it can go on.
 */
export type Standing = 'in-doubt' | 'waiting' | 'backing-off' | 'ready';

export function standingOf(open: OpenInvocation, nowMs: number): Standing {
  if (open.effects.some(needsOperator)) return 'in-doubt';
  if (open.isWaiting) return 'waiting';
  if (open.retryAt !== null && Date.parse(open.retryAt) > nowMs) return 'backing-off';
  return 'ready';
}

/** In doubt under a key that the provider may have forgotten: from now on an operator decides [S31]. */
export function expiredKeys(open: OpenInvocation, nowMs: number): readonly RecordedEffect[] {
  return open.effects.filter((effect) => isKeyExpired(effect, nowMs));
}

export interface WorkFacts {
  /** Whether a worker has it, running or waiting. */
  readonly isInHand: (eventId: string) => boolean;
  /** How many more may run now. */
  readonly room: number;
  readonly nowMs: number;
}

export interface Work {
  /** Begun before, and handed over again, in the order in which they began. */
  readonly resume: readonly OpenInvocation[];
  /** How many events of the queue begin. */
  readonly begin: number;
}

/** What goes to a worker now: what was begun first, then what waits to begin. */
export function nextWork(
  { open, queue }: Readonly<Pick<ProcessSnapshot, 'open' | 'queue'>>,
  { isInHand, room, nowMs }: WorkFacts,
): Work {
  const ready = open.filter(
    (candidate) => !isInHand(candidate.event.eventId) && standingOf(candidate, nowMs) === 'ready',
  );
  const resume = ready.slice(0, Math.max(0, room));
  return { resume, begin: Math.min(queue.length, Math.max(0, room - ready.length)) };
}

/**
 * What a process does that no worker runs anything for. `awaiting`: it has begun something that waits, and has nothing
 * else to do.
 */
export function restingAs(
  { open, queue }: Readonly<Pick<ProcessSnapshot, 'open' | 'queue'>>,
  nowMs: number,
): 'working' | 'awaiting' | 'idle' {
  if (queue.length > 0) return 'working';
  const standings = open.map((invocation) => standingOf(invocation, nowMs));
  if (standings.some((standing) => standing === 'ready' || standing === 'backing-off')) return 'working';
  return standings.includes('waiting') ? 'awaiting' : 'idle';
}

/** When the first failed invocation is tried again, in epoch milliseconds; null when none is. */
export function nextRetry({ open }: Readonly<Pick<ProcessSnapshot, 'open'>>): number | null {
  const moments = open.flatMap(({ retryAt }) => (retryAt === null ? [] : [Date.parse(retryAt)]));
  return moments.length === 0 ? null : Math.min(...moments);
}
