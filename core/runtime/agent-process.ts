// One supervised process: what sets it going, what operators do to it, what it does by itself. It lives in the journal;
// this object is what moves it.

import { needsOperator, type Resolution } from '../model/effects.ts';
import type { EntryType } from '../model/entry.ts';
import { AppError, asAppError, messageOf } from '../model/errors.ts';
import { liftsAtStart, stopsEffects } from '../model/holds.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { LifecycleCommand } from '../model/lifecycle.ts';
import type { Clock, Ids, JournalProvider, WorkerHost } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { emptySnapshot, type ProcessSnapshot } from '../model/snapshot.ts';
import { AutomaticRestart } from './automatic-restart.ts';
import { eventIntake, type EventIntake } from './event-intake.ts';
import { Heartbeat } from './heartbeat.ts';
import { InvocationRunner } from './invocation-runner.ts';
import { host, LifecycleDriver, type Actor } from './lifecycle-driver.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { Recorder } from './recorder.ts';
import { takeOver } from './take-over.ts';
import { TriggerSet } from './trigger-set.ts';

/** What an operator's resume or start lifts; the others have ways of their own. */
const OPERATORS_HOLDS = ['operator', 'idle', 'quit', 'gap'] as const;

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
  /** Whether the worker has this invocation in hand. */
  readonly isRunning: (eventId: string) => boolean;
  readonly respawnAt: number | null;
  readonly restartAt: number | null;
  /** Why the process can't be moved at all; only force-recover helps. */
  readonly trouble: AppError | null;
}

export class AgentProcess {
  readonly definition: ProcessDefinition;
  readonly triggers: TriggerSet;
  readonly #dependencies: ProcessDependencies;
  readonly #runner: InvocationRunner;
  readonly #lifecycle: LifecycleDriver;
  readonly #restart: AutomaticRestart;
  readonly #orders = new OneAtATime();
  readonly #heartbeat: Heartbeat;
  readonly #intake: EventIntake;
  #recorder: Recorder;
  #trouble: AppError | null = null;
  #stopping: Promise<void> = Promise.resolve();
  #isQuitting = false;

