// A workspace's manifests, `*.agent`, as process definitions. Reads and checks; runs nothing [S2].

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { z } from 'zod';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import {
  DEFAULT_PROCESS_CONFIG,
  withoutSecrets,
  type ProcessConfig,
  type ProcessDefinition,
} from '../model/process-config.ts';
import { budgetOf } from './budget-schema.ts';
import { receiverTexts } from './escalation-schema.ts';
import { healthOf } from './health-schema.ts';
import { checkScript } from './check-script.ts';
import { isInside } from './is-inside.ts';
import { knownKeys } from './known-keys.ts';
import { loadPrices } from './load-prices.ts';
import { instructionsOf, writtenOf } from './live-sections.ts';
import { Manifest } from './manifest-schema.ts';
import { missionOf } from './mission-schema.ts';
import { secretsOf } from './secrets-schema.ts';
import { triggerOf } from './trigger-schema.ts';

export const MANIFEST_SUFFIX = '.agent';

export interface LoadedWorkspace {
  readonly definitions: readonly ProcessDefinition[];
  /** Where the manifest of each of them lies, by its name. */
  readonly paths: ReadonlyMap<string, string>;
  /** One for each manifest that could not be used; the others are. */
  readonly problems: readonly AppError[];
}

/** @throws `workspace.unreadable` when the directory can't be listed, `workspace.empty` when it has no manifest */
export function loadWorkspace(directory: string): LoadedWorkspace {
  const files = manifestsOf(directory);
  if (files.length === 0) {
    throw new AppError(
      'workspace.empty',
      `${directory} has no ${MANIFEST_SUFFIX} file, so there is nothing to run. Open a journal directory with "show", or choose a workspace.`,
      { directory },
    );
  }
  const definitions = new Map<string, { readonly path: string; readonly definition: ProcessDefinition }>();
  const problems: AppError[] = [];
  for (const file of files) {
    const path = join(directory, file);
    try {
      const definition = loadManifest(directory, path);
      const { name } = definition;
      const first = definitions.get(name);
      if (first !== undefined) throw duplicate(name, first.path, path);
      definitions.set(name, { path, definition });
    } catch (error) {
      problems.push(error instanceof AppError ? error : unreadable(path, error));
    }
  }
  const found = [...definitions.values()];
  return {
    definitions: found.map(({ definition }) => definition),
    paths: new Map(found.map(({ definition, path }) => [definition.name, path])),
    problems,
  };
}

function duplicate(name: string, first: string, path: string): AppError {
  return new AppError(
    'manifest.duplicate-name',
    `${path} is called ${JSON.stringify(name)}, and so is ${first}, which is the one that runs. Rename one of them.`,
    { path, first, process: name },
  );
}

function unreadable(path: string, cause: unknown): AppError {
  return new AppError(
    'manifest.unreadable',
    `${path} can't be read, so its process is not run: ${messageOf(cause)}. Check the file and who may read it.`,
    { path, code: codeOf(cause) },
    { cause },
  );
}

/** True for a directory with manifests in it. */
export function isWorkspace(directory: string): boolean {
  try {
    return manifestsOf(directory).length > 0;
  } catch {
    return false;
  }
}

function manifestsOf(directory: string): readonly string[] {
  try {
    // Names that begin with a dot are editors' locks and copies.
    return readdirSync(directory)
      .filter((name) => name.endsWith(MANIFEST_SUFFIX) && !name.startsWith('.'))
      .filter((name) => mayBeFile(join(directory, name)))
      .sort();
  } catch (error) {
    throw new AppError(
      'workspace.unreadable',
      `The workspace ${directory} can't be read: ${messageOf(error)}. Check the path.`,
      { directory, code: codeOf(error) },
      { cause: error },
    );
  }
}

/** False for a directory, and for a pipe or a device, which might never end. What can't be asked is read, to say why. */
function mayBeFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return true;
  }
}

function loadManifest(directory: string, path: string): ProcessDefinition {
  return checkManifest(directory, path, readText(path));
}

/**
 * @param path where it lies, or would
 * @throws `manifest.*`
 */
export function checkManifest(directory: string, path: string, text: string): ProcessDefinition {
  const document = parseYaml(path, text);
  const manifest = check(path, document);
  const entrypoint = entrypointOf(directory, path, manifest);
  const source = readSource(path, entrypoint);
  const config = configOf(manifest, directory, path, document);
  return {
    name: manifest.name,
    description: instructionsOf(manifest.instructions),
    entrypoint,
    directory: resolve(directory),
    config,
    configHash: sha256(JSON.stringify(withoutSecrets(config))),
    codeHash: sha256(source),
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
}

function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new AppError(
      'manifest.bad-yaml',
      // What follows the first line shows the text itself, in which there may be a secret.
      `${path} is not YAML: ${messageOf(error).split('\n')[0]?.replace(/:$/, '.')}`,
      { path },
    );
  }
}

