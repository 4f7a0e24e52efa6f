// What a process is made of that an agent began: its parent's manifest, but for what the agent said, and without secrets that
// it was not granted. It has no manifest of its own; the journals tell of it.

import { createHash } from 'node:crypto';
import { triggerFromManifest } from '../manifest/trigger-schema.ts';
import type { AgentPlan, ToolServer } from '../model/agent-plan.ts';
import { keyNamesOf } from '../model/model-keys.ts';
import { withoutSecrets, type ProcessConfig, type ProcessDefinition } from '../model/process-config.ts';
import type { SecretsConfig } from '../model/secrets.ts';
import { MAX_DEPTH, type SpawnedProcess } from '../model/self-change.ts';

/** Of a server's setting, the secrets that it is filled in with. */
const NAMED = /\$\{([A-Za-z_]\w*)/g;

/**
 * @param depth 1 for a process that one with a manifest began
 * @throws `trigger.invalid`
 */
export function childDefinition(
  parent: ProcessDefinition,
  spawned: SpawnedProcess,
  depth: number,
): ProcessDefinition {
  const { name, instructions } = spawned;
  const triggers = spawned.triggers.map((trigger) => triggerFromManifest(trigger, parent.directory));
  const { config: from } = parent;
  const { budget: written } = from.written;
  const config: ProcessConfig = {
    ...from,
    agent: from.agent === null ? null : planOfChild(from.agent, spawned, depth),
    triggers,
    // What it is after is its instructions.
    mission: null,
    initialState: {},
    secrets: secretsOfChild(from, spawned),
    instructions,
    written: { ...(written === undefined ? {} : { budget: written }), instructions },
  };
  return {
    ...parent,
    name,
    description: `Begun by ${parent.name}.`,
    config,
    configHash: createHash('sha256')
      .update(JSON.stringify(withoutSecrets(config)))
      .digest('hex'),
  };
}

function planOfChild(plan: AgentPlan, { name, secrets }: SpawnedProcess, depth: number): AgentPlan {
  const servers = Object.entries(plan.servers).filter(([, server]) => isServed(server, secrets));
  return {
    ...plan,
    servers: Object.fromEntries(servers),
    memory:
      plan.memory === null
        ? null
        : { ...plan.memory, collection: `${plan.memory.collection}.${name.split('.').at(-1)}` },
    open: plan.open === null ? null : { ...plan.open, maySpawn: plan.open.maySpawn && depth < MAX_DEPTH },
  };
}

/** A server that would need a secret which was not granted is not there at all. */
function isServed(server: ToolServer, granted: readonly string[]): boolean {
  const texts = Object.values(server.kind === 'stdio' ? server.env : server.headers);
  const names = texts.flatMap((text) => [...text.matchAll(NAMED)].map(([, secret]) => secret!));
  return names.every((secret) => granted.includes(secret));
}

/** Those that it was granted, as far as its parent has them; the keys of its models come with the models. */
function secretsOfChild(
  { secrets, agent }: ProcessConfig,
  { secrets: granted }: SpawnedProcess,
): SecretsConfig {
  const embedding = agent?.memory?.embeddingModel ?? null;
  const models = [...(agent?.models ?? []), ...(embedding === null ? [] : [embedding])];
  const keys = models.flatMap(keyNamesOf);
  const isIts = (secret: string): boolean => granted.includes(secret) || keys.includes(secret);
  const only = <T>(of: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(of).filter(([secret]) => isIts(secret)));
  return { ...secrets, sources: only(secrets.sources), ttlsMs: only(secrets.ttlsMs) };
}
