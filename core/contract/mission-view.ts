import { z } from 'zod';
import { MISSION_OUTCOMES } from '../model/mission-state.ts';
import { MISSION_ORDERS, MISSION_STATES } from '../model/mission.ts';

export const MissionView = z.strictObject({
  objective: z.string(),
  successCriteria: z.string(),
  status: z.enum(MISSION_STATES),
  since: z.string(),
  reason: z.string(),
  actor: z.string(),
  /** Its limits count from here. */
  startedAt: z.string(),
  /** Successful runs since then. */
  runs: z.number().int(),
  /** Verdicts in all, of which the newest are listed. */
  evaluations: z.number().int(),
  /** Oldest first. Confidence and progress from 0 to 1; null: the judge did not say. */
  history: z.array(
    z.strictObject({
      at: z.string(),
      invocation: z.number().int(),
      achieved: z.boolean(),
      confidence: z.number(),
      progress: z.number().nullable(),
      reasoning: z.string(),
      outcome: z.enum(MISSION_OUTCOMES),
    }),
  ),
  /** The last advance; its drift is the time since then. */
  advancedAt: z.string(),
  /** Why there was no verdict when one was due last; null where there was. */
  unknown: z
    .strictObject({
      reason: z.string(),
      at: z.string(),
      attempts: z.number().int(),
      isForBudget: z.boolean(),
    })
    .nullable(),
  isJudging: z.boolean(),
  /** What the manifest says; null where nobody runs it here, so that it is unknown [P5]. */
  terms: z
    .strictObject({
      /** The model that judges; null: the module does. */
      evalModel: z.string().nullable(),
      evalEvery: z.number().int(),
      threshold: z.number(),
      /** Null: as many as it likes. */
      maxInvocations: z.number().int().nullable(),
      /** Null: never, or not while it is as it is. */
      endsAt: z.string().nullable(),
      /** From then on it is drifting, unless there is an advance before; null where nothing counts as that. */
      driftsAt: z.string().nullable(),
      /** After so many more runs it is judged; 0: it is due, null: not while it is as it is. */
      nextIn: z.number().int().nullable(),
    })
    .nullable(),
  /** What an operator may tell it now. */
  orders: z.array(z.enum(MISSION_ORDERS)),
});
export type MissionView = z.infer<typeof MissionView>;
