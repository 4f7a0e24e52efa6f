// What a manifest says of health: Promptise's keys and defaults; under `holdfast` what it has no word for.

import { z } from 'zod';
import {
  ANOMALY_TYPES,
  DEFAULT_HEALTH,
  MAX_REPLIES,
  MAX_RUNS,
  onAll,
  ON_ANOMALY,
  type AnomalyType,
  type HealthConfig,
  type OnAnomaly,
} from '../model/health.ts';
import { escalationSchema } from './escalation-schema.ts';

/** Calls: fewer are no pattern, and more than that is a slip, as it is of the others. */
const MIN_WINDOW = 4;
const MAX_CALLS = 200;
const MAX_CHARS = 100_000;
const MAX_SECONDS = 31_536_000;
const MAX_SAMPLES = 500;

const Action = z.enum(ON_ANOMALY);
const Actions = Object.fromEntries(ANOMALY_TYPES.map((type) => [type, Action.optional()])) as Record<
  AnomalyType,
  z.ZodOptional<typeof Action>
>;

const { slow: SLOW } = DEFAULT_HEALTH;

export const ManifestHealth = z
  .strictObject({
    enabled: z.boolean().default(true),
    stuck_threshold: z.number().int().min(2).max(MAX_CALLS).default(DEFAULT_HEALTH.stuckThreshold),
    loop_window: z.number().int().min(MIN_WINDOW).max(MAX_CALLS).default(DEFAULT_HEALTH.loopWindow),
    loop_min_repeats: z.number().int().min(2).max(MAX_CALLS).default(DEFAULT_HEALTH.loopMinRepeats),
    empty_threshold: z.number().int().min(2).max(MAX_REPLIES).default(DEFAULT_HEALTH.emptyThreshold),
    empty_max_chars: z.number().int().min(0).max(MAX_CHARS).default(DEFAULT_HEALTH.emptyMaxChars),
    error_window: z.number().int().min(2).max(MAX_RUNS).default(DEFAULT_HEALTH.errorWindow),
    error_rate_threshold: z.number().positive().max(1).default(DEFAULT_HEALTH.errorRateThreshold),
    on_anomaly: Action.default('log'),
    cooldown: z
      .number()
      .nonnegative()
      .max(MAX_SECONDS)
      .default(DEFAULT_HEALTH.cooldownMs / 1_000),
    escalation: escalationSchema.nullish(),
    holdfast: z
      .strictObject({
        error_min_runs: z.number().int().min(1).max(MAX_RUNS).nullish(),
        silent_after: z
          .number()
          .min(1)
          .max(MAX_SECONDS)
          .nullable()
          .default(DEFAULT_HEALTH.silentAfterMs! / 1_000),
        slow: z.boolean().default(true),
        slow_percentile: z.number().min(50).max(99.9).optional(),
        slow_min_samples: z.number().int().min(5).max(MAX_SAMPLES).optional(),
        slow_after: z.number().positive().max(MAX_SECONDS).optional(),
        on_anomaly: z.strictObject(Actions).prefault({}),
      })
      .prefault({}),
  })
  .superRefine((health, context) => {
    const refuse = (path: readonly string[], message: string): void =>
      context.addIssue({ code: 'custom', path: [...path], message });
    const { loop_window, loop_min_repeats, error_window, holdfast } = health;
    if (loop_window >= MIN_WINDOW && loop_min_repeats * 2 > loop_window) {
      refuse(
        ['loop_min_repeats'],
        `${loop_min_repeats} repeats of at least 2 calls are more than the ${loop_window} of loop_window, so nothing could ever be found`,
      );
    }
    const { error_min_runs, silent_after, slow } = holdfast;
    if (error_min_runs != null && error_min_runs > error_window) {
      refuse(
        ['holdfast', 'error_min_runs'],
        `${error_min_runs} runs are more than the ${error_window} of error_window, so nothing could ever be found`,
      );
    }
    if (silent_after === null && holdfast.on_anomaly.silent !== undefined) {
      refuse(['holdfast', 'on_anomaly', 'silent'], 'silence is not looked for, since silent_after is null');
    }
    const ofSlow = ['slow_percentile', 'slow_min_samples', 'slow_after'] as const;
    for (const key of slow ? [] : ofSlow) {
      if (holdfast[key] !== undefined) {
        refuse(['holdfast', key], 'what is slow is not looked for, since slow is false');
      }
    }
    if (!slow && holdfast.on_anomaly.slow !== undefined) {
      refuse(
        ['holdfast', 'on_anomaly', 'slow'],
        'what is slow is not looked for, since holdfast.slow is false',
      );
    }
    if (health.escalation != null && !Object.values(actionsOf(health)).includes('escalate')) {
      refuse(
        ['escalation'],
        'names whom to tell, and nothing would ever be told: set on_anomaly to escalate, or leave this out',
      );
    }
  });
type ManifestHealth = z.output<typeof ManifestHealth>;

/** A manifest without the section watches nothing. */
export function healthOf(health: ManifestHealth | null | undefined): HealthConfig {
  if (health === null || health === undefined) return DEFAULT_HEALTH;
  const { holdfast } = health;
  return {
    isEnabled: health.enabled,
    stuckThreshold: health.stuck_threshold,
    loopWindow: health.loop_window,
    loopMinRepeats: health.loop_min_repeats,
    emptyThreshold: health.empty_threshold,
    emptyMaxChars: health.empty_max_chars,
    errorWindow: health.error_window,
    errorMinRuns: holdfast.error_min_runs ?? health.error_window,
    errorRateThreshold: health.error_rate_threshold,
    silentAfterMs: holdfast.silent_after === null ? null : holdfast.silent_after * 1_000,
    slow: holdfast.slow
      ? {
          percentile: holdfast.slow_percentile ?? SLOW!.percentile,
          minSamples: holdfast.slow_min_samples ?? SLOW!.minSamples,
          minMs: holdfast.slow_after === undefined ? SLOW!.minMs : holdfast.slow_after * 1_000,
        }
      : null,
    onAnomaly: actionsOf(health),
    cooldownMs: health.cooldown * 1_000,
    escalation: health.escalation ?? null,
  };
}

function actionsOf({
  on_anomaly,
  holdfast,
}: Pick<ManifestHealth, 'on_anomaly' | 'holdfast'>): Record<AnomalyType, OnAnomaly> {
  const all = onAll(on_anomaly);
  return Object.fromEntries(
    ANOMALY_TYPES.map((type) => [type, holdfast.on_anomaly[type] ?? all[type]]),
  ) as Record<AnomalyType, OnAnomaly>;
}
