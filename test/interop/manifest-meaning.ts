// What a manifest means, as far as Promptise and we both have a word for it: from its configuration, and from ours.

import type { Json, JsonObject } from '../../core/model/json.ts';
import type { ProcessDefinition } from '../../core/model/process-config.ts';
import type { TriggerConfig } from '../../core/model/trigger-config.ts';

const at = (value: Json | undefined, ...keys: string[]): Json =>
  keys.reduce<Json>((inner, key) => (inner as JsonObject | null)?.[key] ?? null, value ?? null);

const HEADERS: Readonly<Record<string, string>> = {
  generic: 'x-webhook-signature',
  github: 'x-hub-signature-256',
  stripe: 'stripe-signature',
};

export function theirMeaning(config: JsonObject): JsonObject {
  const context = config['context'] as JsonObject;
  const { budget, health, mission, inbox, open_mode: open } = config as Record<string, JsonObject>;
  const delivery = config['trigger_delivery'] as JsonObject;
  return {
    model: at(config, 'model'),
    instructions: ((config['instructions'] as string | null) ?? '').trim(),
    open: config['execution_mode'] === 'open' ? pick(open!, OPEN) : null,
    servers: Object.fromEntries(
      Object.entries(config['servers'] as JsonObject).map(([name, server]) => [
        name,
        theirServer(server as JsonObject),
      ]),
    ),
    triggers: (config['triggers'] as JsonObject[]).map(theirTrigger),
    level: at(config, 'journal', 'level'),
    state: context['initial_state']!,
    ...pick(context, ['writable_keys', 'conversation_max_messages', 'conversation_history']),
    memory:
      context['memory_provider'] === null
        ? null
        : pick(
            context,
            MEMORY.map((key) => `memory_${key}`),
          ),
    ...pick(config, PROCESS),
    delivery: pick(delivery, DELIVERY),
    budget: budget!['enabled'] === true ? { ...pick(budget!, LIMITS) } : null,
    budgetActs: pick(budget!, [
      'tool_costs',
      'on_exceeded',
      'daily_reset_hour_utc',
      'inject_remaining',
      'warning_threshold',
    ]),
    health: pick(health!, HEALTH),
    // Its own model judges where none is named.
    mission:
      mission!['enabled'] === true
        ? { ...pick(mission!, MISSION), eval_model: mission!['eval_model'] ?? at(config, 'model') }
        : null,
    // Ours is there unless it is taken away.
    inbox: inbox!['enabled'] === true ? pick(inbox!, INBOX) : null,
  };
}

const OPEN = [
  'allow_identity_change',
  'allow_trigger_management',
  'allow_mcp_connect',
  'allow_memory_management',
  'allow_process_spawn',
  'max_instruction_length',
  'max_dynamic_triggers',
  'max_spawned_processes',
  'max_rebuilds',
  'allowed_mcp_urls',
];
const MEMORY = ['provider', 'collection', 'user_id', 'auto_store', 'max', 'min_score', 'timeout'];
const PROCESS = [
  'concurrency',
  'heartbeat_interval',
  'idle_timeout',
  'max_lifetime',
  'max_consecutive_failures',
  'restart_policy',
  'max_restarts',
  'restart_backoff',
  'max_invocation_time',
];
const DELIVERY = [
  'max_retries',
  'retry_backoff',
  'retry_backoff_max',
  'dead_letter_size',
  'max_payload_chars',
];
const LIMITS = [
  'max_tool_calls_per_run',
  'max_llm_turns_per_run',
  'max_cost_per_run',
  'max_irreversible_per_run',
  'max_tool_calls_per_day',
  'max_runs_per_day',
  'max_cost_per_day',
];
const HEALTH = [
  'enabled',
  'stuck_threshold',
  'loop_window',
  'loop_min_repeats',
  'empty_threshold',
  'empty_max_chars',
  'error_window',
  'error_rate_threshold',
  'on_anomaly',
  'cooldown',
];
const MISSION = [
  'objective',
  'success_criteria',
  'eval_model',
  'eval_every',
  'confidence_threshold',
  'timeout_hours',
  'max_invocations',
  'auto_complete',
];
const INBOX = ['max_messages', 'max_message_length', 'default_ttl', 'max_ttl', 'rate_limit_per_sender'];

