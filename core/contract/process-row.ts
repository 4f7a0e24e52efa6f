// A process in one line: of the fleet, of the tray, of a menu. What the console shows is computed by the host and by nobody
// else; journal text in it is hostile, here and in all other views: bounded by the host, shown as text nodes by the console.

import { z } from 'zod';
import { ACTIONS } from '../model/allowed-actions.ts';
import { CAUSE_KINDS } from '../model/escalation.ts';
import { BudgetView } from './budget-views.ts';
import { HealthView } from './health-views.ts';

/** What an operator may do now. The console shows these and never works them out for itself. */
export const Action = z.enum(ACTIONS);
export type Action = z.infer<typeof Action>;

export const Tone = z.enum(['quiet', 'working', 'attention', 'alarm']);
export type Tone = z.infer<typeof Tone>;

export const ProcessRow = z.strictObject({
  /** Opaque, unique over all journals: the address without its scheme, `<journal id>/<name, URI-encoded>`. */
  key: z.string(),
  journalId: z.string(),
  name: z.string(),
  description: z.string(),
  /** Whether this host runs it. Otherwise the row is what the journal last said [S41]. */
  live: z.boolean(),
  /** A lifecycle state, or whatever word a foreign journal holds. */
  state: z.string(),
  stateSince: z.string().nullable(),
  /** "Why is it not moving", or what it is doing, in one line; it leads up to `whyAt`, where there is one. */
  why: z.string(),
  /** ISO 8601: until when, or when it goes on. */
  whyAt: z.string().nullable(),
  tone: Tone,
  budget: BudgetView,
  /** What somebody outside is to be told of and is not over, the newest first; at most three. */
  causes: z.array(
    z.strictObject({ key: z.string(), kind: z.enum(CAUSE_KINDS), summary: z.string(), at: z.string() }),
  ),
  health: HealthView,
  invocations: z.number().int(),
  queued: z.number().int(),
  doubts: z.number().int(),
  /** What waits for a person: how many there are, and a mark that changes with which they are. */
  waiting: z.strictObject({ count: z.number().int(), mark: z.string() }),
  restarts: z.number().int(),
  entries: z.number().int(),
  lastEntryType: z.string(),
  lastEntryAt: z.string().nullable(),
  worker: z.strictObject({ pid: z.number().int(), generation: z.number().int() }).nullable(),
  actions: z.array(Action),
});
export type ProcessRow = z.infer<typeof ProcessRow>;
