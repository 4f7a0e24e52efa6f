// Where trigger events come in: filtered, accepted when they are durable, and refused aloud.

import type { EntryType, Sender } from '../model/entry.ts';
import { AppError } from '../model/errors.ts';
import { applyFilter, type Filter } from '../model/filter-expression.ts';
import { heardFrom } from '../model/fold-invocation.ts';
import { triggerOf } from '../model/fold-triggers.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { isActive, type LifecycleState } from '../model/lifecycle.ts';
import { jsonBytes, MAX_RESULT_BYTES } from '../model/limits.ts';
import type { Ids, SpillReference } from '../model/ports.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import type { CronTriggerConfig } from '../model/trigger-config.ts';
import { hasTaken, isOff, mayHaveForgotten } from '../model/trigger-record.ts';
import type { DueTick, DueTicks } from '../triggers/cron-due.ts';
import type { TriggerAnswer, TriggerCall } from '../triggers/trigger-sink.ts';
import type { Recorder } from './recorder.ts';
import type { KnownTrigger } from './trigger-list.ts';
import type { Tick } from './trigger-set.ts';

export const MAX_QUEUE = 1_000;
/** A larger payload lies beside the journal [S16]. */
const MAX_INLINE_BYTES = 64 * 1024;
const MAX_WHY = 500;

export interface IntakeOptions {
  readonly process: string;
  readonly ids: Ids;
  readonly recorder: () => Recorder;
  readonly state: () => LifecycleState;
  /** Resolves when nothing is being done to the process; rejects when nothing can be. */
  readonly ready: () => Promise<void>;
  readonly filterOf: (triggerId: string) => Filter | null;
  readonly onAccepted: (triggerId: string) => void;
}

export interface EventIntake {
  /** Resolves with the event's id once it is durable: then, and not before, its source may be told [S29]. */
  accept(tick: Tick): Promise<string>;
  /** The same, of another process's message; one that has been heard before is accepted by doing nothing [S38]. */
  hear(tick: Tick, from: Sender): Promise<void>;
  /** A call from outside, which may be told twice and is not always of interest. */
  take(known: KnownTrigger, call: TriggerCall): Promise<TriggerAnswer>;
  /** Times of a schedule have come. Resolves when what became of each is on record. */
  due(known: KnownTrigger & { readonly trigger: CronTriggerConfig }, due: DueTicks): Promise<void>;
  /** Why nothing from outside can be accepted now; null when it can. */
  refusal(): AppError | null;
}

interface More {
  readonly from?: Sender;
  readonly key?: string;
  /** Of a schedule's own event: the time that is done with by it. */
  readonly scheduled?: string;
  readonly eventId?: string;
}