function pick(from: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.map((key) => [key, from[key] ?? null]));
}

function theirServer(server: JsonObject): JsonObject {
  if ('command' in server) return { ...pick(server, ['command', 'args', 'env']), cwd: server['cwd'] ?? '' };
  const { bearer_token: token, api_key: key } = server;
  const headers = {
    ...(server['headers'] as JsonObject),
    ...(token == null ? {} : { Authorization: `Bearer ${token as string}` }),
    ...(key == null ? {} : { 'x-api-key': key }),
  };
  return { url: server['url']!, isSse: server['transport'] === 'sse', headers };
}

function theirTrigger(trigger: JsonObject): JsonObject {
  const filter = { type: trigger['type']!, filter_expression: trigger['filter_expression'] ?? null };
  switch (trigger['type'] as string) {
    case 'cron':
      return {
        ...filter,
        cron_expression: trigger['cron_expression']!,
        cron_timezone: trigger['cron_timezone'] ?? 'UTC',
      };
    case 'webhook':
      return {
        ...filter,
        ...pick(trigger, [
          'webhook_path',
          'webhook_port',
          'webhook_host',
          'signature_scheme',
          'signature_tolerance',
          'allowed_sources',
          'webhook_max_body_bytes',
        ]),
        isSigned: trigger['hmac_secret'] !== null,
        header: HEADERS[trigger['signature_scheme'] as string]!,
      };
    case 'file_watch':
      return {
        ...filter,
        ...pick(trigger, ['watch_path', 'watch_patterns', 'watch_events', 'watch_debounce_seconds']),
        isPolling: trigger['watch_backend'] === 'polling',
      };
    case 'event':
      return { ...filter, ...pick(trigger, ['event_type', 'event_source']) };
    default:
      return { ...filter, topic: trigger['topic']! };
  }
}

const seconds = (ms: number | null): number => (ms ?? 0) / 1_000;

