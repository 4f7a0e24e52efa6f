// One supervised process: what sets it going, what operators do to it, what it does by itself. It lives in the journal;
// this object is what moves it.

import type { EntryType } from '../model/entry.ts';
import type { Sender } from '../model/entry.ts';
import { AppError, asAppError, messageOf } from '../model/errors.ts';
import { liftsAtStart, OPERATORS_HOLDS, stopsEffects } from '../model/holds.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { isActive, type LifecycleCommand } from '../model/lifecycle.ts';
import type { SentMessage } from '../model/messages.ts';
import type { Clock, Ids, JournalProvider, WorkerFacts, WorkerHost } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { emptySnapshot, type ProcessSnapshot } from '../model/snapshot.ts';
import { restingAs } from '../model/standing.ts';
import { waitingFor } from '../model/why.ts';
import { AutomaticRestart } from './automatic-restart.ts';
import { ClockWatch } from './clock-watch.ts';
import { eventIntake, type EventIntake } from './event-intake.ts';
import { Heartbeat } from './heartbeat.ts';
import { InvocationRunner } from './invocation-runner.ts';
import { host, LifecycleDriver, type Actor } from './lifecycle-driver.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { OperatorDesk } from './operator-desk.ts';
import { Outbox } from './outbox.ts';
import { QueryDesk } from './query-desk.ts';
import { Recorder } from './recorder.ts';
import type { Delivery, Listener } from './switchboard.ts';
import { takeOver } from './take-over.ts';
import { TriggerSet, type Tick } from './trigger-set.ts';
import { WaitKeeper } from './wait-keeper.ts';
import type { WorkerPermits } from './worker-permits.ts';

export interface ProcessDependencies {
  readonly journal: JournalProvider;
  readonly workerHost: WorkerHost;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Begins idempotency keys. */
  readonly journalId: string;
  readonly permits: WorkerPermits;
  /** Brings a message to all who listen [S38]. */
  readonly deliver: (sender: string, message: SentMessage) => Promise<Delivery>;
  readonly onChange: (name: string) => void;
}

/** What the journal does not say: how things stand in this host at this moment. */
export interface LiveState {
  readonly worker: { readonly pid: number; readonly generation: number } | null;
  readonly isSpawning: boolean;
  readonly isAnswering: boolean;
  /** Wants a worker, and others are before it in line. */
  readonly isInLine: boolean;
  readonly running: number;
  /** Whether the worker has this invocation in hand. */
  readonly isRunning: (eventId: string) => boolean;
  readonly respawnAt: number | null;
  readonly restartAt: number | null;
  /** When a timer, an expiry or a next attempt is due. */
  readonly dueAt: number | null;
  /** Why the process can't be moved at all; only force-recover helps. */
  readonly trouble: AppError | null;
}

export class AgentProcess implements Listener {
  readonly definition: ProcessDefinition;
  readonly triggers: TriggerSet;
  /** What people decide about its work. */
  readonly desk: OperatorDesk;
  readonly #dependencies: ProcessDependencies;
  readonly #runner: InvocationRunner;
  readonly #lifecycle: LifecycleDriver;
  readonly #restart: AutomaticRestart;
  readonly #orders = new OneAtATime();
  readonly #heartbeat: Heartbeat;
  readonly #intake: EventIntake;
  readonly #waits: WaitKeeper;
  readonly #outbox: Outbox;
  readonly #queries: QueryDesk;
  readonly #clockWatch: ClockWatch;
  #recorder: Recorder;
  #trouble: AppError | null = null;
  #stopping: Promise<void> = Promise.resolve();
  #isQuitting = false;

