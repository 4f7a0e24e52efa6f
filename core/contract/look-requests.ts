// What a console asks to be shown. Nothing is done.

import { z } from 'zod';
import { AppView } from './app-view.ts';
import { defineRequest } from './define.ts';
import { FleetView, JournalView } from './fleet-views.ts';
import { MAX_COST_ROWS } from './names.ts';
import { ProcessDetail } from './process-detail.ts';
import { TimelinePage } from './timeline-views.ts';
import { ToolsView } from './tools-view.ts';
import { OutputPage } from './worker-views.ts';
import { Id, OneProcess, Nothing } from './request-parts.ts';

export const LOOK_REQUESTS = {
  'app.info': defineRequest('app.info', Nothing, AppView),
  'fleet.read': defineRequest('fleet.read', Nothing, FleetView),
  'journals.open': defineRequest(
    'journals.open',
    z.strictObject({ path: z.string().min(1).max(4096) }),
    JournalView,
  ),
  'journals.choose': defineRequest('journals.choose', Nothing, JournalView.nullable()),
  'journals.close': defineRequest('journals.close', z.strictObject({ journalId: Id }), Nothing),
  'processes.read': defineRequest('processes.read', z.strictObject(OneProcess), ProcessDetail),
  /** At most one process is watched; null ends it. The answer comes as `process.changed`. */
  'processes.watch': defineRequest(
    'processes.watch',
    z.strictObject({ target: z.strictObject(OneProcess).nullable() }),
    Nothing,
  ),
  'timeline.read': defineRequest(
    'timeline.read',
    z.strictObject({
      ...OneProcess,
      before: z.string().max(200).nullable(),
      limit: z.number().int().min(1).max(200),
    }),
    TimelinePage,
  ),
  /** What it spent when, newest rows, as comma-separated values for a spreadsheet; `count` of all rows that there are. */
  'costs.read': defineRequest(
    'costs.read',
    z.strictObject({ ...OneProcess, limit: z.number().int().min(1).max(MAX_COST_ROWS) }),
    z.strictObject({ csv: z.string(), rows: z.number().int(), count: z.number().int() }),
  ),
  /** In the text format of Prometheus. */
  'metrics.read': defineRequest(
    'metrics.read',
    z.strictObject({ journalId: Id }),
    z.strictObject({ text: z.string() }),
  ),
  /** Its servers of tools, and what it was offered last. */
  'tools.read': defineRequest('tools.read', z.strictObject(OneProcess), ToolsView),
  /** What workers wrote, newest lines last. */
  'output.read': defineRequest(
    'output.read',
    z.strictObject({
      ...OneProcess,
      before: z.string().max(200).nullable(),
      limit: z.number().int().min(1).max(500),
    }),
    OutputPage,
  ),
} as const;
