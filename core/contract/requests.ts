import { z } from 'zod';
import { defineRequest, type RequestDefinition } from './define.ts';
import { MAX_AMOUNT, MAX_EXTENSION_MS } from '../model/budget.ts';
import { MISSION_ORDERS } from '../model/mission.ts';
import { ANOMALY_TYPES } from '../model/health.ts';
import { MAX_MEMORY_TEXT } from '../model/limits.ts';
import { MAX_SECRET_LENGTH, MAX_SECRET_TTL_MS } from '../model/secrets.ts';
import { INBOX_PRIORITIES, INBOX_TYPES, MAX_INBOX_LENGTH } from '../model/inbox.ts';
import { MemoryPage, MemoryRecordView } from './memory-views.ts';
import { MAX_COST_ROWS } from './names.ts';
import { MAX_ANSWER } from '../model/approval.ts';
import { WAITING_KINDS, WaitingDetail, WaitingView } from './waiting-view.ts';
import {
  ManifestChangesView,
  ManifestFile,
  ManifestPlanView,
  ManifestSchemaView,
  ManifestTextView,
  ManifestWrittenView,
  MAX_MANIFEST,
  ReloadView,
} from './manifest-views.ts';
import { SettingsPlanView, TriggerSwitchView } from './settings-views.ts';
import { ToolsView } from './tools-view.ts';
import {
  AppView,
  FleetView,
  ForkPlanView,
  JournalView,
  OutputPage,
  PreviewView,
  ProcessDetail,
  RewindPlanView,
  TimelinePage,
} from './views.ts';

const Id = z.string().min(1).max(200);
const ProcessName = z.string().min(1).max(4096);
const Reason = z.string().max(500);

const OneProcess = { journalId: Id, process: ProcessName };

/** The same command id twice is the same command: the second answer is the first's. */
const Command = z.strictObject({ ...OneProcess, commandId: z.uuid(), reason: Reason });
const NeedsReason = z.strictObject({ ...Command.shape, reason: Reason.min(1) });

/** The state as it is when the answer leaves, never as it is hoped to become, and a sentence about what was done. */
const Outcome = z.strictObject({ state: z.string(), message: z.string() });
const Nothing = z.strictObject({});

const JsonText = z.string().max(1_000_000);
const EventId = z.string().min(1).max(1000);

/** A durable promise is known by its id alone; its process need not be named. */
const SettlePromise = z.strictObject({
  ...Command.shape,
  process: ProcessName.nullable(),
  promiseId: z.string().min(1).max(200),
  settlement: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('resolved'), valueText: JsonText }),
    z.strictObject({ kind: z.literal('rejected'), error: z.string().min(1).max(2000) }),
  ]),
});

/** A rejection needs the command's reason: the agent reads it. */
const DecideApproval = z
  .strictObject({
    ...SettlePromise.shape,
    decision: z.discriminatedUnion('kind', [
      /** With `argsText`: those, as JSON, instead of what was asked for. */
      z.strictObject({ kind: z.literal('approve'), argsText: JsonText.optional() }),
      z.strictObject({ kind: z.literal('reject') }),
      z.strictObject({ kind: z.literal('answer'), text: z.string().min(1).max(MAX_ANSWER) }),
    ]),
  })
  .omit({ settlement: true });

const WriteInbox = z.strictObject({
  ...Command.shape,
  messageType: z.enum(INBOX_TYPES),
  content: z.string().min(1).max(MAX_INBOX_LENGTH),
  priority: z.enum(INBOX_PRIORITIES),
  expiresInSeconds: z.number().positive().max(31_536_000).nullable(),
});

const TriggerId = z.string().min(1).max(5000);
const Seq = z.number().int().positive();

const Rewind = { to: Seq, isHandledAgain: z.boolean() };
const Fork = {
  at: Seq,
  name: ProcessName,
  /** Keys of the context, and paths of the manifest, each with its value as JSON. */
  set: z.record(z.string().min(1).max(10_000), JsonText),
  configure: z.record(z.string().min(1).max(1_000), JsonText),
};

const Settings = {
  /** By path, each value as JSON; null takes a setting away. */
  set: z.record(z.string().min(1).max(1_000), z.string().max(10_000)),
  /** Paths that are to be as the manifest has them. */
  undo: z.array(z.string().min(1).max(1_000)).max(200),
};
const MemoryId = z.string().min(1).max(200);

const OfWorkspace = { journalId: Id, commandId: z.uuid() };

const ManifestText = z.string().max(MAX_MANIFEST);
const ManifestHash = z.string().length(64);
const WriteManifest = {
  ...OfWorkspace,
  reason: Reason.min(1),
  file: ManifestFile,
  /** Whether it is put in force at once. */
  isApplied: z.boolean(),
};

const Resolve = z.strictObject({
  ...NeedsReason.shape,
  effectId: z.string().min(1).max(1000),
  resolution: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('happened'), resultText: z.string().max(100_000) }),
    z.strictObject({ kind: z.literal('did_not_happen') }),
    z.strictObject({ kind: z.literal('skip') }),
  ]),
});

