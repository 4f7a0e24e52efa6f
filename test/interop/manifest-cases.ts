// Manifests that mean the same to Promptise and to us, at random.

import fc from 'fast-check';
import type { Json, JsonObject } from '../../core/model/json.ts';

/** Of the host, in both. */
export const ENVIRONMENT = {
  HF_WORD: 'a word, and "quotes"',
  HF_EMPTY: '',
  HF_SEVEN: '7',
  HF_TOKEN: 'tok-3f9a-1177',
  HF_KEY: 'key-5501-aa0b',
};

const optional = <T extends Json>(arbitrary: fc.Arbitrary<T>) =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

/** A mapping with some of these keys. */
function some(keys: Readonly<Record<string, fc.Arbitrary<Json>>>): fc.Arbitrary<JsonObject> {
  return fc
    .record(Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, optional(value)])))
    .map((found) => JSON.parse(JSON.stringify(found)) as JsonObject);
}

const whole = (min: number, max: number) => fc.integer({ min, max });
const tenths = (min: number, max: number) => whole(min * 10, max * 10).map((value) => value / 10);
const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,11}$/);
/** What a writer of YAML has to take care of. */
const word = fc.oneof(
  fc
    .string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
    .map((text) => text.replaceAll(/[\u0000-\u001f\u007f-\u009f$\u2028\u2029\ufeff]/g, 'x')),
  fc.constantFrom(
    'yes',
    'no',
    'on',
    'Off',
    '010',
    '1_000',
    '12:30',
    '1e3',
    'null',
    '~',
    '- a',
    'a: b',
    '# x',
    "it's",
    '2026-01-05',
    '${HF_WORD}',
    'x ${HF_NONE:-or this} y',
    '${HF_EMPTY}',
    '$5 and ${5}',
    '${HF_EMPTY:-not this}',
  ),
);
const texts = fc.oneof(
  word,
  fc.tuple(word, word).map((two) => two.join('\n')),
  fc.tuple(word, word).map((two) => `${two.join('\n')}\n`),
);
const scalar: fc.Arbitrary<Json> = fc.oneof(
  word,
  whole(-1000, 1000),
  fc.boolean(),
  fc.constant(null),
  tenths(-9, 9),
);
const value: fc.Arbitrary<Json> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(name, scalar, { maxKeys: 3 }),
);

const stdio = fc
  .tuple(
    word.filter((text) => text.trim() !== '' && !text.startsWith('${HF_EMPTY')),
    some({
      args: fc.array(word, { maxLength: 3 }),
      env: fc.dictionary(fc.constantFrom('LEVEL', 'MODE', 'A1'), word, { maxKeys: 2 }),
      cwd: fc.constantFrom('.', 'a/b'),
      keep_alive: fc.boolean(),
      type: fc.constant('stdio'),
    }),
    fc.boolean(),
  )
  .map(([command, more, hasToken]): JsonObject => {
    const env = {
      ...(more['env'] as JsonObject | undefined),
      ...(hasToken ? { GH_TOKEN: '${HF_TOKEN}' } : {}),
    };
    return { ...more, command, env };
  });
const http = fc
  .tuple(
    fc.constantFrom('http://localhost:8000/mcp', 'https://example.com/mcp?a=${HF_SEVEN}'),
    some({
      type: fc.constantFrom('http', 'streamable-http', 'sse'),
      headers: fc.dictionary(fc.constantFrom('X-Team', 'X-Zone'), fc.constantFrom('blue', '${HF_KEY}'), {
        maxKeys: 2,
      }),
      bearer_token: fc.constant('${HF_TOKEN}'),
      api_key: fc.constant('${HF_KEY}'),
    }),
  )
  .map(([url, more]): JsonObject => ({ ...more, url }));

