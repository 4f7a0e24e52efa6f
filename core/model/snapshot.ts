import { emptyBudget, type BudgetState } from './budget-state.ts';
import type { LimitName } from './budget.ts';
import type { CapRecords } from './caps.ts';
import type { RecordedEffect } from './effects.ts';
import type { TriggerEvent } from './entry.ts';
import type { RaisedCause } from './escalation-state.ts';
import { emptyHealth, type HealthState } from './health.ts';
import type { Hold } from './holds.ts';
import type { DeliveredMessage, InboxMessage } from './inbox.ts';
import { define, type Json, type JsonObject } from './json.ts';
import type { MessageKind, SentMessage } from './messages.ts';
import type { Amounts } from './meters.ts';
import type { MissionState } from './mission-state.ts';
import type { LiveSettings } from './settings.ts';
import { emptySelf, type Parent, type SelfState } from './self-change.ts';
import { emptyTally, type Tally } from './tally.ts';
import type { SecretState } from './secrets.ts';
import { emptyTools, type ListedTools, type ToolsState } from './tools.ts';
import { emptyTriggers, type TriggersState } from './trigger-record.ts';
import type { ToldAtStart } from './told.ts';
import type { DurableWait, SettledPromise } from './waits.ts';

/** Promptise's. */
export const DEFAULT_CONVERSATION = 100;

/** The recent runs that health looks at. */
export const HEALTH_WINDOW = 10;

/** A context write of an invocation, in the order in which the invocation made them [S23]. */
export interface RecordedWrite {
  readonly ordinal: number;
  readonly key: string;
  readonly value: Json;
  readonly deleted: boolean;
  /** The entry that tells of it. */
  readonly seq: number;
}

/** What an invocation said to its conversation, in its order [S23]. */
export interface RecordedSaying {
  readonly ordinal: number;
  readonly role: string;
  readonly content: string;
  readonly seq: number;
}

/** The older part of a conversation in words: of all messages before number `until`, counted from the process's first. */
export interface Compaction {
  readonly until: number;
  readonly summary: string;
}

/** What an invocation put into words, among what it said, in its order; `keep`: the last messages that it left. */
export interface RecordedCompaction {
  readonly ordinal: number;
  readonly keep: number;
  readonly summary: string;
  readonly seq: number;
}

/** What an invocation sent to others; its delivery is the host's affair [S38]. */
export interface RecordedSend {
  readonly kind: MessageKind;
  readonly topic: string;
  /** The how-manieth of its kind and topic in the invocation, from 0. */
  readonly occurrence: number;
  readonly argsHash: string;
  readonly seq: number;
  /** Sent behind the entry that its process was taken back to, or by the process that it was forked from [S39, S40]. */
  readonly isUndone?: true;
}

/** A signal that an open invocation got, in the order of the journal [S26]. */
export interface RecordedSignal {
  readonly signalId: string;
  readonly name: string;
  readonly payload: Json;
  readonly seq: number;
}

/** Begun and not ended: after a crash it is handled again from the top, with what is recorded here. */
export interface OpenInvocation {
  readonly event: TriggerEvent;
  /** Promptise's number: successful invocations so far, plus one. */
  readonly invocation: number;
  attempt: number;
  /** The entry that began this attempt: what was recorded before it is of earlier ones [S24]. */
  attemptSeq: number;
  readonly startedAt: string;
  readonly codeHash: string;
  /** 32 hex digits, from which its chance, its unique ids and the ids of its promises come. */
  readonly seed: string;
  /** Delivered with it, and with no other. */
  readonly inbox: readonly InboxMessage[];
  effects: RecordedEffect[];
  writes: RecordedWrite[];
  sayings: RecordedSaying[];
  sends: RecordedSend[];
  waits: DurableWait[];
  signals: RecordedSignal[];
  /** Readings of the clock, in epoch milliseconds, in their order. */
  clock: number[];
  /** Which way it took at each change of its code. */
  versions: Record<string, number>;
  /** Its code waits for one of its waits or for a signal, and for nothing else. */
  isWaiting: boolean;
  /** When the next attempt begins; null unless the last one failed. */
  retryAt: string | null;
  /**
   * What the keys written since the start held before: the view of a re-run is the context with these put back
   * [S23]. Null where the key did not exist.
   */
  before: Record<string, { readonly value: Json } | null>;
  /** How long the conversation was when it began, counted from the process's first message. */
  conversationFrom: number;
  /** How many messages it is shown at most, 0 for all; left out where that was not said when it began. */
  readonly conversationMax?: number;
  /** What stood for the older part of the conversation when it began; left out where nothing did. */
  compaction?: Compaction;
  compactions?: readonly RecordedCompaction[];
  /** What it has used in all its attempts, and what of it is under way; left out where that is nothing. */
  spent?: Amounts;
  reserved?: Amounts;
  /** Limits of a run whose nearness was told. */
  warned?: readonly LimitName[];
  /** Its beginning was undone [S39]: it begins with the state as it is when it is handed over. */
  isToBegin?: true;
  /** What its code was told to do when it began; left out where that was nothing. */
  readonly instructions?: string;
  /** The plan that it began with; left out for a code agent [S25]. */
  readonly plan?: JsonObject;
  /** The tools that it found when it began, by the hash of their list; left out before it looked [S25]. */
  tools?: ListedTools;
  /** What of its process it was told when it began; left out where that was nothing. */
  readonly told?: ToldAtStart;
  /** Of one that a fork took over: what the keys of its effects begin with, and whose it is now [S40]. */
  readonly inherited?: { readonly keyPrefix: string; readonly by: string };
}

