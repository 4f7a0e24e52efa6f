// What the console shows, computed by the host and by nobody else. Journal text in these is hostile: bounded here,
// shown as text nodes there.

import { z } from 'zod';
import { ACTIONS } from '../model/allowed-actions.ts';
import { LIMIT_NAMES } from '../model/budget.ts';
import { CAUSE_KINDS } from '../model/escalation.ts';
import { DELIVERY_STATUSES, DELIVERY_TARGETS } from '../model/escalation-state.ts';
import { ManifestCountsView } from './manifest-views.ts';
import { MissionView } from './mission-view.ts';
import { ANOMALY_TYPES, ON_ANOMALY } from '../model/health.ts';
import { METERS } from '../model/meters.ts';
import { CAP_NAMES } from '../model/cap-names.ts';
import { SelfView } from './self-view.ts';
import { SettingsView } from './settings-views.ts';

/** What an operator may do now. The console shows these and never works them out for itself. */
export const Action = z.enum(ACTIONS);
export type Action = z.infer<typeof Action>;

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

export const Tone = z.enum(['quiet', 'working', 'attention', 'alarm']);
export type Tone = z.infer<typeof Tone>;

export const ProcessRow = z.strictObject({
  /** Opaque, unique over all journals: the address without its scheme, `<journal id>/<name, URI-encoded>`. */
  key: z.string(),
  journalId: z.string(),
  name: z.string(),
  description: z.string(),
  /** Whether this host runs it. Otherwise the row is what the journal last said [S41]. */
  live: z.boolean(),
  /** A lifecycle state, or whatever word a foreign journal holds. */
  state: z.string(),
  stateSince: z.string().nullable(),
  /** "Why is it not moving", or what it is doing, in one line; it leads up to `whyAt`, where there is one. */
  why: z.string(),
  /** ISO 8601: until when, or when it goes on. */
  whyAt: z.string().nullable(),
  tone: Tone,
  budget: BudgetView,
  /** What somebody outside is to be told of and is not over, the newest first; at most three. */
  causes: z.array(
    z.strictObject({ key: z.string(), kind: z.enum(CAUSE_KINDS), summary: z.string(), at: z.string() }),
  ),
  health: HealthView,
  invocations: z.number().int(),
  queued: z.number().int(),
  doubts: z.number().int(),
  /** What waits for a person: how many there are, and a mark that changes with which they are. */
  waiting: z.strictObject({ count: z.number().int(), mark: z.string() }),
  restarts: z.number().int(),
  entries: z.number().int(),
  lastEntryType: z.string(),
  lastEntryAt: z.string().nullable(),
  worker: z.strictObject({ pid: z.number().int(), generation: z.number().int() }).nullable(),
  actions: z.array(Action),
});
export type ProcessRow = z.infer<typeof ProcessRow>;

export const JournalView = z.strictObject({
  id: z.string(),
  title: z.string(),
  directory: z.string(),
  /** `live`: this host runs it. `read-only`: looked at. */
  access: z.enum(['live', 'read-only']),
  format: z.enum(['holdfast', 'promptise']),
  /** Who is writing it, when that is not us; or why it is read-only. */
  note: z.string(),
  /** When what is shown was read, where it can't be read any more; else null. */
  asOf: z.string().nullable(),
  /** Of the entries, as of the last change that was told. Null: it could not be asked, so unknown, never shown as 0 [P5]. */
  sizeBytes: z.number().nullable(),
  badLines: z.number().int(),
  /** Why the triggers of all its processes are held by the one switch; null where they are not, or nobody runs it here. */
  triggersHeld: z.strictObject({ reason: z.string(), actor: z.string(), at: z.string() }).nullable(),
  /** Manifests on disk that are not in force; left out where all are, or nobody runs it here. */
  manifests: ManifestCountsView.optional(),
});
export type JournalView = z.infer<typeof JournalView>;

