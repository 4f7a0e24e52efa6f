// What the journal tells of a mission: its runs are counted, its verdicts kept, and what the judge costs is booked against
// the day before it is asked. Nothing here knows the manifest of today [S21]: what a verdict means is in its entry.

import { callOf, inCurrency } from './fold-budget.ts';
import { reservedForJudge, settledForJudge } from './fold-judge.ts';
import { numberAt, showJson, textAt, type Json, type JsonObject } from './json.ts';
import {
  isShare,
  MAX_JUDGED_EFFECTS,
  MAX_JUDGED_PAYLOAD,
  MAX_JUDGED_RESPONSE,
  type JudgedRun,
} from './judge.ts';
import { amountsOf } from './meters.ts';
import {
  MAX_HISTORY,
  MISSION_OUTCOMES,
  type MissionEvaluation,
  type MissionOutcome,
  type MissionState,
} from './mission-state.ts';
import { isMissionStatus, type MissionStatus } from './mission.ts';
import type { OpenInvocation, ProcessSnapshot } from './snapshot.ts';
import { isMoment } from './time.ts';

/** Of a reasoning, in the state; its entry has more of it. */
const MAX_KEPT_REASONING = 300;

export function missionStarted(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const objective = textAt(data, 'objective');
  if (objective === '') return;
  abandonJudging(state, timestamp);
  const sinceMs = Date.parse(timestamp);
  state.mission = {
    objective,
    successCriteria: textAt(data, 'success_criteria'),
    status: 'active',
    since: timestamp,
    sinceMs,
    reason: '',
    actor: textAt(data, 'actor', 'host'),
    startedAt: timestamp,
    startedMs: sinceMs,
    runs: 0,
    judged: 0,
    outcome: null,
    history: [],
    evaluations: 0,
    bestConfidence: 0,
    bestProgress: 0,
    advancedAt: timestamp,
    advancedMs: sinceMs,
    unknown: null,
    judging: null,
    setBackMs: 0,
    pending: null,
    lastRun: null,
  };
}

/** A run that succeeded, while its invocation is still there. */
export function missionRan(state: ProcessSnapshot, data: JsonObject, open: OpenInvocation | undefined): void {
  const { mission } = state;
  if (mission === null || mission.status !== 'active') return;
  state.mission = { ...mission, runs: mission.runs + 1, lastRun: judgedRun(data, open) };
}

function judgedRun(data: JsonObject, open: OpenInvocation | undefined): JudgedRun {
  return {
    invocation: numberAt(data, 'invocation'),
    triggerId: open?.event.triggerId ?? '',
    triggerType: textAt(data, 'trigger_type'),
    payload: beginningOf(open?.event.payload ?? null),
    response: textAt(data, 'response').slice(0, MAX_JUDGED_RESPONSE),
    effects: (open?.effects ?? []).slice(-MAX_JUDGED_EFFECTS).map(({ name, argsHash, end }) => ({
      name,
      argsHash: argsHash.slice(0, 16),
      end: end?.kind ?? 'in_doubt',
    })),
  };
}

function beginningOf(payload: Json): string {
  return (typeof payload === 'string' ? payload : showJson(payload)).slice(0, MAX_JUDGED_PAYLOAD);
}

/** The judge is about to be asked, and what that costs is reserved. */
export function missionJudging(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const { mission } = state;
  const run = numberAt(data, 'run');
  if (mission === null || run < 1) return;
  abandonJudging(state, timestamp);
  const booked = amountsOf(data['booked']);
  reservedForJudge(state, booked);
  inCurrency(state, data);
  state.mission = { ...state.mission!, judging: { run, booked, ...callOf(data) } };
}

/** Nobody will say any more what became of it: it counts as used. */
function abandonJudging(state: ProcessSnapshot, timestamp: string): void {
  const { mission } = state;
  if (mission === null || mission.judging === null) return;
  const { booked } = mission.judging;
  settledForJudge(state, { reserved: booked, used: booked, at: timestamp });
  state.mission = { ...mission, judging: null };
}

