// One supervised process: its lifecycle, its holds and what operators do to it. It lives in the journal; this object is
// what moves it.

import { AppError, codeOf, messageOf } from '../model/errors.ts';
import type { Resolution } from '../model/effects.ts';
import { needsOperator } from '../model/effects.ts';
import type { EntryType, TriggerEvent } from '../model/entry.ts';
import { liftsAtStart, stopsEffects, type HoldKind } from '../model/holds.ts';
import type { Json, JsonObject } from '../model/json.ts';
import {
  isActive,
  isLifecycleState,
  transition,
  type LifecycleCommand,
  type LifecycleEvent,
  type LifecycleState,
} from '../model/lifecycle.ts';
import type { Clock, Ids, JournalProvider, WorkerHost } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { emptySnapshot, type ProcessSnapshot } from '../model/snapshot.ts';
import { backoffMs } from '../model/backoff.ts';
import { ReplayEngine } from '../replay/replay-engine.ts';
import { InvocationRunner } from './invocation-runner.ts';
import { Recorder } from './recorder.ts';
import { TriggerSet } from './trigger-set.ts';

const MAX_QUEUE = 1_000;
/** How long stopping waits for what is happening outside to end before it ends the worker. */
const STOP_PATIENCE_MS = 5_000;

export interface ProcessDependencies {
  readonly journal: JournalProvider;
  readonly workerHost: WorkerHost;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Begins idempotency keys. */
  readonly journalId: string;
  readonly onChange: (name: string) => void;
}

/** What the journal does not say: how things stand in this host at this moment. */
export interface LiveState {
  readonly worker: { readonly pid: number; readonly generation: number } | null;
  readonly isSpawning: boolean;
  readonly isAnswering: boolean;
  readonly running: number;
  readonly isPerforming: boolean;
  readonly respawnAt: number | null;
  readonly restartAt: number | null;
  /** Why the process can't be moved at all; only force-recover helps. */
  readonly trouble: AppError | null;
}

export interface Actor {
  /** `operator:<user>` or `host`. */
  readonly name: string;
  readonly reason: string;
}

export class AgentProcess {
  readonly definition: ProcessDefinition;
  readonly #dependencies: ProcessDependencies;
  readonly #runner: InvocationRunner;
  readonly #triggers: TriggerSet;
  /** As Promptise has it: this object's own id, in every transition. */
  readonly #uuid: string;
  #recorder: Recorder;
  #trouble: AppError | null = null;
  #cancelRestart: (() => void) | null = null;
  #restartAt: number | null = null;
  #cancelHeartbeat: (() => void) | null = null;
  #lastWork: number;
  #stopping: Promise<void> = Promise.resolve();

