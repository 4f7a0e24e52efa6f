// What a worker may say. Its code is somebody else's, so nothing it sends is believed before it was looked at.

import { z } from 'zod';
import type { FromHarness } from '../agent/worker-harness.ts';
import { EFFECT_CLASSES } from '../model/effects.ts';
import type { Json } from '../model/json.ts';
import {
  jsonBytes,
  MAX_CODE,
  MAX_CONTENT,
  MAX_ERROR_TEXT,
  MAX_RESULT_BYTES,
  MAX_MODEL_NAME,
  MAX_STATE_KEY,
  MAX_TOKENS,
  MAX_TOLD_WAITS,
  MAX_VALUE_BYTES,
} from '../model/limits.ts';
import type { TokenMeter } from '../model/meters.ts';
import { MESSAGE_KINDS, topicProblem } from '../model/messages.ts';
import { MAX_LIST_BYTES, MAX_PROBLEM, MAX_PROBLEMS, SERVER_STATES } from '../model/tools.ts';
import { LOG_LEVELS, type FromWorker } from '../model/worker-protocol.ts';

const run = z.number().int();
const effectId = z.string().min(1).max(600);
/** Twice what ours send: a text may be put together. */
const text = z.string().max(2 * MAX_ERROR_TEXT);
/** Any JSON of this size; whether it can be recorded is the recorder's judgement. */
const jsonWithin = (maxBytes: number) => z.unknown().refine((value) => isWithin(value, maxBytes));
const json = jsonWithin(MAX_VALUE_BYTES);

/** Of what is seen of a model's call while it goes on; what is scrubbed may be longer than it was. */
const MAX_GLIMPSE = 20_000;

const answer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), value: json }),
  z.object({ ok: z.literal(false), code: z.string().max(MAX_CODE), message: text }),
]);

const count = z.number().int().min(0).max(MAX_TOKENS).optional();
const tokens = z.object({
  tokensIn: count,
  tokensCachedRead: count,
  tokensCachedWrite: count,
  tokensOut: count,
} satisfies Record<TokenMeter, typeof count>);