const filter = fc.constantFrom("payload['kind'] == 'order'", 'len(action) > 3');
const trigger = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('*/5 * * * *', '0 8 * * 1-5', '* * * * * */10'),
      some({ cron_timezone: fc.constantFrom('UTC', 'Europe/Berlin'), filter_expression: filter }),
    )
    .map(([cron_expression, more]): JsonObject => ({ type: 'cron', cron_expression, ...more })),
  fc
    .tuple(
      some({
        webhook_path: fc.constantFrom('/a', '/b/c'),
        webhook_port: whole(1025, 65535),
        webhook_host: fc.constantFrom('127.0.0.1', '0.0.0.0'),
        signature_tolerance: whole(1, 900),
        allowed_sources: fc.constant(['10.0.0.0/8', '::1']),
        webhook_max_body_bytes: whole(1, 1_000_000),
        filter_expression: filter,
      }),
      optional(fc.constantFrom('generic', 'github', 'stripe')),
    )
    .map(([more, scheme]): JsonObject => ({
      type: 'webhook',
      ...more,
      ...(scheme === undefined ? {} : { hmac_secret: '${HF_TOKEN}', signature_scheme: scheme }),
    })),
  some({
    watch_patterns: fc.constant(['*.csv', 'a?']),
    watch_events: fc.uniqueArray(fc.constantFrom('created', 'modified', 'deleted', 'moved'), {
      minLength: 1,
    }),
    watch_debounce_seconds: tenths(0, 60),
    watch_backend: fc.constantFrom('auto', 'polling'),
  }).map((more): JsonObject => ({ type: 'file_watch', watch_path: '/srv/in', ...more })),
  some({ event_source: name }).map((more): JsonObject => ({
    type: 'event',
    event_type: 'order.paid',
    ...more,
  })),
  fc.constant<JsonObject>({ type: 'message', topic: 'office.news' }),
);

const budget = some({
  max_tool_calls_per_run: whole(1, 50),
  max_llm_turns_per_run: whole(1, 50),
  max_cost_per_run: tenths(1, 50),
  max_irreversible_per_run: whole(0, 5),
  max_tool_calls_per_day: whole(50, 900),
  max_runs_per_day: whole(1, 900),
  max_cost_per_day: tenths(50, 900),
  tool_costs: fc.dictionary(name, some({ cost_weight: tenths(1, 9), irreversible: fc.boolean() }), {
    maxKeys: 2,
  }),
  on_exceeded: fc.constantFrom('pause', 'stop'),
  daily_reset_hour_utc: whole(0, 23),
  inject_remaining: fc.boolean(),
  warning_threshold: tenths(0.1, 1),
});
const health = some({
  stuck_threshold: whole(2, 20),
  loop_window: whole(20, 50),
  loop_min_repeats: whole(2, 9),
  empty_threshold: whole(2, 20),
  empty_max_chars: whole(0, 99),
  error_window: whole(2, 50),
  error_rate_threshold: tenths(0.1, 1),
  on_anomaly: fc.constantFrom('log', 'pause', 'escalate', 'stop'),
  cooldown: whole(0, 900),
});
const mission = some({
  success_criteria: fc.constantFrom('all is filed', 'none is left'),
  eval_model: fc.constantFrom('openai:gpt-5-mini', 'anthropic:claude-sonnet-4-5'),
  confidence_threshold: tenths(0, 1),
  timeout_hours: whole(2, 99),
  max_invocations: whole(10, 99),
  eval_every: whole(1, 9),
  auto_complete: fc.boolean(),
}).map((more): JsonObject => ({ objective: 'all is filed', ...more }));
const enabled = (section: fc.Arbitrary<JsonObject>) =>
  fc.tuple(fc.boolean(), section).map(([is, more]): JsonObject => ({ enabled: is, ...more }));
