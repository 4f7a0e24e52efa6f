import type { BudgetState, Overrun } from './budget-state.ts';
import {
  describeOverrun,
  LIMIT_NAMES,
  LIMITS,
  limitNow,
  type BudgetConfig,
  type LimitName,
} from './budget.ts';
import type { CapName } from './cap-names.ts';
import { onAnotherDay } from './fold-budget.ts';
import { openAnomalies, type AnomalyType } from './health.ts';
import { fullestOf, type LimitGauge } from './limit-gauge.ts';
import { total, type Amounts } from './meters.ts';
import { pricesOf } from './model-calls.ts';
import { overshootOf } from './overshoot.ts';
import { openOf, type ProcessSnapshot } from './snapshot.ts';
import { dayOf, timestampOf } from './time.ts';

/** A day of the budget. */
export interface BudgetGauge {
  /** The UTC day that it is, and when the day of the budget ends; null where nobody opened one. */
  readonly day: string;
  readonly until: string | null;
  /** Null where the journal has never seen a run and nobody runs it here: unknown, not zero [P5]. */
  readonly runs: number | null;
  readonly maxRunsPerDay: number | null;
  /** Null where nobody metered it: unknown, not zero [P5]. */
  readonly cost: number | null;
  /** What its models used; null where nobody metered it, or it called none. */
  readonly models: ModelGauge | null;
  /** Of money, ISO 4217: as its prices say, or else as the last of them said; null where nobody said. */
  readonly currency: string | null;
  readonly limits: readonly LimitGauge[];
  /** What did not fit and waits for more, in words, and how much more that needs; null where everything fits. */
  readonly exceeded: {
    readonly limit: LimitName;
    readonly text: string;
    readonly missing: number;
    /** Not its own limit, but that on all together. */
    readonly cap?: CapName;
    /** A limit on a process and all that it began: whose. */
    readonly of?: string;
  } | null;
}

/** Of a day, with what is under way. */
export interface ModelGauge {
  readonly turns: number;
  readonly tokens: number;
  readonly money: number;
  /** Calls of which not all that they cost is in `money`, so that it is *at least* that [P5]. */
  readonly unpriced: number;
}

/** `config`: null where nobody runs it here, and its limits are not known. */
export function budgetOf(
  snapshot: Readonly<ProcessSnapshot>,
  { nowMs, config }: { readonly nowMs: number; readonly config: BudgetConfig | null },
): BudgetGauge {
  const { period } = snapshot.budget;
  const day = dayOf(timestampOf(nowMs));
  const isOver =
    period !== null && (period.until === null ? period.id < day : Date.parse(period.until) <= nowMs);
  const budget = isOver ? onAnotherDay(snapshot.budget, nowMs) : snapshot.budget;
  const { spent, exceeded } = budget;
  const isMetered = period !== null && period.until !== null;
  return {
    day,
    until: isMetered && !isOver ? period.until : null,
    runs: period === null && config === null ? null : (spent.runs ?? 0),
    maxRunsPerDay: config?.limits.max_runs_per_day ?? null,
    cost: isMetered ? (spent.cost ?? 0) : null,
    models: isMetered ? modelsOf(budget) : null,
    currency: budget.currency ?? (config === null ? null : pricesOf(config).currency),
    limits: config === null ? [] : limitsOf({ ...snapshot, budget }, config, nowMs),
    exceeded: exceeded === null ? null : exceededOf(exceeded),
  };
}

function modelsOf({ spent, reserved }: BudgetState): ModelGauge | null {
  const sum = (meter: keyof Amounts): number => total(spent[meter] ?? 0, reserved[meter] ?? 0);
  const turns = sum('modelTurns');
  if (turns === 0) return null;
  return { turns, tokens: sum('tokens'), money: sum('money'), unpriced: sum('unpriced') };
}

function exceededOf(overrun: Overrun): BudgetGauge['exceeded'] {
  const { limit, max, spent, reserved, asked, cap, of } = overrun;
  return {
    limit,
    ...(cap === undefined ? {} : { cap }),
    ...(of === undefined ? {} : { of }),
    text: describeOverrun(overrun),
    missing: total(spent, reserved, asked, -max),
  };
}

function limitsOf(
  snapshot: Readonly<ProcessSnapshot>,
  config: BudgetConfig,
  nowMs: number,
): readonly LimitGauge[] {
  return LIMIT_NAMES.flatMap((limit): readonly LimitGauge[] => {
    const { scope, words, meter } = LIMITS[limit];
    const runs = scope === 'day' ? [null] : [...snapshot.open.map(({ event }) => event.eventId), null];
    const gauges = runs.flatMap((eventId) => {
      const asked = { limit, eventId, nowMs };
      const now = limitNow(config, snapshot, asked);
      if (now === null) return [];
      const overshoot = overshootOf(config, snapshot, asked);
      const { spent = {}, reserved = {} } =
        scope === 'day' ? snapshot.budget : (openOf(snapshot, eventId) ?? {});
      const unpriced = meter === 'money' ? total(spent.unpriced ?? 0, reserved.unpriced ?? 0) : 0;
      return [{ limit, scope, words, ...now, overshoot, unpriced }];
    });
    const fullest = fullestOf(gauges);
    return fullest === null ? [] : [fullest];
  });
}

/** Below this sample a share of failures says nothing, and no alarm is raised. */
export const HEALTH_MIN_SAMPLE = 4;
export const HEALTH_ALARM_RATIO = 0.5;

export interface HealthGauge {
  readonly sample: number;
  readonly failures: number;
  /** Oldest first: true for a run that succeeded. */
  readonly runs: readonly boolean[];
  /** `failing`: runs. `unwell`: something else was found, and is there. */
  readonly verdict: 'unknown' | 'ok' | 'failing' | 'unwell';
  /** What the detectors found and is there, the first found first. */
  readonly anomalies: readonly { readonly type: AnomalyType; readonly text: string; readonly at: string }[];
}

export function healthOf(snapshot: Readonly<ProcessSnapshot>): HealthGauge {
  const anomalies = openAnomalies(snapshot.health).map(({ type, description, at }) => ({
    type,
    text: description,
    at,
  }));
  const runs = snapshot.recentRuns.map((run) => run.ok);
  const sample = runs.length;
  const failures = runs.filter((ok) => !ok).length;
  const isEnough = sample >= HEALTH_MIN_SAMPLE;
  const isFailing =
    anomalies.some(({ type }) => type === 'high_error_rate') ||
    (isEnough && failures / sample >= HEALTH_ALARM_RATIO);
  const verdict = isFailing ? 'failing' : anomalies.length > 0 ? 'unwell' : isEnough ? 'ok' : 'unknown';
  return { sample, failures, runs, verdict, anomalies };
}