  constructor(definition: ProcessDefinition, dependencies: ProcessDependencies) {
    this.definition = definition;
    this.#dependencies = dependencies;
    this.#uuid = dependencies.ids.next();
    this.#lastWork = dependencies.clock.monotonic();
    this.#recorder = this.#newRecorder(emptySnapshot());
    this.#triggers = new TriggerSet(definition, (event) => this.#ticked(event));
    this.#runner = new InvocationRunner({
      definition,
      recorder: () => this.#recorder,
      workerHost: dependencies.workerHost,
      clock: dependencies.clock,
      keyPrefix: `${dependencies.journalId}/${definition.name}`,
      events: {
        onEnded: () => this.#invocationEnded(),
        onDoubt: (doubt) => this.#hold('in_doubt', { name: 'host', reason: doubt }),
        onFatal: (reason) => this.#fail(reason),
        onChange: () => this.#changed(),
      },
    });
  }

  get name(): string {
    return this.definition.name;
  }

  get snapshot(): Readonly<ProcessSnapshot> {
    return this.#recorder.snapshot;
  }

  get live(): LiveState {
    const { worker, isSpawning, isAnswering, runningCount, isPerforming, respawnAt } = this.#runner;
    return {
      worker,
      isSpawning,
      isAnswering,
      running: runningCount,
      isPerforming,
      respawnAt,
      restartAt: this.#restartAt,
      trouble: this.#trouble,
    };
  }

  get triggers(): TriggerSet {
    return this.#triggers;
  }

  /**
   * Takes the process over and rebuilds it. Nothing moves yet. A journal that can't be recovered leaves the process in
   * trouble, which it tells; it never rejects.
   */
  async recover(): Promise<void> {
    const { journal } = this.#dependencies;
    try {
      await journal.claim(this.name);
      const { snapshot } = await new ReplayEngine(journal).recover(this.name);
      this.#recorder = this.#newRecorder(snapshot);
      this.#trouble = null;
      await this.#reapWorkers();
    } catch (error) {
      this.#trouble = asAppError(error);
    }
    this.#changed();
  }

  /** Sets a recovered process going as its journal left it. */
  begin(): void {
    if (this.#trouble !== null) return;
    this.#configure();
    const { lifecycle } = this.snapshot;
    if (lifecycle !== 'created') {
      this.#note('recovered', {
        from: lifecycle,
        lifecycle_state: lifecycle,
        entries_replayed: this.snapshot.seq,
        context_keys: Object.keys(this.snapshot.context).length,
      });
    }
    this.#beat();
    switch (this.#state()) {
      case 'created':
        this.#applyInitialState();
        this.#change('start', { name: 'host', reason: 'start() called' });
        break;
      case 'starting':
        this.#run(['prepare']);
        break;
      case 'running':
        this.#continue();
        break;
      case 'suspended':
        this.#liftAtStart();
        break;
      case 'awaiting':
        this.#change('wake', { name: 'host', reason: 'nothing is waited for any more' });
        break;
      case 'stopping':
        this.#run(['finish-stopping']);
        break;
      case 'stopped':
      case 'failed':
        break;
    }
    this.#changed();
  }

  /** Resolves with the event's id once it is durable: then, and not before, its source may be told [S29]. */
  async accept(triggerId: string, triggerType: string, payload: Json): Promise<string> {
    this.#refuseTrouble();
    const { lifecycle, queue } = this.snapshot;
    if (!isActive(this.#state())) {
      throw new AppError(
        'process.not-active',
        `${this.name} is ${lifecycle}, so it takes no events. Start it first.`,
        { process: this.name },
      );
    }
    if (queue.length >= MAX_QUEUE) {
      throw new AppError(
        'process.queue-full',
        `${this.name} has ${queue.length} events waiting and takes no more. Resume it, or wait until it has worked some off.`,
        { process: this.name },
      );
    }
    const eventId = this.#dependencies.ids.next();
    this.#lastWork = this.#dependencies.clock.monotonic();
    await this.#recorder.record('trigger_event', {
      trigger_id: triggerId,
      trigger_type: triggerType,
      event_id: eventId,
      payload,
    });
    this.#lift('idle', { name: 'host', reason: `woken by ${triggerId}` });
    this.#continue();
    this.#changed();
    return eventId;
  }

  start(actor: Actor): void {
    this.#refuseTrouble();
    this.#change('start', actor);
  }

  suspend(actor: Actor): void {
    this.#refuseTrouble();
    const state = this.#state();
    if (state !== 'suspended' && !transition(state, 'suspend').ok) {
      throw new AppError('process.not-running', `${this.name} is ${state}, so there is nothing to suspend.`, {
        process: this.name,
      });
    }
    this.#hold('operator', actor);
  }

  resume(actor: Actor): void {
    this.#refuseTrouble();
    if (this.#state() !== 'suspended') {
      throw new AppError(
        'process.not-suspended',
        `${this.name} is ${this.#state()}, not suspended, so there is nothing to resume.`,
        { process: this.name },
      );
    }
    for (const kind of ['operator', 'idle', 'quit'] as const) this.#liftOne(kind, actor);
    this.#resumeIfFree(actor);
  }

  async stop(actor: Actor): Promise<void> {
    this.#cancelPendingRestart();
    if (this.#trouble !== null) {
      // The journal can't take it; stopping is done all the same [S36].
      this.#triggers.close();
      await this.#runner.endWorker();
      return;
    }
    if (this.#state() === 'stopped') return;
    if (this.#state() !== 'stopping') this.#change('stop', actor);
    await this.#stopping;
  }

  /** Ends the worker as an accident would; resolves with its pid. */
  killWorker(): number {
    const pid = this.#runner.killWorker();
    if (pid !== null) return pid;
    throw new AppError(
      'process.no-worker',
      `${this.name} has no worker right now: one is started when there is work.`,
      { process: this.name },
    );
  }

  /** Rebuilds from the journal and takes over, whatever the state: the worker is ended first, and then nothing is assumed. */
  async forceRecover(actor: Actor): Promise<void> {
    this.#cancelPendingRestart();
    this.#triggers.close();
    this.#runner.pause(true);
    await this.#runner.endWorker();
    await this.recover();
    if (this.#trouble !== null) throw this.#trouble;
    const { lifecycle } = this.snapshot;
    this.#note('recovered', {
      from: lifecycle,
      lifecycle_state: lifecycle,
      forced: true,
      actor: actor.name,
      reason: actor.reason,
    });
    const state = this.#state();
    if (state === 'running') this.#run(['open-triggers', 'dispatch']);
    else if (state === 'starting') this.#run(['prepare']);
    else if (state === 'stopping') this.#run(['finish-stopping']);
    else if (state === 'created' || state === 'stopped' || state === 'failed') this.#change('start', actor);
    this.#changed();
  }

  /** An operator's word on an effect in doubt [S28]. */
  resolveEffect(effectId: string, resolution: Resolution, actor: Actor): void {
    this.#refuseTrouble();
    const effect = this.snapshot.open
      .flatMap((open) => open.effects)
      .find((candidate) => candidate.effectId === effectId);
    if (effect === undefined || !needsOperator(effect)) {
      throw new AppError(
        'effect.not-in-doubt',
        `The effect ${effectId} is not in doubt (any more), so there is nothing to decide.`,
        { effectId },
      );
    }
    this.#note('effect_resolved', {
      effect_id: effectId,
      resolution: resolution.kind,
      ...(resolution.kind === 'happened' ? { result: resolution.result } : {}),
      operator: actor.name,
      reason: actor.reason,
    });
    if (this.#runner.doubt() === null) this.#lift('in_doubt', actor);
    this.#changed();
  }

  /** Puts an entry of the host's into this journal. Resolves when durable. */
  record(type: EntryType, data: JsonObject): Promise<void> {
    return this.#recorder.record(type, data);
  }

  /** Holds a moving process for as long as the host is gone, and lets go of its worker. */
  async quit(): Promise<void> {
    this.#cancelPendingRestart();
    this.#cancelHeartbeat?.();
    this.#triggers.close();
    if (this.#trouble === null && (this.#state() === 'running' || this.#state() === 'awaiting')) {
      this.#hold('quit', { name: 'host', reason: 'the host quits' });
    }
    this.#runner.pause(true);
    await this.#performed();
    await this.#runner.endWorker();
    if (this.#trouble === null) await this.#recorder.checkpoint().catch(() => {}); // the recorder has told us
  }

  // --- lifecycle

  #state(): LifecycleState {
    const { lifecycle } = this.snapshot;
    return isLifecycleState(lifecycle) ? lifecycle : 'failed';
  }

  #change(event: LifecycleEvent, actor: Actor): void {
    const from = this.#state();
    const result = transition(from, event);
    if (!result.ok) throw result.error;
    this.#note('state_transition', {
      from_state: from,
      to_state: result.state,
      reason: actor.reason,
      process_id: this.#uuid,
      actor: actor.name,
    });
    this.#run(result.commands);
    this.#changed();
  }

  #run(commands: readonly LifecycleCommand[]): void {
    for (const command of commands) this.#runOne(command);
  }

  #runOne(command: LifecycleCommand): void {
    switch (command) {
      case 'prepare':
        this.#change('started', { name: 'host', reason: 'startup complete' });
        return;
      case 'open-triggers':
        this.#openTriggers();
        return;
      case 'close-triggers':
        this.#triggers.close();
        return;
      case 'dispatch':
        this.#continue();
        return;
      case 'checkpoint':
        this.#runner.pause(stopsEffects(this.snapshot.holds));
        void this.#recorder.checkpoint().catch(() => {}); // the recorder has told us
        return;
      case 'release-workers':
        this.#runner.pause(true);
        void this.#runner.endWorker();
        return;
      case 'finish-stopping':
        this.#runner.pause(true);
        this.#stopping = this.#finishStopping();
        return;
      case 'consider-restart':
        this.#considerRestart();
        return;
    }
  }

  #openTriggers(): void {
    try {
      this.#triggers.open();
    } catch (error) {
      this.#fail(messageOf(error));
    }
  }

  /** Goes on with whatever may move now. */
  #continue(): void {
    if (this.#trouble !== null || this.#state() !== 'running') return;
    const doubt = this.#runner.doubt();
    if (doubt !== null) {
      this.#hold('in_doubt', { name: 'host', reason: doubt });
      return;
    }
    this.#triggersOpen();
    this.#runner.dispatch();
  }

  #triggersOpen(): void {
    if (!this.#triggers.isOpen) this.#openTriggers();
  }

  async #finishStopping(): Promise<void> {
    await this.#performed();
    await this.#runner.endWorker();
    if (this.#state() === 'stopping') this.#change('stopped', { name: 'host', reason: 'shutdown complete' });
  }

  /** Waits until nothing outward is happening, but not for ever. */
  async #performed(): Promise<void> {
    const { clock } = this.#dependencies;
    const deadline = clock.monotonic() + STOP_PATIENCE_MS;
    while (this.#runner.isPerforming && clock.monotonic() < deadline) {
      await new Promise<void>((resolve) => void clock.after(20, resolve));
    }
  }

  #fail(reason: string): void {
    if (!transition(this.#state(), 'fail').ok) return;
    this.#change('fail', { name: 'host', reason });
  }

  #considerRestart(): void {
    const { restartPolicy, maxRestarts, restartBackoffMs } = this.definition.config;
    if (restartPolicy === 'never') return;
    const { restarts, lifecycleReason } = this.snapshot;
    if (restarts >= maxRestarts) {
      this.#note('restart_exhausted', { reason: lifecycleReason, restarts, max_restarts: maxRestarts });
      return;
    }
    const attempt = restarts + 1;
    const delayMs = backoffMs(restartBackoffMs, attempt);
    this.#note('restart', { reason: lifecycleReason, attempt });
    this.#restartAt = this.#dependencies.clock.now() + delayMs;
    this.#cancelRestart = this.#dependencies.clock.after(delayMs, () => {
      this.#cancelPendingRestart();
      if (this.#trouble === null && this.#state() === 'failed') {
        this.#change('start', { name: 'host', reason: `restart ${attempt} of ${maxRestarts}` });
      }
    });
  }

  #cancelPendingRestart(): void {
    this.#cancelRestart?.();
    this.#cancelRestart = null;
    this.#restartAt = null;
  }

  // --- holds [S34]

  #hold(kind: HoldKind, actor: Actor): void {
    if (this.#trouble !== null) return;
    const known = this.snapshot.holds.find((hold) => hold.kind === kind);
    if (known === undefined || known.reason !== actor.reason) {
      this.#note('hold_placed', { hold: kind, reason: actor.reason, actor: actor.name });
    }
    if (transition(this.#state(), 'suspend').ok) this.#change('suspend', actor);
    else this.#runner.pause(stopsEffects(this.snapshot.holds));
    this.#changed();
  }

  #liftOne(kind: HoldKind, actor: Actor): void {
    if (!this.snapshot.holds.some((hold) => hold.kind === kind)) return;
    this.#note('hold_lifted', { hold: kind, reason: actor.reason, actor: actor.name });
  }

  #lift(kind: HoldKind, actor: Actor): void {
    if (!this.snapshot.holds.some((hold) => hold.kind === kind)) return;
    this.#liftOne(kind, actor);
    this.#resumeIfFree(actor);
  }

  #resumeIfFree(actor: Actor): void {
    if (this.snapshot.holds.length === 0 && this.#state() === 'suspended') this.#change('resume', actor);
    this.#changed();
  }

  #liftAtStart(): void {
    const own = this.snapshot.holds.filter((hold) => liftsAtStart(hold.kind));
    for (const hold of own) this.#liftOne(hold.kind, { name: 'host', reason: 'the host started' });
    if (own.length > 0) this.#resumeIfFree({ name: 'host', reason: 'the host started' });
    // What is queued waits; cron keeps at most one event for each trigger [S42].
    if (this.#state() === 'suspended') this.#openTriggers();
  }

  // --- what happens by itself

  #ticked(event: Pick<TriggerEvent, 'triggerId' | 'triggerType' | 'payload'>): void {
    const isHeld = this.#state() === 'suspended';
    if (isHeld && this.snapshot.queue.some((queued) => queued.triggerId === event.triggerId)) return;
    this.accept(event.triggerId, event.triggerType, event.payload).catch((error: unknown) => {
      // A journal that fails has told so already; a full queue leaves its own trace.
      if (this.#trouble !== null) return;
      this.#note('dead_letter', {
        event_id: this.#dependencies.ids.next(),
        trigger_id: event.triggerId,
        reason: messageOf(error),
        attempts: 0,
      });
    });
  }

  #invocationEnded(): void {
    this.#lastWork = this.#dependencies.clock.monotonic();
    const { consecutiveFailures, lastError } = this.snapshot;
    if (consecutiveFailures >= this.definition.config.maxConsecutiveFailures) {
      this.#fail(`${consecutiveFailures} failures in a row, the last: ${lastError?.message ?? 'unknown'}`);
    }
  }

  #beat(): void {
    const { clock } = this.#dependencies;
    const { heartbeatIntervalMs, idleTimeoutMs } = this.definition.config;
    this.#cancelHeartbeat?.();
    this.#cancelHeartbeat = clock.after(heartbeatIntervalMs, () => {
      this.#runner.ping();
      const idleMs = clock.monotonic() - this.#lastWork;
      if (
        idleTimeoutMs > 0 &&
        idleMs > idleTimeoutMs &&
        this.#state() === 'running' &&
        this.#runner.runningCount === 0
      ) {
        this.#hold('idle', { name: 'host', reason: `no event for ${Math.round(idleMs / 1000)} s` });
      }
      this.#beat();
      this.#changed();
    });
  }

  #configure(): void {
    const { configHash, codeHash, config } = this.definition;
    if (this.snapshot.configHash === configHash) return;
    this.#note('configured', {
      hash: configHash,
      code_hash: codeHash,
      config: config as unknown as JsonObject,
    });
  }

  #applyInitialState(): void {
    for (const [key, value] of Object.entries(this.definition.config.initialState)) {
      this.#note('context_update', { key, value, source: 'system' });
    }
  }

  /** The dead must be dead before anything in doubt is touched [S30]. */
  async #reapWorkers(): Promise<void> {
    for (const worker of this.snapshot.workers) {
      await this.#dependencies.workerHost.reap(worker);
      this.#note('worker_exited', {
        generation: worker.generation,
        pid: worker.pid,
        code: null,
        signal: null,
        expected: true,
        reason: 'its host is gone',
      });
    }
  }

  // --- small parts

  #newRecorder(snapshot: ProcessSnapshot): Recorder {
    const { journal, clock, ids } = this.#dependencies;
    const { journalLevel, checkpointEvery } = this.definition.config;
    const recorder: Recorder = new Recorder(snapshot, {
      journal,
      process: this.name,
      level: journalLevel,
      checkpointEvery,
      clock,
      ids,
      onFailure: (error) => {
        if (recorder === this.#recorder) this.#journalFailed(error);
      },
    });
    return recorder;
  }

  /** The journal did not take an entry: nothing may happen that it does not know of. */
  #journalFailed(error: unknown): void {
    this.#trouble = asAppError(error);
    this.#triggers.close();
    this.#runner.pause(true);
    void this.#runner.endWorker();
    this.#changed();
  }

  #note(type: EntryType, data: JsonObject): void {
    this.#recorder.note(type, data);
  }

  #refuseTrouble(): void {
    if (this.#trouble !== null) throw this.#trouble;
  }

  #changed(): void {
    this.#dependencies.onChange(this.name);
  }
}

function asAppError(error: unknown): AppError {
  return error instanceof AppError
    ? error
    : new AppError(codeOf(error), messageOf(error), {}, { cause: error });
}