export function ourMeaning(
  { config }: ProcessDefinition,
  environment: Readonly<Record<string, string>>,
): JsonObject {
  const { agent, budget, health, mission, inbox, delivery } = config;
  const filled = (texts: Readonly<Record<string, string>>): JsonObject =>
    Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [
        key,
        text.replaceAll(/\$\{([A-Z_]+)\}/g, (_, name: string) => environment[name]!),
      ]),
    );
  const meaning = {
    model: agent!.models[0]!,
    instructions: config.instructions,
    open:
      agent!.open === null
        ? null
        : {
            allow_identity_change: agent!.open.mayChangeInstructions,
            allow_trigger_management: agent!.open.mayManageTriggers,
            allow_mcp_connect: agent!.open.mayConnectServers,
            allow_memory_management: agent!.open.mayManageMemory,
            allow_process_spawn: agent!.open.maySpawn,
            max_instruction_length: agent!.open.maxInstructionLength,
            max_dynamic_triggers: agent!.open.maxTriggers,
            max_spawned_processes: agent!.open.maxSpawned,
            max_rebuilds: agent!.open.maxRebuilds,
            allowed_mcp_urls: agent!.open.allowedUrls,
          },
    servers: Object.fromEntries(
      Object.entries(agent!.servers).map(([name, server]) => [
        name,
        server.kind === 'stdio'
          ? { command: server.command, args: server.args, env: filled(server.env), cwd: server.cwd }
          : { url: server.url, isSse: server.transport === 'sse', headers: filled(server.headers) },
      ]),
    ),
    triggers: config.triggers.map(ourTrigger),
    level: config.journalLevel,
    state: config.initialState,
    writable_keys: config.writableKeys,
    conversation_max_messages: config.conversationMaxMessages,
    conversation_history: agent!.hasHistory,
    memory:
      agent!.memory === null
        ? null
        : {
            memory_provider: agent!.memory.provider,
            memory_collection: agent!.memory.collection,
            memory_user_id: agent!.memory.userId,
            memory_auto_store: agent!.memory.isStoredByItself,
            memory_max: agent!.memory.max,
            memory_min_score: agent!.memory.minScore,
            memory_timeout: seconds(agent!.memory.timeoutMs),
          },
    concurrency: config.concurrency,
    heartbeat_interval: seconds(config.heartbeatIntervalMs),
    idle_timeout: seconds(config.idleTimeoutMs),
    max_lifetime: seconds(config.maxLifetimeMs),
    max_consecutive_failures: config.maxConsecutiveFailures,
    restart_policy: config.restartPolicy,
    max_restarts: config.maxRestarts,
    restart_backoff: seconds(config.restartBackoffMs),
    max_invocation_time: seconds(config.maxInvocationTimeMs),
    delivery: {
      max_retries: delivery.maxRetries,
      retry_backoff: seconds(delivery.retryBackoffMs),
      retry_backoff_max: seconds(delivery.retryBackoffMaxMs),
      dead_letter_size: delivery.deadLetterSize,
      max_payload_chars: agent!.maxPayloadChars,
    },
    // One without limits is as good as none.
    budget: isEnabled(config, 'budget')
      ? Object.fromEntries(LIMITS.map((key) => [key, (budget.limits as Record<string, number>)[key] ?? null]))
      : null,
    budgetActs: {
      tool_costs: Object.fromEntries(
        Object.entries(budget.effectCosts).map(([name, { cost, isIrreversible }]) => [
          name,
          { cost_weight: cost, irreversible: isIrreversible },
        ]),
      ),
      on_exceeded: budget.onExceeded,
      daily_reset_hour_utc: budget.resetHour,
      inject_remaining: agent!.tellsBudget,
      warning_threshold: budget.warnAt,
    },
    health: {
      enabled: health.isEnabled,
      stuck_threshold: health.stuckThreshold,
      loop_window: health.loopWindow,
      loop_min_repeats: health.loopMinRepeats,
      empty_threshold: health.emptyThreshold,
      empty_max_chars: health.emptyMaxChars,
      error_window: health.errorWindow,
      error_rate_threshold: health.errorRateThreshold,
      on_anomaly: health.onAnomaly.stuck,
      cooldown: seconds(health.cooldownMs),
    },
    mission:
      mission === null
        ? null
        : {
            objective: mission.objective,
            success_criteria: mission.successCriteria,
            eval_model: mission.evalModel,
            eval_every: mission.evalEvery,
            confidence_threshold: mission.confidenceThreshold,
            timeout_hours: mission.timeoutMs / 3_600_000,
            max_invocations: mission.maxInvocations,
            auto_complete: mission.autoComplete,
          },
    inbox:
      inbox.maxPerHour === null || !inbox.isEnabled
        ? null
        : {
            max_messages: inbox.maxMessages,
            max_message_length: inbox.maxLength,
            default_ttl: seconds(inbox.defaultTtlMs),
            max_ttl: seconds(inbox.maxTtlMs),
            rate_limit_per_sender: inbox.maxPerHour,
          },
  };
  return JSON.parse(JSON.stringify(meaning)) as JsonObject;
}

function isEnabled({ written }: ProcessDefinition['config'], section: string): boolean {
  return at(written[section], 'enabled') === true;
}

function ourTrigger(trigger: TriggerConfig): JsonObject {
  const filter = { type: trigger.type, filter_expression: trigger.type === 'manual' ? null : trigger.filter };
  switch (trigger.type) {
    case 'cron':
      return { ...filter, cron_expression: trigger.cronExpression, cron_timezone: trigger.cronTimezone };
    case 'webhook':
      return {
        ...filter,
        webhook_path: trigger.path,
        webhook_port: trigger.port,
        webhook_host: trigger.host,
        signature_scheme: trigger.scheme,
        signature_tolerance: seconds(trigger.toleranceMs),
        allowed_sources: [...trigger.allowedSources],
        webhook_max_body_bytes: trigger.maxBodyBytes,
        isSigned: trigger.secret !== null,
        header: trigger.signatureHeader ?? HEADERS[trigger.scheme]!,
      };
    case 'file_watch':
      return {
        ...filter,
        watch_path: trigger.path,
        watch_patterns: [...trigger.patterns],
        watch_events: [...trigger.events],
        watch_debounce_seconds: seconds(trigger.debounceMs),
        isPolling: trigger.polling === true,
      };
    case 'event':
      return { ...filter, event_type: trigger.eventType, event_source: trigger.eventSource };
    case 'message':
      return { ...filter, topic: trigger.topic };
    case 'manual':
      return filter;
  }
}
