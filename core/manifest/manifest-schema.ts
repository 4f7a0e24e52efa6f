import { z } from 'zod';
import { DURABILITIES } from '../model/ports.ts';
import { ManifestBudget } from './budget-schema.ts';
import { checkReceivers, processEscalationSchema } from './escalation-schema.ts';
import { ManifestMission } from './mission-schema.ts';
import { ManifestHealth } from './health-schema.ts';
import { ManifestSecrets } from './secrets-schema.ts';
import { ManifestTrigger } from './trigger-schema.ts';

/** What a person may still mean; far more is a slip of the unit. */
const MAX_SECONDS = 31_536_000;
const Duration = z.number().max(MAX_SECONDS, `a duration is a year at most, which is ${MAX_SECONDS} seconds`);
const Seconds = Duration.nonnegative();
const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Promptise's manifest, as far as code agents need it. Its names and defaults; durations in seconds. */
const Keys = z.strictObject({
  version: z.literal('1.0').default('1.0'),
  name: z.string().min(1).max(4096),
  instructions: z.string().max(20_000).nullish(),
  entrypoint: z.string().min(1).nullish(),
  triggers: z.array(ManifestTrigger).default([]),
  world: z.record(z.string(), Scalar).default({}),
  journal: z
    .strictObject({
      level: z.enum(['none', 'checkpoint', 'full']).default('checkpoint'),
      checkpoint_every: z.enum(['auto', 'cycle']).default('auto'),
    })
    .prefault({}),
  /** What Promptise has no word for. */
  holdfast: z
    .strictObject({
      durability: z.enum(DURABILITIES).default('always'),
      retention: z
        .strictObject({
          max_age_days: z.number().positive().max(36_500).nullish(),
          max_megabytes: z.number().nonnegative().max(1e9).nullish(),
        })
        .prefault({}),
      worker: z
        .strictObject({
          memory_megabytes: z.number().int().min(32).max(1e6).nullish(),
          start_deadline: Duration.positive().default(30),
          stop_deadline: Duration.positive().default(10),
          hang_timeout: Seconds.default(120),
        })
        .prefault({}),
      escalation: processEscalationSchema.nullish(),
    })
    .prefault({}),
  context: z
    .strictObject({
      writable_keys: z.array(z.string().min(1)).default([]),
      initial_state: z.record(z.string(), Scalar).default({}),
      conversation_max_messages: z.number().int().nonnegative().default(100),
    })
    .prefault({}),
  trigger_delivery: z
    .strictObject({
      max_retries: z.number().int().min(0).max(10).default(0),
      retry_backoff: Seconds.default(2),
      retry_backoff_max: Seconds.default(60),
      dead_letter_size: z.number().int().min(0).max(1_000).default(100),
    })
    .prefault({}),
  budget: ManifestBudget.prefault({}),
  mission: ManifestMission.nullish(),
  health: ManifestHealth.nullish(),
  secrets: ManifestSecrets.prefault({}),
  config: z
    .strictObject({
      concurrency: z.number().int().min(1).max(100).default(1),
      heartbeat_interval: Duration.positive().default(10),
      idle_timeout: Seconds.default(0),
      worker_idle: Duration.positive().default(60),
      max_lifetime: Seconds.default(0),
      max_invocation_time: Seconds.default(0),
      max_consecutive_failures: z.number().int().positive().default(3),
      restart_policy: z.enum(['always', 'on_failure', 'never']).default('never'),
      max_restarts: z.number().int().nonnegative().default(3),
      restart_backoff: Seconds.default(1),
    })
    .prefault({}),
});

export const Manifest = Keys.superRefine(checkReceivers);
export type Manifest = z.output<typeof Manifest>;
