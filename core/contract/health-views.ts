// How well a process does: in short for its row, and detector by detector.

import { z } from 'zod';
import { ANOMALY_TYPES, ON_ANOMALY } from '../model/health.ts';

export const HealthView = z.strictObject({
  sample: z.number().int(),
  failures: z.number().int(),
  /** Oldest first, true for a run that succeeded; at most ten. */
  runs: z.array(z.boolean()),
  /** `failing`: runs. `unwell`: something else was found, and is there. Too few runs, and nothing found: unknown. */
  verdict: z.enum(['unknown', 'ok', 'failing', 'unwell']),
  /** What was found and is there, the first found first. */
  anomalies: z.array(z.strictObject({ type: z.enum(ANOMALY_TYPES), text: z.string(), at: z.string() })),
});

/** One detector of a process's health. */
export const DetectorView = z.strictObject({
  type: z.enum(ANOMALY_TYPES),
  /** `unknown`: there is too little to look at, or nobody runs it here; never shown as well [P5]. */
  state: z.enum(['off', 'unknown', 'ok', 'found']),
  sample: z.number().int().nullable(),
  needed: z.number().int().nullable(),
  /** What it sees now, and what it would take; empty where nobody knows. */
  reading: z.string(),
  threshold: z.string(),
  action: z.enum(ON_ANOMALY).nullable(),
  /** The last time that it found something, and when that was over. */
  last: z
    .strictObject({
      description: z.string(),
      at: z.string(),
      action: z.string(),
      overAt: z.string().nullable(),
    })
    .nullable(),
  /** Until then the same is not found again. */
  coolsUntil: z.string().nullable(),
});
export type DetectorView = z.infer<typeof DetectorView>;
