import { z } from 'zod';
import { DURABILITIES } from '../model/ports.ts';
import { DEFAULT_MODEL } from '../model/agent-plan.ts';
import {
  CONTEXT_MEMORY,
  HOLDFAST_AGENT,
  ManifestApproval,
  ManifestMemory,
  ManifestOpenMode,
  Model,
  Only,
} from './agent-schema.ts';
import { approvalWebhookSchema } from './approval-schema.ts';
import { ManifestBudget } from './budget-schema.ts';
import { checkReceivers, processEscalationSchema } from './escalation-schema.ts';
import { ManifestInbox } from './inbox-schema.ts';
import { ManifestMission } from './mission-schema.ts';
import { ManifestHealth } from './health-schema.ts';
import { ManifestSecrets } from './secrets-schema.ts';
import { ManifestServers } from './server-schema.ts';
import { ManifestTrigger } from './trigger-schema.ts';

/** What a person may still mean; far more is a slip of the unit. */
const MAX_SECONDS = 31_536_000;
const Duration = z.number().max(MAX_SECONDS, `a duration is a year at most, which is ${MAX_SECONDS} seconds`);
const Seconds = Duration.nonnegative();
const State = z.record(z.string(), z.json());

/** An identity that says who somebody is, and proves it to nobody. */
const Identity = z.strictObject({
  provider: Only(
    'local',
    'no credential of an identity provider is presented to servers here: give each server its token, as a secret',
  ),
  agent_id: z.string().min(1, 'a local identity has an agent_id'),
  name: z.string().nullish(),
  owner: z.string().nullish(),
  labels: z.record(z.string(), z.string()).optional(),
});

const Journal = z.strictObject({
  level: z.enum(['none', 'checkpoint', 'full']).default('checkpoint'),
  backend: Only('file', 'a journal is on disk; a process that is to leave none behind has level: none'),
  path: z.string().min(1).optional(),
  recover_on_start: Only(
    true,
    'a process always goes on from its journal: to begin anew, give it another name',
  ),
  checkpoint_every: z.enum(['auto', 'cycle']).default('auto'),
});

const Context = z.strictObject({
  writable_keys: z.array(z.string().min(1)).default([]),
  initial_state: State.default({}),
  conversation_max_messages: z.number().int().nonnegative().default(100),
  conversation_history: z.boolean().default(true),
  conversation_clear_on_stop: Only(
    false,
    'a conversation outlives a stop: with conversation_history: false there is none',
  ),
  state_tool: Only(false, 'there is no tool that writes to the state: let it remember, with a memory'),
  file_mounts: z
    .record(z.string(), z.string())
    .refine((mounts) => Object.keys(mounts).length === 0, {
      error: 'nothing is mounted: give it a server of files, and its directories as roots',
    })
    .optional(),
  env_prefix: Only(
    'AGENT_',
    'an agent gets no variables by their names: name each in the env of a server, or among the secrets',
  ),
  ...CONTEXT_MEMORY,
});

const Delivery = z.strictObject({
  max_retries: z.number().int().min(0).max(10).default(0),
  retry_backoff: Seconds.default(2),
  retry_backoff_max: Seconds.default(60),
  dead_letter_size: z.number().int().min(0).max(1_000).default(100),
  scan_payloads: Only(
    false,
    'payloads are not scanned: they reach the model as untrusted data inside a fence, and a filter_expression keeps others out',
  ),
  max_payload_chars: z.number().int().min(200).max(1_000_000).default(20_000),
});

const Hooks = z
  .array(z.unknown())
  .max(
    0,
    'there are no hooks: whoever is to be told is named by an escalation, and a trigger reacts to an event',
  )
  .default([]);

const Instructions = z.string().max(20_000).nullish();
const ExecutionMode = z.enum(['strict', 'open']).nullish();
const Pattern = Only(
  'react',
  'a model agent calls tools until it answers, which is react; write code for another',
).nullable();
const Triggers = z.array(ManifestTrigger);

/** Sections that may stand under `config:` as well, and what Promptise has nowhere else. */
const SECTIONS = {
  model: Model.optional(),
  instructions: Instructions,
  agent_pattern: Pattern,
  execution_mode: ExecutionMode,
  open_mode: ManifestOpenMode.nullish(),
  identity: Identity.nullish(),
  servers: ManifestServers.optional(),
  triggers: Triggers.optional(),
  journal: Journal.optional(),
  context: Context.optional(),
  trigger_delivery: Delivery.optional(),
  budget: ManifestBudget.optional(),
  health: ManifestHealth.nullish(),
  mission: ManifestMission.nullish(),
  secrets: ManifestSecrets.optional(),
  hooks: Hooks.optional(),
};

/** The keys of `config:` that are moved to where they belong before anything is checked. */
export const MOVED_SECTIONS: readonly string[] = Object.keys(SECTIONS);

const Ignored = z.unknown().optional();

const Config = z.strictObject({
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
  drain_timeout: z.number().min(0).max(3_600).optional(),
  inbox: ManifestInbox.nullish(),
  approval: ManifestApproval.nullish(),
  guardrails: z
    .null('nothing is scanned: approvals, effect classes and budgets guard what an agent does; leave it out')
    .optional(),
  observe: Ignored,
  cache: Ignored,
  optimize_tools: Ignored,
  adaptive: Ignored,
  extra_tools: z
    .array(z.unknown())
    .max(0, 'tools are not written in Python here: serve them over MCP, as one of servers')
    .optional(),
  ...SECTIONS,
});

/** Promptise's manifest: its names and defaults; durations in seconds. */
const Keys = z.strictObject({
  version: z.literal('1.0', 'there is version "1.0" only, in quotes').default('1.0'),
  name: z.string().min(1).max(4096),
  entrypoint: z.string().min(1).nullish(),
  ...SECTIONS,
  model: Model.default(DEFAULT_MODEL),
  servers: ManifestServers.default({}),
  triggers: Triggers.default([]),
  world: State.default({}),
  memory: ManifestMemory.nullish(),
  journal: Journal.prefault({}),
  open_mode: ManifestOpenMode.prefault({}),
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
      approval_webhook: approvalWebhookSchema.nullish(),
      ...HOLDFAST_AGENT,
    })
    .prefault({}),
  context: Context.prefault({}),
  trigger_delivery: Delivery.prefault({}),
  budget: ManifestBudget.prefault({}),
  secrets: ManifestSecrets.prefault({}),
  config: Config.prefault({}),
});

/** Sections that may be null, which is as good as not there. */
export const NULLABLE_SECTIONS: readonly string[] = ['journal', 'open_mode', 'secrets', 'budget', 'context'];

export const Manifest = Keys.superRefine(checkReceivers);
export type Manifest = z.output<typeof Manifest>;