/** A verdict, or why there is none. */
export function missionEvaluated(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  if (state.mission === null) return;
  const booked = state.mission.judging?.booked;
  if (booked !== undefined) {
    const used = Object.hasOwn(data, 'used') ? amountsOf(data['used']) : booked;
    settledForJudge(state, { reserved: booked, used, at: timestamp });
    inCurrency(state, data);
    state.mission = { ...state.mission, judging: null };
  }
  const run = numberAt(data, 'run');
  const reason = textAt(data, 'unknown');
  const verdict = evaluationOf(data, timestamp);
  if (reason !== '') unknown(state, state.mission, { data, run, reason, timestamp });
  else if (verdict !== null) judged(state, state.mission, { run, verdict, timestamp });
}

function unknown(
  state: ProcessSnapshot,
  mission: MissionState,
  told: {
    readonly data: JsonObject;
    readonly run: number;
    readonly reason: string;
    readonly timestamp: string;
  },
): void {
  const { data, run, reason, timestamp } = told;
  const before = mission.unknown?.run === run ? mission.unknown.attempts : 0;
  const isForBudget = data['waits_for_budget'] === true;
  const isAttempt = !isForBudget && data['called_off'] !== true;
  state.mission = {
    ...mission,
    unknown: {
      reason,
      at: timestamp,
      atMs: Date.parse(timestamp),
      run,
      attempts: before + (isAttempt ? 1 : 0),
      isForBudget,
    },
  };
}

function judged(
  state: ProcessSnapshot,
  mission: MissionState,
  told: { readonly run: number; readonly verdict: MissionEvaluation; readonly timestamp: string },
): void {
  const { run, verdict, timestamp } = told;
  const { achieved, confidence, outcome } = verdict;
  const progress = verdict.progress ?? 0;
  const advances = achieved || confidence > mission.bestConfidence || progress > mission.bestProgress;
  state.mission = {
    ...mission,
    judged: Math.max(mission.judged, run),
    outcome,
    history: [...mission.history, verdict].slice(-MAX_HISTORY),
    evaluations: mission.evaluations + 1,
    bestConfidence: Math.max(mission.bestConfidence, confidence),
    bestProgress: Math.max(mission.bestProgress, progress),
    ...(advances ? { advancedAt: timestamp, advancedMs: Date.parse(timestamp) } : {}),
  };
}

/** Anybody can write a line: null for what is no verdict. */
function evaluationOf(data: JsonObject, at: string): MissionEvaluation | null {
  const { achieved, confidence, progress = null } = data;
  const outcome = textAt(data, 'outcome');
  if (typeof achieved !== 'boolean' || !isShare(confidence) || !isOutcome(outcome)) return null;
  return {
    at,
    invocation: numberAt(data, 'invocation'),
    achieved,
    confidence,
    progress: isShare(progress) ? progress : null,
    reasoning: textAt(data, 'reasoning').slice(0, MAX_KEPT_REASONING),
    outcome,
  };
}

function isOutcome(text: string): text is MissionOutcome {
  return (MISSION_OUTCOMES as readonly string[]).includes(text);
}

/** It is over, one way or the other. What is done to the process because of it is still to come. */
export function missionEnded(
  state: ProcessSnapshot,
  status: 'completed' | 'failed',
  { data, timestamp }: { readonly data: JsonObject; readonly timestamp: string },
): void {
  const { mission } = state;
  if (mission === null) return;
  const next = data['next'];
  state.mission = {
    ...moved(mission, status, { data, timestamp }),
    pending: next === 'stop' || next === 'suspend' ? next : null,
    ...(status === 'completed' ? { advancedAt: timestamp, advancedMs: Date.parse(timestamp) } : {}),
  };
}

