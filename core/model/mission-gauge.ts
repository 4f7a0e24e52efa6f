// A mission as it is shown: what is known of it, where it stands, and what comes next.

import type { MissionEvaluation, MissionState, MissionUnknown } from './mission-state.ts';
import { dueRun } from './mission-step.ts';
import { ordersOf, type MissionConfig, type MissionOrder, type MissionStatus } from './mission.ts';
import type { ProcessSnapshot } from './snapshot.ts';
import { isMoment, timestampOf } from './time.ts';

/** What the manifest says, which only the host that runs the process knows. */
export interface MissionTerms {
  /** The model that judges; null where the module does. */
  readonly evalModel: string | null;
  readonly evalEvery: number;
  readonly threshold: number;
  /** Null for as many as it likes. */
  readonly maxInvocations: number | null;
  /** When its time is over; null for never, or while it is not active. */
  readonly endsAt: string | null;
  /** From when on it counts as drifting unless there is an advance before; null where nothing does. */
  readonly driftsAt: string | null;
  /** After so many more runs it is judged; 0: it is due now, null: not while it is as it is. */
  readonly nextIn: number | null;
}

export interface MissionGauge {
  readonly objective: string;
  readonly successCriteria: string;
  readonly status: MissionStatus;
  readonly since: string;
  readonly reason: string;
  readonly actor: string;
  readonly startedAt: string;
  readonly runs: number;
  readonly evaluations: number;
  /** Oldest first. */
  readonly history: readonly MissionEvaluation[];
  readonly advancedAt: string;
  /** The last time that there was no verdict, unless there was one since. */
  readonly unknown: MissionUnknown | null;
  readonly isJudging: boolean;
  /** Null where nobody runs it here, so that they are not known [P5]. */
  readonly terms: MissionTerms | null;
  /** What an operator may do; nothing where nobody runs it here. */
  readonly orders: readonly MissionOrder[];
}

/** Null where there is none. `config`: null where nobody runs it here. */
export function missionGauge(
  { mission }: Readonly<Pick<ProcessSnapshot, 'mission'>>,
  config: MissionConfig | null,
): MissionGauge | null {
  if (mission === null) return null;
  const { objective, successCriteria, status, since, reason, actor, startedAt, runs, evaluations } = mission;
  const { history, advancedAt, unknown, judging } = mission;
  const isOver = unknown !== null && unknown.run <= mission.judged;
  return {
    objective,
    successCriteria,
    status,
    since,
    reason,
    actor,
    startedAt,
    runs,
    evaluations,
    history,
    advancedAt,
    unknown: isOver ? null : unknown,
    isJudging: judging !== null,
    terms: config === null ? null : termsOf(config, mission),
    orders: config === null ? [] : ordersOf(status),
  };
}

function termsOf(config: MissionConfig, mission: MissionState): MissionTerms {
  const { evalModel, evalEvery, confidenceThreshold, maxInvocations, timeoutMs, driftAfterMs } = config;
  const isActive = mission.status === 'active';
  const after = (ms: number, spanMs: number): string | null =>
    isActive && spanMs > 0 && isMoment(ms + spanMs) ? timestampOf(ms + spanMs) : null;
  return {
    evalModel,
    evalEvery,
    threshold: confidenceThreshold,
    maxInvocations: maxInvocations === 0 ? null : maxInvocations,
    endsAt: after(mission.startedMs, timeoutMs),
    driftsAt: after(mission.advancedMs, driftAfterMs),
    nextIn: isActive ? nextIn(config, mission) : null,
  };
}

function nextIn(config: MissionConfig, mission: MissionState): number {
  if (dueRun(config, mission) !== null) return 0;
  const { runs } = mission;
  const next = config.evalEvery - (runs % config.evalEvery);
  const left = config.maxInvocations - runs;
  return config.maxInvocations > 0 ? Math.max(0, Math.min(next, left)) : next;
}