const inbox = enabled(
  some({
    max_messages: whole(1, 50),
    max_message_length: whole(1, 2000),
    default_ttl: whole(0, 3600),
    max_ttl: whole(3600, 9999),
    rate_limit_per_sender: whole(1, 99),
  }),
);
const delivery = some({
  max_retries: whole(0, 10),
  retry_backoff: tenths(0.1, 9),
  retry_backoff_max: tenths(1, 99),
  dead_letter_size: whole(0, 500),
  scan_payloads: fc.constant(false),
  max_payload_chars: whole(200, 90_000),
});
const memory = some({
  collection: name,
  user_id: name,
  auto_store: fc.boolean(),
  max: whole(1, 50),
  min_score: tenths(0, 1),
  timeout: tenths(0.1, 20),
}).map((more): JsonObject => ({ provider: 'in_memory', ...more }));
const context = some({
  writable_keys: fc.array(name, { maxLength: 3 }),
  conversation_max_messages: fc.oneof<fc.Arbitrary<Json>[]>(whole(0, 500), fc.constant('${HF_SEVEN}')),
  conversation_history: fc.boolean(),
  conversation_clear_on_stop: fc.constant(false),
  env_prefix: fc.constant('AGENT_'),
});
const openMode = some({
  allow_identity_change: fc.boolean(),
  allow_mcp_connect: fc.boolean(),
  allow_trigger_management: fc.boolean(),
  allow_memory_management: fc.boolean(),
  max_dynamic_triggers: whole(0, 50),
  max_instruction_length: whole(100, 20_000),
  max_rebuilds: fc.option(whole(0, 9)),
  allowed_mcp_urls: fc.constant(['https://example.com/mcp']),
  allow_process_spawn: fc.boolean(),
  max_spawned_processes: whole(0, 9),
});
const secrets = fc.constantFrom<JsonObject>(
  { enabled: true, secrets: { HF_TOKEN: '${HF_TOKEN}' } },
  {
    enabled: true,
    secrets: { HF_TOKEN: '${HF_TOKEN}', HF_KEY: '${HF_KEY}' },
    default_ttl: 60,
    ttls: { HF_KEY: 90 },
    revoke_on_stop: false,
  },
  { enabled: false },
);

const sections = {
  model: fc.constantFrom('openai:gpt-5-mini', 'anthropic:claude-sonnet-4-5', 'mistral:mistral-small-latest'),
  instructions: texts,
  execution_mode: fc.constantFrom('strict', 'open'),
  open_mode: openMode,
  servers: fc.dictionary(name, fc.oneof(stdio, http), { minKeys: 1, maxKeys: 3 }),
  triggers: fc.array(trigger, { minLength: 1, maxLength: 3 }),
  journal: some({
    level: fc.constantFrom('none', 'checkpoint', 'full'),
    backend: fc.constant('file'),
    recover_on_start: fc.constant(true),
  }),
  secrets,
  budget: enabled(budget),
  health: enabled(health),
  mission: enabled(mission),
};
const config = some({
  concurrency: fc.oneof<fc.Arbitrary<Json>[]>(whole(1, 100), fc.constant('${HF_SEVEN}')),
  heartbeat_interval: tenths(0.1, 99),
  idle_timeout: whole(0, 999),
  max_lifetime: whole(0, 999),
  max_consecutive_failures: whole(1, 9),
  restart_policy: fc.constantFrom('always', 'on_failure', 'never'),
  max_restarts: whole(0, 9),
  restart_backoff: tenths(0, 9),
  max_invocation_time: whole(0, 999),
  trigger_delivery: delivery,
  inbox,
});

/** Where a section stands is at random too: by itself, or under `config`. */
export const manifests: fc.Arbitrary<JsonObject> = fc
  .record({
    name,
    own: some({
      version: fc.constant('1.0'),
      world: fc.dictionary(name, value, { maxKeys: 4 }),
      memory,
      context,
    }),
    sections: some(sections),
    config,
    isUnder: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
  })
  .map(({ name: called, own, sections: found, config: rest, isUnder }) => {
    const moved: Record<string, Json> = {};
    const stays: Record<string, Json> = {};
    Object.entries(found).forEach(([key, section], at) => {
      (isUnder[at] === true ? moved : stays)[key] = section;
    });
    const all = { ...rest, ...moved };
    return { name: called, ...own, ...stays, ...(Object.keys(all).length === 0 ? {} : { config: all }) };
  });