  constructor(definition: ProcessDefinition, dependencies: ProcessDependencies) {
    const { clock, ids, workerHost, journalId, permits, deliver } = dependencies;
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
    this.#clockWatch = new ClockWatch(clock);
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
      permits,
      clock,
      ids,
      keyPrefix: `${journalId}/${definition.name}`,
      events: {
        onEnded: () => this.#invocationEnded(),
        onDoubt: (doubt) => this.#doubted(doubt),
        onFatal: (reason) => this.#fail(reason),
        onWaiting: () => this.#waitOn(),
        onWait: () => this.#waits.look(),
        onSent: () => this.#outbox.pump(),
        onAnswer: (answer) => this.#queries.heard(answer),
        onChange: () => this.#changed(),
      },
    });
    this.#waits = new WaitKeeper({
      process: definition.name,
      clock,
      recorder: () => this.#recorder,
      onEnded: (eventId, waitId, end) => {
        this.#runner.tellWaitEnded(eventId, waitId, end);
        this.#wake('something that was waited for is over');
      },
      onRetryDue: () => this.#goOn(),
    });
    this.#outbox = new Outbox({
      clock,
      recorder: () => this.#recorder,
      deliver: (message) => deliver(definition.name, message),
      onChange: () => this.#changed(),
    });
    this.#queries = new QueryDesk({
      definition,
      recorder: () => this.#recorder,
      workerHost,
      runner: () => this.#runner,
      clock,
    });
    this.desk = new OperatorDesk({
      definition,
      clock,
      recorder: () => this.#recorder,
      runner: this.#runner,
      waits: this.#waits,
      exclusively: (act) =>
        this.#exclusively(() => {
          this.#refuseTrouble();
          return act();
        }),
      onDecided: (actor) => {
        this.#lifecycle.lift(['in_doubt'], actor);
        this.#changed();
      },
      onWork: (why) => this.#wake(why),
      accept: (triggerId, triggerType, payload) => this.accept(triggerId, triggerType, payload),
    });
  }

  get name(): string {
    return this.definition.name;
  }

  get snapshot(): Readonly<ProcessSnapshot> {
    return this.#recorder.snapshot;
  }

  get live(): LiveState {
    const { worker, isSpawning, isAnswering, isInLine, runningCount, respawnAt } = this.#runner;
    const restartAt = this.#restart.at;
    return {
      worker,
      isSpawning,
      isAnswering,
      isInLine,
      running: runningCount,
      isRunning: (eventId) => this.#runner.isRunning(eventId),
      respawnAt,
      restartAt,
      dueAt: this.#waits.next,
      trouble: this.#trouble,
    };
  }

  /** How its worker is doing, looked up now; null where it has none. */
  workerFacts(): WorkerFacts | null {
    return this.#runner.facts();
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
    this.#keepWatch();
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
        this.#openTriggers();
        // What came due meanwhile fires now; unless that or something else gives it work, it goes on waiting.
        if (restingAs(this.snapshot, this.#dependencies.clock.now()) !== 'awaiting') {
          this.#wake('it has something to do');
        }
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
    const { holds, lifecycleActor } = this.snapshot;
    const isDoubtOver = this.#runner.doubt() === null;
    const own = holds.map(({ kind }) => kind).filter((kind) => liftsAtStart(kind, isDoubtOver));
    // A crash may come between the lifting of the last hold and the step that follows; a foreign journal has no holds at all.
    const isFree = holds.length === 0 && lifecycleActor !== '';
    if (own.length > 0 || isFree) this.#lifecycle.lift(own, host('the host started'));
    // What is queued waits; cron keeps at most one event for each trigger [S42].
    if (this.#lifecycle.state === 'suspended') this.#openTriggers();
  }

  /** What is due fires, and what was sent is delivered, as long as the host lives; also where nothing moves. */
  #keepWatch(): void {
    this.#waits.open();
    this.#outbox.open();
  }

  // --- what operators do, one at a time

  /** Resolves with the event's id once it is durable: then, and not before, its source may be told [S29]. */
  accept(triggerId: string, triggerType: string, payload: Json): Promise<string> {
    return this.#intake.accept(triggerId, triggerType, payload);
  }

  /** What other processes say; each of their messages once [S38]. */
  hear(tick: Tick, from: Sender): Promise<void> {
    return this.#intake.hear(tick, from);
  }

  listens(): ReturnType<Listener['listens']> {
    // While it is started, stopped or recovered again it listens, and whoever speaks to it then waits.
    const isOff = this.snapshot.holds.some(({ kind }) => kind === 'gap');
    return isActive(this.#lifecycle.state) && !isOff ? this.triggers.listening() : [];
  }

  /** Asks an invocation under way; nothing is written for it. */
  query(name: string, args: Json, eventId: string | null): Promise<Json> {
    this.#refuseQuitting();
    return this.#queries.ask(name, args, eventId);
  }

  /** Whether it knows of this durable promise. */
  knowsPromise(promiseId: string): boolean {
    return this.#waits.knows(promiseId);
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
    return this.#exclusively(async () => {
      if (this.#trouble !== null) {
        await this.#standStill();
        return;
      }
      const { state } = this.#lifecycle;
      if (state !== 'suspended' && !this.#lifecycle.can('suspend')) {
        throw this.#refusal('not-running', `is ${state}, so there is nothing to suspend.`);
      }
      this.#lifecycle.hold('operator', actor);
    });
  }

  /** The journal can't take it; nothing moves any more all the same [S36]. */
  async #standStill(): Promise<void> {
    this.triggers.close();
    this.#runner.pause(true);
    await this.#runner.endWorker();
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
        await this.#standStill();
        return;
      }
      const { state } = this.#lifecycle;
      if (state === 'stopped') return;
      if (state !== 'stopping') this.#lifecycle.change('stop', actor);
      await this.#stopping;
    });
  }

  /** Stops it, whatever it is doing, and starts it again. */
  async restart(actor: Actor): Promise<void> {
    this.#refuseTrouble();
    if (this.#lifecycle.can('stop') || this.#lifecycle.state === 'stopping') await this.stop(actor);
    await this.start(actor);
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
      this.#waits.close();
      this.#outbox.close();
      this.#runner.pause(true);
      await this.#runner.endWorker();
      await this.recover();
      this.#refuseTrouble();
      this.#noteRecovered({ forced: true, actor: actor.name, reason: actor.reason });
      // A journal that still takes nothing is told to whoever asked, before anything moves.
      await this.#recorder.settled();
      this.#refuseTrouble();
      this.#setGoing(actor);
      this.#keepWatch();
      this.#heartbeat.start();
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
    this.#waits.close();
    this.#outbox.close();
    const { state } = this.#lifecycle;
    if (this.#trouble === null && state === 'running') {
      this.#lifecycle.hold('quit', host('the host quits'));
    }
    this.#runner.pause(true);
    await this.#queries.close();
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
    this.#runner.waitIfNothingElse();
  }

  /** There may be something to go on with. */
  #wake(why: string): void {
    if (this.#trouble !== null || this.#isQuitting) return;
    this.#heartbeat.worked();
    if (this.#lifecycle.state === 'awaiting') this.#lifecycle.change('wake', host(why));
    else this.#goOn();
    this.#waits.look();
    this.#changed();
  }

  /** What it has begun waits for somebody or for a moment, and there is nothing else to do. */
  #waitOn(): void {
    if (this.#trouble === null && !this.#isQuitting && this.#lifecycle.state === 'running') {
      this.#lifecycle.change('await', host(waitingFor(this.snapshot)));
    }
  }

  /** Another process waits for a worker. */
  makeRoom(): void {
    this.#runner.makeRoom();
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
    this.#wake(`woken by ${triggerId}`);
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
    const byMs = this.#clockWatch.look();
    if (byMs !== null && this.#trouble === null && isActive(this.#lifecycle.state)) {
      this.#recorder.note('clock_changed', { by_ms: byMs });
    }
    const { isAnswering } = this.#runner;
    void this.#runner.beat();
    // Whether it answers is all that a beat tells.
    if (this.#runner.isAnswering !== isAnswering) this.#changed();
    this.#waits.look();
    if (this.#hasLivedLongEnough()) return;
    const { idleTimeoutMs } = this.definition.config;
    const { queue, open } = this.snapshot;
    const isIdle = this.#lifecycle.state === 'running' && queue.length === 0 && open.length === 0;
    if (idleTimeoutMs > 0 && idleMs > idleTimeoutMs && isIdle && this.#trouble === null) {
      this.#lifecycle.hold('idle', host(`no event for ${Math.round(idleMs / 1000)} s`));
    }
  }

  /** With the policy always it begins anew, which is no restart; otherwise it stops. */
  #hasLivedLongEnough(): boolean {
    const { maxLifetimeMs, restartPolicy } = this.definition.config;
    const { startedAt } = this.snapshot;
    const { state } = this.#lifecycle;
    if (maxLifetimeMs === 0 || startedAt === null || this.#trouble !== null) return false;
    if (state !== 'running' && state !== 'awaiting') return false;
    if (this.#dependencies.clock.now() - Date.parse(startedAt) < maxLifetimeMs) return false;
    const actor = host(`it has lived for ${maxLifetimeMs / 1000} s, which is what the manifest allows`);
    const end = restartPolicy === 'always' ? this.restart(actor) : this.stop(actor);
    end.catch(() => {}); // A host that closes meanwhile stops it all the same.
    return true;
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
    this.#waits.close();
    this.#outbox.close();
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
