// What goes to the worker, and when: parked runs that may move on, then what was begun before, then what is queued, as far
// as there is room and a worker to take it. Where there is nothing, the worker rests, and in the end goes.

import type { BudgetKeeper } from '../governance/budget-keeper.ts';
import type { MissionKeeper } from '../governance/mission-keeper.ts';
import type { HealthKeeper } from '../governance/health-keeper.ts';
import { planAsJson, type AgentPlan } from '../model/agent-plan.ts';
import { isSpilled, type RecordedEffect } from '../model/effects.ts';
import type { TriggerEvent } from '../model/entry.ts';
import { inboxDelivery } from '../model/inbox.ts';
import { sameJson } from '../model/json.ts';
import type { Clock, Ids } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { openOf, type OpenInvocation, type ProcessSnapshot } from '../model/snapshot.ts';
import type { ToldAtStart } from '../model/told.ts';
import { expiredKeys, nextWork, restingAs } from '../model/standing.ts';
import { fetchPayload, fetchSpilled, recordOf } from './invocation-record.ts';
import type { Recorder } from './recorder.ts';
import type { RunParking } from './run-parking.ts';
import type { Run, RunSet } from './run-set.ts';
import type { TimeLimit } from './time-limit.ts';
import type { WorkerSeat } from './worker-seat.ts';

export interface HandoverOptions {
  readonly definition: ProcessDefinition;
  readonly recorder: () => Recorder;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyPrefix: string;
  /** What code is told to do that begins now. */
  readonly instructions: () => string;
  /** What an agent without code is made of that begins now; null for one with code. */
  readonly plan: () => AgentPlan | null;
  /** What it is told of its process that begins now. */
  readonly told: () => ToldAtStart;
  readonly runs: RunSet;
  readonly seat: WorkerSeat;
  readonly parking: RunParking;
  readonly budget: Pick<BudgetKeeper, 'fits' | 'counted'>;
  readonly mission: Pick<MissionKeeper, 'room'>;
  readonly health: Pick<HealthKeeper, 'begun'>;
  readonly limit: TimeLimit;
  /** An effect may have come in doubt. */
  readonly onDoubt: () => void;
  /** An invocation is over that no worker had. */
  readonly onEnded: () => void;
  readonly onChange: () => void;
}

export class InvocationHandover {
  readonly #options: HandoverOptions;
  #isWanted = false;

  constructor(options: HandoverOptions) {
    this.#options = options;
  }

