// Everything that waits for a person, over all processes of a journal.

import { z } from 'zod';

export const WAITING_KINDS = ['approval', 'question', 'doubt', 'budget', 'promise'] as const;
export type WaitingKind = (typeof WAITING_KINDS)[number];

export const WaitingItem = z.strictObject({
  /** Unique over all journals. */
  key: z.string(),
  journalId: z.string(),
  process: z.string(),
  /** Whether this host runs its process, and a decision can be taken here. */
  live: z.boolean(),
  /** The state of its process. */
  state: z.string(),
  kind: z.enum(WAITING_KINDS),
  /** Of a promise, an effect, or the name of a limit: what a decision names. */
  id: z.string(),
  /** A tool, the name of an effect or a promise, or a limit. */
  title: z.string(),
  /** One line: what it is for, what is asked, what went wrong. */
  text: z.string(),
  /** Of a tool or an effect; empty elsewhere. */
  effectClass: z.string(),
  since: z.string(),
  /** ISO 8601; null for never. */
  expiresAt: z.string().nullable(),
  /** What happens when nobody decides until then. */
  onExpiry: z.enum(['approve', 'reject', 'fail']),
  isUrgent: z.boolean(),
});
export type WaitingItem = z.infer<typeof WaitingItem>;

export const WaitingView = z.strictObject({
  at: z.string(),
  /** Of more than there is room for, the oldest. */
  items: z.array(WaitingItem),
  count: z.number().int(),
});
export type WaitingView = z.infer<typeof WaitingView>;

/** One of them, with all that a decision needs. Texts are hostile. */
export const WaitingDetail = z.strictObject({
  item: WaitingItem,
  /** Of an approval: whose tool it is. */
  source: z.string(),
  /** What the model says that it is for, or the whole question; empty elsewhere. */
  why: z.string(),
  /** As JSON, indented; what a plain promise comes with, too. Null where there are none. */
  argsText: z.string().nullable(),
  /** Whether `argsText` is all of them, so that they can be edited. */
  isWhole: z.boolean(),
  argsBytes: z.number().int(),
  /** Of the arguments, as JSON; null where it is not known. */
  schemaText: z.string().nullable(),
  diffs: z.array(z.strictObject({ title: z.string(), text: z.string(), isCut: z.boolean() })),
  /** Answers to choose from. */
  options: z.array(z.string()),
  /** Why the decision before this one could not be used; empty where there was none. */
  problem: z.string(),
  /** Of an effect in doubt. */
  effectKey: z.string(),
});
export type WaitingDetail = z.infer<typeof WaitingDetail>;