export const FleetView = z.strictObject({
  /** Of the change stream: the next `fleet.changed` carries this plus one, or the client reads again. */
  sequence: z.number().int(),
  at: z.string(),
  journals: z.array(JournalView),
  processes: z.array(ProcessRow),
});
export type FleetView = z.infer<typeof FleetView>;

export const ValueView = z.strictObject({
  key: z.string(),
  /** JSON, numbers as written; cut at the host's limit. */
  text: z.string(),
  cut: z.boolean(),
});

export const EffectView = z.strictObject({
  effectId: z.string(),
  name: z.string(),
  effectClass: z.string(),
  key: z.string(),
  argsPreview: z.string(),
  attempts: z.number().int(),
  announcedAt: z.string(),
  end: z.enum(['open', 'done', 'did_not_happen', 'in_doubt']),
  /** What it said where it did not happen or is in doubt; empty otherwise. */
  error: z.string(),
  /** In doubt, of a class that only an operator may decide, and nobody is performing it. */
  needsOperator: z.boolean(),
  /** In doubt is only what it gave: it happened, so running it again is no answer [S16]. */
  isValueLost: z.boolean(),
  /** Calls of a model that may have been paid and gave nothing: they stay reserved [S33]. */
  maybePaid: z.number().int(),
});
export type EffectView = z.infer<typeof EffectView>;

export const WaitView = z.strictObject({
  /** Of a promise: what whoever settles it holds. */
  waitId: z.string(),
  kind: z.enum(['promise', 'timer']),
  name: z.string(),
  createdAt: z.string(),
  /** ISO 8601; null for never. */
  dueAt: z.string().nullable(),
  /** What whoever settles it gets to see, as JSON. */
  dataText: z.string(),
  status: z.enum(['open', 'fired', 'resolved', 'rejected', 'expired']),
});
export type WaitView = z.infer<typeof WaitView>;

export const DeadLetterView = z.strictObject({
  eventId: z.string(),
  triggerId: z.string(),
  reason: z.string(),
  error: z.string(),
  attempts: z.number().int(),
  at: z.string(),
  /** Effects of it that are done, and would not be done again. */
  doneEffects: z.number().int(),
});
export type DeadLetterView = z.infer<typeof DeadLetterView>;

export const InboxView = z.strictObject({
  messageId: z.string(),
  messageType: z.string(),
  content: z.string(),
  sender: z.string(),
  priority: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
});
export type InboxView = z.infer<typeof InboxView>;

/** One that an invocation got, with the beginning of its text. */
export const DeliveredView = z.strictObject({
  ...InboxView.shape,
  deliveredAt: z.string(),
  eventId: z.string(),
  invocation: z.number().int(),
  answer: z.strictObject({ text: z.string(), at: z.string() }).nullable(),
});
export type DeliveredView = z.infer<typeof DeliveredView>;

/** The operating system's side of a process's worker. */
export const WorkerView = z.strictObject({
  pid: z.number().int(),
  generation: z.number().int(),
  startedAt: z.string().nullable(),
  /** Null: the system does not tell. */
  rssBytes: z.number().nullable(),
  cpuPercent: z.number().nullable(),
  isAnswering: z.boolean(),
});
export type WorkerView = z.infer<typeof WorkerView>;

export const PauseView = z.strictObject({ reason: z.string(), actor: z.string(), at: z.string() });
export type PauseView = z.infer<typeof PauseView>;

export const TriggerView = z.strictObject({
  id: z.string(),
  type: z.string(),
  description: z.string(),
  /** Of a schedule; null for what follows none, or is closed. */
  next: z.string().nullable(),
  /** Where to post to, or what is watched; null for neither, or while it is closed. */
  address: z.string().nullable(),
  filter: z.string().nullable(),
  /** Whether somebody added it, beside the manifest. */
  isAdded: z.boolean(),
  paused: PauseView.nullable(),
  problem: z.strictObject({ code: z.string(), message: z.string(), at: z.string() }).nullable(),
  accepted: z.number().int(),
  filtered: z.number().int(),
  /** Scheduled times that nothing ran for. */
  missed: z.number().int(),
  lastEventAt: z.string().nullable(),
});
export type TriggerView = z.infer<typeof TriggerView>;