const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('leaving') }),
  z.object({ type: z.literal('pong'), id: z.number(), rss: z.number().nonnegative().optional() }),
  z.object({
    type: z.literal('effect-announced'),
    run,
    effectId,
    name: z.string().min(1).max(200),
    occurrence: z.number().int().nonnegative(),
    effectClass: z.enum(EFFECT_CLASSES),
    argsHash: z.string().max(64),
    args: json,
    key: z.string().max(2_000),
    keyTtlMs: z.number().positive().nullable(),
    timeoutMs: z.number().positive().nullable(),
    attempt: z.number().int().positive(),
    model: z.string().min(1).max(MAX_MODEL_NAME).optional(),
    expects: tokens.optional(),
  }),
  z.object({
    type: z.literal('effect-ended'),
    run,
    effectId,
    end: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('done'), result: jsonWithin(MAX_RESULT_BYTES) }),
      z.object({ kind: z.literal('did_not_happen'), error: text }),
      z.object({
        kind: z.literal('in_doubt'),
        error: text,
        reconciled: z.literal(true).optional(),
        givenUp: z.literal(true).optional(),
      }),
    ]),
    reconciled: z.boolean(),
    isAwaited: z.boolean(),
    used: z
      .object({ tokens, isUnclear: z.boolean(), model: z.string().max(MAX_MODEL_NAME).optional() })
      .optional(),
  }),
  z.object({
    type: z.literal('effect-unlike'),
    run,
    effectId,
    argsHash: z.string().max(64),
    args: json,
  }),
  z.object({
    type: z.literal('wait-began'),
    run,
    waitId: z.string().min(1).max(600),
    kind: z.enum(['promise', 'timer']),
    name: z.string().min(1).max(200),
    occurrence: z.number().int().nonnegative(),
    data: json,
    dueInMs: z.number().nonnegative().nullable(),
    dueAt: z.number().nullable(),
  }),
  z.object({
    type: z.literal('said'),
    run,
    ordinal: z.number().int().nonnegative(),
    role: z.string().max(100),
    content: z.string().max(MAX_CONTENT),
  }),
  z.object({
    type: z.literal('compacted'),
    run,
    ordinal: z.number().int().nonnegative(),
    keep: z.number().int().nonnegative(),
    count: z.number().int().positive(),
    summary: z.string().max(MAX_CONTENT),
  }),
  z.object({
    type: z.literal('clock-read'),
    run,
    ordinal: z.number().int().nonnegative(),
    at: z.number(),
  }),
  z.object({
    type: z.literal('version-chosen'),
    run,
    name: z.string().min(1).max(200),
    version: z.number().int(),
  }),
  z.object({
    type: z.literal('message-sent'),
    run,
    kind: z.enum(MESSAGE_KINDS),
    topic: z.string().refine((topic) => topicProblem(topic) === null),
    occurrence: z.number().int().nonnegative(),
    data: json,
    argsHash: z.string().max(64),
  }),
  z.object({
    type: z.literal('invocation-waiting'),
    run,
    for: z.array(z.string().max(600)).max(MAX_TOLD_WAITS),
    heard: z.number().int().nonnegative(),
  }),
  z.object({ type: z.literal('query-answered'), run, id: z.number().int(), answer }),
  z.object({ type: z.literal('judged'), answer }),
  z.object({
    type: z.literal('state-written'),
    run,
    ordinal: z.number().int().nonnegative(),
    key: z.string().max(MAX_STATE_KEY),
    value: json,
    deleted: z.boolean(),
  }),
  z.object({
    type: z.literal('tools-listed'),
    run,
    offers: z.array(z.record(z.string(), z.unknown())).refine((offers) => isWithin(offers, MAX_LIST_BYTES)),
    problems: z.array(z.string().max(MAX_PROBLEM)).max(MAX_PROBLEMS),
  }),
  z.object({
    type: z.literal('tool-servers'),
    servers: z
      .array(
        z.object({
          server: z.string().max(200),
          state: z.enum(SERVER_STATES),
          why: z.string().max(MAX_PROBLEM),
          retryAt: z.number().nullable(),
        }),
      )
      .max(100),
  }),
  z.object({
    type: z.literal('glimpsed'),
    run,
    saying: z
      .object({
        model: z.string().max(MAX_GLIMPSE),
        text: z.string().max(MAX_GLIMPSE),
        wait: z.object({ text: z.string().max(MAX_GLIMPSE), untilMs: z.number().nullable() }).nullable(),
      })
      .nullable(),
  }),
  z.object({ type: z.literal('secret-asked'), run, id: z.number().int(), name: z.string().max(200) }),
  z.object({
    type: z.literal('host-asked'),
    run,
    id: z.number().int(),
    key: z.string().min(1).max(2_000),
    action: z.string().max(100),
    args: json,
  }),
  z.object({ type: z.literal('log'), run, level: z.enum(LOG_LEVELS), text }),
  z.object({ type: z.literal('invocation-done'), run, response: text, isText: z.boolean().optional() }),
  z.object({
    type: z.literal('invocation-failed'),
    run,
    code: z.string().max(MAX_CODE),
    message: text,
    terminal: z.boolean(),
  }),
  z.object({ type: z.literal('invocation-refused'), run, why: text }),
  z.object({ type: z.literal('invocation-held'), run, effectId }),
]);

function isWithin(value: unknown, maxBytes: number): boolean {
  try {
    return value === undefined || jsonBytes(value as Json) <= maxBytes;
  } catch {
    return true; // No JSON at all, which the recorder says.
  }
}

/** The message, or null for what no worker of ours says. */
export function parseFromWorker(message: unknown): FromWorker | FromHarness | null {
  const parsed = Message.safeParse(message);
  return parsed.success ? (parsed.data as FromWorker | FromHarness) : null;
}