export function eventIntake(options: IntakeOptions): EventIntake {
  const { process, ids, recorder, state, ready, filterOf, onAccepted } = options;
  const snapshot = (): Readonly<ProcessSnapshot> => recorder().snapshot;
  const note = (type: EntryType, data: JsonObject): void => recorder().note(type, data);

  /** Payloads that an entry names, or may name: also one that the journal did not take whole. */
  const named = new WeakSet<Payload>();

  const record = async (
    tick: Tick,
    payload: Payload,
    { eventId = ids.next(), from, key, scheduled }: More,
  ): Promise<string> => {
    refuseUnlessRoom(process, state(), snapshot().queue.length);
    const { triggerId, triggerType, metadata, missed = 0 } = tick;
    const event: JsonObject = {
      trigger_id: triggerId,
      trigger_type: triggerType,
      event_id: eventId,
      payload: payload.payload,
      ...(payload.spilled === undefined ? {} : { spilled: { ...payload.spilled } }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(from === undefined ? {} : { from: { ...from } }),
      ...(key === undefined ? {} : { key }),
      ...(missed > 0 ? { missed } : {}),
      ...(scheduled === undefined ? {} : { scheduled_time: scheduled }),
    };
    named.add(payload);
    // Whatever the journal promises otherwise: its source is told, and forgets it [S29].
    await recorder().record('trigger_event', event, { synced: true });
    onAccepted(triggerId);
    return eventId;
  };

  /** Where nobody may run for it, nothing is kept beside the journal for it either. */
  const keep = async (payload: Json): Promise<Payload> => {
    refuseUnlessRoom(process, state(), snapshot().queue.length);
    const bytes = jsonBytes(payload);
    if (bytes > MAX_RESULT_BYTES) throw tooLarge(process, bytes);
    const kept = recorder().keep(payload, MAX_INLINE_BYTES);
    return 'value' in kept ? { payload: kept.value } : { payload: null, spilled: await kept.spilled };
  };

  /** What was kept beside the journal for an event that is refused after all does not stay there. */
  const withKept = async <T>(payload: Json, use: (kept: Payload) => Promise<T>): Promise<T> => {
    const kept = await keep(payload);
    try {
      return await use(kept);
    } finally {
      if (kept.spilled !== undefined && !named.has(kept)) await recorder().giveUp(kept.spilled);
    }
  };

  /** Null where it passes; otherwise why not, on record. */
  const filtered = (
    filter: Filter | null,
    tick: Tick,
    eventId: string,
    scheduled?: string,
  ): string | null => {
    if (filter === null) return null;
    const { triggerId, triggerType, payload, metadata = {} } = tick;
    const found = applyFilter(filter, { payload, metadata, triggerType, triggerId, eventId });
    if (found.matches) return null;
    const why = found.why.slice(0, MAX_WHY);
    const when = scheduled === undefined ? {} : { scheduled_time: scheduled };
    note('trigger_filtered', { trigger_id: triggerId, event_id: eventId, why, ...when });
    return why;
  };

  /** Resolves when everything so far is durable, and rejects where it is not: nobody is told that it is [S29]. */
  const settled = async (): Promise<void> => {
    await recorder().settled();
    await ready();
  };

  /** Of a trigger that was looked up before something was waited for. */
  const isOver = (known: Pick<KnownTrigger, 'id' | 'isAdded'>): boolean => isOff(snapshot().triggers, known);

  const isFollowed = (id: string, scheduledMs: number): boolean => {
    const { lastScheduledMs } = triggerOf(snapshot(), id);
    return lastScheduledMs !== null && lastScheduledMs >= scheduledMs;
  };

  const tickDue = async (
    { id, trigger, filter }: KnownTrigger & { readonly trigger: CronTriggerConfig },
    { scheduledMs, missed }: DueTick,
  ): Promise<void> => {
    const scheduled = new Date(scheduledMs).toISOString();
    const payload = {
      scheduled_time: scheduled,
      cron_expression: trigger.cronExpression,
      timezone: trigger.cronTimezone,
    };
    const tick: Tick = { triggerId: id, triggerType: 'cron', payload, missed };
    const eventId = ids.next();
    if (filtered(filter, tick, eventId, scheduled) !== null) return;
    const passedOver = { trigger_id: id, count: missed + 1, last: scheduled };
    const { queue } = snapshot();
    // While the process is held one event for each trigger is enough; it is told how many it stands for [S42].
    const waiting = state() === 'suspended' ? queue.find((queued) => queued.triggerId === id) : undefined;
    if (waiting !== undefined) {
      await recorder().record('trigger_missed', { ...passedOver, event_id: waiting.eventId });
    } else if (queue.length >= MAX_QUEUE && isActive(state())) {
      await recorder().record('trigger_missed', {
        ...passedOver,
        why: queueFull(process, queue.length).message,
      });
    } else {
      await record(tick, { payload }, { eventId, scheduled });
    }
  };

  const refusal = (): AppError | null => {
    const { queue, holds } = snapshot();
    const held = state() === 'suspended' ? holds.find(({ kind }) => kind !== 'idle') : undefined;
    if (held !== undefined) return isHeld(process, held.reason || held.kind);
    return whyNoRoom(process, state(), queue.length);
  };

  return {
    refusal,
    accept: async (tick) => {
      await ready();
      const clean = recorder().scrubbed(tick);
      return withKept(clean.payload, (kept) => record(clean, kept, {}));
    },
    hear: async (said, from) => {
      const tick = recorder().scrubbed(said);
      const { triggerId: id } = tick;
      const known = { id, isAdded: snapshot().triggers.added.some((one) => one.id === id) };
      await ready();
      if (isOver(known)) return settled();
      const isHeard = (): boolean => heardFrom(snapshot(), from.process, from.numbering) >= from.number;
      if (isHeard()) return settled();
      await withKept(tick.payload, async (kept) => {
        // From here to its entry nothing else happens, so no message is heard twice.
        if (isHeard() || isOver(known)) return settled();
        const eventId = ids.next();
        const why = filtered(filterOf(id), tick, eventId);
        if (why === null) await record(tick, kept, { eventId, from });
        else await settled();
      });
    },
    take: async (known, { payload, metadata, key, sinceMs }) => {
      const { id, trigger, filter } = known;
      await ready();
      const refuseNow = (): void => {
        if (isOver(known)) throw isClosed(process, id);
        const refused = refusal();
        if (refused !== null) throw refused;
      };
      const isKnown = (): boolean => key !== undefined && hasTaken(triggerOf(snapshot(), id), key);
      refuseNow();
      if (!isKnown() && sinceMs !== undefined && mayHaveForgotten(triggerOf(snapshot(), id), sinceMs)) {
        throw isTooOld(id);
      }
      // Before it is looked at: why it does not pass says part of it.
      const tick = recorder().scrubbed<Tick>({ triggerId: id, triggerType: trigger.type, payload, metadata });
      const eventId = ids.next();
      const why = isKnown() ? null : filtered(filter, tick, eventId);
      if (why !== null) {
        await settled();
        return { kind: 'filtered', why };
      }
      const asKnown = async (): Promise<TriggerAnswer> => {
        await settled();
        return { kind: 'known' };
      };
      if (isKnown()) return asKnown();
      return withKept(tick.payload, async (kept) => {
        // From here to its entry nothing else happens; what was kept beside the journal took its time.
        if (isKnown()) return asKnown();
        refuseNow();
        await record(tick, kept, { eventId, ...(key === undefined ? {} : { key }) });
        return { kind: 'accepted', eventId };
      });
    },
    due: async (known, { fire, skipped, isAtLeast, lastMs }) => {
      await ready();
      // What waited here while its process was recovered may have come due there too.
      if (isOver(known) || isFollowed(known.id, lastMs)) return;
      const atLeast = isAtLeast ? { at_least: true } : {};
      if (skipped > 0) {
        // The one that fires says itself how far the schedule was followed.
        const last = fire.length === 0 ? { last: new Date(lastMs).toISOString() } : {};
        note('trigger_missed', { trigger_id: known.id, count: skipped, ...last, ...atLeast });
      }
      for (const tick of fire) {
        // A thousand of them take a while, and somebody may not want the rest.
        await ready();
        if (isOver(known)) return;
        if (!isFollowed(known.id, tick.scheduledMs)) await tickDue(known, tick);
      }
      await settled();
    },
  };
}

/** What an entry holds of it. */
type Payload = { readonly payload: Json; readonly spilled?: SpillReference };

function refuseUnlessRoom(process: string, state: LifecycleState, queued: number): void {
  const why = whyNoRoom(process, state, queued);
  if (why !== null) throw why;
}

function whyNoRoom(process: string, state: LifecycleState, queued: number): AppError | null {
  if (!isActive(state)) {
    return new AppError(
      'process.not-active',
      `${process} is ${state}, so it takes no events. Start it first.`,
      { process },
    );
  }
  return queued >= MAX_QUEUE ? queueFull(process, queued) : null;
}

function queueFull(process: string, queued: number): AppError {
  return new AppError(
    'process.queue-full',
    `${process} has ${queued} events waiting and takes no more. Resume it, or wait until it has worked some off.`,
    { process },
  );
}

function isHeld(process: string, reason: string): AppError {
  return new AppError(
    'process.held',
    `${process} is suspended (${reason}), so it takes nothing from outside. Resume it first.`,
    { process },
  );
}

function isClosed(process: string, id: string): AppError {
  return new AppError(
    'trigger.closed',
    `The trigger ${id} of ${process} was paused or taken away, so it takes nothing.`,
    { process, triggerId: id },
  );
}

function isTooOld(id: string): AppError {
  return new AppError(
    'trigger.signature-too-old',
    `So many signatures came to ${id} since this one was made that it is not known any more whether it was used. It has to be signed anew.`,
    { triggerId: id },
  );
}

function tooLarge(process: string, bytes: number): AppError {
  return new AppError(
    'trigger.payload-too-large',
    `An event for ${process} has a payload of ${bytes} bytes, and ${MAX_RESULT_BYTES} is the most. Send where it lies instead.`,
    { process, bytes },
  );
}