/** Every request of the console, once. Servers register from this table; clients and the preload derive from it. */
export const REQUESTS = {
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
  'effects.resolve': defineRequest('effects.resolve', Resolve, Outcome),
  'promises.settle': defineRequest('promises.settle', SettlePromise, Outcome),
  /** What waits for a person in a journal, all processes of it; `waiting` of their rows says when it is another. */
  'waiting.read': defineRequest('waiting.read', z.strictObject({ journalId: Id }), WaitingView),
  'waiting.show': defineRequest(
    'waiting.show',
    z.strictObject({ ...OneProcess, kind: z.enum(WAITING_KINDS), id: z.string().min(1).max(1000) }),
    WaitingDetail,
  ),
  /** Decides about a call of a tool, or answers a question, once: a second decision is told what the first was. */
  'approvals.decide': defineRequest('approvals.decide', DecideApproval, Outcome),
  'processes.signal': defineRequest(
    'processes.signal',
    z.strictObject({
      ...Command.shape,
      name: z.string().min(1).max(200),
      payloadText: JsonText.optional(),
    }),
    Outcome,
  ),
  /** Asks an invocation under way; nothing is written for it. */
  'processes.query': defineRequest(
    'processes.query',
    z.strictObject({
      ...OneProcess,
      name: z.string().min(1).max(200),
      argsText: JsonText.optional(),
      eventId: EventId.optional(),
    }),
    z.strictObject({ valueText: z.string() }),
  ),
  'inbox.write': defineRequest('inbox.write', WriteInbox, Outcome),
  'deadletters.redeliver': defineRequest(
    'deadletters.redeliver',
    z.strictObject({ ...Command.shape, eventId: EventId, asNew: z.boolean() }),
    Outcome,
  ),
  'deadletters.drop': defineRequest(
    'deadletters.drop',
    z.strictObject({ ...NeedsReason.shape, eventId: EventId }),
    Outcome,
  ),
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
  /** What it spent when, newest rows, as comma-separated values for a spreadsheet; `count` of all rows that there are. */
  'costs.read': defineRequest(
    'costs.read',
    z.strictObject({ ...OneProcess, limit: z.number().int().min(1).max(MAX_COST_ROWS) }),
    z.strictObject({ csv: z.string(), rows: z.number().int(), count: z.number().int() }),
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
  /** What of the manifests on disk is not in force: looked up now, nothing is done. */
  'workspace.changes': defineRequest(
    'workspace.changes',
    z.strictObject({ journalId: Id }),
    ManifestChangesView,
  ),
  /** Puts manifests in force as they are on disk; null for all that can be. */
  'workspace.reload': defineRequest(
    'workspace.reload',
    z.strictObject({
      ...OfWorkspace,
      reason: Reason.min(1),
      /** A process or a file; `id` of the change that was seen, null for whatever there is. */
      changes: z
        .array(z.strictObject({ of: ProcessName, id: z.string().max(100).nullable() }))
        .min(1)
        .max(10_000)
        .nullable(),
      /** Processes whose manifest is gone are stopped and let go of; without it they go on as they are. */
      isRemoving: z.boolean(),
    }),
    ReloadView,
  ),
  /** Of a process, or by its file. */
  'manifests.read': defineRequest(
    'manifests.read',
    z.strictObject({
      journalId: Id,
      of: z.union([z.strictObject({ process: ProcessName }), z.strictObject({ file: ManifestFile })]),
    }),
    ManifestTextView,
  ),
  /** What is wrong with a text and what it would change. Nothing is done. */
  'manifests.plan': defineRequest(
    'manifests.plan',
    z.strictObject({ journalId: Id, file: ManifestFile, text: ManifestText }),
    ManifestPlanView,
  ),
  'manifests.write': defineRequest(
    'manifests.write',
    z.strictObject({ ...WriteManifest, text: ManifestText, expected: ManifestHash.nullable() }),
    ManifestWrittenView,
  ),
  /** Into the workspace's trash. `typed` is the name of the process, as whoever removes it knows it. */
  'manifests.remove': defineRequest(
    'manifests.remove',
    z.strictObject({ ...WriteManifest, expected: ManifestHash, typed: ProcessName }),
    ManifestWrittenView,
  ),
  /** What may stand in a manifest, and what to begin with. */
  'manifests.schema': defineRequest('manifests.schema', Nothing, ManifestSchemaView),
  /** In the text format of Prometheus. */
  'metrics.read': defineRequest(
    'metrics.read',
    z.strictObject({ journalId: Id }),
    z.strictObject({ text: z.string() }),
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
  /** What its agent remembers: the newest, or what a text is about. Nothing is changed. */
  'memory.search': defineRequest(
    'memory.search',
    z.strictObject({
      ...OneProcess,
      text: z.string().max(4_000),
      max: z.number().int().min(1).max(200),
      /** Of the newest, how many are left out. */
      skip: z.number().int().min(0).max(1_000_000),
    }),
    MemoryPage,
  ),
  /** With its whole text. */
  'memory.read': defineRequest(
    'memory.read',
    z.strictObject({ ...OneProcess, id: MemoryId }),
    MemoryRecordView,
  ),
  /** Adds a record, with null for its id, or changes one. */
  'memory.write': defineRequest(
    'memory.write',
    z.strictObject({
      ...Command.shape,
      id: MemoryId.nullable(),
      text: z.string().min(1).max(MAX_MEMORY_TEXT),
      isPinned: z.boolean(),
    }),
    Outcome,
  ),
  /** One; or with null everything of its user, where the collection is named to confirm that. */
  'memory.forget': defineRequest(
    'memory.forget',
    z.strictObject({
      ...NeedsReason.shape,
      id: MemoryId.nullable(),
      collection: z.string().max(1_000).nullable(),
    }),
    Outcome,
  ),
  /** Sets a damaged database aside, and keeps what can be read of it. */
  'memory.repair': defineRequest('memory.repair', NeedsReason, Outcome),
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
} as const satisfies Record<string, RequestDefinition>;

type Requests = typeof REQUESTS;
export type RequestName = keyof Requests;
export type RequestOf<N extends RequestName> = z.input<Requests[N]['request']>;
export type ResponseOf<N extends RequestName> = z.output<Requests[N]['response']>;
