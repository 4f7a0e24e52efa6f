// What is wrong with a manifest on purpose: one thing each, which neither Promptise nor we take.

import type { Json, JsonObject } from '../../core/model/json.ts';

type Harm = readonly [what: string, harmed: (manifest: JsonObject) => JsonObject];

const inConfig = (manifest: JsonObject, more: JsonObject): JsonObject => ({
  ...manifest,
  config: { ...(manifest['config'] as JsonObject | undefined), ...more },
});
const without = (manifest: JsonObject, ...keys: string[]): JsonObject => {
  const config = Object.fromEntries(
    Object.entries((manifest['config'] as JsonObject | undefined) ?? {}).filter(
      ([key]) => !keys.includes(key),
    ),
  );
  return { ...Object.fromEntries(Object.entries(manifest).filter(([key]) => !keys.includes(key))), config };
};
const withSection =
  (key: string, section: Json): Harm[1] =>
  (manifest) => ({ ...without(manifest, key), [key]: section });

/** What neither takes. */
export const HARMS: readonly Harm[] = [
  ['a misspelt key', (manifest) => ({ ...manifest, instrutions: 'x' })],
  ['no name', (manifest) => Object.fromEntries(Object.entries(manifest).filter(([key]) => key !== 'name'))],
  ['another version', withSection('version', '2.0')],
  ['a version that is a number', withSection('version', 1)],
  ['a misspelt key of a section', withSection('health', { enabled: true, error_windw: 3 })],
  ['a misspelt key of config', (manifest) => inConfig(manifest, { concurency: 2 })],
  [
    'a misspelt key of a trigger',
    withSection('triggers', [{ type: 'cron', cron_expression: '* * * * *', cron_zone: 'UTC' }]),
  ],
  ['a trigger without type', withSection('triggers', [{ cron_expression: '* * * * *' }])],
  ['a trigger that is no mapping', withSection('triggers', ['cron'])],
  ['a schedule without its expression', withSection('triggers', [{ type: 'cron' }])],
  ['a port that is too low', withSection('triggers', [{ type: 'webhook', webhook_port: 80 }])],
  ['a scheme without a secret', withSection('triggers', [{ type: 'webhook', signature_scheme: 'github' }])],
  [
    'an event of files that is none',
    withSection('triggers', [{ type: 'file_watch', watch_path: '/a', watch_events: ['opened'] }]),
  ],
  ['a server that is neither', withSection('servers', { a: { type: 'http' } })],
  ['a misspelt key of a server', withSection('servers', { a: { command: 'x', arg: [] } })],
  ['a type that does not go with a command', withSection('servers', { a: { command: 'x', type: 'sse' } })],
  ['an unknown transport', withSection('servers', { a: { url: 'http://a', transport: 'grpc' } })],
  ['an unknown mode', withSection('execution_mode', 'free')],
  ['too little to write', withSection('open_mode', { max_instruction_length: 99 })],
  ['an unknown level', withSection('journal', { level: 'some' })],
  ['an unknown store', withSection('journal', { backend: 'redis' })],
  ['a misspelt key of memory', withSection('memory', { provider: 'in_memory', top_k: 3 })],
  ['an unknown memory', withSection('memory', { provider: 'redis' })],
  ['a cost of nothing', withSection('budget', { enabled: true, max_cost_per_run: 0 })],
  ['an hour that no day has', withSection('budget', { enabled: true, daily_reset_hour_utc: 24 })],
  ['an action that is none', withSection('budget', { enabled: true, on_exceeded: 'scream' })],
  ['a pattern of one', withSection('health', { enabled: true, stuck_threshold: 1 })],
  ['more than certain', withSection('mission', { enabled: true, objective: 'x', confidence_threshold: 2 })],
  ['a time to live of no secret', withSection('secrets', { enabled: true, secrets: {}, ttls: { a: 1 } })],
  ['a mask for a secret', withSection('secrets', { enabled: true, secrets: { a: '**********' } })],
  ['too many at a time', (manifest) => inConfig(manifest, { concurrency: 101 })],
  ['an unknown policy', (manifest) => inConfig(manifest, { restart_policy: 'sometimes' })],
  ['too many retries', (manifest) => inConfig(manifest, { trigger_delivery: { max_retries: 11 } })],
  ['too short a payload', (manifest) => inConfig(manifest, { trigger_delivery: { max_payload_chars: 199 } })],
  [
    'a letter that outlives its inbox',
    (manifest) => inConfig(manifest, { inbox: { default_ttl: 90, max_ttl: 60 } }),
  ],
  [
    'a section in two places',
    (manifest) => ({
      ...inConfig(without(manifest, 'journal'), { journal: { level: 'full' } }),
      journal: { level: 'full' },
    }),
  ],
  [
    'a context in two places',
    (manifest) => ({ ...inConfig(without(manifest, 'context', 'memory'), { context: {} }), world: { a: 1 } }),
  ],
  [
    'a state in two places',
    (manifest) => ({
      ...without(manifest, 'context', 'world'),
      world: { a: 1 },
      context: { initial_state: { b: 1 } },
    }),
  ],
  [
    'a memory in two places',
    (manifest) => ({ ...without(manifest, 'context'), memory: { max: 3 }, context: { memory_max: 3 } }),
  ],
  ['a variable that is not set', withSection('instructions', '${HF_NONE}')],
  ['a secret that is not set', withSection('servers', { a: { url: '${HF_NONE}' } })],
  ['a hook of Python', withSection('hooks', [{ event: 'session_start', callback: 'x' }])],
];
