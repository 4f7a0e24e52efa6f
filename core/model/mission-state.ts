import type { RecordedEffect } from './effects.ts';
import type { JudgedRun, Verdict } from './judge.ts';
import type { Amounts } from './meters.ts';
import type { MissionStatus } from './mission.ts';

/**
 * `unsure`: achieved, says the judge, and is less sure of it than the mission asks for.
 */
export const MISSION_OUTCOMES = ['achieved', 'unsure', 'not_achieved'] as const;
export type MissionOutcome = (typeof MISSION_OUTCOMES)[number];

/** One verdict, as it is kept: the newest of them. */
export interface MissionEvaluation extends Verdict {
  readonly at: string;
  /** The number of the invocation after which it was judged. */
  readonly invocation: number;
  readonly outcome: MissionOutcome;
}

/** The judge was asked, or was to be, and there is no verdict. */
export interface MissionUnknown {
  readonly reason: string;
  readonly at: string;
  /** On the clock as it is now, in epoch milliseconds. */
  readonly atMs: number;
  /** The run that it was about. */
  readonly run: number;
  /** How often the judge was asked about that run in vain. */
  readonly attempts: number;
  /** It was not asked: the budget of the day had no room for it. */
  readonly isForBudget: boolean;
}

/** With the model that is the judge, where it is one: which prices that was booked by, and the most that it can use. */
export interface Judging extends Pick<RecordedEffect, 'model' | 'prices' | 'most'> {
  readonly run: number;
  readonly booked: Amounts;
}

/** What the journal tells of a mission. Times in `…Ms` are on the clock as it is now, also where it was set since. */
export interface MissionState {
  readonly objective: string;
  readonly successCriteria: string;
  readonly status: MissionStatus;
  readonly since: string;
  readonly sinceMs: number;
  readonly reason: string;
  readonly actor: string;
  /** When it was started, or, after it had failed or was completed, taken up again: its limits count from here. */
  readonly startedAt: string;
  readonly startedMs: number;
  /** Successful runs since then, while it was active. */
  readonly runs: number;
  /** The run that the last verdict was about, counted in the same way; 0 before the first. */
  readonly judged: number;
  /** What the last verdict means; null where there was none since it was started or taken up again. */
  readonly outcome: MissionOutcome | null;
  /** Verdicts, oldest first, the newest {@link MAX_HISTORY}; how many there were in all. */
  readonly history: readonly MissionEvaluation[];
  readonly evaluations: number;
  /** The most that any verdict gave. */
  readonly bestConfidence: number;
  readonly bestProgress: number;
  /** The last verdict that gave more than every one before it, or that it is achieved; the start before there was one. */
  readonly advancedAt: string;
  readonly advancedMs: number;
  /** The last time that there was no verdict. */
  readonly unknown: MissionUnknown | null;
  /** The run that the judge is asked about right now, and what that is booked at. */
  readonly judging: Judging | null;
  /** How far the clock is behind what it was, 0 at the most: what was set back is no time that went by. */
  readonly setBackMs: number;
  /** What is still to be done to the process because the mission is over. */
  readonly pending: 'stop' | 'suspend' | null;
  /** Null before the first run. */
  readonly lastRun: JudgedRun | null;
}

export const MAX_HISTORY = 60;
