import type { ProcessSnapshot } from './snapshot.ts';

/** Runs of a UTC day. Cost is null until it is metered: unknown, not zero [P5]. */
export interface BudgetGauge {
  readonly day: string;
  readonly runs: number;
  readonly maxRunsPerDay: number | null;
  readonly cost: number | null;
}

export function budgetOf(
  snapshot: ProcessSnapshot,
  today: string,
  maxRunsPerDay: number | null,
): BudgetGauge {
  const runs = snapshot.runsToday?.day === today ? snapshot.runsToday.runs : 0;
  return { day: today, runs, maxRunsPerDay, cost: null };
}

/** Below this sample a share of failures says nothing, and no alarm is raised. */
export const HEALTH_MIN_SAMPLE = 4;
export const HEALTH_ALARM_RATIO = 0.5;

export interface HealthGauge {
  readonly sample: number;
  readonly failures: number;
  /** Oldest first: true for a run that succeeded. */
  readonly runs: readonly boolean[];
  readonly verdict: 'unknown' | 'ok' | 'failing';
}

export function healthOf(snapshot: ProcessSnapshot): HealthGauge {
  const runs = snapshot.recentRuns.map((run) => run.ok);
  const sample = runs.length;
  const failures = runs.filter((ok) => !ok).length;
  const failing = sample >= HEALTH_MIN_SAMPLE && failures / sample >= HEALTH_ALARM_RATIO;
  return { sample, failures, runs, verdict: sample === 0 ? 'unknown' : failing ? 'failing' : 'ok' };
}
