// What people decide about the bounds of a process.

import { z } from 'zod';
import { MAX_AMOUNT, MAX_EXTENSION_MS } from '../model/budget.ts';
import { ANOMALY_TYPES } from '../model/health.ts';
import { MISSION_ORDERS } from '../model/mission.ts';
import { MAX_SECRET_LENGTH, MAX_SECRET_TTL_MS } from '../model/secrets.ts';
import { defineRequest } from './define.ts';
import { SettingsPlanView } from './settings-views.ts';
import { OneProcess, Command, NeedsReason, Outcome, Seq } from './request-parts.ts';

const Settings = {
  /** By path, each value as JSON; null takes a setting away. */
  set: z.record(z.string().min(1).max(1_000), z.string().max(10_000)),
  /** Paths that are to be as the manifest has them. */
  undo: z.array(z.string().min(1).max(1_000)).max(200),
};

export const GOVERNANCE_REQUESTS = {
  /** Allows more than a limit of the manifest says: until the day or the run is over, or only for so long. */
  'budget.extend': defineRequest(
    'budget.extend',
    z.strictObject({
      ...NeedsReason.shape,
      limit: z.string().min(1).max(200),
      amount: z.number().positive().max(MAX_AMOUNT),
      forMs: z.number().positive().max(MAX_EXTENSION_MS).nullable(),
    }),
    Outcome,
  ),
  /** Tells everybody whom the manifest names that this is a test, once. */
  'escalation.test': defineRequest('escalation.test', Command, Outcome),
  /** Pauses its mission, takes it up again, or says how it ended. */
  'mission.change': defineRequest(
    'mission.change',
    z.strictObject({ ...NeedsReason.shape, order: z.enum(MISSION_ORDERS) }),
    Outcome,
  ),
  /** Somebody has seen what was found, of one type or at all: the detectors begin anew, and what that held goes on. */
  'health.clear': defineRequest(
    'health.clear',
    z.strictObject({ ...NeedsReason.shape, type: z.enum(ANOMALY_TYPES).nullable() }),
    Outcome,
  ),
  /** Settings of the manifest while the process lives, all of them or none; the manifest stays as it is. */
  'settings.change': defineRequest(
    'settings.change',
    z.strictObject({ ...NeedsReason.shape, ...Settings }),
    Outcome,
  ),
  'settings.plan': defineRequest(
    'settings.plan',
    z.strictObject({ ...OneProcess, ...Settings }),
    SettingsPlanView,
  ),
  /** Takes back what an agent changed about itself: these entries, or, with null, all that is in force. */
  'self.undo': defineRequest(
    'self.undo',
    z.strictObject({ ...NeedsReason.shape, changes: z.array(Seq).min(1).max(200).nullable() }),
    Outcome,
  ),
  /** The value goes this way once, and never back. */
  'secrets.rotate': defineRequest(
    'secrets.rotate',
    z.strictObject({
      ...NeedsReason.shape,
      name: z.string().min(1).max(200),
      value: z.string().min(1).max(MAX_SECRET_LENGTH),
      /** Null for ever; left out, as long as the manifest says. */
      ttlMs: z.number().positive().max(MAX_SECRET_TTL_MS).nullable().optional(),
    }),
    Outcome,
  ),
  /** Null for all of them. */
  'secrets.revoke': defineRequest(
    'secrets.revoke',
    z.strictObject({ ...NeedsReason.shape, name: z.string().min(1).max(200).nullable() }),
    Outcome,
  ),
} as const;
