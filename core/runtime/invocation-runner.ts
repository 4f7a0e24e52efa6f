// Invocations between the journal and the worker.
//
// P2   An outcome in the journal is final: it is handed back and never performed again. Without one, the effect is
//      performed again only where its class allows that.
// S26  What happens to an invocation is told to it in the order of the journal.
// S30  An invocation is handed to a new worker only when the old one is gone with its whole group. Each handing over is a
//      run with a number; what an earlier run says belongs to nobody.

import type { MissionKeeper } from '../governance/mission-keeper.ts';
import type { HealthKeeper, WatchedRun } from '../governance/health-keeper.ts';
import type { SecretKeeper } from '../governance/secret-keeper.ts';
import type { AgentPlan } from '../model/agent-plan.ts';
import { backoffMs } from '../model/backoff.ts';
import { isUnsettled, needsOperator } from '../model/effects.ts';
import type { Clock, Ids, WorkerFacts, WorkerHost } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { openOf, type ProcessSnapshot } from '../model/snapshot.ts';
import type { HostAnswer } from '../model/self-actions.ts';
import { restingAs } from '../model/standing.ts';
import type { ToldAtStart } from '../model/told.ts';
import type { WaitEnd } from '../model/waits.ts';
import type { ServerStatus } from '../model/tools.ts';
import type { FromWorker, ToWorker } from '../model/worker-protocol.ts';
import { EffectGate, type GateOptions } from './effect-gate.ts';
import { recordFailure } from './invocation-end.ts';
import { InvocationHandover } from './invocation-handover.ts';
import type { LiveSaying } from './live-state.ts';
import type { Recorder } from './recorder.ts';
import { RunHearing } from './run-hearing.ts';
import { RunParking } from './run-parking.ts';
import { durationOf, RunSet, type Run } from './run-set.ts';
import type { AskedOfHost } from './self-desk.ts';
import { TimeLimit } from './time-limit.ts';
import type { WorkerPermits } from './worker-permits.ts';
import { WorkerSeat } from './worker-seat.ts';
import { describeGone, type WorkerGone } from './worker-slot.ts';

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
  /** Nothing is left to do but to wait. */
  readonly onWaiting: () => void;
  /** Something is waited for, and due at some time. */
  readonly onWait: () => void;
  /** Something was sent to others. */
  readonly onSent: () => void;
  readonly onAnswer: (answer: Extract<FromWorker, { type: 'query-answered' }>) => void;
  /** No worker has the invocation of this event in hand any more. */
  readonly onRunGone: (eventId: string) => void;
  readonly onChange: () => void;
}

export interface ToldServers {
  readonly servers: readonly ServerStatus[];
  /** Epoch milliseconds. */
  readonly at: number;
  /** Of the worker that said so. */
  readonly generation: number;
}

export interface RunnerOptions {
  readonly definition: ProcessDefinition;
  readonly recorder: () => Recorder;
  readonly workerHost: WorkerHost;
  readonly permits: WorkerPermits;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyPrefix: string;
  /** What code is told to do that begins now. */
  readonly instructions: () => string;
  readonly plan: () => AgentPlan | null;
  readonly told: () => ToldAtStart;
  readonly budget: GateOptions['budget'];
  readonly mission: Pick<MissionKeeper, 'room'>;
  readonly health: HealthKeeper;
  readonly secrets: Pick<SecretKeeper, 'read'>;
  /** What the agent asks about itself; never rejects. */
  readonly askHost: (asked: AskedOfHost) => Promise<HostAnswer>;
  readonly events: RunnerEvents;
}

export class InvocationRunner {
  readonly #options: RunnerOptions;
  readonly #seat: WorkerSeat;
  readonly #gate: EffectGate;
  readonly #runs: RunSet;
  readonly #limit: TimeLimit;
  readonly #parking: RunParking;
  readonly #handover: InvocationHandover;
  readonly #hearing: RunHearing;
  /** Took longer than an invocation may; its worker is being ended for it. */
  #late: Run | null = null;
  #servers: ToldServers | null = null;
  #isPaused = true;

