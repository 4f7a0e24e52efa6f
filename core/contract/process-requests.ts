// Orders to a process as a whole.

import { z } from 'zod';
import { defineRequest } from './define.ts';
import { PreviewView } from './preview-view.ts';
import { OneProcess, Command, NeedsReason, Outcome } from './request-parts.ts';

export const PROCESS_REQUESTS = {
  'processes.start': defineRequest('processes.start', Command, Outcome),
  'processes.suspend': defineRequest('processes.suspend', Command, Outcome),
  'processes.resume': defineRequest('processes.resume', Command, Outcome),
  'processes.stop': defineRequest('processes.stop', Command, Outcome),
  'processes.trigger': defineRequest(
    'processes.trigger',
    z.strictObject({ ...Command.shape, payloadText: z.string().max(100_000).optional() }),
    Outcome,
  ),
  'processes.kill-worker': defineRequest('processes.kill-worker', NeedsReason, Outcome),
  'processes.force-recover': defineRequest('processes.force-recover', NeedsReason, Outcome),
  'processes.restart': defineRequest('processes.restart', NeedsReason, Outcome),
  /** What an action would find and do. Nothing is done. */
  'processes.preview': defineRequest(
    'processes.preview',
    z.strictObject({ ...OneProcess, action: z.enum(['resume', 'restart', 'force-recover']) }),
    PreviewView,
  ),
} as const;
