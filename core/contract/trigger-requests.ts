// What may wake processes: one by one, and all of a workspace at once.

import { z } from 'zod';
import { defineRequest } from './define.ts';
import { TriggerSwitchView } from './settings-views.ts';
import { Reason, Command, NeedsReason, Outcome, JsonText, OfWorkspace } from './request-parts.ts';

const TriggerId = z.string().min(1).max(5000);

export const TRIGGER_REQUESTS = {
  /** In a manifest's words; a secret only as the name of a variable of the host's environment. */
  'triggers.add': defineRequest(
    'triggers.add',
    z.strictObject({ ...Command.shape, configText: z.string().min(2).max(100_000) }),
    Outcome,
  ),
  'triggers.remove': defineRequest(
    'triggers.remove',
    z.strictObject({ ...NeedsReason.shape, triggerId: TriggerId }),
    Outcome,
  ),
  /** Null for all of them. */
  'triggers.pause': defineRequest(
    'triggers.pause',
    z.strictObject({ ...NeedsReason.shape, triggerId: TriggerId.nullable() }),
    Outcome,
  ),
  'triggers.resume': defineRequest(
    'triggers.resume',
    z.strictObject({ ...Command.shape, triggerId: TriggerId.nullable() }),
    Outcome,
  ),
  /** As if it had called, with this payload. */
  'triggers.fire': defineRequest(
    'triggers.fire',
    z.strictObject({ ...Command.shape, triggerId: TriggerId, payloadText: JsonText.optional() }),
    Outcome,
  ),
  /** The triggers of all processes of a workspace at once, beside what is paused in each. */
  'workspace.hold-triggers': defineRequest(
    'workspace.hold-triggers',
    z.strictObject({ ...OfWorkspace, reason: Reason.min(1) }),
    TriggerSwitchView,
  ),
  'workspace.release-triggers': defineRequest(
    'workspace.release-triggers',
    z.strictObject({ ...OfWorkspace, reason: Reason }),
    TriggerSwitchView,
  ),
} as const;
