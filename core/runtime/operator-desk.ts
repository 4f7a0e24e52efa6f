// What people decide about a process's work: effects in doubt, promises, signals, dead letters, what they write to the agent.

import { needsOperator, type Resolution } from '../model/effects.ts';
import type { EntryType } from '../model/entry.ts';
import { AppError } from '../model/errors.ts';
import {
  INBOX_PRIORITIES,
  INBOX_TYPES,
  MAX_INBOX,
  type InboxPriority,
  type InboxType,
} from '../model/inbox.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { refuseTooLarge } from '../model/limits.ts';
import type { Clock } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import type { DeadLetter, ProcessSnapshot } from '../model/snapshot.ts';
import { timestampOf } from '../model/time.ts';
import type { Settlement } from '../model/waits.ts';
import type { InvocationRunner } from './invocation-runner.ts';
import { InboxLimits } from './inbox-limits.ts';
import type { Actor } from './lifecycle-driver.ts';
import { fetchPayload } from './invocation-record.ts';
import type { Recorder } from './recorder.ts';
import type { Tick } from './trigger-set.ts';
import type { Settled, WaitKeeper } from './wait-keeper.ts';

export interface DeskOptions {
  readonly definition: ProcessDefinition;
  readonly clock: Clock;
  readonly recorder: () => Recorder;
  readonly runner: InvocationRunner;
  readonly waits: WaitKeeper;
  /** Does it when nothing else is being done to the process; rejects when nothing can be. */
  readonly exclusively: (act: () => void | Promise<void>) => Promise<void>;
  /** No effect waits for an operator any more. */
  readonly onDecided: (actor: Actor) => void;
  /** There may be something to go on with. */
  readonly onWork: (why: string) => void;
  readonly accept: (tick: Tick) => Promise<string>;
}

export interface InboxNote {
  readonly messageId: string;
  readonly type: InboxType;
  readonly content: string;
  readonly priority: InboxPriority;
  /** Null for never. */
  readonly expiresInMs: number | null;
}

const MAX_NAME = 200;

export class OperatorDesk {
  readonly #options: DeskOptions;
  readonly #inbox: InboxLimits;
  /** Dead letters that are being handled anew. */
  readonly #anew = new Set<string>();

  constructor(options: DeskOptions) {
    this.#options = options;
    this.#inbox = new InboxLimits(options.definition.name, options.definition.config.inbox);
  }