function check(path: string, document: unknown): Manifest {
  if (document === null || document === undefined) {
    throw new AppError('manifest.invalid', `${path} is empty. Give it at least a name and an entrypoint.`, {
      path,
    });
  }
  if (typeof document !== 'object' || Array.isArray(document)) {
    throw new AppError(
      'manifest.invalid',
      `${path} is no list of settings, each a key, a colon and a value. Give it at least a name and an entrypoint.`,
      { path },
    );
  }
  const result = Manifest.safeParse(document);
  if (result.success) return result.data;
  const problems = result.error.issues.map(issueText);
  throw new AppError('manifest.invalid', `${path} can't be used: ${problems.join('; ')}.`, {
    path,
    problems,
  });
}

function issueText(issue: z.core.$ZodIssue): string {
  const where = issue.path.length === 0 ? 'the manifest' : issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return `${where}: ${issue.message}`;
  const known = knownKeys(Manifest, issue.path);
  const those = known.length === 0 ? '' : `; there are ${known.join(', ')}`;
  return `${where} has ${issue.keys.map((key) => `"${key}"`).join(', ')}, which is not a setting${those}`;
}

function entrypointOf(directory: string, path: string, { entrypoint }: Manifest): string {
  if (entrypoint === undefined || entrypoint === null) {
    throw new AppError(
      'manifest.no-entrypoint',
      `${path} names no entrypoint. Agents that are only a model and instructions can't be run yet; give the path of a module.`,
      { path },
    );
  }
  const absolute = resolve(directory, entrypoint);
  if (!isInside(resolve(directory), absolute)) throw outside(path, entrypoint);
  let real: string;
  try {
    // A link may lead out of the workspace, and the workspace itself may be reached by one.
    real = realpathSync(absolute);
  } catch (error) {
    throw noModule(path, entrypoint, messageOf(error), error);
  }
  if (!isInside(realpathSync(directory), real)) throw outside(path, entrypoint);
  return absolute;
}

function outside(path: string, entrypoint: string): AppError {
  return new AppError(
    'manifest.outside-workspace',
    `${path} names the entrypoint ${entrypoint}, which is not inside the workspace. Move the module into it.`,
    { path, entrypoint },
  );
}

function readSource(path: string, entrypoint: string): Buffer {
  if (!mayBeFile(entrypoint)) throw noModule(path, entrypoint, 'it is no file');
  try {
    return readFileSync(entrypoint);
  } catch (error) {
    throw noModule(path, entrypoint, messageOf(error), error);
  }
}

function noModule(path: string, entrypoint: string, why: string, cause?: unknown): AppError {
  return new AppError(
    'manifest.no-module',
    `${path} names the entrypoint ${entrypoint}, which can't be read: ${why}.`,
    { path, entrypoint },
    { cause },
  );
}

function bytesOf(megabytes: number | null): number | null {
  return megabytes === null ? null : Math.round(megabytes * 1024 * 1024);
}

function configOf(manifest: Manifest, directory: string, path: string, document: unknown): ProcessConfig {
  const { triggers, journal, holdfast, budget, mission, secrets, world, config, context, trigger_delivery } =
    manifest;
  return {
    ...DEFAULT_PROCESS_CONFIG,
    triggers: triggers.map((trigger) => triggerOf(trigger, directory)),
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
    budget: budgetOf(budget, (file) => loadPrices({ workspace: directory, manifest: path, file })),
    escalation: holdfast.escalation ?? null,
    mission: missionOf(mission, (script) => checkScript({ workspace: directory, manifest: path, script })),
    health: healthOf(manifest.health),
    secrets: secretsOf(secrets, directory, [...signingSecretsOf(manifest), ...receiverTexts(document)]),
    initialState: { ...context.initial_state, ...world },
    instructions: instructionsOf(manifest.instructions),
    // By then it is known to be a list of settings.
    written: writtenOf(document as Readonly<Record<string, unknown>>),
  };
}

/** As they are written: the names of variables, mostly. */
function signingSecretsOf({ triggers }: Manifest): readonly string[] {
  return triggers.flatMap((trigger) => (trigger.type === 'webhook' ? [trigger.hmac_secret ?? ''] : []));
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
