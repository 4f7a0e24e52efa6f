// Going back in a journal, and beginning another process from one of its entries.

import { z } from 'zod';
import { defineRequest } from './define.ts';
import { ForkPlanView, RewindPlanView } from './rewind-views.ts';
import { ProcessName, OneProcess, NeedsReason, Outcome, JsonText, Seq } from './request-parts.ts';

const Rewind = { to: Seq, isHandledAgain: z.boolean() };

const Fork = {
  at: Seq,
  name: ProcessName,
  /** Keys of the context, and paths of the manifest, each with its value as JSON. */
  set: z.record(z.string().min(1).max(10_000), JsonText),
  configure: z.record(z.string().min(1).max(1_000), JsonText),
};

export const REWIND_REQUESTS = {
  /** What it would do. Nothing is done. */
  'rewind.plan': defineRequest('rewind.plan', z.strictObject({ ...OneProcess, ...Rewind }), RewindPlanView),
  /** `undone`: how many invocations were seen undone in its plan; null for whatever there are. */
  'rewind.apply': defineRequest(
    'rewind.apply',
    z.strictObject({ ...NeedsReason.shape, ...Rewind, undone: z.number().int().nonnegative().nullable() }),
    Outcome,
  ),
  'fork.plan': defineRequest('fork.plan', z.strictObject({ ...OneProcess, ...Fork }), ForkPlanView),
  'fork.apply': defineRequest('fork.apply', z.strictObject({ ...NeedsReason.shape, ...Fork }), Outcome),
} as const;
