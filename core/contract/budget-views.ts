// What a process may use, what it has used, and how fast.

import { z } from 'zod';
import { LIMIT_NAMES } from '../model/budget.ts';
import { CAP_NAMES } from '../model/cap-names.ts';
import { METERS } from '../model/meters.ts';

export const BudgetView = z.strictObject({
  day: z.string(),
  /** When the day of the budget ends; null where nobody opened one. */
  until: z.string().nullable(),
  /** Null: nothing that was read says, so unknown, and never shown as 0 [P5]. */
  runs: z.number().int().nullable(),
  maxRunsPerDay: z.number().int().nullable(),
  /** In the manifest's own units. Null: not metered, so unknown, and never shown as 0 [P5]. */
  cost: z.number().nullable(),
  /** What its models used, with what is under way; null where nothing says so [P5]. */
  models: z
    .strictObject({
      turns: z.number(),
      tokens: z.number(),
      money: z.number(),
      /** Calls of which not all that they cost is in `money`: it is at least that. */
      unpriced: z.number(),
    })
    .nullable(),
  /** Of money, ISO 4217; null where nobody said. */
  currency: z.string().nullable(),
  /** Each limit that is set; of a run, as the run stands that has used most of it. */
  limits: z.array(
    z.strictObject({
      limit: z.enum(LIMIT_NAMES),
      scope: z.enum(['run', 'day']),
      words: z.string(),
      max: z.number(),
      spent: z.number(),
      reserved: z.number(),
      /** How far it can be passed at most by what is under way; null: nobody knows [P5]. */
      overshoot: z.number().nullable(),
      /** Of money: calls of which not all is counted in it. */
      unpriced: z.number(),
    }),
  ),
  /** What did not fit and waits for more, and how much more that needs; null where everything fits. */
  exceeded: z
    .strictObject({
      limit: z.enum(LIMIT_NAMES),
      text: z.string(),
      missing: z.number(),
      /** Not its own limit, which extending would help, but that on all processes or all workspaces together. */
      cap: z.enum(CAP_NAMES).optional(),
      /** A limit on a process and all that it began: whose. */
      of: z.string().optional(),
    })
    .nullable(),
});

const Spent = z.strictObject({
  /** The first minute of it, counted from the epoch. */
  at: z.number(),
  spent: z.partialRecord(z.enum(METERS), z.number()),
});

/** When it spent what lately: how fast it does is worked out from this and the time that it is. */
export const SpendingView = z.strictObject({
  since: z.number().nullable(),
  minutes: z.array(Spent),
  halfHours: z.array(Spent),
});
