// Snapshots and entries as the console's views. Pure: the same input gives the same view.

import type { ProcessDetail, ProcessRow, TimelineRow } from '../contract/views.ts';
import { allowedActions } from '../model/allowed-actions.ts';
import { isInDoubt, needsOperator, type RecordedEffect } from '../model/effects.ts';
import type { BadLine, StoredEntry } from '../model/entry.ts';
import { budgetOf, healthOf } from '../model/gauges.ts';
import { showJson, type Json } from '../model/json.ts';
import { isLifecycleState, LIFECYCLE_STATES, nextStates } from '../model/lifecycle.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { dayOf, timestampOf } from '../model/time.ts';
import { whyOf, type LiveFacts } from '../model/why.ts';
import { entrySummary } from './entry-summary.ts';

/** What crosses to a screen is bounded; the journal has the rest. */
const MAX_VALUE_CHARACTERS = 16_384;
const MAX_CONTEXT_KEYS = 500;
const MAX_EFFECTS = 200;
const MAX_QUEUE = 100;

export interface RowInput {
  readonly journalId: string;
  readonly name: string;
  readonly description: string;
  readonly snapshot: Readonly<ProcessSnapshot>;
  /** Null for a process that this host doesn't run. */
  readonly live:
    | (LiveFacts & { readonly worker: { readonly pid: number; readonly generation: number } | null })
    | null;
  readonly maxRunsPerDay: number | null;
  readonly nowMs: number;
}

export function processKey(journalId: string, name: string): string {
  return `${journalId}/${encodeURIComponent(name.toWellFormed())}`;
}

export function processRow(input: RowInput): ProcessRow {
  const { journalId, name, description, snapshot, live, maxRunsPerDay, nowMs } = input;
  const why = whyOf(snapshot, live);
  const state = snapshot.lifecycle;
  return {
    key: processKey(journalId, name),
    journalId,
    name,
    description,
    live: live !== null,
    state,
    stateSince: snapshot.lifecycleSince,
    why: why.text,
    tone: why.tone,
    budget: budgetOf(snapshot, { today: dayOf(timestampOf(nowMs)), maxRunsPerDay, isLive: live !== null }),
    health: mutable(healthOf(snapshot)),
    invocations: snapshot.invocationCount,
    queued: snapshot.queue.length,
    doubts: doubtsOf(snapshot, live !== null),
    restarts: snapshot.restarts,
    entries: snapshot.seq,
    lastEntryType: snapshot.lastEntryType,
    lastEntryAt: snapshot.lastEntryAt,
    worker: live?.worker ?? null,
    actions:
      live === null || !isLifecycleState(state)
        ? []
        : [
            ...allowedActions({
              state,
              hasWorker: live.worker !== null,
              isResumable: snapshot.holds.some(
                (hold) => hold.kind === 'operator' || hold.kind === 'idle' || hold.kind === 'quit',
              ),
              hasTrouble: live.trouble !== null,
            }),
          ],
  };
}

/** While this host is performing an effect, not knowing its outcome is no doubt yet. */
function doubtsOf(snapshot: Readonly<ProcessSnapshot>, isLive: boolean): number {
  if (isLive && !snapshot.holds.some((hold) => hold.kind === 'in_doubt')) return 0;
  return snapshot.open.flatMap((open) => open.effects).filter(needsOperator).length;
}

export interface DetailInput extends RowInput {
  readonly triggers: ProcessDetail['triggers'];
  readonly journalLevel: string;
}

export function processDetail(input: DetailInput): ProcessDetail {
  const { snapshot } = input;
  const row = processRow(input);
  const keys = Object.keys(snapshot.context).sort();
  return {
    row,
    reason: snapshot.lifecycleReason,
    actor: snapshot.lifecycleActor,
    lifecycle: LIFECYCLE_STATES.map((state) => ({ state, to: [...nextStates(state)] })),
    holds: snapshot.holds.map((hold) => ({ ...hold })),
    context: keys.slice(0, MAX_CONTEXT_KEYS).map((key) => ({ key, ...valueText(snapshot.context[key]!) })),
    contextCut: keys.length > MAX_CONTEXT_KEYS,
    open: snapshot.open.map((open) => ({
      eventId: open.event.eventId,
      invocation: open.invocation,
      attempt: open.attempt,
      triggerId: open.event.triggerId,
      triggerType: open.event.triggerType,
      startedAt: open.startedAt,
      effects: open.effects.slice(-MAX_EFFECTS).map((effect) => effectView(effect, row.doubts > 0)),
    })),
    queue: snapshot.queue
      .slice(0, MAX_QUEUE)
      .map(({ eventId, triggerId, acceptedAt }) => ({ eventId, triggerId, acceptedAt })),
    lastError: snapshot.lastError === null ? null : { ...snapshot.lastError },
    triggers: input.triggers,
    writer:
      snapshot.writer === null
        ? null
        : { epoch: snapshot.writer.epoch, pid: snapshot.writer.pid, hostId: snapshot.writer.hostId },
    journalLevel: input.journalLevel,
  };
}

function effectView(
  effect: RecordedEffect,
  mayBeDoubtful: boolean,
): ProcessDetail['open'][number]['effects'][number] {
  return {
    effectId: effect.effectId,
    name: effect.name,
    effectClass: effect.effectClass,
    key: effect.key,
    argsPreview: effect.argsPreview,
    attempts: effect.attempts,
    announcedAt: effect.announcedAt,
    end: effect.end?.kind ?? 'open',
    needsOperator: mayBeDoubtful && isInDoubt(effect) && needsOperator(effect),
  };
}

/** JSON with every number as it was written, cut at the limit. */
export function valueText(value: Json): { text: string; cut: boolean } {
  const text = showJson(value, 2);
  return text.length <= MAX_VALUE_CHARACTERS
    ? { text, cut: false }
    : { text: text.slice(0, MAX_VALUE_CHARACTERS), cut: true };
}

export function timelineRow(entry: StoredEntry): TimelineRow {
  const { summary, tone } = entrySummary(entry);
  const { text, cut } = valueText(entry.data);
  const eventId = entry.data['event_id'];
  return {
    id: String(entry.offset),
    seq: entry.seq,
    at: entry.timestamp,
    type: entry.entry_type,
    summary,
    tone,
    eventId: typeof eventId === 'string' && eventId !== '' ? eventId : eventOfEffect(entry),
    verification: entry.verification,
    dataText: text,
    cut,
  };
}

function eventOfEffect({ data }: StoredEntry): string | null {
  const effectId = data['effect_id'];
  return typeof effectId === 'string' ? effectId.slice(0, effectId.indexOf('/')) || null : null;
}

export function badLineRow({ seq, offset, sizeBytes, reason }: BadLine): TimelineRow {
  return {
    id: String(offset),
    seq,
    at: '',
    type: 'unreadable line',
    summary: `${reason} (${sizeBytes} bytes at ${offset})`,
    tone: 'alarm',
    eventId: null,
    verification: 'unreadable',
    dataText: reason,
    cut: false,
  };
}

/** Entries and bad lines as one list, newest first. */
export function timelineRows(entries: readonly StoredEntry[], badLines: readonly BadLine[]): TimelineRow[] {
  return [...entries.map(timelineRow), ...badLines.map(badLineRow)].sort((a, b) => b.seq - a.seq);
}

function mutable<T extends { readonly runs: readonly boolean[] }>(
  health: T,
): Omit<T, 'runs'> & { runs: boolean[] } {
  return { ...health, runs: [...health.runs] };
}
