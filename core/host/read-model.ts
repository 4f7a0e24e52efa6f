// Snapshots and entries as the console's views. Pure: the same input gives the same view.

import type { ProcessDetail } from '../contract/process-detail.ts';
import type { ProcessRow } from '../contract/process-row.ts';
import type { TimelineRow } from '../contract/timeline-views.ts';
import type { TriggerView } from '../contract/trigger-views.ts';
import { allowedActions } from '../model/allowed-actions.ts';
import { planOf, type MemoryPlan } from '../model/agent-plan.ts';
import type { BadLine, StoredEntry } from '../model/entry.ts';
import type { BudgetConfig } from '../model/budget.ts';
import { budgetOf, healthOf } from '../model/gauges.ts';
import type { HealthConfig } from '../model/health.ts';
import { detectorGauges } from '../model/health-gauge.ts';
import type { Json } from '../model/json.ts';
import { OPERATORS_HOLDS, stopsEffects } from '../model/holds.ts';
import { isLifecycleState, LIFECYCLE_STATES, nextStates } from '../model/lifecycle.ts';
import type { MissionConfig } from '../model/mission.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { standingOf } from '../model/standing.ts';
import type { Spending } from '../model/spending.ts';
import { isMoment } from '../model/time.ts';
import { pauseOfAll, type Pause } from '../model/trigger-record.ts';
import { whyOf, type LiveFacts, type Why } from '../model/why.ts';
import { cut, cutOrNull, showCut } from './cut.ts';
import { causeViews, escalationViews } from './escalation-views.ts';
import { entrySummary } from './entry-summary.ts';
import { missionView } from './mission-view.ts';
import { selfView } from './self-view.ts';
import { settingsView } from './settings-view.ts';
import { countOf, MAX_ID, MAX_LINE, MAX_NAME, MAX_SENTENCE, MAX_WORD, shownOf } from './view-limits.ts';
import { conversationView, deliveredView, messageView } from './inbox-views.ts';
import { waitingMark, type WaitingInput } from './waiting-views.ts';
import { deadLetterView, doubtsOf, invocationViews, openPromisesOf } from './work-views.ts';

/** Of one value, in characters. */
const MAX_VALUE = 16_384;
/** All values of a state together; behind it each still shows its beginning. */
const MAX_CONTEXT = 262_144;
const MIN_VALUE = 200;
const MAX_CONTEXT_KEYS = 500;
const MAX_QUEUE = 100;
const MAX_HOLDS = 50;
const MAX_DEAD_LETTERS = 100;
const MAX_INBOX_SHOWN = 50;
const MAX_TRIGGERS = 100;
const MAX_SPENT = 20;
const MAX_CURRENCY = 10;

export interface RowInput {
  readonly journalId: string;
  readonly name: string;
  readonly description: string;
  readonly snapshot: Readonly<ProcessSnapshot>;
  /** Null for a process that this host doesn't run. */
  readonly live:
    | (LiveFacts & {
        readonly worker: { readonly pid: number; readonly generation: number } | null;
        /** Whether the worker has this invocation in hand. */
        readonly isRunning: (eventId: string) => boolean;
      })
    | null;
  /** Why its journal can't be read any more, and since when; the snapshot is what was read before. */
  readonly unknown: { readonly text: string; readonly since: string } | null;
  /** What is the matter with one that no manifest defines [S37]. */
  readonly orphaned?: Why;
  /** Null where nobody runs it here. */
  readonly budget: BudgetConfig | null;
  readonly nowMs: number;
}

export function processKey(journalId: string, name: string): string {
  return `${journalId}/${encodeURIComponent(name.toWellFormed())}`;
}

