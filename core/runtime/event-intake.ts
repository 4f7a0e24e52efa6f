// Where trigger events come in: accepted when they are durable, and refused aloud.

import type { EntryType, Sender } from '../model/entry.ts';
import { AppError, messageOf } from '../model/errors.ts';
import { heardFrom } from '../model/fold-invocation.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { isActive, type LifecycleState } from '../model/lifecycle.ts';
import type { Ids } from '../model/ports.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import type { Recorder } from './recorder.ts';
import type { Tick } from './trigger-set.ts';

const MAX_QUEUE = 1_000;

export interface IntakeOptions {
  readonly process: string;
  readonly ids: Ids;
  readonly recorder: () => Recorder;
  readonly state: () => LifecycleState;
  /** Resolves when nothing is being done to the process; rejects when nothing can be. */
  readonly ready: () => Promise<void>;
  readonly onAccepted: (triggerId: string) => void;
}

export interface EventIntake {
  /** Resolves with the event's id once it is durable: then, and not before, its source may be told [S29]. */
  accept(triggerId: string, triggerType: string, payload: Json): Promise<string>;
  /** The same, of another process's message; one that has been heard before is accepted by doing nothing [S38]. */
  hear(tick: Tick, from: Sender): Promise<void>;
  /** An event that nobody waits to hear about. */
  tick(tick: Tick): void;
}

export function eventIntake(options: IntakeOptions): EventIntake {
  const { process, ids, recorder, state, ready, onAccepted } = options;
  const snapshot = (): Readonly<ProcessSnapshot> => recorder().snapshot;
  const note = (type: EntryType, data: JsonObject): void => recorder().note(type, data);

  const record = async ({ triggerId, triggerType, payload }: Tick, from: Sender | null): Promise<string> => {
    refuseUnlessRoom(process, state(), snapshot().queue.length);
    const eventId = ids.next();
    const event = {
      trigger_id: triggerId,
      trigger_type: triggerType,
      event_id: eventId,
      payload,
      ...(from === null ? {} : { from: { ...from } }),
    };
    // Whatever the journal promises otherwise: its source is told, and forgets it [S29].
    await recorder().record('trigger_event', event, { synced: true });
    onAccepted(triggerId);
    return eventId;
  };

  const accept: EventIntake['accept'] = async (triggerId, triggerType, payload) => {
    await ready();
    return record({ triggerId, triggerType, payload }, null);
  };

  return {
    accept,
    hear: async (tick, from) => {
      await ready();
      // From here to its entry nothing else happens, so no message is heard twice.
      if (heardFrom(snapshot(), from.process, from.numbering) >= from.number) await recorder().settled();
      else await record(tick, from);
    },
    tick: ({ triggerId, triggerType, payload }) => {
      // While the process is held one event for each trigger is enough [S42].
      if (state() === 'suspended' && snapshot().queue.some((queued) => queued.triggerId === triggerId))
        return;
      accept(triggerId, triggerType, payload).catch((error: unknown) => {
        // A journal that fails has told so already, and a host that closes needs no trace; a full queue leaves one.
        if (!(error instanceof AppError) || error.code !== 'process.queue-full') return;
        const reason = messageOf(error);
        note('dead_letter', { event_id: ids.next(), trigger_id: triggerId, reason, attempts: 0 });
      });
    },
  };
}

function refuseUnlessRoom(process: string, state: LifecycleState, queued: number): void {
  if (!isActive(state)) {
    throw new AppError(
      'process.not-active',
      `${process} is ${state}, so it takes no events. Start it first.`,
      { process },
    );
  }
  if (queued >= MAX_QUEUE) {
    throw new AppError(
      'process.queue-full',
      `${process} has ${queued} events waiting and takes no more. Resume it, or wait until it has worked some off.`,
      { process },
    );
  }
}
