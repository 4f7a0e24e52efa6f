// Runs a process's invocations in its worker: begins them, answers what the worker says, and goes on with them after a
// crash. Whether anything may run at all is the process's business; this knows how.
//
// S28  An effect without an end is in doubt. It is repeated only where its class allows that.
// S29  The announcement is durable before the worker may act. The outcome needs no wait of its own: nothing outward can
//      happen before the next announcement, which is behind it in the journal.
// S30  An invocation is handed to a new worker only when the old one is gone with its whole group.

import { backoffMs } from '../model/backoff.ts';
import { needsOperator } from '../model/effects.ts';
import type { JsonObject } from '../model/json.ts';
import type { Clock, WorkerHost } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { viewAtStart, type OpenInvocation, type ProcessSnapshot } from '../model/snapshot.ts';
import type { FromWorker, ToWorker } from '../model/worker-protocol.ts';
import { Delay } from './delay.ts';
import type { Recorder } from './recorder.ts';
import { describeGone, WorkerSlot, type WorkerGone } from './worker-slot.ts';

/** Of a text from agent code that goes into an entry; Promptise's limits. */
const MAX_RESPONSE = 2_000;
const MAX_ERROR = 1_000;
const MAX_PREVIEW = 200;
/** How long stopping waits for what is happening outside. */
const STOP_PATIENCE_MS = 3_000;
const STOP_POLL_MS = 20;

export interface RunnerEvents {
  /** An invocation has ended, well or not. */
  readonly onEnded: () => void;
  /** An effect is in doubt that an operator has to decide. */
  readonly onDoubt: (description: string) => void;
  /** Nothing more can be done here: the process has to fail, for this reason. */
  readonly onFatal: (reason: string) => void;
  readonly onChange: () => void;
}

export interface RunnerOptions {
  readonly definition: ProcessDefinition;
  readonly recorder: () => Recorder;
  readonly workerHost: WorkerHost;
  readonly clock: Clock;
  readonly keyPrefix: string;
  readonly events: RunnerEvents;
}

