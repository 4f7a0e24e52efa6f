// Where effects pass between the worker and the world: announced in the journal, then permitted, then recorded.

import type { BudgetKeeper } from '../governance/budget-keeper.ts';
import type { HealthKeeper } from '../governance/health-keeper.ts';
import { isOfLoop, isToolCall } from '../model/agent-plan.ts';
import { isRepeatTooLate, KEY_EXPIRED } from '../model/effects.ts';
import { freedBy } from '../model/fold-budget.ts';
import { recordedOf } from '../model/fold-effects.ts';
import type { JsonObject } from '../model/json.ts';
import { amountsOf } from '../model/meters.ts';
import type { ModelCall, ReportedUse } from '../model/model-calls.ts';
import type { Clock } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { openOf } from '../model/snapshot.ts';
import type { FromWorker, ToWorker } from '../model/worker-protocol.ts';
import type { Recorder } from './recorder.ts';

const MAX_ERROR = 1_000;
const MAX_PREVIEW = 200;
/** Of one invocation: all of them are in every checkpoint that is written meanwhile [S20]. */
const MAX_EFFECTS = 10_000;
/** A larger result lies beside the journal; so does all but a small one once an invocation has this much in its checkpoints. */
const MAX_RESULT_BYTES = 64 * 1024;
const MAX_INLINE_BYTES = 1024 * 1024;
const SMALL_RESULT_BYTES = 1024;

export interface GateOptions {
  readonly definition: ProcessDefinition;
  readonly recorder: () => Recorder;
  readonly clock: Pick<Clock, 'now'>;
  /** Of the present worker. */
  readonly generation: () => number | undefined;
  readonly send: (message: ToWorker) => void;
  readonly budget: Pick<BudgetKeeper, 'bookingOf' | 'usedOf' | 'fits' | 'counted' | 'released'>;
  readonly health: Pick<HealthKeeper, 'announced' | 'permitted' | 'ended' | 'workerGone'>;
  /** The journal could not take a large result. */
  readonly onUnkept: (error: unknown) => void;
}

type Announcement = Extract<FromWorker, { type: 'effect-announced' }>;
type Outcome = Extract<FromWorker, { type: 'effect-ended' }>;

interface Pending {
  readonly run: number;
  readonly eventId: string;
  readonly name: string;
  readonly attempt: number;
  isDurable: boolean;
}

export class EffectGate {
  readonly #options: GateOptions;
  /** Announced and not permitted, by effect id. */
  readonly #pending = new Map<string, Pending>();
  /** Announced, and more than the budget has room for: they wait until it has, by effect id. */
  readonly #unaffordable = new Map<
    string,
    { readonly announcement: Announcement; readonly eventId: string }
  >();
  /** Permitted and not ended. */
  readonly #performing = new Set<string>();
  /** What the results of each invocation that this host saw take inside their entries. */
  readonly #inline = new Map<string, number>();
  #isOpen = true;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Something outward may be happening right now. */
  get isPerforming(): boolean {
    return this.#performing.size > 0;
  }