export function processRow(input: RowInput): ProcessRow {
  const { journalId, snapshot, live, unknown, budget, nowMs } = input;
  const name = cut(input.name, MAX_NAME);
  const why: Why =
    unknown === null ? (input.orphaned ?? whyOf(snapshot, live)) : { text: unknown.text, tone: 'alarm' };
  const state = unknown === null ? snapshot.lifecycle : 'unknown';
  return {
    key: processKey(journalId, name),
    journalId,
    name,
    description: cut(input.description, MAX_LINE),
    live: live !== null,
    state: cut(state, MAX_WORD),
    stateSince: cutOrNull(unknown?.since ?? snapshot.lifecycleSince, MAX_WORD),
    why: cut(why.text, MAX_LINE),
    whyAt: cutOrNull(why.at ?? null, MAX_WORD),
    tone: why.tone,
    budget: budgetView(snapshot, { nowMs, config: budget }),
    causes: causeViews(snapshot),
    health: healthView(snapshot),
    invocations: snapshot.invocationCount,
    queued: snapshot.queue.length,
    doubts: doubtsOf(snapshot.open, live?.isRunning ?? null),
    waiting: waitingMark(waitingInput(input)),
    restarts: snapshot.restarts,
    entries: snapshot.seq,
    lastEntryType: cut(snapshot.lastEntryType, MAX_WORD),
    lastEntryAt: cutOrNull(snapshot.lastEntryAt, MAX_WORD),
    worker: live?.worker ?? null,
    actions:
      live === null || !isLifecycleState(state)
        ? []
        : [
            ...allowedActions({
              state,
              hasWorker: live.worker !== null || live.isSpawning,
              isResumable: snapshot.holds.some(({ kind }) =>
                (OPERATORS_HOLDS as readonly string[]).includes(kind),
              ),
              hasTrouble: live.trouble !== null,
            }),
          ],
  };
}

export function waitingInput({ journalId, name, snapshot, live }: RowInput): WaitingInput {
  return { journalId, name, snapshot, isLive: live !== null, isInHand: live?.isRunning ?? null };
}

export interface DetailInput extends RowInput {
  readonly receivers: ProcessDetail['receivers'];
  /** Null where nobody runs it here, or it has none. */
  readonly mission: MissionConfig | null;
  readonly triggers: ProcessDetail['triggers'];
  readonly journalLevel: string;
  /** Null where nobody runs it here. */
  readonly health: HealthConfig | null;
  readonly workerDetail: ProcessDetail['workerDetail'];
  readonly secrets: ProcessDetail['secrets'];
  readonly memory: MemoryPlan | null;
}

/** A process that nobody runs here, as its journal says it was last. */
export function asRecorded(
  journalId: string,
  name: string,
  snapshot: Readonly<ProcessSnapshot>,
): DetailInput {
  return {
    journalId,
    name,
    description: '',
    snapshot,
    live: null,
    unknown: null,
    budget: null,
    nowMs: Date.now(),
    receivers: null,
    mission: null,
    triggers: [],
    journalLevel: '',
    health: null,
    workerDetail: null,
    secrets: [],
    memory: planOf(snapshot.plan)?.memory ?? null,
  };
}

