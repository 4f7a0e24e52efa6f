// What a process does by itself, decided from its snapshot and its manifest alone: carried out by process-motion.ts and what
// stands beside it.

import type { Overrun } from '../model/budget-state.ts';
import type { BudgetConfig } from '../model/budget.ts';
import { liftsAtStart, type HoldKind } from '../model/holds.ts';
import type { ProcessConfig } from '../model/process-config.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';

/** Where nobody knows whether this journal is the one that counts, its triggers are off [S10]. */
export function mayHaveTriggers({ holds }: Pick<ProcessSnapshot, 'holds'>): boolean {
  return !holds.some(({ kind }) => kind === 'gap');
}

/** What of its holds is over with the start of its host; null where it stays as held as it is [S34]. */
export function liftedAtStart(
  { holds, lifecycleActor }: Pick<ProcessSnapshot, 'holds' | 'lifecycleActor'>,
  isDoubtOver: boolean,
): readonly HoldKind[] | null {
  const own = holds.map(({ kind }) => kind).filter((kind) => liftsAtStart(kind, isDoubtOver));
  // A crash may come between the lifting of the last hold and the step that follows; a foreign journal has no holds at all.
  const isFree = holds.length === 0 && lifecycleActor !== '';
  return own.length > 0 || isFree ? own : null;
}

/** Why one that is to go on is suspended instead; null where nothing holds it. */
export function whyStillHeld({ holds }: Pick<ProcessSnapshot, 'holds'>): string | null {
  const [held] = holds;
  return held === undefined ? null : `still held: ${held.reason || held.kind}`;
}

/** Why it is not to go on after an invocation has ended; null where it may. */
export function whyFailed(
  { maxConsecutiveFailures }: Pick<ProcessConfig, 'maxConsecutiveFailures'>,
  { consecutiveFailures, lastError }: Pick<ProcessSnapshot, 'consecutiveFailures' | 'lastError'>,
): string | null {
  if (consecutiveFailures < maxConsecutiveFailures) return null;
  return `${consecutiveFailures} failures in a row, the last: ${lastError?.message ?? 'unknown'}`;
}

/** Whether one that asked for more than it may use ends; otherwise it waits for more. */
export function endsWith({ cap, of }: Overrun, onExceeded: BudgetConfig['onExceeded']): boolean {
  // What others have used up is no reason to end it.
  return onExceeded === 'stop' && cap === undefined && of === undefined;
}

/** Why it has lived for as long as it may; null where it has not, or does not live. */
export function whyTooOld(
  { maxLifetimeMs }: Pick<ProcessConfig, 'maxLifetimeMs'>,
  { lifecycle, startedAt }: Pick<ProcessSnapshot, 'lifecycle' | 'startedAt'>,
  nowMs: number,
): string | null {
  if (maxLifetimeMs === 0 || startedAt === null) return null;
  if (lifecycle !== 'running' && lifecycle !== 'awaiting') return null;
  if (nowMs - Date.parse(startedAt) < maxLifetimeMs) return null;
  return `it has lived for ${maxLifetimeMs / 1000} s, which is what the manifest allows`;
}

/** Why one that runs, and has had nothing to do for so long, is held until there is; null where it is not. */
export function whyIdle(
  { idleTimeoutMs }: Pick<ProcessConfig, 'idleTimeoutMs'>,
  { lifecycle, queue, open }: Pick<ProcessSnapshot, 'lifecycle' | 'queue' | 'open'>,
  idleMs: number,
): string | null {
  const hasNothingToDo = lifecycle === 'running' && queue.length === 0 && open.length === 0;
  if (idleTimeoutMs <= 0 || idleMs <= idleTimeoutMs || !hasNothingToDo) return null;
  return `no event for ${Math.round(idleMs / 1000)} s`;
}
