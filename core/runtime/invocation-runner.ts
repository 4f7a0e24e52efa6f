// Runs a process's invocations in its worker: begins them, answers what the worker says, and goes on with them after a
// crash. Whether anything may run at all is the process's business; this knows how.
//
// S28  An effect without an end is in doubt. It is repeated only where its class allows that.
// S29  The announcement is durable before the worker may act. The outcome needs no wait of its own: nothing outward can
//      happen before the next announcement, which is behind it in the journal.
// S30  An invocation is handed to a new worker only when the old one is gone with its whole group. Each handing over is a
//      run with a number; what an earlier run says belongs to nobody.

import { backoffMs } from '../model/backoff.ts';
import { isSpilled, needsOperator, type RecordedEffect } from '../model/effects.ts';
import { messageOf } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { Clock, WorkerHost } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { viewAtStart, type OpenInvocation, type ProcessSnapshot } from '../model/snapshot.ts';
import type { FromWorker } from '../model/worker-protocol.ts';
import { Delay } from './delay.ts';
import { EffectGate } from './effect-gate.ts';
import type { Recorder } from './recorder.ts';
import { describeGone, WorkerSlot, type WorkerGone } from './worker-slot.ts';

/** Of a text from agent code that goes into an entry; Promptise's limits. */
const MAX_RESPONSE = 2_000;
const MAX_ERROR = 1_000;
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

interface Run {
  readonly eventId: string;
  /** Of the monotonic clock. */
  readonly since: number;
}

type About<T extends FromWorker['type']> = Extract<FromWorker, { type: T }>;