export const QueuedView = z.strictObject({
  eventId: z.string(),
  triggerId: z.string(),
  acceptedAt: z.string(),
  /** Scheduled times that it stands for besides its own. */
  missed: z.number().int(),
});

/** All of a secret but its value, which crosses to no screen. */
export const SecretView = z.strictObject({
  name: z.string(),
  source: z.enum(['variable', 'file', 'keychain', 'literal']),
  /** The same for a person, with the name of the variable, file or entry. */
  from: z.string(),
  status: z.enum(['active', 'expired', 'revoked', 'missing']),
  expiresAt: z.string().nullable(),
  rotatedAt: z.string().nullable(),
  lastReadAt: z.string().nullable(),
  /** It was rotated in a host that is gone; what is given is what its source had at the start. */
  isRotationLost: z.boolean(),
});
export type SecretView = z.infer<typeof SecretView>;

const Said = z.strictObject({ valueText: z.string() }).nullable();

/** What a rewind would do. Lists are bounded; counts are not. */
export const RewindPlanView = z.strictObject({
  process: z.string(),
  target: z.strictObject({ seq: z.number().int(), timestamp: z.string(), entryType: z.string() }),
  basedOn: z.number().int(),
  isHandledAgain: z.boolean(),
  context: z.array(z.strictObject({ key: z.string(), now: Said, was: Said })),
  contextChanges: z.number().int(),
  conversation: z.strictObject({ now: z.number().int(), was: z.number().int() }),
  undone: z.array(
    z.strictObject({
      eventId: z.string(),
      triggerId: z.string(),
      how: z.enum(['done', 'failed', 'given up', 'under way']),
      isCutShort: z.boolean(),
      effects: z.number().int(),
    }),
  ),
  undoneCount: z.number().int(),
  facts: z.array(
    z.strictObject({
      seq: z.number().int(),
      kind: z.enum(['effect', 'message', 'promise', 'timer', 'event', 'decision']),
      text: z.string(),
      eventId: z.string().nullable(),
      end: z.string().nullable(),
    }),
  ),
  factCount: z.strictObject({
    effect: z.number().int(),
    message: z.number().int(),
    promise: z.number().int(),
    timer: z.number().int(),
    event: z.number().int(),
    decision: z.number().int(),
  }),
});
export type RewindPlanView = z.infer<typeof RewindPlanView>;

/** What a fork would begin with. The list is bounded; counts are not. */
export const ForkPlanView = z.strictObject({
  from: z.string(),
  at: z.number().int(),
  name: z.string(),
  contextKeys: z.number().int(),
  conversation: z.number().int(),
  unfinished: z.array(z.strictObject({ eventId: z.string(), effects: z.number().int() })),
  unfinishedCount: z.number().int(),
  left: z.strictObject({
    queue: z.number().int(),
    inbox: z.number().int(),
    promises: z.number().int(),
    timers: z.number().int(),
  }),
});
export type ForkPlanView = z.infer<typeof ForkPlanView>;

/** What an operator's action would find, before it is done. Lists are bounded; counts are not. */
export const PreviewView = z.strictObject({
  action: z.string(),
  state: z.string(),
  /** The last entry that the journal has for certain. */
  lastSeq: z.number().int(),
  lastEntryAt: z.string().nullable(),
  /** Unfinished invocations that would go on, and how many of their effects are read back instead of done again. */
  invocations: z.number().int(),
  effectsReadBack: z.number().int(),
  doubtCount: z.number().int(),
  /** Those without an outcome, what is asked of somebody first, and what would become of each. */
  doubts: z.array(
    z.strictObject({
      effectId: z.string(),
      name: z.string(),
      effectClass: z.string(),
      key: z.string(),
      argsPreview: z.string(),
      next: z.enum([
        'performed again',
        'performed again with the same key',
        'asked of the provider',
        'asked of you',
      ]),
    }),
  ),
  timersDue: z.number().int(),
  queued: z.number().int(),
  deadLetters: z.number().int(),
  /** Holds that stay, whatever is done. */
  holdsThatStay: z.array(z.string()),
  worker: z
    .strictObject({ pid: z.number().int(), generation: z.number().int(), isAnswering: z.boolean() })
    .nullable(),
  /** One sentence for each thing that would happen, in order. */
  steps: z.array(z.string()),
});
export type PreviewView = z.infer<typeof PreviewView>;

