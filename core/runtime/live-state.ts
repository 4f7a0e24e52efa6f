import type { Saying } from '../model/worker-protocol.ts';
import type { AppError } from '../model/errors.ts';
import type { ProcessParts } from './process-parts.ts';

/** What the journal does not say: how things stand in this host at this moment. */
export interface LiveState {
  readonly worker: { readonly pid: number; readonly generation: number } | null;
  readonly isSpawning: boolean;
  readonly isAnswering: boolean;
  /** Wants a worker, and others are before it in line. */
  readonly isInLine: boolean;
  readonly running: number;
  /** Whether the worker has this invocation in hand. */
  readonly isRunning: (eventId: string) => boolean;
  /** What is seen of a model's call under way: of the one that was seen last; null for none. */
  readonly saying: LiveSaying | null;
  readonly respawnAt: number | null;
  readonly restartAt: number | null;
  /** When a timer, an expiry or a next attempt is due. */
  readonly dueAt: number | null;
  /** Why the process can't be moved at all; only force-recover helps. */
  readonly trouble: AppError | null;
}

export interface LiveSaying extends Saying {
  readonly eventId: string;
  /** Since when the call is under way, in epoch milliseconds. */
  readonly sinceMs: number;
}

export function liveStateOf({
  runner,
  restart,
  waits,
  guard,
}: Pick<ProcessParts, 'runner' | 'restart' | 'waits' | 'guard'>): LiveState {
  const { worker, isSpawning, isAnswering, isInLine, runningCount, respawnAt } = runner;
  return {
    worker,
    isSpawning,
    isAnswering,
    isInLine,
    running: runningCount,
    isRunning: (eventId) => runner.isRunning(eventId),
    saying: runner.saying,
    respawnAt,
    restartAt: restart.at,
    dueAt: waits.next,
    trouble: guard.trouble,
  };
}