  constructor(options: RunnerOptions) {
    const { definition, recorder, workerHost, permits, clock, ids, events } = options;
    this.#options = options;
    this.#runs = new RunSet((eventId) => events.onRunGone(eventId));
    this.#limit = new TimeLimit(clock, definition.config.maxInvocationTimeMs, (run) => {
      // What waits takes no time, and its budget may have no room before tomorrow.
      if (this.#gate.isWaitingForRoom(run.eventId)) {
        run.movingSince = clock.monotonic();
        this.#limit.watch(this.#runs.all());
        return;
      }
      this.#late = run;
      this.#seat.kill(
        `handled an invocation for more than ${definition.config.maxInvocationTimeMs / 1000} s`,
      );
    });
    this.#seat = new WorkerSeat({
      definition,
      workerHost,
      permits,
      clock,
      nextGeneration: () => this.#snapshot.generation + 1,
      onStarted: ({ pid, startTime }, generation) => {
        this.#recorder.note('worker_started', { generation, pid, start_time: startTime });
        this.#handover.next();
        this.#changed();
      },
      onMessage: (message) => this.#hearing.heard(message),
      onGone: (gone) => this.#workerGone(gone),
      onFree: () => this.#handover.next(),
    });
    this.#gate = new EffectGate({
      definition,
      recorder,
      clock,
      budget: options.budget,
      health: options.health,
      generation: () => this.#seat.current?.generation,
      send: (message) => this.#seat.send(message),
      onUnkept: (error) => this.#recorder.failed(error),
    });
    const { health } = options;
    const shared = { definition, recorder, clock, ids, health, runs: this.#runs, limit: this.#limit };
    this.#parking = new RunParking({
      ...shared,
      send: (message) => this.#seat.send(message),
      onRoom: () => this.#handover.next(),
      onSettled: () => {
        this.waitIfNothingElse();
        this.#changed();
      },
      onChange: () => this.#changed(),
    });
    this.#handover = new InvocationHandover({
      ...shared,
      keyPrefix: options.keyPrefix,
      instructions: options.instructions,
      plan: options.plan,
      told: options.told,
      seat: this.#seat,
      parking: this.#parking,
      budget: options.budget,
      mission: options.mission,
      onDoubt: () => this.#doubted(),
      onEnded: () => {
        this.#invocationEnded(true);
        this.#handover.next();
      },
      onChange: () => this.#changed(),
    });
    this.#hearing = new RunHearing({
      ...shared,
      gate: this.#gate,
      parking: this.#parking,
      onSecretAsked: ({ run, id, name }, eventId) =>
        this.#seat.send({ type: 'secret-told', run, id, answer: options.secrets.read(name, eventId) }),
      onHostAsked: (asked, eventId) => void this.#askHost(asked, eventId),
      onAnswer: events.onAnswer,
      onServers: (servers) => {
        this.#servers = { servers, at: clock.now(), generation: this.#seat.current?.generation ?? 0 };
      },
      onWait: events.onWait,
      onSent: events.onSent,
      onEnded: (isOver) => {
        this.#invocationEnded(isOver);
        this.#handover.next();
      },
      onHeld: () => {
        this.#doubted();
        // Its code may still be alive in there; the next run gets a worker of its own where it can.
        if (this.#runs.size === 0) void this.endWorker();
      },
      onFatal: events.onFatal,
      onNonsense: () => this.#seat.kill('said what can not be'),
      onChange: () => this.#changed(),
    });
  }

  /** Whoever asked may be gone by the time that it is answered; it asks again then. */
  async #askHost(
    { run, id, key, action, args }: Extract<FromWorker, { type: 'host-asked' }>,
    eventId: string,
  ): Promise<void> {
    const answer = await this.#options.askHost({ key, action, args, eventId });
    if (this.#runs.get(run) !== undefined) this.#seat.send({ type: 'host-answered', run, id, answer });
  }

  get #recorder(): Recorder {
    return this.#options.recorder();
  }

  get #snapshot(): Readonly<ProcessSnapshot> {
    return this.#recorder.snapshot;
  }

  get worker(): { readonly pid: number; readonly generation: number } | null {
    return this.#seat.current;
  }

  get isAnswering(): boolean {
    return this.#seat.isAnswering;
  }

  get isSpawning(): boolean {
    return this.#seat.isSpawning;
  }

  /** Waits for its turn among processes that want a worker. */
  get isInLine(): boolean {
    return this.#seat.isInLine;
  }

  /** What a worker said last of its servers of tools; null before any did. */
  get servers(): ToldServers | null {
    return this.#servers;
  }

  facts(): WorkerFacts | null {
    return this.#seat.facts();
  }

  /** Epoch milliseconds of the next attempt to start a worker; null when none is waited for. */
  get respawnAt(): number | null {
    return this.#seat.respawnAt;
  }

  /** Invocations that move. */
  get runningCount(): number {
    return this.#runs.movingCount;
  }

  /** Runs that should move: neither do they wait, nor is there no room for them in the budget. */
  get moving(): readonly WatchedRun[] {
    return this.#runs.all().filter((run) => !run.isParked && !this.#gate.isWaitingForRoom(run.eventId));
  }

  /** What is seen of a model's call: of several the one that began last. */
  get saying(): LiveSaying | null {
    let last: LiveSaying | null = null;
    for (const { eventId, saying } of this.#runs.all()) {
      if (saying !== null && (last === null || saying.sinceMs >= last.sinceMs)) last = { ...saying, eventId };
    }
    return last;
  }

  /** Whether the worker has this invocation in hand. */
  isRunning(eventId: string): boolean {
    return this.#runs.of(eventId) !== undefined;
  }

  /** Begins and continues whatever may run. Called whenever that could have changed. */
  dispatch(): void {
    this.#isPaused = false;
    this.#gate.open();
    // What waited for room may have found too little of it, and the process is held again by now [S34].
    if (this.#isPaused) return;
    this.#options.health.goOn();
    this.#handover.start();
  }

  /** Nothing new begins; with `stopEffects`, what is under way stops before its next effect. */
  pause(stopEffects: boolean): void {
    this.#isPaused = true;
    if (stopEffects) {
      this.#gate.close();
      this.#options.health.rest();
    } else {
      this.#gate.open();
      this.#options.health.goOn();
    }
    this.#seat.forgetBackOff();
    this.#handover.stop();
  }

  /** Ends the worker. What it was running stays open. */
  async endWorker(): Promise<void> {
    this.#parking.stop();
    await this.#seat.end();
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
  killWorker(why?: string): boolean {
    return this.#seat.kill(why);
  }

  /** Asks the worker whether its event loop turns; one that has not for too long is ended. */
  beat(): Promise<void> {
    return this.#seat.beat();
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

  tellWaitEnded(eventId: string, waitId: string, end: WaitEnd): void {
    this.#parking.tellWaitEnded(eventId, waitId, end);
  }

  tellSignal(eventId: string, signalId: string): void {
    this.#parking.tellSignal(eventId, signalId);
  }

  /** False where no worker has the invocation in hand. */
  askRun(eventId: string, query: Omit<Extract<ToWorker, { type: 'query' }>, 'type' | 'run'>): boolean {
    const run = this.#runs.of(eventId);
    if (run === undefined || !run.isHandedOver || !this.#seat.isReady) return false;
    this.#seat.send({ type: 'query', run: run.number, ...query });
    return true;
  }

  #doubted(): void {
    const doubt = this.doubt();
    if (doubt !== null) this.#options.events.onDoubt(doubt);
  }

  /** Tells the process once nothing is left to do but to wait. */
  waitIfNothingElse(): void {
    if (!this.#handover.isWanted || this.#seat.isSpawning || this.isInLine) return;
    if (this.#runs.movingCount > 0 || !this.#parking.isAllOnRecord) return;
    if (restingAs(this.#snapshot, this.#options.clock.now()) === 'awaiting') this.#options.events.onWaiting();
  }

  /** Its worker is gone; it has failed, unless what it was doing is in doubt. */
  #recordLate(): void {
    const late = this.#late;
    this.#late = null;
    const open = openOf(this.#snapshot, late?.eventId);
    if (late === null || open === undefined || open.effects.some(isUnsettled)) return;
    const { definition, clock } = this.#options;
    const { maxInvocationTimeMs } = definition.config;
    const isOver = recordFailure(this.#options, late.eventId, {
      code: 'invocation.too-slow',
      message: `It took more than ${maxInvocationTimeMs / 1000} s, which is what the manifest allows.`,
      isTerminal: false,
      durationMs: durationOf(late, clock.monotonic()),
    });
    this.#invocationEnded(isOver);
  }

  /** Its attempt, or, where `isOver`, the whole of it. */
  #invocationEnded(isOver: boolean): void {
    const { onWait, onEnded } = this.#options.events;
    onWait();
    if (!isOver) return;
    this.#options.health.runEnded();
    onEnded();
  }

  // --- the worker

  #workerGone(gone: WorkerGone): void {
    this.#parking.stop();
    this.#limit.stop();
    this.#runs.clear();
    this.#gate.workerGone();
    const reason = describeGone(gone);
    this.#recorder.note('worker_exited', {
      generation: gone.generation,
      pid: gone.pid,
      code: gone.exit?.code ?? null,
      signal: gone.exit?.signal ?? null,
      expected: gone.expected || this.#late !== null,
      reason,
    });
    const isAccident = !gone.expected && this.#late === null;
    this.#recordLate();
    this.#doubted();
    if (isAccident) this.#respawnLater(reason);
    this.#handover.next();
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
    // One that comes after progress may be anybody's kill; only what dies again has to wait.
    this.#seat.backOff(deaths <= 1 ? 0 : backoffMs(restartBackoffMs, deaths - 1));
  }

  /** Another process waits for a worker. */
  makeRoom(): void {
    this.#handover.rest();
  }

  #changed(): void {
    this.#options.events.onChange();
  }
}