/** An operator paused it or took it up again, or the manifest has none any more. */
export function missionChanged(state: ProcessSnapshot, data: JsonObject, timestamp: string): void {
  const to = textAt(data, 'to');
  if (state.mission === null) return;
  if (to === 'withdrawn') {
    abandonJudging(state, timestamp);
    state.mission = null;
    return;
  }
  const { mission } = state;
  if (!isMissionStatus(to) || to === mission.status) return;
  state.mission = { ...moved(mission, to, { data, timestamp }), pending: null };
  if (to === 'active') state.mission = takenUp(state.mission, mission, timestamp);
}

/** The time of a pause is none of the mission's; after its end it begins its limits anew. */
function takenUp(now: MissionState, before: MissionState, timestamp: string): MissionState {
  const ms = Date.parse(timestamp);
  if (before.status === 'paused') {
    const pausedMs = Math.max(0, ms - before.sinceMs);
    return { ...now, startedMs: now.startedMs + pausedMs, advancedMs: now.advancedMs + pausedMs };
  }
  return { ...now, startedAt: timestamp, startedMs: ms, runs: 0, judged: 0, outcome: null, unknown: null };
}

function moved(
  mission: MissionState,
  status: MissionStatus,
  { data, timestamp }: { readonly data: JsonObject; readonly timestamp: string },
): MissionState {
  return {
    ...mission,
    status,
    since: timestamp,
    sinceMs: Date.parse(timestamp),
    reason: textAt(data, 'reason'),
    actor: textAt(data, 'actor'),
  };
}

/** What was to be done to the process is done, or somebody decided otherwise. */
export function missionCarriedOut(state: ProcessSnapshot): void {
  if (state.mission !== null && state.mission.pending !== null) {
    state.mission = { ...state.mission, pending: null };
  }
}

/** A clock that is set back takes no time away; one that was asleep or is set right has gone on. */
export function missionClockChanged(state: ProcessSnapshot, data: JsonObject): void {
  const { mission } = state;
  if (mission === null) return;
  const setBackMs = Math.min(0, mission.setBackMs + numberAt(data, 'by_ms'));
  const byMs = setBackMs - mission.setBackMs;
  const { startedMs, sinceMs, advancedMs, unknown: last } = mission;
  const moments = [startedMs, sinceMs, advancedMs, last?.atMs ?? 0].map((ms) => ms + byMs);
  if (byMs === 0 || !moments.every(isMoment)) return;
  state.mission = {
    ...mission,
    setBackMs,
    startedMs: startedMs + byMs,
    sinceMs: sinceMs + byMs,
    advancedMs: advancedMs + byMs,
    unknown: last === null ? null : { ...last, atMs: last.atMs + byMs },
  };
}

/**
 * Of a process that is taken back [S39]: the mission as it was then. What was judged since is not forgotten, only not what
 * counts; and what judging it costs, and the time since its start, are facts.
 */
export function missionTakenBack(now: ProcessSnapshot, then: MissionState | null): MissionState | null {
  abandonJudging(now, now.lastEntryAt ?? '');
  if (then === null) return null;
  const { startedAt, startedMs, setBackMs } = now.mission ?? then;
  const isSame = startedAt === then.startedAt;
  return { ...then, judging: null, setBackMs, startedMs: isSame ? startedMs : then.startedMs };
}

/** Of a checkpoint that somebody else wrote: what this version can't judge by is not there. */
export function withKnownOutcomes(mission: MissionState | null): MissionState | null {
  if (mission === null || !isMissionStatus(mission.status)) return null;
  const { history, outcome, pending } = mission;
  return {
    ...mission,
    history: history.filter(
      ({ outcome: of, confidence, progress }) =>
        isOutcome(of) && isShare(confidence) && (progress === null || isShare(progress)),
    ),
    outcome: outcome !== null && isOutcome(outcome) ? outcome : null,
    pending: pending === 'stop' || pending === 'suspend' ? pending : null,
  };
}