export class InvocationRunner {
  readonly #options: RunnerOptions;
  readonly #slot: WorkerSlot;
  readonly #gate: EffectGate;
  /** What the present worker was handed and has not ended, by run. */
  readonly #runs = new Map<number, Run>();
  #lastRun = 0;
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
    this.#gate = new EffectGate({
      definition: options.definition,
      recorder: options.recorder,
      generation: () => this.#slot.current?.generation,
      send: (message) => this.#slot.send(message),
      onUnkept: (error) => this.#recorder.failed(error),
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
    return this.#runs.size;
  }

  /** Whether the worker has this invocation in hand. */
  isRunning(eventId: string): boolean {
    return [...this.#runs.values()].some((run) => run.eventId === eventId);
  }

  /** Begins and continues whatever may run. Called whenever that could have changed. */
  dispatch(): void {
    this.#wanted = true;
    this.#gate.open();
    this.#handOver();
  }

  /** Nothing new begins; with `stopEffects`, what is under way stops before its next effect. */
  pause(stopEffects: boolean): void {
    this.#wanted = false;
    if (stopEffects) this.#gate.close();
    else this.#gate.open();
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
    while (this.#gate.isPerforming && clock.monotonic() < deadline) {
      await new Promise<void>((resolve) => void clock.after(STOP_POLL_MS, resolve));
    }
    await this.endWorker();
  }

  /** Kills the worker as an accident would; false when there is none. */
  killWorker(): boolean {
    return this.#slot.kill();
  }

  ping(): void {
    this.#slot.ping();
  }

  /** The first effect in doubt that an operator has to decide, among invocations that nobody is running. */
  doubt(): string | null {
    for (const open of this.#snapshot.open) {
      if (this.isRunning(open.event.eventId)) continue;
      const effect = open.effects.find(needsOperator);
      if (effect === undefined) continue;
      const isLost = effect.end?.kind === 'in_doubt' && effect.end.happened === true;
      return `in doubt: ${effect.name} #${open.invocation}${isLost ? ': it happened, and what it gave is lost' : ''}`;
    }
    return null;
  }

  #handOver(): void {
    if (!this.#wanted) {
      this.#reapWhenIdle();
      return;
    }
    const { concurrency } = this.#options.definition.config;
    const waiting = this.#snapshot.open.filter(
      (open) => !this.isRunning(open.event.eventId) && !open.effects.some(needsOperator),
    );
    const room = concurrency - this.#runs.size;
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
    while (this.#runs.size < concurrency && this.#snapshot.queue.length > 0) this.#begin();
  }

  #spawn(): void {
    if (this.#respawn.at !== null) return;
    const { name, entrypoint } = this.#options.definition;
    this.#reap.cancel();
    this.#slot.spawn({ process: name, entrypoint, generation: this.#snapshot.generation + 1 });
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
    const open = this.#open(event.eventId);
    if (open !== undefined) this.#invoke(open);
  }

  #invoke(open: OpenInvocation): void {
    this.#reap.cancel();
    this.#lastRun += 1;
    const run = this.#lastRun;
    this.#runs.set(run, { eventId: open.event.eventId, since: this.#options.clock.monotonic() });
    if (open.effects.some(isSpilled)) void this.#fetchAndSend(run, open);
    else this.#send(run, open, open.effects);
    this.#changed();
  }

  #send(run: number, open: OpenInvocation, effects: readonly RecordedEffect[]): void {
    this.#slot.send({
      type: 'invoke',
      run,
      event: open.event,
      process: this.#options.definition.name,
      attempt: open.attempt,
      state: viewAtStart(this.#snapshot.context, open),
      effects,
      writes: open.writes,
      keyPrefix: this.#options.keyPrefix,
    });
  }

  /** A result that is lost leaves an effect that happened and whose value somebody has to say; it is never run again [S16]. */
  async #fetchAndSend(run: number, open: OpenInvocation): Promise<void> {
    try {
      const fetched = await Promise.all(open.effects.map((effect) => this.#fetched(effect)));
      if (!this.#runs.has(run)) return;
      const lost = open.effects.filter((_, at) => fetched[at] === null);
      if (lost.length === 0) {
        this.#send(run, open, fetched as readonly RecordedEffect[]);
        return;
      }
      this.#runs.delete(run);
      for (const { effectId } of lost) {
        this.#recorder.note('effect_value_lost', { event_id: open.event.eventId, effect_id: effectId });
      }
      this.#doubted();
      this.#changed();
    } catch (error) {
      this.#recorder.failed(error);
    }
  }

  async #fetched(effect: RecordedEffect): Promise<RecordedEffect | null> {
    if (!isSpilled(effect)) return effect;
    const result = await this.#recorder.fetch(effect.end.spilled);
    return result === null ? null : { ...effect, end: { kind: 'done', result } };
  }

  /** A worker that says what can't be is ended; what it was running is handed to another. */
  #heard(message: FromWorker): void {
    if (message.type === 'ready' || message.type === 'pong') return;
    const run = this.#runs.get(message.run);
    if (run === undefined) return;
    try {
      this.#about(message, run);
    } catch (error) {
      const text = messageOf(error).slice(0, MAX_RESPONSE);
      this.#recorder.note('log', { event_id: run.eventId, level: 'error', text });
      this.#slot.kill();
    }
    this.#changed();
  }

  #about(message: Exclude<FromWorker, { type: 'ready' | 'pong' }>, run: Run): void {
    const { eventId } = run;
    switch (message.type) {
      case 'effect-announced':
        this.#gate.announced(message, eventId);
        return;
      case 'effect-ended':
        this.#gate.ended(message, eventId);
        return;
      case 'state-written':
        this.#written(message, eventId);
        return;
      case 'log':
        this.#recorder.note('log', {
          event_id: eventId,
          level: message.level,
          text: message.text.slice(0, MAX_RESPONSE),
        });
        return;
      case 'invocation-done':
        this.#succeeded(message, run);
        return;
      case 'invocation-failed':
        this.#failed(message, run);
        return;
      case 'invocation-held':
        this.#runs.delete(message.run);
        this.#doubted();
        // Its code may still be alive in there; the next run gets a worker of its own where it can.
        if (this.#runs.size === 0) void this.endWorker();
        return;
    }
  }

  #written({ run, ordinal, key, value, deleted }: About<'state-written'>, eventId: string): void {
    const write: JsonObject = { key, value, event_id: eventId, ordinal, source: 'agent' };
    this.#recorder.note('context_update', deleted ? { ...write, deleted } : write);
    this.#slot.send({ type: 'write-recorded', run, ordinal });
  }

  #succeeded({ run, response }: About<'invocation-done'>, { eventId, since }: Run): void {
    const open = this.#ending(eventId);
    this.#recorder.note('invocation_result', {
      invocation: open?.invocation ?? 0,
      event_id: eventId,
      trigger_type: open?.event.triggerType ?? '',
      duration_ms: this.#durationSince(since),
      response: response.slice(0, MAX_RESPONSE),
    });
    this.#ended(run);
  }

  #failed({ run, code, message }: About<'invocation-failed'>, { eventId, since }: Run): void {
    const isDiverged = code === 'replay.diverged';
    const open = isDiverged ? this.#open(eventId) : this.#ending(eventId);
    this.#recorder.note('error', {
      event_id: eventId,
      error_type: code,
      error: message.slice(0, MAX_ERROR),
      attempt: open?.attempt ?? 1,
      duration_ms: this.#durationSince(since),
      // A re-run that asks for something else than was recorded ends nothing: with the right code it can go on.
      final: !isDiverged,
    });
    if (isDiverged) {
      this.#runs.delete(run);
      this.#options.events.onFatal(message);
    } else {
      this.#ended(run);
    }
  }

  /** An outcome is never left behind: a worker that ends an invocation before its effects have ended is not believed. */
  #ending(eventId: string): OpenInvocation | undefined {
    const open = this.#open(eventId);
    const pending = open?.effects.find((effect) => effect.end === null);
    if (pending !== undefined)
      throw new Error(`the invocation ended while ${pending.name} was still under way`);
    const doubt = open?.effects.find(needsOperator);
    if (doubt !== undefined) throw new Error(`the invocation ended while ${doubt.name} was in doubt`);
    return open;
  }

  #ended(run: number): void {
    const ended = this.#runs.get(run);
    if (ended !== undefined) this.#gate.invocationEnded(ended.eventId);
    this.#runs.delete(run);
    this.#recorder.cycleEnded();
    this.#options.events.onEnded();
    this.#handOver();
  }

  #durationSince(since: number): number {
    return Math.round((this.#options.clock.monotonic() - since) * 10) / 10;
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
    this.#runs.clear();
    this.#gate.workerGone();
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
      this.#options.events.onFatal(`${reason}; ${deaths} times in a row without progress`);
      return;
    }
    this.#respawn.start(backoffMs(restartBackoffMs, deaths), () => this.#handOver());
  }

  #reapWhenIdle(): void {
    if (this.#runs.size > 0 || !this.#slot.isReady || this.#reap.at !== null) return;
    this.#reap.start(this.#options.definition.config.workerIdleMs, () => {
      if (this.#runs.size === 0) void this.#slot.end();
    });
  }

  #changed(): void {
    this.#options.events.onChange();
  }
}