export function processDetail(input: DetailInput): ProcessDetail {
  const { snapshot } = input;
  const row = processRow(input);
  const keys = Object.keys(snapshot.context).sort();
  const { lastError, writer } = snapshot;
  return {
    row,
    reason: cut(snapshot.lifecycleReason, MAX_SENTENCE),
    actor: cut(snapshot.lifecycleActor, MAX_WORD),
    lifecycle: LIFECYCLE_STATES.map((state) => ({ state, to: [...nextStates(state)] })),
    holds: snapshot.holds.slice(0, MAX_HOLDS).map((hold) => ({
      kind: cut(hold.kind, MAX_WORD),
      reason: cut(hold.reason, MAX_SENTENCE),
      actor: cut(hold.actor, MAX_WORD),
      since: cut(hold.since, MAX_WORD),
    })),
    counts: {
      context: keys.length,
      open: snapshot.open.length,
      promises: openPromisesOf(snapshot.open),
      deadLetters: snapshot.deadLetters.length,
      triggers: input.triggers.length,
    },
    context: contextView(snapshot.context, keys.slice(0, MAX_CONTEXT_KEYS)),
    open: invocationViews(snapshot.open, input.live?.isRunning ?? null, input.nowMs),
    queue: snapshot.queue.slice(0, MAX_QUEUE).map(({ eventId, triggerId, acceptedAt, missed = 0 }) => ({
      eventId: cut(eventId, MAX_ID),
      triggerId: cut(triggerId, MAX_WORD),
      acceptedAt: cut(acceptedAt, MAX_WORD),
      missed: countOf(missed),
    })),
    deadLetters: snapshot.deadLetters.slice(-MAX_DEAD_LETTERS).map(deadLetterView),
    deadLettersLost: countOf(snapshot.deadLettersLost),
    mission: missionView(snapshot, input.mission),
    conversation: conversationView(snapshot),
    inbox: snapshot.inbox.slice(0, MAX_INBOX_SHOWN).map(messageView),
    inboxRead: snapshot.inboxRead.toReversed().map(deliveredView),
    unsent: snapshot.outbox.length,
    workerDetail: input.workerDetail,
    workerDeaths: snapshot.workerDeaths,
    lastWorkerDeath: cutOrNull(snapshot.lastWorkerDeath, MAX_SENTENCE),
    saying: sayingView(input.live?.saying ?? null),
    respawnsAt: input.live?.respawnsAt ?? null,
    restartsAt: input.live?.restartsAt ?? null,
    lastError:
      lastError === null
        ? null
        : {
            code: cut(lastError.code, MAX_WORD),
            message: cut(lastError.message, MAX_SENTENCE),
            at: cut(lastError.at, MAX_WORD),
          },
    triggers: shownTriggers(input.triggers).map(triggerView),
    escalations: escalationViews(snapshot),
    receivers: input.receivers,
    triggersPaused: pauseView(pauseOfAll(snapshot.triggers)),
    lineage:
      snapshot.lineage === null
        ? null
        : { ...snapshot.lineage, process: cut(snapshot.lineage.process, MAX_NAME) },
    writer:
      writer === null ? null : { epoch: writer.epoch, pid: writer.pid, hostId: cut(writer.hostId, MAX_WORD) },
    spending: spendingView(snapshot.budget.spending),
    journalLevel: input.journalLevel,
    detectors: detectorViews(input),
    settings: settingsView(snapshot.settings, input.budget),
    self: selfView(snapshot),
    secrets: input.secrets,
    memory:
      input.memory === null
        ? null
        : {
            collection: cut(input.memory.collection, MAX_LINE),
            userId: cut(input.memory.userId, MAX_LINE),
          },
  };
}

function sayingView(saying: NonNullable<LiveFacts['saying']> | null): ProcessDetail['saying'] {
  if (saying === null) return null;
  const { text, wait, model, sinceMs } = saying;
  const until = wait?.untilMs ?? null;
  return {
    text: text.slice(-MAX_SENTENCE).toWellFormed(),
    waitText: wait === null ? null : cut(wait.text, MAX_LINE),
    waitUntil: until === null || !isMoment(until) ? null : new Date(until).toISOString(),
    model: cut(model, MAX_LINE),
    since: new Date(sinceMs).toISOString(),
  };
}

/** The first, and before them those that somebody may have to do something about. */
function shownTriggers(triggers: ProcessDetail['triggers']): readonly TriggerView[] {
  const apart = triggers.filter(({ paused, problem }) => paused !== null || problem !== null);
  return shownOf(triggers, MAX_TRIGGERS, [...apart, ...triggers]);
}

function triggerView(trigger: TriggerView): TriggerView {
  const { id, description, address, filter, paused, problem } = trigger;
  return {
    ...trigger,
    id: cut(id, MAX_NAME),
    description: cut(description, MAX_LINE),
    address: cutOrNull(address, MAX_LINE),
    filter: cutOrNull(filter, MAX_LINE),
    paused: pauseView(paused),
    problem: problem === null ? null : { ...problem, message: cut(problem.message, MAX_SENTENCE) },
  };
}

export function pauseView(pause: Pause | null): Pause | null {
  if (pause === null) return null;
  const { reason, actor, at } = pause;
  return { reason: cut(reason, MAX_LINE), actor: cut(actor, MAX_WORD), at: cut(at, MAX_WORD) };
}

