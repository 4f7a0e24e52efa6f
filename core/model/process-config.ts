import type { JournalLevel } from './levels.ts';
import type { Durability, Retention } from './ports.ts';

export const RESTART_POLICIES = ['always', 'on_failure', 'never'] as const;
export type RestartPolicy = (typeof RESTART_POLICIES)[number];

/** Written where Promptise writes it: five fields, or six with the seconds last. */
export interface CronTriggerConfig {
  readonly type: 'cron';
  readonly cronExpression: string;
  /** IANA name; UTC unless given. */
  readonly cronTimezone: string;
}
export interface ManualTriggerConfig {
  readonly type: 'manual';
}
export type TriggerConfig = CronTriggerConfig | ManualTriggerConfig;

/** How a process behaves: Promptise's fields and defaults, in milliseconds. */
export interface ProcessConfig {
  readonly triggers: readonly TriggerConfig[];
  readonly journalLevel: JournalLevel;
  readonly concurrency: number;
  readonly heartbeatIntervalMs: number;
  /** 0: never. */
  readonly idleTimeoutMs: number;
  /** A worker with nothing to do is ended after this. */
  readonly workerIdleMs: number;
  readonly maxConsecutiveFailures: number;
  readonly restartPolicy: RestartPolicy;
  readonly maxRestarts: number;
  readonly restartBackoffMs: number;
  readonly maxRunsPerDay: number | null;
  readonly checkpointEvery: 'auto' | 'cycle';
  readonly durability: Durability;
  readonly retention: Retention;
  readonly initialState: Readonly<Record<string, string | number | boolean | null>>;
}

export const DEFAULT_PROCESS_CONFIG: ProcessConfig = {
  triggers: [],
  journalLevel: 'checkpoint',
  concurrency: 1,
  heartbeatIntervalMs: 10_000,
  idleTimeoutMs: 0,
  workerIdleMs: 60_000,
  maxConsecutiveFailures: 3,
  restartPolicy: 'never',
  maxRestarts: 3,
  restartBackoffMs: 1_000,
  maxRunsPerDay: null,
  checkpointEvery: 'auto',
  durability: 'always',
  retention: { maxAgeDays: null, maxBytes: null },
  initialState: {},
};

/** A process as its workspace defines it. */
export interface ProcessDefinition {
  readonly name: string;
  readonly description: string;
  /** Absolute path of the agent module. */
  readonly entrypoint: string;
  readonly config: ProcessConfig;
  /** SHA-256 of the configuration and of the module's source, in hex. */
  readonly configHash: string;
  readonly codeHash: string;
}
