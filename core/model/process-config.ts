import type { AgentPlan } from './agent-plan.ts';
import { DEFAULT_BUDGET, type BudgetConfig } from './budget.ts';
import { DEFAULT_DELIVERY, type DeliveryPolicy } from './delivery.ts';
import { withShownUrl, type EscalationConfig, type EscalationTarget } from './escalation.ts';
import { DEFAULT_HEALTH, type HealthConfig } from './health.ts';
import type { ApprovalWebhook } from './approval-webhook.ts';
import { DEFAULT_INBOX, type InboxConfig } from './inbox.ts';
import type { JsonObject } from './json.ts';
import type { JournalLevel } from './levels.ts';
import type { MissionConfig } from './mission.ts';
import type { Durability, Retention, WorkerLimits } from './ports.ts';
import { NO_SECRETS, type SecretSource, type SecretsConfig } from './secrets.ts';
import { DEFAULT_CONVERSATION } from './snapshot.ts';
import type { TriggerConfig } from './trigger-config.ts';

export const RESTART_POLICIES = ['always', 'on_failure', 'never'] as const;
export type RestartPolicy = (typeof RESTART_POLICIES)[number];

/** How a process behaves: Promptise's fields and defaults, in milliseconds. */
export interface ProcessConfig {
  /** What it is made of where it has no code of its own; null for a code agent. */
  readonly agent: AgentPlan | null;
  readonly triggers: readonly TriggerConfig[];
  readonly journalLevel: JournalLevel;
  readonly concurrency: number;
  readonly heartbeatIntervalMs: number;
  /** 0: never. */
  readonly idleTimeoutMs: number;
  /** A worker with nothing to do is ended after this. */
  readonly workerIdleMs: number;
  /** Of the process from its start, and of an invocation while it moves; 0: as long as it likes. */
  readonly maxLifetimeMs: number;
  readonly maxInvocationTimeMs: number;
  /** A worker whose event loop has not answered for so long is ended; 0: never. */
  readonly workerHangMs: number;
  readonly workerLimits: WorkerLimits;
  readonly delivery: DeliveryPolicy;
  readonly maxConsecutiveFailures: number;
  readonly restartPolicy: RestartPolicy;
  readonly maxRestarts: number;
  readonly restartBackoffMs: number;
  readonly budget: BudgetConfig;
  /** Null where nobody is told of what becomes of it. */
  readonly escalation: EscalationConfig | null;
  /** Null where it is after nothing in particular. */
  readonly mission: MissionConfig | null;
  readonly health: HealthConfig;
  readonly secrets: SecretsConfig;
  readonly inbox: InboxConfig;
  /** Where decisions may be sent to; null for nowhere. */
  readonly approvalWebhook: ApprovalWebhook | null;
  readonly checkpointEvery: 'auto' | 'cycle';
  readonly durability: Durability;
  readonly retention: Retention;
  /** The keys of the state that agent code may write; all of them where there are none. */
  readonly writableKeys: readonly string[];
  /** 0 for all. */
  readonly conversationMaxMessages: number;
  readonly initialState: JsonObject;
  /** What code reads as `ctx.instructions`: an invocation those that were in force when it began [S25]. */
  readonly instructions: string;
  /** Those of its manifest's sections that can be changed while it lives, in the manifest's words. */
  readonly written: JsonObject;
}

export const DEFAULT_PROCESS_CONFIG: ProcessConfig = {
  agent: null,
  triggers: [],
  journalLevel: 'checkpoint',
  concurrency: 1,
  heartbeatIntervalMs: 10_000,
  idleTimeoutMs: 0,
  workerIdleMs: 60_000,
  maxLifetimeMs: 0,
  maxInvocationTimeMs: 0,
  workerHangMs: 120_000,
  workerLimits: { memoryMb: null, startDeadlineMs: 30_000, stopDeadlineMs: 10_000 },
  delivery: DEFAULT_DELIVERY,
  maxConsecutiveFailures: 3,
  restartPolicy: 'never',
  maxRestarts: 3,
  restartBackoffMs: 1_000,
  budget: DEFAULT_BUDGET,
  escalation: null,
  mission: null,
  health: DEFAULT_HEALTH,
  secrets: NO_SECRETS,
  approvalWebhook: null,
  checkpointEvery: 'auto',
  durability: 'always',
  retention: { maxAgeDays: null, maxBytes: null },
  writableKeys: [],
  conversationMaxMessages: DEFAULT_CONVERSATION,
  initialState: {},
  inbox: DEFAULT_INBOX,
  instructions: '',
  written: {},
};

/** A process as its workspace defines it. */
export interface ProcessDefinition {
  readonly name: string;
  readonly description: string;
  /** Absolute path of the agent module; empty for an agent without code of its own. */
  readonly entrypoint: string;
  /** Absolute path of its workspace; empty where it has none any more. */
  readonly directory: string;
  readonly config: ProcessConfig;
  /** SHA-256 of the configuration and of the module's source, in hex. */
  readonly configHash: string;
  readonly codeHash: string;
}

/** What stands in a journal where a secret is; Promptise writes the same. */
const REDACTED = '**********';

/** As it may be shown and kept. */
export function withoutSecrets(config: ProcessConfig): ProcessConfig {
  const triggers = config.triggers.map((trigger) =>
    trigger.type === 'webhook' && trigger.secret !== null ? { ...trigger, secret: REDACTED } : trigger,
  );
  const sources = Object.entries(config.secrets.sources).map(([name, source]): [string, SecretSource] => [
    name,
    source.kind === 'literal' ? { ...source, value: REDACTED } : source,
  ]);
  // Whether a webhook's secret comes from a variable is no difference of how the process behaves.
  const secrets = { ...config.secrets, sources: Object.fromEntries(sources), withheld: [] };
  const { approvalWebhook: webhook } = config;
  const approvalWebhook = webhook === null ? null : { ...webhook, secret: REDACTED };
  return { ...config, triggers, ...withoutReceivers(config), secrets, approvalWebhook };
}

/** The path of a webhook is as good as a password. */
function withoutReceivers({
  budget,
  health,
  mission,
  escalation,
}: ProcessConfig): Pick<ProcessConfig, 'budget' | 'health' | 'mission' | 'escalation'> {
  const shown = (target: EscalationTarget | null): EscalationTarget | null =>
    target === null ? null : withShownUrl(target);
  return {
    budget: { ...budget, escalation: shown(budget.escalation) },
    health: { ...health, escalation: shown(health.escalation) },
    mission: mission === null ? null : { ...mission, escalation: shown(mission.escalation) },
    escalation:
      escalation === null
        ? null
        : {
            ...escalation,
            target: withShownUrl(escalation.target),
            secret: escalation.secret === null ? null : REDACTED,
          },
  };
}
