// All that the page of one process shows.

import { z } from 'zod';
import { SpendingView } from './budget-views.ts';
import { ReceiverKind, EscalationView } from './escalation-view.ts';
import { DetectorView } from './health-views.ts';
import { InboxView, DeliveredView } from './inbox-views.ts';
import { MissionView } from './mission-view.ts';
import { ProcessRow } from './process-row.ts';
import { SecretView } from './secret-view.ts';
import { SelfView } from './self-view.ts';
import { SettingsView } from './settings-views.ts';
import { PauseView, TriggerView } from './trigger-views.ts';
import { InvocationView, QueuedView, DeadLetterView } from './work-views.ts';
import { WorkerView } from './worker-views.ts';

export const ValueView = z.strictObject({
  key: z.string(),
  /** JSON, numbers as written; cut at the host's limit. */
  text: z.string(),
  cut: z.boolean(),
});

/** What is seen of it: the end of what it has said, and why nothing comes, which leads up to `waitUntil` where there is one. */
export const SayingView = z.strictObject({
  text: z.string(),
  waitText: z.string().nullable(),
  waitUntil: z.string().nullable(),
  model: z.string(),
  since: z.string(),
});
export type SayingView = z.infer<typeof SayingView>;

export const ProcessDetail = z.strictObject({
  row: ProcessRow,
  reason: z.string(),
  actor: z.string(),
  /** The lifecycle table, for the diagram: every state and where it may go. */
  lifecycle: z.array(z.strictObject({ state: z.string(), to: z.array(z.string()) })),
  holds: z.array(
    z.strictObject({ kind: z.string(), reason: z.string(), actor: z.string(), since: z.string() }),
  ),
  /** How many there are of what is listed below, of which a long list shows a part. */
  counts: z.strictObject({
    context: z.number().int(),
    open: z.number().int(),
    /** Open durable promises of all invocations. */
    promises: z.number().int(),
    deadLetters: z.number().int(),
    triggers: z.number().int(),
  }),
  context: z.array(ValueView),
  /** Of more than there is room for, those that wait for somebody, and the oldest. */
  open: z.array(InvocationView),
  /** The first of `row.queued`. */
  queue: z.array(QueuedView),
  deadLetters: z.array(DeadLetterView),
  deadLettersLost: z.number().int(),
  /** Null where there is none. */
  mission: MissionView.nullable(),
  /** The newest of what is kept, oldest first; `count` of all that is. */
  conversation: z.strictObject({
    count: z.number().int(),
    messages: z.array(z.strictObject({ role: z.string(), text: z.string() })),
  }),
  inbox: z.array(InboxView),
  /** The last that were delivered, newest first. */
  inboxRead: z.array(DeliveredView),
  /** Sent to others and not known to have arrived. */
  unsent: z.number().int(),
  workerDetail: WorkerView.nullable(),
  /** Deaths of workers in a row without progress, and how the last one came to its end. */
  workerDeaths: z.number().int(),
  lastWorkerDeath: z.string().nullable(),
  /** Of a model's call under way; null where there is none, or nobody runs it here. */
  saying: SayingView.nullable(),
  respawnsAt: z.string().nullable(),
  restartsAt: z.string().nullable(),
  lastError: z.strictObject({ code: z.string(), message: z.string(), at: z.string() }).nullable(),
  /** Of more than there is room for, those that are paused or have a problem, and the first. */
  triggers: z.array(TriggerView),
  /** Of more than there is room for, those that are open or still to be told, and the newest. */
  escalations: z.array(EscalationView),
  /** Whom the manifest names; null where it is not known. */
  receivers: z.array(z.strictObject({ target: ReceiverKind, to: z.string() })).nullable(),
  /** Why all triggers are off together; null where they are not. */
  triggersPaused: PauseView.nullable(),
  lineage: z.strictObject({ process: z.string(), journalId: z.string(), seq: z.number().int() }).nullable(),
  writer: z.strictObject({ epoch: z.number().int(), pid: z.number().int(), hostId: z.string() }).nullable(),
  spending: SpendingView,
  journalLevel: z.string(),
  /** In a fixed order, those that are off too. */
  detectors: z.array(DetectorView),
  settings: SettingsView,
  /** What its agent changed about itself, and which process began it. */
  self: SelfView,
  /** Those that the manifest names; none where nobody runs it here. */
  secrets: z.array(SecretView),
  /** Where it remembers things beside its conversation; null where it does not. */
  memory: z.strictObject({ collection: z.string(), userId: z.string() }).nullable(),
});
export type ProcessDetail = z.infer<typeof ProcessDetail>;