function contextView(
  context: Readonly<Record<string, Json>>,
  keys: readonly string[],
): ProcessDetail['context'] {
  let room = MAX_CONTEXT;
  return keys.map((key) => {
    const value = showCut(context[key]!, Math.max(MIN_VALUE, Math.min(MAX_VALUE, room)), 2);
    room -= value.text.length;
    return { key: cut(key, MAX_ID), ...value };
  });
}

export function timelineRow(entry: StoredEntry): TimelineRow {
  const { summary, tone } = entrySummary(entry);
  const data = showCut(entry.data, MAX_VALUE, 2);
  const eventId = entry.data['event_id'];
  return {
    id: `${entry.seq}.${entry.offset}`,
    seq: entry.seq,
    at: cut(entry.timestamp, MAX_WORD),
    type: cut(entry.entry_type, MAX_WORD),
    summary,
    tone,
    eventId: cutOrNull(
      typeof eventId === 'string' && eventId !== '' ? eventId : eventOfEffect(entry),
      MAX_ID,
    ),
    verification: entry.verification,
    dataText: data.text,
    cut: data.cut,
  };
}

function eventOfEffect({ data }: StoredEntry): string | null {
  const effectId = data['effect_id'];
  return typeof effectId === 'string' ? effectId.slice(0, effectId.indexOf('/')) || null : null;
}

export function badLineRow({ seq, offset, sizeBytes, reason }: BadLine): TimelineRow {
  return {
    id: `${seq}.${offset}`,
    seq,
    at: '',
    type: 'unreadable line',
    summary: `${cut(reason, MAX_LINE)} (${sizeBytes} bytes at ${offset})`,
    tone: 'alarm',
    eventId: null,
    verification: 'unreadable',
    dataText: cut(reason, MAX_SENTENCE),
    cut: false,
  };
}

/** Entries and bad lines as one list, newest first. */
export function timelineRows(entries: readonly StoredEntry[], badLines: readonly BadLine[]): TimelineRow[] {
  return [...entries.map(timelineRow), ...badLines.map(badLineRow)].sort((a, b) => b.seq - a.seq);
}

function budgetView(...of: Parameters<typeof budgetOf>): ProcessRow['budget'] {
  const { limits, models, ...gauge } = budgetOf(...of);
  return {
    ...gauge,
    models: models === null ? null : { ...models },
    currency: cutOrNull(gauge.currency, MAX_CURRENCY),
    limits: limits.map((limit) => ({ ...limit })),
  };
}

function spendingView({ since, minutes, halfHours }: Spending): ProcessDetail['spending'] {
  const last = (list: Spending['minutes']): ProcessDetail['spending']['minutes'] =>
    list.slice(-MAX_SPENT).map(({ at, spent }) => ({ at, spent: { ...spent } }));
  return { since, minutes: last(minutes), halfHours: last(halfHours) };
}

function healthView(snapshot: Readonly<ProcessSnapshot>): ProcessRow['health'] {
  const { runs, anomalies, ...gauge } = healthOf(snapshot);
  return {
    ...gauge,
    runs: [...runs],
    anomalies: anomalies.map(({ type, text, at }) => ({
      type,
      text: cut(text, MAX_SENTENCE),
      at: cut(at, MAX_WORD),
    })),
  };
}

function detectorViews({ snapshot, health, live, nowMs }: DetailInput): ProcessDetail['detectors'] {
  const isHeld = stopsEffects(snapshot.holds);
  const moving = snapshot.open.filter(
    (open) => !isHeld && live?.isRunning(open.event.eventId) === true && standingOf(open, nowMs) === 'ready',
  ).length;
  return detectorGauges({ snapshot, config: health, moving, nowMs }).map(({ last, ...gauge }) => ({
    ...gauge,
    last:
      last === null
        ? null
        : {
            description: cut(last.description, MAX_SENTENCE),
            at: cut(last.at, MAX_WORD),
            action: cut(last.action, MAX_WORD),
            overAt: cutOrNull(last.overAt, MAX_WORD),
          },
  }));
}