/** An event that was given up, with what its invocation had recorded: handled again it goes on from there [S24]. */
export interface DeadLetter {
  readonly event: TriggerEvent;
  /** Null where no invocation had begun. */
  readonly open: OpenInvocation | null;
  readonly reason: string;
  readonly error: string;
  readonly attempts: number;
  readonly at: string;
}

/** How far one numbering of a sender has arrived. */
export interface HeardNumbering {
  readonly numbering: string;
  readonly number: number;
}

export interface RunRecord {
  readonly eventId: string;
  readonly ok: boolean;
  readonly at: string;
  readonly durationMs: number | null;
}

export interface WriterIdentity {
  readonly epoch: number;
  readonly hostId: string;
  readonly pid: number;
  readonly startTime: string;
  readonly build: string;
}

/** An operating system process, told apart from a later one with the same pid by its start time. */
export interface OsProcess {
  readonly pid: number;
  readonly startTime: string;
}

export interface WorkerIdentity extends OsProcess {
  readonly generation: number;
}

export interface LastError {
  readonly code: string;
  readonly message: string;
  readonly at: string;
}

/** What a recorded rewind asked for. */
export interface Rewinding {
  /** Its entry. */
  readonly seq: number;
  readonly target: number;
  readonly isHandledAgain: boolean;
}

/** Where a process comes from. */
export interface Lineage {
  readonly process: string;
  readonly journalId: string;
  /** The last entry of the other that it has. */
  readonly seq: number;
}

/**
 * Everything that the journal says about a process: plain data, built by the fold alone [P3], and all of it in every
 * full checkpoint [S17]. The fold owns and changes it; everybody else reads.
 */
export interface ProcessSnapshot {
  /** The last entry folded, 0 before the first. */
  seq: number;
  context: Record<string, Json>;
  /** A lifecycle state, or whatever text a foreign journal holds. */
  lifecycle: string;
  lifecycleSince: string | null;
  lifecycleReason: string;
  lifecycleActor: string;
  /** When it was last started. */
  startedAt: string | null;
  holds: Hold[];
  /** Successful invocations. */
  invocationCount: number;
  conversation: JsonObject[];
  /** Messages of the conversation so far; the oldest may be gone. */
  conversationCount: number;
  /** How many are kept; 0 for all. */
  conversationMax: number;
  /** What stands for its older part in invocations that begin now; null for nothing. */
  compaction: Compaction | null;
  /** Accepted and not begun, in the order of acceptance. */
  queue: TriggerEvent[];
  open: OpenInvocation[];
  /** Oldest first, as many as the configuration keeps. */
  deadLetters: DeadLetter[];
  /** Those that were given up for good because newer ones took their place. */
  deadLettersLost: number;
  /** Written to the process and not delivered yet. */
  inbox: InboxMessage[];
  /** The last that were delivered, oldest first, with what was answered. */
  inboxRead: readonly DeliveredMessage[];
  /** Sent to others, recorded, and not known to have arrived [S38]. */
  outbox: SentMessage[];
  /** Messages sent so far; each has its number. */
  sent: number;
  /** Which numbering the next one belongs to; empty where that is still to be begun. */
  numbering: string;
  /** The last number that arrived from each sender, of its numbering without a name [S38]. */
  heard: Record<string, number>;
  /** The same of those with one, for each sender the last few. */
  heardOf: Record<string, readonly HeardNumbering[]>;
  /** Promises of ended invocations, newest last. */
  settled: SettledPromise[];
  /** The last signals and inbox messages taken, so that none is taken twice. */
  taken: string[];
  /** Newest last, at most {@link HEALTH_WINDOW}. */
  recentRuns: RunRecord[];
  consecutiveFailures: number;
  budget: BudgetState;
  /** Causes that somebody was to be told of, oldest first: those that are open, and the last that are over. */
  escalations: readonly RaisedCause[];
  /** Null where none was ever started, or the manifest has none any more. */
  mission: MissionState | null;
  health: HealthState;
  /** What it has used of the caps on all processes together. */
  caps: CapRecords;
  /** Settings that are not as the manifest has them. */
  settings: LiveSettings;
  /** What its agent changed about itself. */
  self: SelfState;
  /** Which process began it; null for one with a manifest. */
  parent: Parent | null;
  tally: Tally;
  /** By name, those that were resolved at the last start; never a value. */
  secrets: Readonly<Record<string, SecretState>>;
  /** Automatic restarts since the last success. */
  restarts: number;
  /** Whether one was announced and has not begun, or there are none left. */
  restart: 'none' | 'pending' | 'exhausted';
  /** Worker deaths in a row without progress between them. */
  workerDeaths: number;
  lastError: LastError | null;
  /** How the last worker that nobody ended came to its end; null once there was progress again. */
  lastWorkerDeath: string | null;
  writer: WriterIdentity | null;
  /** The workers journaled as started and not as gone. */
  workers: WorkerIdentity[];
  /** The last worker number given out. */
  generation: number;
  configHash: string | null;
  /** Of what an invocation that begins now is made; null for a code agent. */
  plan: JsonObject | null;
  /** The tools that it was offered. */
  tools: ToolsState;
  triggers: TriggersState;
  /** A rewind was recorded and the state not moved yet; the next checkpoint has moved it [S39]. */
  rewinding: Rewinding | null;
  /** Where it was forked from; null for a process of its own [S40]. */
  lineage: Lineage | null;
  /** Sections of a foreign checkpoint that belong to its writer (budget, mission), kept as they are. */
  foreign: JsonObject;
  lastEntryType: string;
  lastEntryAt: string | null;
}

