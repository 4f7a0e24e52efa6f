// What is to be done about a mission next. Pure: from the journal, the manifest and the clock, so that a process that comes
// back after a crash goes on with exactly what was due [P4].

import { backoffMs } from './backoff.ts';
import type { MissionConfig } from './mission.ts';
import type { MissionState, MissionUnknown } from './mission-state.ts';
import type { ProcessSnapshot } from './snapshot.ts';

export type FailureKind = 'timeout' | 'max_invocations';

export type MissionStep =
  | { readonly kind: 'start' }
  /** The manifest has none any more. */
  | { readonly kind: 'withdraw' }
  | { readonly kind: 'complete' }
  | { readonly kind: 'fail'; readonly why: FailureKind }
  /** It is over, and the process is not told yet. */
  | { readonly kind: 'carry-out'; readonly what: 'stop' | 'suspend' }
  /** The judge was asked by a host that is gone. */
  | { readonly kind: 'lost'; readonly run: number }
  | { readonly kind: 'judge'; readonly run: number }
  /** The budget of the day has no room for the judge, and that is to be said. */
  | { readonly kind: 'unaffordable'; readonly run: number; readonly why: string }
  /** Nothing, and for so long: null until something happens. */
  | { readonly kind: 'rest'; readonly forMs: number | null };

export interface MissionFacts {
  readonly nowMs: number;
  /** The judge is asked right now, by this host. */
  readonly isJudging: boolean;
  /** The process goes about its work, so that judging it makes sense. */
  readonly mayJudge: boolean;
  /** Why the judge does not fit into the budget of the day; null where it does. */
  readonly tooMuch: () => string | null;
}

const REST: MissionStep = { kind: 'rest', forMs: null };

export function missionStep(
  config: MissionConfig | null,
  { mission }: Readonly<Pick<ProcessSnapshot, 'mission'>>,
  facts: MissionFacts,
): MissionStep {
  if (config === null) return isUnderWay(mission) ? { kind: 'withdraw' } : REST;
  if (mission === null || !isTheSame(config, mission)) {
    return facts.mayJudge ? { kind: 'start' } : REST;
  }
  if (mission.pending !== null) return { kind: 'carry-out', what: mission.pending };
  if (facts.isJudging) return REST;
  if (mission.judging !== null) return { kind: 'lost', run: mission.judging.run };
  if (mission.status !== 'active') return REST;
  if (mission.outcome === 'achieved' && config.autoComplete) return { kind: 'complete' };
  const leftMs = timeLeft(config, mission, facts.nowMs);
  if (leftMs !== null && leftMs <= 0) return { kind: 'fail', why: 'timeout' };
  const run = dueRun(config, mission);
  if (run === null) {
    const isSpent = config.maxInvocations > 0 && mission.runs >= config.maxInvocations;
    return isSpent ? { kind: 'fail', why: 'max_invocations' } : { kind: 'rest', forMs: leftMs };
  }
  if (!facts.mayJudge) return { kind: 'rest', forMs: leftMs };
  const waitMs = retryIn(config, vainOf(mission, run), facts.nowMs);
  if (waitMs > 0) return { kind: 'rest', forMs: Math.min(waitMs, leftMs ?? waitMs) };
  const why = facts.tooMuch();
  if (why === null) return { kind: 'judge', run };
  const isSaid = mission.unknown?.run === run && mission.unknown.isForBudget;
  return isSaid ? { kind: 'rest', forMs: leftMs } : { kind: 'unaffordable', run, why };
}

function isUnderWay(mission: MissionState | null): boolean {
  return mission !== null && (mission.status === 'active' || mission.status === 'paused');
}

/** Another objective, or other criteria, are another mission: the configuration's without secrets, as the journal has them. */
function isTheSame(config: MissionConfig, mission: MissionState): boolean {
  return config.objective === mission.objective && config.successCriteria === mission.successCriteria;
}

function timeLeft({ timeoutMs }: MissionConfig, mission: MissionState, nowMs: number): number | null {
  return timeoutMs === 0 ? null : mission.startedMs + timeoutMs - nowMs;
}

/**
 * The run after which it is to be judged now: of every so many the last, and the last that it may have. Null where that has
 * been done, or was tried often enough.
 */
export function dueRun(config: MissionConfig, mission: MissionState): number | null {
  const { evalEvery, maxInvocations, judgeRetries } = config;
  const { runs } = mission;
  const isLast = maxInvocations > 0 && runs >= maxInvocations;
  const run = isLast ? runs : runs - (runs % evalEvery);
  if (run <= mission.judged) return null;
  return (vainOf(mission, run)?.attempts ?? 0) > judgeRetries ? null : run;
}

function vainOf({ unknown }: MissionState, run: number): MissionUnknown | null {
  return unknown !== null && unknown.run === run ? unknown : null;
}

function retryIn(config: MissionConfig, vain: MissionUnknown | null, nowMs: number): number {
  if (vain === null || vain.attempts === 0 || vain.isForBudget) return 0;
  return vain.atMs + backoffMs(config.judgeBackoffMs, vain.attempts) - nowMs;
}

/** How many more runs may begin; what is under way counts. Infinite where nothing limits them. */
export function missionRoom(
  config: MissionConfig | null,
  { mission, open }: Readonly<Pick<ProcessSnapshot, 'mission' | 'open'>>,
): number {
  if (config === null || config.maxInvocations === 0 || mission?.status !== 'active') return Infinity;
  if (!isTheSame(config, mission)) return Infinity;
  return Math.max(0, config.maxInvocations - mission.runs - open.length);
}

/** Milliseconds since the last advance; null where none is looked for. */
export function driftOf(mission: MissionState, nowMs: number): number | null {
  if (mission.status !== 'active') return null;
  return Math.max(0, nowMs - mission.advancedMs);
}
