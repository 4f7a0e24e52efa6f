// What a manifest says of triggers: Promptise's keys and defaults, durations in seconds; under `holdfast` what it has no word
// for.

import { resolve } from 'node:path';
import { z } from 'zod';
import { AppError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import {
  FILE_EVENTS,
  MISSED_POLICIES,
  SIGNATURE_SCHEMES,
  type FileWatchTriggerConfig,
  type TriggerConfig,
  type WebhookTriggerConfig,
} from '../model/trigger-config.ts';
import { withVariables } from './variables.ts';

const MAX_PATH = 4_096;
const PORTS = 'take a port from 1025 to 65535; those below belong to the system';
const DEFAULT_BODY_KILOBYTES = 1_024;
/** A larger payload than of 16 MiB is taken of nobody. */
const MAX_BODY_KILOBYTES = 16_384;
const HEADER = /^[\w!#$%&'*+.^`|~-]+$/;
/** Promptise writes it where a secret stood. */
const PLACEHOLDER = /^\*{10}$/;

const Filter = {
  filter_expression: z.string().min(1).nullish(),
  trusted: z
    .literal(
      false,
      'what an event carries is data, and never an instruction: who may tell the agent what to do writes to its inbox',
    )
    .optional(),
  custom_config: z
    .record(z.string(), z.unknown())
    .refine((config) => Object.keys(config).length === 0, 'there are no triggers of other types')
    .optional(),
};
const Own = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape).prefault({} as never);

const CronTrigger = z.strictObject({
  type: z.literal('cron'),
  ...Filter,
  cron_expression: z.string().min(1).max(500),
  cron_timezone: z.string().min(1).max(100).nullish(),
  holdfast: Own({ missed: z.enum(MISSED_POLICIES).default('skip') }),
});
const ManualTrigger = z.strictObject({ type: z.literal('manual') });
/** Both may hold `*` and `?`. */
const EventTrigger = z.strictObject({
  type: z.literal('event'),
  ...Filter,
  event_type: z.string().min(1).max(200),
  event_source: z.string().min(1).nullish(),
});
const MessageTrigger = z.strictObject({
  type: z.literal('message'),
  ...Filter,
  topic: z.string().min(1).max(200),
});
const WebhookKeys = z.strictObject({
  type: z.literal('webhook'),
  ...Filter,
  webhook_path: z.string().min(1).max(MAX_PATH).default('/webhook'),
  webhook_port: z.number().int().min(1_025, PORTS).max(65_535, PORTS).default(9_090),
  webhook_host: z.string().min(1).max(255).default('127.0.0.1'),
  hmac_secret: z
    .string()
    .min(1)
    .refine((secret) => !PLACEHOLDER.test(secret), 'this is what stands where a secret was taken out')
    .nullish(),
  signature_scheme: z
    .enum(SIGNATURE_SCHEMES, `the schemes are ${SIGNATURE_SCHEMES.join(', ')}`)
    .default('generic'),
  signature_header: z.string().max(100).regex(HEADER, 'no header can be called so').nullish(),
  signature_tolerance: z.number().positive().max(86_400).default(300),
  allowed_sources: z.array(z.string().min(1).max(100)).max(1_000).default([]),
  webhook_max_body_bytes: z
    .number()
    .int()
    .min(1)
    .max(MAX_BODY_KILOBYTES * 1024, `${MAX_BODY_KILOBYTES} KiB at most`)
    .optional(),
  holdfast: Own({ max_body_kilobytes: z.number().int().min(1).max(MAX_BODY_KILOBYTES).optional() }),
});
/** Whoever says how something is signed wants it to be. */
const WebhookTrigger = WebhookKeys.superRefine(
  ({ hmac_secret: secret, signature_scheme: scheme, signature_header: header, ...rest }, context) => {
    if (rest.webhook_max_body_bytes !== undefined && rest.holdfast.max_body_kilobytes !== undefined) {
      context.addIssue({
        code: 'custom',
        path: ['webhook_max_body_bytes'],
        message: 'it is given twice: leave it out where holdfast.max_body_kilobytes is',
      });
    }
    if (secret !== null && secret !== undefined) return;
    const message = 'nothing is signed without an hmac_secret';
    if (scheme !== 'generic') context.addIssue({ code: 'custom', path: ['signature_scheme'], message });
    if (header !== null && header !== undefined) {
      context.addIssue({ code: 'custom', path: ['signature_header'], message });
    }
  },
);
const FileWatchTrigger = z.strictObject({
  type: z.literal('file_watch'),
  ...Filter,
  watch_path: z.string().min(1).max(MAX_PATH),
  watch_patterns: z.array(z.string().min(1).max(500)).min(1).max(100).default(['*']),
  watch_events: z.array(z.enum(FILE_EVENTS)).min(1).default(['created', 'modified']),
  watch_debounce_seconds: z.number().nonnegative().max(3_600).default(0.5),
  watch_recursive: z
    .literal(true, 'folders inside are always watched: name the files with watch_patterns')
    .optional(),
  watch_backend: z.enum(['auto', 'watchdog', 'polling']).default('auto'),
  watch_poll_interval: z.number().positive().max(3_600).optional(),
  watch_max_pending_events: z.number().int().min(1).optional(),
  holdfast: Own({ polling: z.boolean().nullish() }),
});

export const ManifestTrigger = z.discriminatedUnion(
  'type',
  [CronTrigger, ManualTrigger, EventTrigger, MessageTrigger, WebhookTrigger, FileWatchTrigger],
  { error: 'it is one of cron, manual, event, message, webhook and file_watch' },
);
export type ManifestTrigger = z.output<typeof ManifestTrigger>;

/**
 * A trigger as somebody wrote it, beside a manifest.
 * @throws `trigger.invalid`, naming what is wrong, and what {@link triggerOf} throws
 */
export function triggerFromManifest(written: JsonObject, directory = '/'): TriggerConfig {
  const parsed = ManifestTrigger.safeParse(written);
  if (parsed.success) return triggerOf(parsed.data, directory);
  const problems = parsed.error.issues.map(issueText);
  throw new AppError('trigger.invalid', `This can't be a trigger: ${problems.join('; ')}.`, { problems });
}

function issueText(issue: z.core.$ZodIssue): string {
  const where = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return `${where || 'it'}: ${issue.message}`;
  return `${where || 'it'} has ${issue.keys.map((key) => `"${key}"`).join(', ')}, which is no setting of this type`;
}

/**
 * @param directory what paths in it are relative to
 * @throws `manifest.no-variable`
 */
export function triggerOf(
  trigger: ManifestTrigger,
  directory: string,
  environment: NodeJS.ProcessEnv = process.env,
): TriggerConfig {
  switch (trigger.type) {
    case 'cron':
      return {
        type: 'cron',
        cronExpression: trigger.cron_expression,
        cronTimezone: trigger.cron_timezone ?? 'UTC',
        missed: trigger.holdfast.missed,
        filter: trigger.filter_expression ?? null,
      };
    case 'manual':
      return { type: 'manual' };
    case 'event':
      return {
        type: 'event',
        eventType: trigger.event_type,
        eventSource: trigger.event_source ?? null,
        filter: trigger.filter_expression ?? null,
      };
    case 'message':
      return { type: 'message', topic: trigger.topic, filter: trigger.filter_expression ?? null };
    case 'webhook':
      return webhookOf(trigger, environment);
    case 'file_watch':
      return fileWatchOf(trigger, directory);
  }
}

function webhookOf(
  trigger: z.output<typeof WebhookTrigger>,
  environment: NodeJS.ProcessEnv,
): WebhookTriggerConfig {
  const secret = trigger.hmac_secret ?? null;
  return {
    type: 'webhook',
    host: trigger.webhook_host,
    port: trigger.webhook_port,
    path: trigger.webhook_path,
    secret: secret === null ? null : withVariables(secret, environment),
    scheme: trigger.signature_scheme,
    signatureHeader: trigger.signature_header?.toLowerCase() ?? null,
    toleranceMs: trigger.signature_tolerance * 1000,
    allowedSources: trigger.allowed_sources,
    maxBodyBytes:
      trigger.webhook_max_body_bytes ??
      (trigger.holdfast.max_body_kilobytes ?? DEFAULT_BODY_KILOBYTES) * 1024,
    filter: trigger.filter_expression ?? null,
  };
}

function fileWatchOf(trigger: z.output<typeof FileWatchTrigger>, directory: string): FileWatchTriggerConfig {
  return {
    type: 'file_watch',
    path: resolve(directory, trigger.watch_path),
    patterns: trigger.watch_patterns,
    events: trigger.watch_events,
    debounceMs: trigger.watch_debounce_seconds * 1000,
    polling: trigger.holdfast.polling ?? pollingBy(trigger.watch_backend),
    filter: trigger.filter_expression ?? null,
  };
}

/** Null: by what the disk is. */
function pollingBy(backend: 'auto' | 'watchdog' | 'polling'): boolean | null {
  return backend === 'auto' ? null : backend === 'polling';
}