  constructor(definition: ProcessDefinition, dependencies: ProcessDependencies) {
    const { clock, ids, workerHost, journalId } = dependencies;
    this.definition = definition;
    this.#dependencies = dependencies;
    this.#restart = new AutomaticRestart({
      config: definition.config,
      clock,
      recorder: () => this.#recorder,
      onDue: (reason) => this.#restartDue(reason),
    });
    this.#heartbeat = new Heartbeat({
      clock,
      intervalMs: definition.config.heartbeatIntervalMs,
      onBeat: (idleMs) => this.#beat(idleMs),
    });
    this.#recorder = this.#newRecorder(emptySnapshot());
    this.#intake = eventIntake({
      process: definition.name,
      ids,
      recorder: () => this.#recorder,
      state: () => this.#lifecycle.state,
      ready: () => this.#ready(),
      onAccepted: (triggerId) => this.#accepted(triggerId),
    });
    this.triggers = new TriggerSet(definition, (tick) => this.#intake.tick(tick));
    this.#lifecycle = new LifecycleDriver({
      recorder: () => this.#recorder,
      uuid: ids.next(),
      carryOut: (command) => this.#carryOut(command),
      onHeld: (stopEffects) => this.#runner.pause(stopEffects),
      onChange: () => this.#changed(),
    });
    this.#runner = new InvocationRunner({
      definition,
      recorder: () => this.#recorder,
      workerHost,
      clock,
      keyPrefix: `${journalId}/${definition.name}`,
      events: {
        onEnded: () => this.#invocationEnded(),
        onDoubt: (doubt) => this.#doubted(doubt),
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
    const { worker, isSpawning, isAnswering, runningCount, respawnAt } = this.#runner;
    const restartAt = this.#restart.at;
    return {
      worker,
      isSpawning,
      isAnswering,
      running: runningCount,
      isRunning: (eventId) => this.#runner.isRunning(eventId),
      respawnAt,
      restartAt,
      trouble: this.#trouble,
    };
  }

  // --- setting going

  /**
   * Takes the process over and rebuilds it. Nothing moves yet. A journal that can't be recovered leaves the process in
   * trouble, which it tells; it never rejects.
   */
  async recover(): Promise<void> {
    try {
      // What is lined up belongs to what is read.
      await this.#recorder.settled();
      const { snapshot, reaped } = await takeOver(this.definition, this.#dependencies);
      this.#recorder = this.#newRecorder(snapshot);
      this.#trouble = null;
      for (const { generation, pid } of reaped) {
        const exit = { code: null, signal: null, expected: true, reason: 'its host is gone' };
        this.#recorder.note('worker_exited', { generation, pid, ...exit });
      }
    } catch (error) {
      this.#trouble = asAppError(error);
    }
    this.#changed();
  }

  /** Sets a recovered process going as its journal left it. */
  begin(): void {
    if (this.#trouble !== null) return;
    this.#configure();
    if (this.snapshot.lifecycle !== 'created') this.#noteRecovered({});
    if (this.#lifecycle.state === 'failed') this.#restart.takeUp();
    else if (this.#lifecycle.state !== 'stopped') this.#setGoing(host('start() called'));
    this.#heartbeat.start();
    this.#changed();
  }

  /** From whatever state there is; a state of rest is started. */
  #setGoing(actor: Actor): void {
    switch (this.#lifecycle.state) {
      case 'created':
        this.#applyInitialState();
        this.#lifecycle.change('start', actor);
        return;
      case 'stopped':
      case 'failed':
        this.#lifecycle.change('start', actor);
        return;
      case 'starting':
        this.#carryOut('prepare');
        return;
      case 'running':
        this.#goOn();
        return;
      case 'suspended':
        this.#setGoingSuspended();
        return;
      case 'awaiting':
        this.#lifecycle.change('wake', host('nothing is waited for any more'));
        return;
      case 'stopping':
        this.#carryOut('finish-stopping');
        return;
    }
  }

  #configure(): void {
    const { configHash, codeHash, config } = this.definition;
    if (this.snapshot.configHash === configHash) return;
    this.#recorder.note('configured', {
      hash: configHash,
      code_hash: codeHash,
      config: config as unknown as JsonObject,
    });
  }

  #applyInitialState(): void {
    for (const [key, value] of Object.entries(this.definition.config.initialState)) {
      this.#recorder.note('context_update', { key, value, source: 'system' });
    }
  }

  /** Promptise's keys of this type, and why it came to it. Recovering is no transition [S35]. */
  #noteRecovered(more: JsonObject): void {
    const { lifecycle, seq, context, invocationCount } = this.snapshot;
    this.#recorder.note('recovered', {
      from: lifecycle,
      lifecycle_state: lifecycle,
      entries_replayed: seq,
      context_keys: Object.keys(context).length,
      invocation_count: invocationCount,
      ...more,
    });
  }

  #setGoingSuspended(): void {
    const own = this.snapshot.holds.map((hold) => hold.kind).filter(liftsAtStart);
    if (own.length > 0) this.#lifecycle.lift(own, host('the host started'));
    // What is queued waits; cron keeps at most one event for each trigger [S42].
    if (this.#lifecycle.state === 'suspended') this.#openTriggers();
  }

  // --- what operators do, one at a time

  /** Resolves with the event's id once it is durable: then, and not before, its source may be told [S29]. */
  accept(triggerId: string, triggerType: string, payload: Json): Promise<string> {
    return this.#intake.accept(triggerId, triggerType, payload);
  }

  start(actor: Actor): Promise<void> {
    return this.#exclusively(() => {
      this.#refuseTrouble();
      this.#restart.cancel();
      this.#heartbeat.worked();
      if (this.#lifecycle.can('start')) this.#lifecycle.lift(OPERATORS_HOLDS, actor);
      this.#lifecycle.change('start', actor);
    });
  }

  suspend(actor: Actor): Promise<void> {
    return this.#exclusively(() => {
      this.#refuseTrouble();
      const { state } = this.#lifecycle;
      if (state !== 'suspended' && !this.#lifecycle.can('suspend')) {
        throw this.#refusal('not-running', `is ${state}, so there is nothing to suspend.`);
      }
      this.#lifecycle.hold('operator', actor);
    });
  }

  /** Lifts what an operator may lift; other holds stay, and the process with them. */
  resume(actor: Actor): Promise<void> {
    return this.#exclusively(() => {
      this.#refuseTrouble();
      const { state } = this.#lifecycle;
      if (state !== 'suspended') {
        throw this.#refusal('not-suspended', `is ${state}, not suspended, so there is nothing to resume.`);
      }
      this.#heartbeat.worked();
      this.#lifecycle.lift(OPERATORS_HOLDS, actor);
    });
  }

  stop(actor: Actor): Promise<void> {
    return this.#exclusively(async () => {
      this.#restart.cancel();
      if (this.#trouble !== null) {
        // The journal can't take it; stopping is done all the same [S36].
        this.triggers.close();
        await this.#runner.endWorker();
        return;
      }
      const { state } = this.#lifecycle;
      if (state === 'stopped') return;
      if (state !== 'stopping') this.#lifecycle.change('stop', actor);
      await this.#stopping;
    });
  }

  /** Ends the worker as an accident would. */
  killWorker(): Promise<void> {
    return this.#exclusively(() => {
      if (this.#runner.killWorker()) return;
      throw this.#refusal('no-worker', 'has no worker right now: one is started when there is work.');
    });
  }

  /** Rebuilds from the journal and takes over, whatever the state: the worker is ended first, and then nothing is assumed. */
  forceRecover(actor: Actor): Promise<void> {
    return this.#exclusively(async () => {
      if (this.definition.config.journalLevel === 'none') {
        throw new AppError(
          'journal.required',
          `${this.name} keeps no journal, so there is nothing to rebuild it from. Stop and start it instead.`,
          { process: this.name },
        );
      }
      this.#restart.cancel();
      this.triggers.close();
      this.#runner.pause(true);
      await this.#runner.endWorker();
      await this.recover();
      this.#refuseTrouble();
      this.#noteRecovered({ forced: true, actor: actor.name, reason: actor.reason });
      this.#setGoing(actor);
      this.#heartbeat.start();
      this.#changed();
    });
  }

  /** An operator's word on an effect in doubt [S28], which nobody may be performing [S30]. */
  resolveEffect(effectId: string, resolution: Resolution, actor: Actor): Promise<void> {
    return this.#exclusively(() => {
      this.#refuseTrouble();
      const open = this.snapshot.open.find((invocation) =>
        invocation.effects.some((effect) => effect.effectId === effectId),
      );
      const effect = open?.effects.find((candidate) => candidate.effectId === effectId);
      if (
        open === undefined ||
        effect === undefined ||
        this.#runner.isRunning(open.event.eventId) ||
        !needsOperator(effect)
      ) {
        throw new AppError(
          'effect.not-in-doubt',
          `The effect ${effectId} is not in doubt (any more), so there is nothing to decide.`,
          { effectId },
        );
      }
      if (
        effect.end?.kind === 'in_doubt' &&
        effect.end.happened === true &&
        resolution.kind === 'did_not_happen'
      ) {
        throw new AppError(
          'effect.happened',
          `${effect.name} happened: the journal says so, and only what it gave is lost. Say what it gave, or skip it.`,
          { effectId },
        );
      }
      this.#recorder.note('effect_resolved', {
        effect_id: effectId,
        resolution: resolution.kind,
        ...(resolution.kind === 'happened' ? { result: resolution.result } : {}),
        operator: actor.name,
        reason: actor.reason,
      });
      if (this.#runner.doubt() === null) this.#lifecycle.lift(['in_doubt'], actor);
      this.#changed();
    });
  }

  /** Puts an entry of the host's into this journal. Resolves when durable. */
  record(type: EntryType, data: JsonObject): Promise<void> {
    return this.#recorder.record(type, data);
  }

  /** Holds a moving process for as long as the host is gone, and lets go of its worker. Nothing can be done to it after. */
  async quit(): Promise<void> {
    this.#isQuitting = true;
    await this.#orders.idle();
    this.#restart.cancel();
    this.#heartbeat.stop();
    this.triggers.close();
    const { state } = this.#lifecycle;
    if (this.#trouble === null && (state === 'running' || state === 'awaiting')) {
      this.#lifecycle.hold('quit', host('the host quits'));
    }
    this.#runner.pause(true);
    await this.#runner.endWorkerGently();
    if (this.#trouble === null) await this.#recorder.checkpoint().catch(() => {}); // the recorder has told us
    await this.#recorder.settled();
  }

  #exclusively(act: () => void | Promise<void>): Promise<void> {
    return this.#orders.run(() => {
      this.#refuseQuitting();
      return act();
    });
  }

  async #ready(): Promise<void> {
    await this.#orders.idle();
    this.#refuseQuitting();
    this.#refuseTrouble();
  }

  #refuseQuitting(): void {
    if (this.#isQuitting)
      throw new AppError('host.closing', `The host of ${this.name} is closing. Start it again first.`);
  }

  // --- what the lifecycle commands

  #carryOut(command: LifecycleCommand): void {
    switch (command) {
      case 'prepare':
        this.#lifecycle.change('started', host('startup complete'));
        return;
      case 'open-triggers':
        this.#openTriggers();
        return;
      case 'close-triggers':
        this.triggers.close();
        return;
      case 'dispatch':
        this.#goOn();
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
        this.#restart.consider();
        return;
    }
  }

  #openTriggers(): void {
    // Where nobody knows whether this journal is the one that counts, its triggers are off [S10].
    if (this.snapshot.holds.some(({ kind }) => kind === 'gap')) return;
    try {
      this.triggers.open();
    } catch (error) {
      this.#fail(messageOf(error));
    }
  }

  /** Goes on with whatever may move now. */
  #goOn(): void {
    if (this.#trouble !== null || this.#isQuitting || this.#lifecycle.state !== 'running') return;
    const [held] = this.snapshot.holds;
    if (held !== undefined) {
      // Held before it failed or was stopped, and still [S34].
      this.#lifecycle.change('suspend', host(`still held: ${held.reason || held.kind}`));
      return;
    }
    const doubt = this.#runner.doubt();
    if (doubt !== null) {
      this.#doubted(doubt);
      return;
    }
    if (!this.triggers.isOpen) this.#openTriggers();
    this.#runner.dispatch();
  }

  async #finishStopping(): Promise<void> {
    await this.#runner.endWorkerGently();
    if (this.#trouble === null && this.#lifecycle.state === 'stopping') {
      this.#lifecycle.change('stopped', host('shutdown complete'));
    }
  }

  // --- what happens by itself

  #accepted(triggerId: string): void {
    this.#heartbeat.worked();
    this.#lifecycle.lift(['idle'], host(`woken by ${triggerId}`));
    this.#goOn();
    this.#changed();
  }

  #invocationEnded(): void {
    this.#heartbeat.worked();
    const { consecutiveFailures, lastError } = this.snapshot;
    if (consecutiveFailures >= this.definition.config.maxConsecutiveFailures) {
      this.#fail(`${consecutiveFailures} failures in a row, the last: ${lastError?.message ?? 'unknown'}`);
    }
  }

  #doubted(doubt: string): void {
    if (this.#trouble === null) this.#lifecycle.hold('in_doubt', host(doubt));
  }

  #restartDue(reason: string): void {
    if (this.#trouble !== null || this.#isQuitting || this.#lifecycle.state !== 'failed') return;
    this.#lifecycle.change('start', host(reason));
  }

  #fail(reason: string): void {
    if (this.#lifecycle.can('fail')) this.#lifecycle.change('fail', host(reason));
  }

  #beat(idleMs: number): void {
    this.#runner.ping();
    const { idleTimeoutMs } = this.definition.config;
    const { queue, open } = this.snapshot;
    const isIdle = this.#lifecycle.state === 'running' && queue.length === 0 && open.length === 0;
    if (idleTimeoutMs > 0 && idleMs > idleTimeoutMs && isIdle && this.#trouble === null) {
      this.#lifecycle.hold('idle', host(`no event for ${Math.round(idleMs / 1000)} s`));
    }
    this.#changed();
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
    this.triggers.close();
    this.#runner.pause(true);
    void this.#runner.endWorker();
    this.#changed();
  }

  #refuseTrouble(): void {
    if (this.#trouble !== null) throw this.#trouble;
  }

  #refusal(what: string, why: string): AppError {
    return new AppError(`process.${what}`, `${this.name} ${why}`, { process: this.name });
  }

  #changed(): void {
    this.#dependencies.onChange(this.name);
  }
}
