// The tools of a model agent, as the console shows them.

import { z } from 'zod';
import { EFFECT_CLASSES } from '../model/effects.ts';
import { SERVER_STATES } from '../model/tools.ts';

/** Who said how a call in doubt is handled: an operator since, the manifest, the annotations of a trusted server, nobody any
 * more because those have changed, or nobody. */
export const TOOL_DECIDERS = ['operator', 'manifest', 'annotation', 'changed', 'default'] as const;

export const ToolServerView = z.strictObject({
  name: z.string(),
  /** What is started, or where it is reached. */
  target: z.string(),
  isTrusted: z.boolean(),
  roots: z.array(z.string()),
  /** As of the worker that runs, or of the last one that this host saw; `unknown`: it has seen none. */
  state: z.enum([...SERVER_STATES, 'unknown']),
  why: z.string(),
  retryAt: z.string().nullable(),
  /** Since when that is known; null where nothing is. */
  at: z.string().nullable(),
  /** Whether that is how it is now. */
  isNow: z.boolean(),
  /** Of those that were offered last. */
  toolCount: z.number().int(),
});
export type ToolServerView = z.infer<typeof ToolServerView>;

export const ToolView = z.strictObject({
  /** As the model calls it. */
  name: z.string(),
  /** Whose it is: `mcp:files`; empty where that is not known any more. */
  source: z.string(),
  description: z.string(),
  class: z.enum(EFFECT_CLASSES).nullable(),
  decidedBy: z.enum(TOOL_DECIDERS),
  /** Whether somebody has to approve each call. */
  asks: z.boolean(),
  isEnabled: z.boolean(),
  /** Whether an invocation was offered it, when that was looked at last. */
  isOffered: z.boolean(),
});
export type ToolView = z.infer<typeof ToolView>;

export const ToolsView = z.strictObject({
  /** False for an agent with code of its own, which brings its own tools. */
  isModelAgent: z.boolean(),
  /** When an invocation looked last; null before any has. */
  listedAt: z.string().nullable(),
  /** What could not be offered then. */
  problems: z.array(z.string()),
  /** The first of `serverCount`. */
  servers: z.array(ToolServerView),
  serverCount: z.number().int(),
  /** The first of `toolCount`. */
  tools: z.array(ToolView),
  toolCount: z.number().int(),
});
export type ToolsView = z.infer<typeof ToolsView>;