  get #recorder(): Recorder {
    return this.#options.recorder();
  }

  get #snapshot(): Readonly<ProcessSnapshot> {
    return this.#recorder.snapshot;
  }

  /** Whether anything is begun and continued. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  start(): void {
    this.#isWanted = true;
    this.next();
  }

  stop(): void {
    this.#isWanted = false;
    this.rest();
  }

  /** Whenever what may be handed over could have changed. */
  next(): void {
    if (!this.#isWanted) {
      this.rest();
      return;
    }
    this.#expireKeys();
    // That may have left a doubt, and with it a hold.
    if (!this.#isWanted) return;
    const { definition, clock, runs, seat, parking, budget } = this.#options;
    const { concurrency } = definition.config;
    const now = clock.now();
    parking.unpark(concurrency);
    const { resume, begin: next } = nextWork(this.#snapshot, {
      isInHand: (eventId) => runs.of(eventId) !== undefined,
      room: concurrency - runs.movingCount,
      nowMs: now,
    });
    const begin = next === 0 ? 0 : Math.min(next, this.#options.mission.room);
    if (resume.length + begin === 0) {
      this.rest();
      if (runs.movingCount === 0 && restingAs(this.#snapshot, now) === 'awaiting') parking.settleDown();
      return;
    }
    if (seat.isTurnOver) {
      // It lines up behind the others, once nothing moves.
      if (runs.movingCount === 0) void this.#letGo().then(() => this.next());
      return;
    }
    if (!seat.isReady) {
      seat.want();
      return;
    }
    for (const open of resume) this.#invoke(open);
    for (let count = 0; count < begin; count += 1) {
      if (!budget.fits({ asked: { runs: 1 }, eventId: null })) break;
      this.#begin();
    }
  }

  /** A key that the provider may have forgotten is no key any more [S31]. */
  #expireKeys(): void {
    const { clock, runs, onDoubt } = this.#options;
    const now = clock.now();
    for (const open of this.#snapshot.open) {
      if (runs.of(open.event.eventId) !== undefined) continue;
      const expired = expiredKeys(open, now);
      for (const { effectId } of expired) {
        this.#recorder.note('effect_expired', { event_id: open.event.eventId, effect_id: effectId });
      }
      if (expired.length > 0) onDoubt();
    }
  }

  // --- handing over

  #begin(): void {
    const event = this.#snapshot.queue[0];
    if (event === undefined) return;
    const { definition, ids, clock, budget } = this.#options;
    const { inbox, invocationCount } = this.#snapshot;
    const instructions = this.#options.instructions();
    const told = this.#options.told();
    const delivered = inboxDelivery(inbox, clock.now());
    const expired = inbox.filter((message) => !delivered.includes(message));
    const idsOf = (messages: typeof inbox): string[] => messages.map(({ messageId }) => messageId);
    this.#plan();
    this.#recorder.note('invocation_start', {
      invocation: invocationCount + 1,
      event_id: event.eventId,
      attempt: 1,
      config_hash: definition.configHash,
      code_hash: definition.codeHash,
      seed: ids.next().replaceAll('-', ''),
      conversation_max: definition.config.conversationMaxMessages,
      ...(instructions === '' ? {} : { instructions }),
      ...(Object.keys(told).length === 0 ? {} : { told: { ...told } }),
      ...(delivered.length > 0 ? { inbox: idsOf([...delivered]) } : {}),
      ...(expired.length > 0 ? { inbox_expired: idsOf(expired) } : {}),
    });
    budget.counted(event.eventId, { runs: 1 });
    const open = openOf(this.#snapshot, event.eventId);
    if (open !== undefined) this.#invoke(open);
  }

  /** What it is made of from now on, where that is not what the journal has. */
  #plan(): void {
    const plan = planAsJson(this.#options.plan());
    if (!sameJson(plan, this.#snapshot.plan)) this.#recorder.note('agent_planned', { plan });
  }

  #invoke(open: OpenInvocation): void {
    const { clock, seat, runs, limit, health, onChange } = this.#options;
    seat.busy();
    if (open.isToBegin === true) this.#beginAgain(open, open.attempt);
    else if (open.retryAt !== null) this.#beginAgain(open, open.attempt + 1);
    const run = runs.add(open.event.eventId, clock.monotonic());
    if (open.event.spilled !== undefined || open.effects.some(isSpilled)) void this.#fetchAndSend(run, open);
    else this.#send(run, open, open.event, open.effects);
    limit.watch(runs.all());
    health.begun();
    onChange();
  }

  #beginAgain({ event, invocation, codeHash }: OpenInvocation, attempt: number): void {
    const { definition } = this.#options;
    this.#recorder.note('invocation_start', {
      invocation,
      event_id: event.eventId,
      attempt,
      config_hash: definition.configHash,
      code_hash: definition.codeHash || codeHash,
    });
  }

  #send(
    run: Run,
    { attempt }: OpenInvocation,
    event: TriggerEvent,
    effects: readonly RecordedEffect[],
  ): void {
    const open = openOf(this.#snapshot, event.eventId);
    if (open === undefined) return;
    const { definition, keyPrefix, seat } = this.#options;
    seat.send({
      type: 'invoke',
      run: run.number,
      mode: 'run',
      event,
      process: definition.name,
      workspace: definition.directory,
      attempt: open.attempt ?? attempt,
      record: recordOf(this.#snapshot, open, definition, effects),
      keyPrefix: open.inherited?.keyPrefix ?? keyPrefix,
      isDurable: definition.config.journalLevel !== 'none',
      writableKeys: definition.config.writableKeys,
    });
    run.isHandedOver = true;
  }

  /** A result that is lost leaves an effect that happened and whose value somebody has to say; it is never run again [S16]. */
  async #fetchAndSend(run: Run, open: OpenInvocation): Promise<void> {
    const { runs, onDoubt, onChange } = this.#options;
    try {
      const [event, fetched] = await Promise.all([
        fetchPayload(this.#recorder, open.event),
        fetchSpilled(this.#recorder, open.effects),
      ]);
      if (runs.get(run.number) !== run) return;
      if (event === null) {
        runs.delete(run);
        this.#payloadLost(open);
        return;
      }
      const lost = open.effects.filter((_, at) => fetched[at] === null);
      if (lost.length === 0) {
        this.#send(run, open, event, fetched as readonly RecordedEffect[]);
        return;
      }
      runs.delete(run);
      for (const { effectId } of lost) {
        this.#recorder.note('effect_value_lost', { event_id: open.event.eventId, effect_id: effectId });
      }
      onDoubt();
      onChange();
    } catch (error) {
      this.#recorder.failed(error);
    }
  }

  /** Nobody can say any more what it was, so nothing can be done about it. */
  #payloadLost({ event: { eventId, triggerId } }: OpenInvocation): void {
    const { definition, onEnded } = this.#options;
    const reason = 'its payload, which lay beside the journal, is lost';
    const size = definition.config.delivery.deadLetterSize;
    this.#recorder.note('dead_letter', {
      event_id: eventId,
      trigger_id: triggerId,
      reason,
      dead_letter_size: size,
    });
    onEnded();
  }

  // --- the worker without work

  /** It stays warm for a while, unless another process could use the room. */
  rest(): void {
    const { runs, seat } = this.#options;
    if (runs.movingCount > 0) return;
    seat.idle(() => {
      if (runs.movingCount === 0) void this.#letGo();
    });
  }

  async #letGo(): Promise<void> {
    const { parking, seat } = this.#options;
    parking.record();
    parking.stop();
    await seat.end();
  }
}
