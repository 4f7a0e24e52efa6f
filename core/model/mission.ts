// What a process is after, and how it is told whether it is there.

import type { EscalationTarget } from './escalation.ts';

/** What happens to the process once its mission is completed. */
export const ON_COMPLETE = ['stop', 'continue', 'suspend'] as const;
export type OnComplete = (typeof ON_COMPLETE)[number];

/** `active`: judged after every so many runs. The others are not judged, and have no limits. */
export const MISSION_STATES = ['active', 'completed', 'failed', 'paused'] as const;
export type MissionStatus = (typeof MISSION_STATES)[number];

/** What an operator may do to a mission. */
export const MISSION_ORDERS = ['pause', 'resume', 'fail', 'complete'] as const;
export type MissionOrder = (typeof MISSION_ORDERS)[number];

/** Promptise's settings, and behind them our own. Times in milliseconds. */
export interface MissionConfig {
  readonly objective: string;
  readonly successCriteria: string;
  /** The model that judges it, as models are named; null where the module does. */
  readonly evalModel: string | null;
  /** It is judged after every so many successful runs. */
  readonly evalEvery: number;
  /** A verdict that it is achieved counts from this confidence on. */
  readonly confidenceThreshold: number;
  /** From its start; 0 for as long as it likes. */
  readonly timeoutMs: number;
  /** Successful runs; 0 for as many as it likes. */
  readonly maxInvocations: number;
  /** False: an operator completes it. */
  readonly autoComplete: boolean;
  readonly onComplete: OnComplete;
  readonly escalation: EscalationTarget | null;
  /** A judge that takes longer has given no verdict. */
  readonly judgeTimeoutMs: number;
  /** How often a judge that gave no verdict is asked again before the next run that is due. */
  readonly judgeRetries: number;
  /** Before the first of these, doubled before each further one. */
  readonly judgeBackoffMs: number;
  /** What asking it once counts for in the budget of the day, in the manifest's own units. */
  readonly judgeCost: number;
  /** So long without an advance is drifting; 0: nothing is. */
  readonly driftAfterMs: number;
}

export const DEFAULT_MISSION: Omit<MissionConfig, 'objective'> = {
  successCriteria: '',
  evalModel: null,
  evalEvery: 1,
  confidenceThreshold: 0.7,
  timeoutMs: 0,
  maxInvocations: 0,
  autoComplete: true,
  onComplete: 'stop',
  escalation: null,
  judgeTimeoutMs: 60_000,
  judgeRetries: 3,
  judgeBackoffMs: 5_000,
  judgeCost: 1,
  driftAfterMs: 0,
};

/** What the judge is called in a budget. */
export const JUDGE_NAME = 'mission.judge';

/** Which orders make sense now: what is over is taken up again by *resume*. */
export function ordersOf(status: MissionStatus): readonly MissionOrder[] {
  switch (status) {
    case 'active':
      return ['pause', 'fail', 'complete'];
    case 'paused':
      return ['resume', 'fail', 'complete'];
    case 'completed':
    case 'failed':
      return ['resume'];
  }
}

export function isMissionStatus(text: string): text is MissionStatus {
  return (MISSION_STATES as readonly string[]).includes(text);
}
