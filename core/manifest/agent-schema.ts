// What a manifest says of an agent without code of its own: memory, open mode and who approves, in Promptise's words, and
// under `holdfast` what it has no word for. Durations in seconds.

import { z } from 'zod';
import { modelNameText, parseModelName, type ModelName } from '../agent/models/model-name.ts';
import {
  DEFAULT_PLAN,
  type ApprovalPlan,
  type MemoryPlan,
  type OpenPlan,
  type ToolRule,
} from '../model/agent-plan.ts';
import { AppError } from '../model/errors.ts';
import { ServerExtras, ServerName } from './server-schema.ts';

const MAX_SECONDS = 31_536_000;
const YEAR = `a duration is a year at most, which is ${MAX_SECONDS} seconds`;
const DAY = 86_400;
const MAX_COUNT = 1_000;
const MAX_TOKENS = 10_000_000;
const MAX_INSTRUCTIONS = 20_000;
const MAX_PATTERN = 200;

const Text = z.string().max(4_096);
/** `none` is what it is by default, and what it may be; anything else is refused with what there is instead. */
export const Only = <T extends string | number | boolean>(value: T, instead: string) =>
  z.literal(value, instead).optional();

export const Model = z
  .string()
  .trim()
  .superRefine((name, context) => {
    const problem = modelProblem(name);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });

/** What is wrong with the name of a model; null where nothing is. */
export function modelProblem(name: string): string | null {
  try {
    parseModelName(name);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.message.replace(/\.$/, '');
  }
}

export function modelOf(text: string): { readonly text: string; readonly name: ModelName } {
  const name = parseModelName(text);
  return { text: modelNameText(name), name };
}

const Provider = z.enum(['in_memory', 'sqlite'], {
  error: ({ input }) =>
    input === 'chroma' || input === 'mem0'
      ? `${input} is not built in: leave provider out for SQLite, which lies beside the journal and finds by words and, with holdfast.memory.embedding_model, by meaning`
      : undefined,
});

/** Those of `memory:`, without what they are by default. */
const MEMORY = {
  provider: Provider.nullish(),
  collection: Text.min(1).optional(),
  persist_directory: Text.min(1).nullish(),
  user_id: Text.min(1).optional(),
  auto_store: z.boolean().optional(),
  max: z.number().int().min(1).max(MAX_COUNT).optional(),
  min_score: z.number().min(0).max(1).optional(),
  timeout: z.number().positive().max(DAY, 'a day at most').optional(),
};
export const ManifestMemory = z.strictObject(MEMORY);
type ManifestMemory = z.output<typeof ManifestMemory>;

/** The same, as Promptise's `context:` has them. */
export const CONTEXT_MEMORY = {
  memory_provider: MEMORY.provider,
  memory_collection: MEMORY.collection,
  memory_persist_directory: MEMORY.persist_directory,
  memory_user_id: MEMORY.user_id,
  memory_auto_store: MEMORY.auto_store,
  memory_max: MEMORY.max,
  memory_min_score: MEMORY.min_score,
  memory_timeout: MEMORY.timeout,
};
type ContextMemory = { readonly [K in keyof typeof CONTEXT_MEMORY]?: z.output<(typeof CONTEXT_MEMORY)[K]> };

/** `memory:` and what `context:` says of it in one; null where neither says anything. */
export function memoryWritten(
  memory: ManifestMemory | null | undefined,
  context: ContextMemory,
): ManifestMemory | null {
  const found: Record<string, unknown> = {};
  for (const key of Object.keys(MEMORY)) {
    const said = context[`memory_${key}` as keyof ContextMemory];
    if (said !== undefined) found[key] = said;
  }
  if (memory == null && Object.keys(found).length === 0) return null;
  return { ...found, ...memory };
}

/** Null where it remembers nothing: a section that is there remembers, unless its provider is null. */
export function memoryOf(memory: ManifestMemory | null, embeddingModel: string | null): MemoryPlan | null {
  if (memory === null || memory.provider === null) return null;
  return {
    provider: memory.provider === 'in_memory' ? 'in_memory' : 'sqlite',
    collection: memory.collection ?? 'agent_memory',
    directory: memory.persist_directory ?? null,
    userId: memory.user_id ?? 'default',
    isStoredByItself: memory.auto_store ?? false,
    max: memory.max ?? 5,
    minScore: memory.min_score ?? 0,
    timeoutMs: (memory.timeout ?? 5) * 1_000,
    embeddingModel,
  };
}

export const ManifestOpenMode = z.strictObject({
  allow_identity_change: z.boolean().default(true),
  allow_tool_creation: z.boolean().default(true),
  allow_mcp_connect: z.boolean().default(true),
  allow_trigger_management: z.boolean().default(true),
  allow_memory_management: z.boolean().default(true),
  max_custom_tools: z.number().int().min(0).max(MAX_COUNT).default(20),
  max_dynamic_triggers: z.number().int().min(0).max(MAX_COUNT).default(10),
  max_instruction_length: z
    .number()
    .int()
    .min(100)
    .max(MAX_INSTRUCTIONS, `instructions have ${MAX_INSTRUCTIONS} characters at most`)
    .default(10_000),
  max_rebuilds: z.number().int().min(0).nullish(),
  allowed_mcp_urls: z.array(Text.min(1)).max(100).default([]),
  identity_mcp_urls: z.array(Text).default([]),
  sandbox_custom_tools: z.boolean().default(true),
  allow_process_spawn: z.boolean().default(false),
  max_spawned_processes: z.number().int().min(0).max(100).default(3),
  allow_public_webhooks: Only(
    false,
    'what an agent adds listens on this machine alone: add the trigger here',
  ),
});

