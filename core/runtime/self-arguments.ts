// What an agent asks of its host about itself, as its tools send it.

import { z } from 'zod';
import type { SelfAction } from '../model/self-actions.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { refused } from './self-guards.ts';

const Why = { reason: z.string().max(500).default('') };
const Name = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'take 1 to 40 of a-z, 0-9, - and _');
const Trigger = z.custom<JsonObject>(isObject, 'a trigger is an object, as a manifest writes it');
const Nothing = z.strictObject({});

const ARGUMENTS = {
  modify_instructions: z.strictObject({ instructions: z.string().trim().min(1), ...Why }),
  add_trigger: z.strictObject({ trigger: Trigger, ...Why }),
  remove_trigger: z.strictObject({ trigger_id: z.string().min(1).max(5_000), ...Why }),
  connect_mcp_server: z.strictObject({
    name: Name,
    url: z.string().min(1),
    transport: z.enum(['streamable-http', 'sse']).default('streamable-http'),
    ...Why,
  }),
  disconnect_mcp_server: z.strictObject({ name: z.string().min(1).max(200), ...Why }),
  spawn_process: z.strictObject({
    name: Name,
    instructions: z.string().trim().min(1),
    task: z.string().max(20_000).default(''),
    triggers: z.array(Trigger).max(100).default([]),
    secrets: z.array(z.string().max(100)).max(100).default([]),
    ...Why,
  }),
  undo_change: z.strictObject({ change: z.union([z.int().positive(), z.literal('all')]), ...Why }),
  get_secret: z.strictObject({ name: z.string().min(1).max(100) }),
  list_processes: Nothing,
  list_capabilities: Nothing,
  check_budget: Nothing,
  check_mission: Nothing,
} as const satisfies Record<SelfAction, z.ZodType>;

export type ArgumentsOf<A extends SelfAction> = z.output<(typeof ARGUMENTS)[A]>;

/** @throws `self.bad-arguments` */
export function argumentsOf<A extends SelfAction>(action: A, args: unknown): ArgumentsOf<A> {
  const parsed = ARGUMENTS[action].safeParse(args ?? {});
  if (parsed.success) return parsed.data as ArgumentsOf<A>;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
  throw refused('bad-arguments', `${action} can't be called so: ${problems.join('; ')}.`);
}
