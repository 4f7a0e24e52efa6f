// What a worker may say. Its code is somebody else's, so nothing it sends is believed before it was looked at.

import { z } from 'zod';
import { EFFECT_CLASSES } from '../model/effects.ts';
import { LOG_LEVELS, type FromWorker } from '../model/worker-protocol.ts';

const run = z.number().int();
const effectId = z.string().min(1).max(600);
const text = z.string().max(20_000);
/** Any JSON; whether it can be recorded is the recorder's judgement. */
const json = z.unknown();

const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('pong'), id: z.number() }),
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
    attempt: z.number().int().positive(),
  }),
  z.object({
    type: z.literal('effect-ended'),
    run,
    effectId,
    end: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('done'), result: json }),
      z.object({ kind: z.literal('did_not_happen'), error: z.string() }),
      z.object({ kind: z.literal('in_doubt'), error: z.string() }),
    ]),
  }),
  z.object({
    type: z.literal('state-written'),
    run,
    ordinal: z.number().int().nonnegative(),
    key: z.string().max(10_000),
    value: json,
    deleted: z.boolean(),
  }),
  z.object({ type: z.literal('log'), run, level: z.enum(LOG_LEVELS), text }),
  z.object({ type: z.literal('invocation-done'), run, response: text }),
  z.object({ type: z.literal('invocation-failed'), run, code: z.string().max(200), message: text }),
  z.object({ type: z.literal('invocation-held'), run, effectId }),
]);

/** The message, or null for what no worker of ours says. */
export function parseFromWorker(message: unknown): FromWorker | null {
  const parsed = Message.safeParse(message);
  return parsed.success ? (parsed.data as FromWorker) : null;
}