  get #snapshot(): Readonly<ProcessSnapshot> {
    return this.#options.recorder().snapshot;
  }

  /** An operator's word on an effect in doubt [S28], which nobody may be performing [S30]. */
  resolveEffect(effectId: string, resolution: Resolution, actor: Actor): Promise<void> {
    const { runner, exclusively, onDecided } = this.#options;
    return exclusively(() => {
      const open = this.#snapshot.open.find(({ effects }) =>
        effects.some((candidate) => candidate.effectId === effectId),
      );
      const effect = open?.effects.find((candidate) => candidate.effectId === effectId);
      if (
        open === undefined ||
        effect === undefined ||
        runner.isRunning(open.event.eventId) ||
        !needsOperator(effect)
      ) {
        throw new AppError(
          'effect.not-in-doubt',
          `The effect ${effectId} is not in doubt (any more), so there is nothing to decide.`,
          { effectId },
        );
      }
      const { end } = effect;
      const hasHappened = end?.kind === 'in_doubt' && end.happened === true;
      if (hasHappened && resolution.kind === 'did_not_happen') {
        throw new AppError(
          'effect.happened',
          `${effect.name} happened: the journal says so, and only what it gave is lost. Say what it gave, or skip it.`,
          { effectId },
        );
      }
      this.#note('effect_resolved', {
        effect_id: effectId,
        resolution: resolution.kind,
        ...(resolution.kind === 'happened' ? { result: resolution.result } : {}),
        // It is performed now.
        ...(resolution.kind === 'did_not_happen' ? { again: true } : {}),
        operator: actor.name,
        reason: actor.reason,
      });
      if (runner.doubt() === null) onDecided(actor);
    });
  }

  /** Once; a second settlement is told what the first was. Resolves when it is durable. */
  async settlePromise(promiseId: string, settlement: Settlement, actor: Actor): Promise<Settled> {
    const { exclusively, waits, onWork } = this.#options;
    if (settlement.status === 'resolved') {
      refuseTooLarge('promise', 'What the promise is resolved with', settlement.value);
    }
    let settled!: Settled;
    await exclusively(async () => {
      settled = await waits.settle(promiseId, settlement, actor);
    });
    if (settled.isFirst) onWork('a promise was settled');
    return settled;
  }

  /**
   * Reaches every invocation that is under way. Resolves when it is durable; with the same id again nothing more
   * happens.
   * @throws `process.nothing-under-way`
   */
  async signal(signalId: string, name: string, payload: Json, actor: Actor): Promise<void> {
    const { exclusively, definition, recorder, runner, onWork } = this.#options;
    checkName('signal', name);
    refuseTooLarge('signal', `What goes with the signal ${name}`, payload);
    await exclusively(async () => {
      const { open, taken } = this.#snapshot;
      if (taken.includes(signalId)) return recorder().settled();
      if (open.length === 0) {
        throw new AppError(
          'process.nothing-under-way',
          `${definition.name} has no invocation under way that could hear a signal. Trigger it instead.`,
          { process: definition.name },
        );
      }
      const eventIds = open.map(({ event }) => event.eventId);
      const data = {
        signal_id: signalId,
        name,
        payload,
        event_ids: eventIds,
        by: actor.name,
        reason: actor.reason,
      };
      const durable = recorder().record('signal_received', data, { synced: true });
      for (const eventId of eventIds) runner.tellSignal(eventId, signalId);
      await durable;
    });
    onWork(`signal ${name}`);
  }

  /** What the next invocation gets to read. Resolves when it is durable. */
  async writeInbox(
    { messageId, type, content, priority, expiresInMs }: InboxNote,
    actor: Actor,
  ): Promise<void> {
    const { exclusively, recorder, clock, definition } = this.#options;
    if (!INBOX_TYPES.includes(type) || !INBOX_PRIORITIES.includes(priority)) {
      throw new AppError(
        'inbox.bad-message',
        `A message is one of ${INBOX_TYPES.join(', ')}, and its priority one of ${INBOX_PRIORITIES.join(', ')}.`,
      );
    }
    this.#inbox.check(content);
    const ttlMs = this.#inbox.ttlOf(expiresInMs);
    await exclusively(() => {
      // The same command again is the same message.
      if (this.#snapshot.taken.includes(messageId)) return recorder().settled();
      const now = clock.now();
      this.#inbox.count(actor.name, this.#snapshot, now);
      const { maxMessages } = definition.config.inbox;
      return recorder().record(
        'inbox_message',
        {
          message_id: messageId,
          message_type: type,
          content,
          sender: actor.name,
          priority,
          expires_at: ttlMs === null ? null : timestampOf(now + ttlMs),
          ...(maxMessages < MAX_INBOX ? { max_messages: maxMessages } : {}),
        },
        { synced: true },
      );
    });
  }

  /**
   * Handles a dead letter again: as the same invocation, which goes on from its record [S24], or, `asNew`, as an event of
   * its own, for which everything is done again. Resolves with the event's id.
   * @throws `dead-letter.not-found`
   */
  async redeliver(eventId: string, asNew: boolean, actor: Actor): Promise<string> {
    const { exclusively, accept, onWork, recorder } = this.#options;
    const { event } = this.#deadLetter(eventId);
    if (asNew) {
      // It is handled, and not a second time by a second click.
      if (this.#anew.has(eventId)) throw this.#noDeadLetter(eventId);
      this.#anew.add(eventId);
      try {
        const whole = await fetchPayload(recorder(), event);
        if (whole === null) throw payloadLost(eventId);
        const newId = await accept(whole);
        const data = { event_id: eventId, operator: actor.name, reason: `handled anew as ${newId}` };
        await exclusively(() => recorder().record('dead_letter_dropped', data));
        return newId;
      } finally {
        this.#anew.delete(eventId);
      }
    }
    await exclusively(async () => {
      this.#deadLetter(eventId);
      const data = { event_id: eventId, operator: actor.name, reason: actor.reason };
      await recorder().record('dead_letter_redelivered', data);
    });
    onWork('a dead letter was redelivered');
    return eventId;
  }

  /** @throws `dead-letter.not-found` */
  dropDeadLetter(eventId: string, actor: Actor): Promise<void> {
    const { exclusively, recorder } = this.#options;
    return exclusively(async () => {
      this.#deadLetter(eventId);
      const data = { event_id: eventId, operator: actor.name, reason: actor.reason };
      await recorder().record('dead_letter_dropped', data);
    });
  }

  #deadLetter(eventId: string): DeadLetter {
    const letter = this.#snapshot.deadLetters.find(({ event }) => event.eventId === eventId);
    if (letter !== undefined) return letter;
    throw this.#noDeadLetter(eventId);
  }

  #noDeadLetter(eventId: string): AppError {
    return new AppError(
      'dead-letter.not-found',
      `${this.#options.definition.name} has no dead letter ${eventId} (any more).`,
      { eventId },
    );
  }

  #note(type: EntryType, data: JsonObject): void {
    this.#options.recorder().note(type, data);
  }
}

function checkName(what: string, name: string): void {
  if (name !== '' && name.length <= MAX_NAME) return;
  throw new AppError(`${what}.bad-name`, `A ${what}'s name is a text of 1 to ${MAX_NAME} characters.`);
}

function payloadLost(eventId: string): AppError {
  return new AppError(
    'dead-letter.payload-lost',
    `What the event ${eventId} said lay beside the journal, and is lost, so it can't be handled anew. Drop it, or trigger the process with what it said.`,
    { eventId },
  );
}