export class InvocationRunner {
  readonly #options: RunnerOptions;
  readonly #slot: WorkerSlot;
  /** Handed to the present worker and not ended, by event id; with the monotonic time of the handing over. */
  readonly #running = new Map<string, number>();
  /** Durable announcements that may not go on while effects are stopped. */
  #withheld: ToWorker[] = [];
  /** Effects that the worker was allowed and has not ended. */
  readonly #performing = new Set<string>();
  #effectsStopped = false;
  #wanted = false;
  readonly #respawn: Delay;
  readonly #reap: Delay;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#respawn = new Delay(options.clock);
    this.#reap = new Delay(options.clock);
    this.#slot = new WorkerSlot(options.workerHost, {
      onStarted: ({ pid, startTime }, generation) => {
        this.#recorder.note('worker_started', { generation, pid, start_time: startTime });
        this.#handOver();
        this.#changed();
      },
      onMessage: (message) => this.#heard(message),
      onGone: (gone) => this.#workerGone(gone),
    });
  }

  get #recorder(): Recorder {
    return this.#options.recorder();
  }

  get #snapshot(): Readonly<ProcessSnapshot> {
    return this.#recorder.snapshot;
  }

  get worker(): { readonly pid: number; readonly generation: number } | null {
    return this.#slot.current;
  }

  get isAnswering(): boolean {
    return this.#slot.isAnswering;
  }

  get isSpawning(): boolean {
    return this.#slot.isSpawning;
  }

  /** Epoch milliseconds of the next attempt to start a worker; null when none is waited for. */
  get respawnAt(): number | null {
    return this.#respawn.at;
  }

  get runningCount(): number {
    return this.#running.size;
  }

  /** Begins and continues whatever may run. Called whenever that could have changed. */
  dispatch(): void {
    this.#wanted = true;
    this.#effectsStopped = false;
    const withheld = this.#withheld;
    this.#withheld = [];
    for (const permit of withheld) this.#permit(permit);
    this.#handOver();
  }

  /** Nothing new begins; with `stopEffects`, what is under way stops before its next effect. */
  pause(stopEffects: boolean): void {
    this.#wanted = false;
    this.#effectsStopped = stopEffects;
    this.#respawn.cancel();
    this.#reapWhenIdle();
  }

  /** Ends the worker. What it was running stays open. */
  async endWorker(): Promise<void> {
    this.#respawn.cancel();
    this.#reap.cancel();
    await this.#slot.end();
  }

  /** The same, but first waits a while for what is happening outside to end. */
  async endWorkerGently(): Promise<void> {
    const { clock } = this.#options;
    const deadline = clock.monotonic() + STOP_PATIENCE_MS;
    while (this.#performing.size > 0 && clock.monotonic() < deadline) {
      await new Promise<void>((resolve) => void clock.after(STOP_POLL_MS, resolve));
    }
    await this.endWorker();
  }

  /** Kills the worker as an accident would; null when there is none. */
  killWorker(): number | null {
    return this.#slot.kill();
  }

  ping(): void {
    this.#slot.ping();
  }

  /** The first effect in doubt that an operator has to decide, among invocations that nobody is running. */
  doubt(): string | null {
    for (const open of this.#snapshot.open) {
      if (this.#running.has(open.event.eventId)) continue;
      const effect = open.effects.find(needsOperator);
      if (effect !== undefined) return `in doubt: ${effect.name} #${open.invocation}`;
    }
    return null;
  }

  #handOver(): void {
    if (!this.#wanted) {
      this.#reapWhenIdle();
      return;
    }
    const waiting = this.#snapshot.open.filter(
      (open) => !this.#running.has(open.event.eventId) && !open.effects.some(needsOperator),
    );
    const room = this.#options.definition.config.concurrency - this.#running.size;
    const canBegin = this.#snapshot.queue.length > 0 && room > waiting.length;
    if (room <= 0 || (waiting.length === 0 && !canBegin)) {
      this.#reapWhenIdle();
      return;
    }
    if (!this.#slot.isReady) {
      this.#spawn();
      return;
    }
    for (const open of waiting.slice(0, room)) this.#invoke(open);
    while (
      this.#running.size < this.#options.definition.config.concurrency &&
      this.#snapshot.queue.length > 0
    ) {
      this.#begin();
    }
  }

  #spawn(): void {
    if (this.#respawn.at !== null) return;
    const { definition } = this.#options;
    this.#reap.cancel();
    this.#slot.spawn({
      process: definition.name,
      entrypoint: definition.entrypoint,
      generation: this.#snapshot.generation + 1,
    });
  }

  #begin(): void {
    const event = this.#snapshot.queue[0]!;
    const { configHash, codeHash } = this.#options.definition;
    this.#recorder.note('invocation_start', {
      invocation: this.#snapshot.invocationCount + 1,
      event_id: event.eventId,
      attempt: 1,
      config_hash: configHash,
      code_hash: codeHash,
    });
    const open = this.#snapshot.open.find((candidate) => candidate.event.eventId === event.eventId);
    if (open !== undefined) this.#invoke(open);
  }

  #invoke(open: OpenInvocation): void {
    this.#reap.cancel();
    this.#running.set(open.event.eventId, this.#options.clock.monotonic());
    this.#slot.send({
      type: 'invoke',
      event: open.event,
      process: this.#options.definition.name,
      attempt: open.attempt,
      state: viewAtStart(this.#snapshot.context, open),
      effects: open.effects,
      writes: open.writes,
      keyPrefix: this.#options.keyPrefix,
    });
    this.#changed();
  }

  #heard(message: FromWorker): void {
    if (message.type === 'ready' || message.type === 'pong') return;
    // An invocation that ended or was taken away has nothing more to say.
    if (!this.#running.has(message.eventId)) return;
    switch (message.type) {
      case 'effect-announced':
        this.#announced(message);
        break;
      case 'effect-ended':
        this.#effectEnded(message);
        break;
      case 'state-written':
        this.#recorder.note('context_update', {
          key: message.key,
          value: message.value,
          event_id: message.eventId,
          ordinal: message.ordinal,
          source: 'agent',
          ...(message.deleted ? { deleted: true } : {}),
        });
        this.#slot.send({ type: 'write-recorded', eventId: message.eventId, ordinal: message.ordinal });
        break;
      case 'log':
        this.#recorder.note('log', {
          event_id: message.eventId,
          level: message.level,
          text: message.text.slice(0, MAX_RESPONSE),
        });
        break;
      case 'invocation-done':
        this.#succeeded(message.eventId, message.response);
        break;
      case 'invocation-failed':
        this.#invocationFailed(message.eventId, message.code, message.message);
        break;
      case 'invocation-held':
        this.#running.delete(message.eventId);
        this.#doubted();
        break;
    }
    this.#changed();
  }

  #announced(message: Extract<FromWorker, { type: 'effect-announced' }>): void {
    const { eventId, effectId, name, occurrence, effectClass, argsHash, args, key, attempt } = message;
    const isFull = this.#options.definition.config.journalLevel === 'full';
    const durable = this.#recorder.record('effect_started', {
      event_id: eventId,
      effect_id: effectId,
      name,
      occurrence,
      class: effectClass,
      args_hash: argsHash,
      args_preview: preview(JSON.stringify(args)),
      ...(isFull ? { args } : {}),
      key,
      attempt,
    });
    const permit: ToWorker = { type: 'effect-permitted', eventId, effectId };
    const generation = this.#slot.current?.generation;
    durable.then(
      () => {
        // Meanwhile the worker may have died, and another been handed the same invocation.
        if (this.#slot.current?.generation !== generation) return;
        if (this.#effectsStopped) this.#withheld.push(permit);
        else this.#permit(permit);
      },
      () => {}, // The recorder has told the process, which ends the worker.
    );
  }

  #permit(permit: ToWorker): void {
    if (permit.type === 'effect-permitted') this.#performing.add(permit.effectId);
    this.#slot.send(permit);
  }

  #effectEnded({ eventId, effectId, end }: Extract<FromWorker, { type: 'effect-ended' }>): void {
    this.#performing.delete(effectId);
    const outcome: JsonObject =
      end.kind === 'done' ? { result: end.result } : { error: end.error.slice(0, MAX_ERROR) };
    this.#recorder.note('effect_finished', {
      event_id: eventId,
      effect_id: effectId,
      end: end.kind,
      ...outcome,
    });
    this.#slot.send({ type: 'effect-recorded', eventId, effectId });
  }

  #durationOf(eventId: string): number {
    const since = this.#options.clock.monotonic() - (this.#running.get(eventId) ?? 0);
    return Math.round(since * 10) / 10;
  }

  #succeeded(eventId: string, response: string): void {
    const open = this.#open(eventId);
    this.#recorder.note('invocation_result', {
      invocation: open?.invocation ?? 0,
      event_id: eventId,
      trigger_type: open?.event.triggerType ?? '',
      duration_ms: this.#durationOf(eventId),
      response: response.slice(0, MAX_RESPONSE),
    });
    this.#running.delete(eventId);
    this.#recorder.cycleEnded();
    this.#options.events.onEnded();
    this.#handOver();
  }

  #invocationFailed(eventId: string, code: string, message: string): void {
    const isDiverged = code === 'replay.diverged';
    this.#recorder.note('error', {
      event_id: eventId,
      error_type: code,
      error: message.slice(0, MAX_ERROR),
      attempt: this.#open(eventId)?.attempt ?? 1,
      duration_ms: this.#durationOf(eventId),
      // A re-run that asks for something else than was recorded ends nothing: with the right code it can go on.
      final: !isDiverged,
    });
    this.#running.delete(eventId);
    if (isDiverged) {
      this.#options.events.onFatal(message);
      return;
    }
    this.#recorder.cycleEnded();
    this.#options.events.onEnded();
    this.#handOver();
  }

  #open(eventId: string): OpenInvocation | undefined {
    return this.#snapshot.open.find((open) => open.event.eventId === eventId);
  }

  #doubted(): void {
    const doubt = this.doubt();
    if (doubt !== null) this.#options.events.onDoubt(doubt);
  }

  #workerGone(gone: WorkerGone): void {
    this.#reap.cancel();
    this.#running.clear();
    this.#performing.clear();
    this.#withheld = [];
    const reason = describeGone(gone);
    this.#recorder.note('worker_exited', {
      generation: gone.generation,
      pid: gone.pid,
      code: gone.exit?.code ?? null,
      signal: gone.exit?.signal ?? null,
      expected: gone.expected,
      reason,
    });
    this.#doubted();
    if (!gone.expected) this.#respawnLater(reason);
    this.#handOver();
    this.#changed();
  }

  /** Deaths in a row without progress back off, and in the end give up: this is a crash loop. */
  #respawnLater(reason: string): void {
    const { maxRestarts, restartBackoffMs } = this.#options.definition.config;
    const deaths = this.#snapshot.workerDeaths;
    if (deaths > maxRestarts) {
      this.#recorder.note('restart_exhausted', { reason, restarts: maxRestarts, max_restarts: maxRestarts });
      this.#options.events.onFatal(`${reason}; ${deaths} times in a row without progress`);
      return;
    }
    this.#respawn.start(backoffMs(restartBackoffMs, deaths), () => this.#handOver());
  }

  #reapWhenIdle(): void {
    if (this.#running.size > 0 || !this.#slot.isReady || this.#reap.at !== null) return;
    this.#reap.start(this.#options.definition.config.workerIdleMs, () => {
      if (this.#running.size === 0) void this.#slot.end();
    });
  }

  #changed(): void {
    this.#options.events.onChange();
  }
}

function preview(text: string): string {
  return text.length <= MAX_PREVIEW ? text : `${text.slice(0, MAX_PREVIEW - 1)}…`;
}
