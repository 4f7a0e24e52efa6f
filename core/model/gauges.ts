import type { ProcessSnapshot } from './snapshot.ts';

/** Runs of a UTC day. Cost is null until it is metered: unknown, not zero [P5]. */
export interface BudgetGauge {
  readonly day: string;
  /** Null where the journal has never seen a run and nobody runs it here: unknown, not zero [P5]. */
  readonly runs: number | null;
  readonly maxRunsPerDay: number | null;
  readonly cost: number | null;
}

export function budgetOf(
  snapshot: Readonly<ProcessSnapshot>,
  {
    today,
    maxRunsPerDay,
    isLive,
  }: { readonly today: string; readonly maxRunsPerDay: number | null; readonly isLive: boolean },
): BudgetGauge {
  const { runsToday } = snapshot;
  const isCounting = runsToday !== null && runsToday.day >= today;
  const runs = runsToday === null && !isLive ? null : isCounting ? runsToday.runs : 0;
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