export function openOf(open: z.output<typeof ManifestOpenMode>): OpenPlan {
  return {
    mayChangeInstructions: open.allow_identity_change,
    mayManageTriggers: open.allow_trigger_management,
    mayConnectServers: open.allow_mcp_connect,
    mayManageMemory: open.allow_memory_management,
    maySpawn: open.allow_process_spawn,
    maxInstructionLength: open.max_instruction_length,
    maxTriggers: open.max_dynamic_triggers,
    maxSpawned: open.max_spawned_processes,
    maxRebuilds: open.max_rebuilds ?? null,
    allowedUrls: open.allowed_mcp_urls,
  };
}

/** `config.approval`, as the policy that Promptise's programs make has it. */
export const ManifestApproval = z.strictObject({
  tools: z
    .array(z.string().min(1).max(MAX_PATTERN))
    .min(1, 'it names the tools that somebody has to approve')
    .max(200),
  timeout: z.number().positive().max(MAX_SECONDS, YEAR).default(300),
  on_timeout: z.enum(['deny', 'allow']).default('deny'),
  include_arguments: Only(true, 'whoever approves a call sees what it is called with'),
  handler: z
    .undefined('a handler is Python: calls wait on the console, at the command line, or for a signed webhook')
    .optional(),
  redact_sensitive: z.boolean().optional(),
  max_pending: z.number().int().min(1).optional(),
  max_retries_after_deny: z.number().int().min(1).nullish(),
  deny_window: z.number().positive().nullish(),
  deny_scope: z.enum(['session', 'user', 'agent']).optional(),
  sequential: z.boolean().optional(),
  context_messages: z.number().int().min(0).optional(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});

/** `holdfast.approval`. */
export const ApprovalExtras = z.strictObject({
  irreversible: z.boolean().optional(),
  expires_after: z.number().positive().max(MAX_SECONDS, YEAR).nullish(),
  on_expiry: z.enum(['reject', 'approve']).optional(),
});

export function approvalOf(
  policy: z.output<typeof ManifestApproval> | null | undefined,
  own: z.output<typeof ApprovalExtras>,
): ApprovalPlan {
  const seconds = own.expires_after === undefined ? (policy?.timeout ?? null) : own.expires_after;
  return {
    asksForIrreversible: own.irreversible ?? false,
    expiresAfterMs: seconds === null ? null : seconds * 1_000,
    onExpiry: own.on_expiry ?? (policy?.on_timeout === 'allow' ? 'approve' : 'reject'),
    ...(policy == null ? {} : { patterns: policy.tools }),
  };
}

const ToolName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'a tool is called by 1 to 64 letters, digits, "_" and "-"');

const ManifestTool = z
  .strictObject({
    class: z
      .enum(['retry', 'idempotent', 'ask'], {
        error: ({ input }) =>
          input === 'reconcile'
            ? 'no server can be asked what became of a call: take ask, or idempotent with the key_argument of the tool'
            : undefined,
      })
      .optional(),
    key_argument: z.string().min(1).max(200).optional(),
    approve: z.boolean().optional(),
    disabled: z.boolean().optional(),
    timeout: z.number().positive().max(DAY, 'a day at most').optional(),
  })
  .superRefine((tool, context) => {
    const refuse = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (tool.class === 'idempotent' && tool.key_argument === undefined) {
      refuse('class', 'a call of a tool carries no key: name the argument that takes it, as key_argument');
    }
    if (tool.key_argument !== undefined && tool.class !== 'idempotent') {
      refuse('key_argument', 'a key is only given to a tool of class idempotent');
    }
  });
type ManifestTool = z.output<typeof ManifestTool>;

/** `holdfast.tools`, by the names that the model calls them by. */
const ManifestTools = z.record(ToolName, ManifestTool);

export function toolsOf(tools: z.output<typeof ManifestTools>): Readonly<Record<string, ToolRule>> {
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, ruleOf(tool)]));
}

function ruleOf(tool: ManifestTool): ToolRule {
  return {
    ...(tool.class === undefined ? {} : { class: tool.class }),
    ...(tool.disabled === undefined ? {} : { isDisabled: tool.disabled }),
    ...(tool.approve === undefined ? {} : { asks: tool.approve }),
    ...(tool.key_argument === undefined ? {} : { keyArgument: tool.key_argument }),
    ...(tool.timeout === undefined ? {} : { timeoutMs: tool.timeout * 1_000 }),
  };
}

/** Of `holdfast:`, what can be changed while the process lives; in force for invocations that begin afterwards [S25]. */
export const LIVE_AGENT = {
  model_timeout: z
    .number()
    .positive()
    .max(DAY, 'a day at most')
    .default(DEFAULT_PLAN.modelTimeoutMs / 1_000),
  max_steps: z.number().int().min(1).max(MAX_COUNT).default(DEFAULT_PLAN.maxSteps),
  max_output_tokens: z.number().int().min(1).max(MAX_TOKENS).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  compact_above_tokens: z.number().int().min(0).max(MAX_TOKENS).default(DEFAULT_PLAN.compactAboveTokens),
  tools: ManifestTools.default({}),
  approval: ApprovalExtras.prefault({}),
};

export const HOLDFAST_AGENT = {
  ...LIVE_AGENT,
  fallback_models: z.array(Model).max(10).default([]),
  servers: z.record(ServerName, ServerExtras).default({}),
  memory: z
    .strictObject({
      embedding_model: Model.refine(
        (name) => !name.startsWith('scripted:'),
        'a script has no vectors',
      ).nullish(),
    })
    .prefault({}),
};
