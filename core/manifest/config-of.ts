// How a process behaves, as its manifest says it.

import type { AgentPlan } from '../model/agent-plan.ts';
import { AppError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { MissionConfig } from '../model/mission.ts';
import { DEFAULT_PROCESS_CONFIG, type ProcessConfig } from '../model/process-config.ts';
import { memoryOf, memoryWritten, modelOf, openOf } from './agent-schema.ts';
import { approvalTexts, approvalWebhookOf } from './approval-schema.ts';
import { budgetOf, irreversibleIn } from './budget-schema.ts';
import { checkScript } from './check-script.ts';
import { receiverTexts } from './escalation-schema.ts';
import type { Environment } from './expand-variables.ts';
import { healthOf } from './health-schema.ts';
import { withImplied } from './implied-secrets.ts';
import { inboxOf } from './inbox-schema.ts';
import { instructionsOf, planWith, writtenOf } from './live-sections.ts';
import { loadPrices } from './load-prices.ts';
import type { Place } from './manifest-document.ts';
import type { Manifest } from './manifest-schema.ts';
import { missionOf } from './mission-schema.ts';
import type { ManifestPlace } from './module-file.ts';
import { secretsOf } from './secrets-schema.ts';
import { toolServersOf, type ServersFound } from './server-schema.ts';
import { triggerOf } from './trigger-schema.ts';

/** What a part of it becomes; where that fails, the fault is kept, and what is given in its place is never used. */
export type Attempt = <T>(where: Place, does: () => T, otherwise: T) => T;

export interface ConfigParts {
  readonly manifest: Manifest;
  readonly document: JsonObject;
  readonly place: ManifestPlace;
  readonly environment: Environment;
  readonly attempt: Attempt;
}

export function configOf(parts: ConfigParts): ProcessConfig {
  const { manifest, document, place, attempt } = parts;
  const { directory, path } = place;
  const { triggers, journal, holdfast, budget, mission, secrets, world, config, context, trigger_delivery } =
    manifest;
  const script = (where: Place) => (named: string) =>
    attempt(where, () => checkScript({ workspace: directory, manifest: path, script: named }), undefined);
  const declared = secretsOf(secrets, directory, [...signingSecretsOf(manifest), ...receiverTexts(document)]);
  const servers = toolServersOf(
    { servers: manifest.servers, extras: holdfast.servers },
    parts.environment,
    declared.sources,
  );
  for (const { place: where, name } of servers.unset)
    attempt(where, () => refuseUnset(path, name), undefined);
  const agent = manifest.entrypoint == null ? agentOf(parts, servers) : null;
  const judge = manifest.mission?.enabled === true ? manifest.mission.eval_model : null;
  const models = [
    ...(agent === null
      ? []
      : [...agent.models, ...(agent.memory?.embeddingModel == null ? [] : [agent.memory.embeddingModel])]),
    ...(agent === null || judge == null ? [] : [judge]),
  ];
  return {
    ...DEFAULT_PROCESS_CONFIG,
    agent,
    triggers: triggers.flatMap((trigger, at) =>
      attempt(['triggers', at], () => [triggerOf(trigger, directory, parts.environment)], []),
    ),
    journalLevel: journal.level,
    checkpointEvery: journal.checkpoint_every,
    durability: holdfast.durability,
    retention: {
      maxAgeDays: holdfast.retention.max_age_days ?? null,
      maxBytes: bytesOf(holdfast.retention.max_megabytes ?? null),
    },
    concurrency: config.concurrency,
    heartbeatIntervalMs: config.heartbeat_interval * 1000,
    idleTimeoutMs: config.idle_timeout * 1000,
    workerIdleMs: config.worker_idle * 1000,
    maxLifetimeMs: config.max_lifetime * 1000,
    maxInvocationTimeMs: config.max_invocation_time * 1000,
    workerHangMs: holdfast.worker.hang_timeout * 1000,
    workerLimits: {
      memoryMb: holdfast.worker.memory_megabytes ?? null,
      startDeadlineMs: holdfast.worker.start_deadline * 1000,
      stopDeadlineMs: holdfast.worker.stop_deadline * 1000,
    },
    delivery: {
      maxRetries: trigger_delivery.max_retries,
      retryBackoffMs: trigger_delivery.retry_backoff * 1000,
      retryBackoffMaxMs: trigger_delivery.retry_backoff_max * 1000,
      deadLetterSize: trigger_delivery.dead_letter_size,
    },
    writableKeys: context.writable_keys,
    conversationMaxMessages: context.conversation_max_messages,
    maxConsecutiveFailures: config.max_consecutive_failures,
    restartPolicy: config.restart_policy,
    maxRestarts: config.max_restarts,
    restartBackoffMs: config.restart_backoff * 1000,
    budget: attempt(
      ['budget', 'holdfast', 'prices'],
      () => budgetOf(budget, (file) => loadPrices({ workspace: directory, manifest: path, file })),
      DEFAULT_PROCESS_CONFIG.budget,
    ),
    escalation: holdfast.escalation ?? null,
    approvalWebhook: attempt(
      ['holdfast', 'approval_webhook', 'hmac_secret'],
      () => approvalWebhookOf(holdfast.approval_webhook, parts.environment),
      null,
    ),
    mission: judgedBy(agent, missionOf(mission, script(['mission', 'eval_model']))),
    health: healthOf(manifest.health),
    secrets:
      agent === null
        ? declared
        : withImplied(declared, { areGranted: secrets.holdfast.implied, needed: servers.secrets, models }),
    initialState: { ...context.initial_state, ...world },
    inbox: inboxOf(config.inbox),
    instructions: instructionsOf(manifest.instructions),
    written: writtenOf(document, agent !== null),
  };
}

function agentOf({ manifest, place, attempt }: ConfigParts, { servers }: ServersFound): AgentPlan {
  const { holdfast, context, open_mode: open } = manifest;
  const named: readonly (readonly [Place, string])[] = [
    [['model'], manifest.model],
    ...holdfast.fallback_models.map((model, at): [Place, string] => [
      ['holdfast', 'fallback_models', at],
      model,
    ]),
  ];
  const models = named.map(([where, text]) => {
    const { text: model, name } = modelOf(text);
    if (name.provider === 'scripted') {
      const script = { workspace: place.directory, manifest: place.path, script: name.path };
      attempt(where, () => checkScript(script), undefined);
    }
    return model;
  });
  const embedding = holdfast.memory.embedding_model ?? null;
  const memory = memoryWritten(manifest.memory, context);
  return planWith(
    {
      models,
      servers,
      memory: memoryOf(memory, embedding === null ? null : modelOf(embedding).text),
      open: manifest.execution_mode === 'open' ? openOf(open) : null,
      hasHistory: context.conversation_history,
      maxPayloadChars: manifest.trigger_delivery.max_payload_chars,
      tellsBudget: manifest.budget.inject_remaining,
      irreversibleTools: irreversibleIn(manifest.budget),
    },
    holdfast,
    manifest.config.approval,
  );
}

/** Where there is no code that judges, and no model is named for it, its own model does, as Promptise has it. */
function judgedBy(agent: AgentPlan | null, mission: MissionConfig | null): MissionConfig | null {
  if (agent === null || mission === null || mission.evalModel !== null) return mission;
  return { ...mission, evalModel: agent.models[0]! };
}

function refuseUnset(path: string, name: string): undefined {
  const message = `\${${name}} is not set in the environment of this host. Set it, or give it a default: \${${name}:-…}.`;
  throw new AppError('manifest.no-variable', message, { path, name });
}

function bytesOf(megabytes: number | null): number | null {
  return megabytes === null ? null : Math.round(megabytes * 1024 * 1024);
}

/** As they are written: the names of variables, mostly. */
function signingSecretsOf({ triggers, holdfast }: Manifest): readonly string[] {
  const webhooks = triggers.flatMap((trigger) =>
    trigger.type === 'webhook' ? [trigger.hmac_secret ?? ''] : [],
  );
  return [...webhooks, ...approvalTexts(holdfast.approval_webhook)];
}
