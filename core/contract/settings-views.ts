// Settings that people change while a process lives, as the console shows them.

import { z } from 'zod';
import { LIMIT_NAMES } from '../model/budget.ts';

/** A setting that is not as the manifest has it. Values are JSON; null where there is none. */
export const SettingView = z.strictObject({
  path: z.string(),
  manifestText: z.string().nullable(),
  valueText: z.string().nullable(),
  actor: z.string(),
  reason: z.string(),
  at: z.string(),
});
export type SettingView = z.infer<typeof SettingView>;

/** A limit that can be set, whether it is or not, and by which path. */
export const LimitSettingView = z.strictObject({
  limit: z.enum(LIMIT_NAMES),
  path: z.string(),
  words: z.string(),
  /** What is in force, without what was granted above it; null for no limit. */
  value: z.number().nullable(),
});
export type LimitSettingView = z.infer<typeof LimitSettingView>;

export const SettingsView = z.strictObject({
  /** The first of `changedCount`. */
  changed: z.array(SettingView),
  changedCount: z.number().int(),
  /** None where nobody runs it here. */
  limits: z.array(LimitSettingView),
});
export type SettingsView = z.infer<typeof SettingsView>;

export const SettingsPlanView = z.strictObject({
  process: z.string(),
  /** None: it is all so already. */
  changes: z.array(
    z.strictObject({
      path: z.string(),
      manifestText: z.string().nullable(),
      fromText: z.string().nullable(),
      toText: z.string().nullable(),
    }),
  ),
});
export type SettingsPlanView = z.infer<typeof SettingsPlanView>;

/** How the one switch for all triggers stands now, and what became of setting it. */
export const TriggerSwitchView = z.strictObject({
  held: z.boolean(),
  reached: z.number().int(),
  /** Processes whose journal could not take it. */
  failed: z.array(z.strictObject({ process: z.string(), message: z.string() })),
  message: z.string(),
});
export type TriggerSwitchView = z.infer<typeof TriggerSwitchView>;