export const OutputLine = z.strictObject({
  at: z.string(),
  generation: z.number().int(),
  stream: z.enum(['out', 'err', 'log']),
  level: z.string().nullable(),
  eventId: z.string().nullable(),
  text: z.string(),
});
export type OutputLine = z.infer<typeof OutputLine>;

export const OutputPage = z.strictObject({
  /** Oldest first. */
  lines: z.array(OutputLine),
  /** Where to go on towards the beginning; null at the beginning. */
  before: z.string().nullable(),
});
export type OutputPage = z.infer<typeof OutputPage>;

export const InvocationView = z.strictObject({
  eventId: z.string(),
  invocation: z.number().int(),
  attempt: z.number().int(),
  triggerId: z.string(),
  triggerType: z.string(),
  startedAt: z.string(),
  standing: z.enum(['running', 'ready', 'waiting', 'backing-off', 'in-doubt']),
  /** When the next attempt begins, after one that failed. */
  retryAt: z.string().nullable(),
  /** Of more than there is room for, those that wait for an operator, and the newest. */
  effects: z.array(EffectView),
  effectCount: z.number().int(),
  /** Those that are still waited for, and the last of the others. */
  waits: z.array(WaitView),
  openWaitCount: z.number().int(),
  signals: z.number().int(),
});
export type InvocationView = z.infer<typeof InvocationView>;

export const TimelineRow = z.strictObject({
  /** Unique in the process's journal: the byte offset of the line. */
  id: z.string(),
  seq: z.number().int(),
  at: z.string(),
  type: z.string(),
  summary: z.string(),
  tone: Tone,
  /** The trigger event that the entry belongs to; rows of one event form a group. */
  eventId: z.string().nullable(),
  verification: z.enum(['verified', 'unverified', 'broken', 'unreadable']),
  /** The entry's data as JSON, or the reason that the line can't be read. */
  dataText: z.string(),
  cut: z.boolean(),
});
export type TimelineRow = z.infer<typeof TimelineRow>;

export const TimelinePage = z.strictObject({
  /** Newest first. */
  rows: z.array(TimelineRow),
  /** Where to go on towards the beginning; null at the beginning. */
  before: z.string().nullable(),
});
export type TimelinePage = z.infer<typeof TimelinePage>;

const ReceiverKind = z.enum(DELIVERY_TARGETS);

/** A cause that was raised, and who was told of it. */
export const EscalationView = z.strictObject({
  id: z.string(),
  key: z.string(),
  kind: z.enum(CAUSE_KINDS),
  summary: z.string(),
  at: z.string(),
  /** How often it came up again while it was open. */
  repeats: z.number().int(),
  /** Null: it is open. */
  overAt: z.string().nullable(),
  overWhy: z.string(),
  deliveries: z.array(
    z.strictObject({
      target: ReceiverKind,
      /** Without what a web address has behind its host. */
      to: z.string(),
      status: z.enum(DELIVERY_STATUSES),
      attempts: z.number().int(),
      lastAt: z.string().nullable(),
      /** When it is tried next; null for at once, or never. */
      dueAt: z.string().nullable(),
      /** A status of HTTP; null where nothing answered. */
      answer: z.number().int().nullable(),
      reason: z.string(),
    }),
  ),
});
export type EscalationView = z.infer<typeof EscalationView>;

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

export const AppView = z.strictObject({
  version: z.string(),
  /** Which host shows this: Electron and its version, or the stand-in and what it can't prove. */
  host: z.string(),
  isStandIn: z.boolean(),
  platform: z.string(),
});
export type AppView = z.infer<typeof AppView>;