export function emptySnapshot(): ProcessSnapshot {
  return {
    seq: 0,
    context: {},
    lifecycle: 'created',
    lifecycleSince: null,
    lifecycleReason: '',
    lifecycleActor: '',
    startedAt: null,
    holds: [],
    invocationCount: 0,
    conversation: [],
    conversationCount: 0,
    conversationMax: DEFAULT_CONVERSATION,
    compaction: null,
    queue: [],
    open: [],
    deadLetters: [],
    deadLettersLost: 0,
    inbox: [],
    inboxRead: [],
    outbox: [],
    sent: 0,
    numbering: '',
    heard: {},
    heardOf: {},
    settled: [],
    taken: [],
    recentRuns: [],
    consecutiveFailures: 0,
    budget: emptyBudget(),
    escalations: [],
    mission: null,
    health: emptyHealth(),
    caps: {},
    settings: {},
    self: emptySelf(),
    parent: null,
    tally: emptyTally(),
    secrets: {},
    restarts: 0,
    restart: 'none',
    workerDeaths: 0,
    lastError: null,
    lastWorkerDeath: null,
    writer: null,
    workers: [],
    generation: 0,
    configHash: null,
    plan: null,
    tools: emptyTools(),
    triggers: emptyTriggers(),
    rewinding: null,
    lineage: null,
    foreign: {},
    lastEntryType: '',
    lastEntryAt: null,
  };
}

/** The invocation under way of an event. */
export function openOf<Open extends OpenInvocation>(
  { open }: { readonly open: readonly Open[] },
  eventId: unknown,
): Open | undefined {
  return open.find(({ event }) => event.eventId === eventId);
}

/** The context as an open invocation saw it when it began [S23]. */
export function viewAtStart(
  context: Readonly<Record<string, Json>>,
  open: OpenInvocation,
): Record<string, Json> {
  const view: Record<string, Json> = { ...context };
  for (const [key, before] of Object.entries(open.before)) {
    if (before === null) delete view[key];
    else define(view, key, before.value);
  }
  return view;
}

/**
 * The conversation as an open invocation saw it when it began, as far as it is kept, at most `max` messages; before them, as a
 * message of the system, what stood for what was before.
 */
export function conversationAtStart(
  { conversation, conversationCount }: Readonly<ProcessSnapshot>,
  { conversationFrom, conversationMax, compaction }: OpenInvocation,
  otherwise: number,
): readonly JsonObject[] {
  const max = (conversationMax ?? otherwise) || Infinity;
  const first = conversationCount - conversation.length;
  const until = Math.max(0, conversationFrom - first);
  const from = Math.max(0, until - max, (compaction?.until ?? 0) - first);
  const messages = conversation.slice(from, until);
  return compaction === undefined ? messages : [{ role: 'system', content: compaction.summary }, ...messages];
}

/** An invocation that has recorded nothing yet. */
export function openedInvocation(
  start: Pick<
    OpenInvocation,
    'event' | 'invocation' | 'attempt' | 'attemptSeq' | 'startedAt' | 'codeHash' | 'seed' | 'inbox'
  > & { readonly conversationFrom: number },
): OpenInvocation {
  return {
    ...start,
    effects: [],
    writes: [],
    sayings: [],
    sends: [],
    waits: [],
    signals: [],
    clock: [],
    versions: {},
    isWaiting: false,
    retryAt: null,
    before: {},
  };
}