  /** From now on, and what has waited: permitted as soon as it is durable. */
  open(): void {
    this.#isOpen = true;
    const again = [...this.#unaffordable.values()];
    this.#unaffordable.clear();
    for (const { announcement, eventId } of again) this.announced(announcement, eventId);
    for (const [effectId, pending] of this.#pending) this.#permitIfDue(effectId, pending);
  }

  close(): void {
    this.#isOpen = false;
  }

  announced(announcement: Announcement, eventId: string): void {
    const { run, effectId, name, occurrence, effectClass, argsHash, args, key, attempt } = announcement;
    const { keyTtlMs, timeoutMs } = announcement;
    const { definition, recorder, send } = this.#options;
    const { journalLevel } = definition.config;
    if (journalLevel === 'none' && effectClass !== 'retry') {
      const message = `${name} has the class ${effectClass}, and ${definition.name} keeps no journal, so it could be done twice. Give the process a journal level, or the effect the class retry.`;
      send({ type: 'effect-refused', run, effectId, code: 'effect.refused', message });
      return;
    }
    const open = openOf(recorder().snapshot, eventId);
    if (attempt === 1 && (open?.effects.length ?? 0) >= MAX_EFFECTS) {
      const message = `This invocation has had ${MAX_EFFECTS} effects, and no more fit in what a checkpoint has to hold. Do the rest in another invocation.`;
      send({ type: 'effect-refused', run, effectId, code: 'invocation.too-long', message });
      return;
    }
    if (this.#refuseTooLate({ run, eventId, effectId, attempt })) return;
    const before = open === undefined ? undefined : recordedOf(open, effectId);
    // What can't be is not waited for.
    if (open === undefined || before?.end?.kind === 'done') {
      throw new Error(`it announced ${name}, which is done or not its own`);
    }
    const call = callOf(announcement);
    const { booked, asked, facts } = this.#options.budget.bookingOf(
      name,
      call,
      isToolCall(definition.config, name) || (call === null && isOfLoop(definition.config, name)),
    );
    const more = { asked, freed: freedBy(before), eventId };
    if (!this.#options.budget.fits(call === null ? more : { ...more, model: call.model })) {
      this.#unaffordable.set(effectId, { announcement, eventId });
      return;
    }
    const generation = this.#options.generation();
    const started = {
      event_id: eventId,
      effect_id: effectId,
      name,
      occurrence,
      class: effectClass,
      args_hash: argsHash,
      args_preview: preview(JSON.stringify(args)),
      ...(journalLevel === 'full' ? { args } : {}),
      key,
      ...(keyTtlMs === null ? {} : { key_ttl_ms: keyTtlMs }),
      ...(timeoutMs === null ? {} : { timeout_ms: timeoutMs }),
      attempt,
      booked,
      ...facts,
    };
    const durable = recorder().record('effect_started', started, {
      // What a call may have cost is not to be forgotten either [S33].
      synced: effectClass !== 'retry' || call !== null,
    });
    const recorded = recordedOf(open, effectId);
    if (recorded === undefined || recorded.end !== null || recorded.attempts !== attempt) {
      throw new Error(`it announced ${name}, which is done or not as it says`);
    }
    this.#options.budget.counted(eventId, booked);
    const pending: Pending = { run, eventId, name, attempt, isDurable: false };
    this.#pending.set(effectId, pending);
    this.#options.health.announced(eventId);
    durable.then(
      () => {
        // Meanwhile the worker may have died, and another been handed the same invocation.
        if (this.#options.generation() !== generation || this.#pending.get(effectId) !== pending) return;
        pending.isDurable = true;
        this.#permitIfDue(effectId, pending);
      },
      () => {}, // The recorder has told the process, which ends the worker.
    );
  }

  #permitIfDue(effectId: string, { run, eventId, name, attempt, isDurable }: Pending): void {
    if (!this.#isOpen || !isDurable) return;
    this.#pending.delete(effectId);
    if (this.#refuseTooLate({ run, eventId, effectId, attempt })) return;
    this.#performing.add(effectId);
    this.#options.health.permitted(effectId, eventId, name);
    this.#options.send({ type: 'effect-permitted', run, effectId });
  }

  /** Repeated now, its provider may have forgotten its key: from now on an operator decides [S31]. */
  #refuseTooLate(asked: {
    readonly run: number;
    readonly eventId: string;
    readonly effectId: string;
    readonly attempt: number;
  }): boolean {
    const { run, eventId, effectId, attempt } = asked;
    // What is asked for the first time has nothing before it.
    if (attempt === 1) return false;
    const { recorder, clock, send } = this.#options;
    const open = openOf(recorder().snapshot, eventId);
    const recorded = open?.effects.findLast((effect) => effect.effectId === effectId);
    if (!isRepeatTooLate(recorded, attempt, clock.now())) return false;
    recorder().note('effect_expired', { event_id: eventId, effect_id: effectId });
    const message = 'its key is older than the provider remembers it, so an operator has to decide';
    send({ type: 'effect-refused', run, effectId, code: KEY_EXPIRED, message });
    return true;
  }

  /** After a rewind, code that asks for something else under a name is not believed to mean the same [S39]. */
  unlike(
    { effectId, argsHash, args }: Extract<FromWorker, { type: 'effect-unlike' }>,
    eventId: string,
  ): void {
    const { recorder } = this.#options;
    const open = openOf(recorder().snapshot, eventId);
    const recorded = open?.effects.findLast((effect) => effect.effectId === effectId);
    if (recorded?.isUndone !== true || recorded.argsHash === argsHash) {
      throw new Error(`it says that ${effectId} is unlike what was done, and it is not`);
    }
    recorder().note('effect_unlike', {
      event_id: eventId,
      effect_id: effectId,
      args_hash: argsHash,
      args_preview: preview(JSON.stringify(args)),
    });
    if (recorded.effectClass !== 'retry') return;
    // Whichever it is, doing it is harmless: its code goes on and performs it [S28].
    recorder().note('effect_resolved', {
      effect_id: effectId,
      resolution: 'did_not_happen',
      again: true,
      operator: 'host',
      reason: 'what was done is harmless to repeat, so it is performed with these arguments',
    });
  }

  ended({ run, effectId, end, reconciled, isAwaited, used }: Outcome, eventId: string): void {
    const usage = used === undefined ? {} : this.#usageOf({ eventId, effectId, end, used });
    const note = (outcome: JsonObject): void => {
      this.#performing.delete(effectId);
      this.#options.recorder().note('effect_finished', {
        event_id: eventId,
        effect_id: effectId,
        end: end.kind,
        ...outcome,
        ...usage,
      });
      if (used !== undefined) this.#usageTold(eventId, usage);
      if (isAwaited) this.#options.send({ type: 'effect-recorded', run, effectId });
    };
    const tookMs = this.#options.health.ended(effectId);
    const how: JsonObject = {
      ...(reconciled ? { reconciled } : {}),
      ...(tookMs === null ? {} : { took_ms: tookMs }),
    };
    if (end.kind !== 'done') {
      const isGivenUp = end.kind === 'in_doubt' && end.givenUp === true;
      note({ error: end.error.slice(0, MAX_ERROR), ...how, ...(isGivenUp ? { given_up: true } : {}) });
      if (end.kind === 'did_not_happen') this.#options.budget.released();
      return;
    }
    const generation = this.#options.generation();
    const inline = this.#inline.get(eventId) ?? 0;
    const maxBytes = inline > MAX_INLINE_BYTES ? SMALL_RESULT_BYTES : MAX_RESULT_BYTES;
    const kept = this.#options.recorder().keep(end.result, maxBytes);
    if ('value' in kept) {
      this.#inline.set(eventId, inline + kept.bytes);
      note({ result: kept.value, ...how });
      return;
    }
    kept.spilled.then(
      (spilled) => {
        // Its worker is gone meanwhile, and the effect has become a doubt like any other that was under way.
        if (this.#options.generation() === generation) note({ spilled: { ...spilled }, ...how });
      },
      (error: unknown) => this.#options.onUnkept(error),
    );
  }

  /** Of what its code told, as its entry has it: the worker says how much, and the host what that costs. */
  #usageOf({
    eventId,
    effectId,
    end,
    used,
  }: Pick<Outcome, 'effectId' | 'end'> & {
    readonly eventId: string;
    readonly used: ReportedUse;
  }): JsonObject {
    const open = openOf(this.#options.recorder().snapshot, eventId);
    const effect = open === undefined ? undefined : recordedOf(open, effectId);
    if (effect?.model === undefined)
      throw new Error(`it says what ${effectId} used of a model, and it calls none`);
    return this.#options.budget.usedOf(effect, end.kind, used);
  }

  /** It may have been more than was booked, which is near a limit, or less, which makes room. */
  #usageTold(eventId: string, { used = {} }: JsonObject): void {
    this.#options.budget.counted(eventId, amountsOf(used));
    this.#options.budget.released();
  }

  /** Whether it goes on only once its budget has room. */
  isWaitingForRoom(eventId: string): boolean {
    return [...this.#unaffordable.values()].some((waiting) => waiting.eventId === eventId);
  }

  invocationEnded(eventId: string): void {
    this.#inline.delete(eventId);
    for (const [effectId, waiting] of this.#unaffordable) {
      if (waiting.eventId === eventId) this.#unaffordable.delete(effectId);
    }
  }

  /** What was announced and never permitted did not happen, and is no doubt: it is taken back. */
  workerGone(): void {
    for (const [effectId, { eventId }] of this.#pending) {
      this.#options.recorder().note('effect_finished', {
        event_id: eventId,
        effect_id: effectId,
        end: 'did_not_happen',
        error: 'the worker was gone before it was permitted',
        unpermitted: true,
      });
    }
    this.#pending.clear();
    this.#unaffordable.clear();
    this.#performing.clear();
    this.#options.health.workerGone();
  }
}

function callOf({ model, expects }: Announcement): ModelCall | null {
  return model === undefined ? null : { model, expects: expects ?? null };
}

function preview(text: string): string {
  return text.length <= MAX_PREVIEW ? text : `${text.slice(0, MAX_PREVIEW - 1)}…`;
}
