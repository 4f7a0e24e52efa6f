// Invocations between the journal and the worker.
//
// P2   An outcome in the journal is final: it is handed back and never performed again. Without one, the effect is
//      performed again only where its class allows that.
// S26  What happens to an invocation is told to it in the order of the journal.
// S30  An invocation is handed to a new worker only when the old one is gone with its whole group. Each handing over is a
//      run with a number; what an earlier run says belongs to nobody.

import { backoffMs } from '../model/backoff.ts';
import { isSpilled, isUnsettled, needsOperator, type RecordedEffect } from '../model/effects.ts';
import { messageOf } from '../model/errors.ts';
import { inboxDelivery } from '../model/inbox.ts';
import type { Clock, Ids, WorkerFacts, WorkerHost } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import type { OpenInvocation, ProcessSnapshot } from '../model/snapshot.ts';
import { expiredKeys, nextWork, restingAs } from '../model/standing.ts';
import type { WaitEnd } from '../model/waits.ts';
import type { FromWorker, ToWorker } from '../model/worker-protocol.ts';
import { Delay } from './delay.ts';
import { EffectGate } from './effect-gate.ts';
import { recordDivergence, recordFailure, recordSuccess, refuseUnended } from './invocation-end.ts';
import { fetchSpilled, recordOf } from './invocation-record.ts';
import type { Recorder } from './recorder.ts';
import { RunSet, type Run } from './run-set.ts';
import { TimeLimit } from './time-limit.ts';
import type { WorkerPermits } from './worker-permits.ts';
import { WorkerSeat } from './worker-seat.ts';
import { describeGone, type WorkerGone } from './worker-slot.ts';
import { MAX_RESPONSE, recordWord, type WordsOptions } from './worker-words.ts';

/** How long stopping waits for what is happening outside. */
const STOP_PATIENCE_MS = 3_000;
const STOP_POLL_MS = 20;
/** What waits for less than this keeps its worker, and the journal hears nothing of it. */
const PARKING_MS = 1_000;

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
  readonly onChange: () => void;
}

export interface RunnerOptions {
  readonly definition: ProcessDefinition;
  readonly recorder: () => Recorder;
  readonly workerHost: WorkerHost;
  readonly permits: WorkerPermits;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyPrefix: string;
  readonly events: RunnerEvents;
}

type InvocationMessage = Exclude<FromWorker, { type: 'ready' | 'pong' }>;

export class InvocationRunner {
  readonly #options: RunnerOptions;
  readonly #seat: WorkerSeat;
  readonly #gate: EffectGate;
  readonly #runs = new RunSet();
  readonly #words: WordsOptions;
  readonly #parking: Delay;
  readonly #limit: TimeLimit;
  #wanted = false;
  /** Took longer than an invocation may; its worker is being ended for it. */
  #late: Run | null = null;

  constructor(options: RunnerOptions) {
    const { definition, recorder, workerHost, permits, clock, events } = options;
    this.#options = options;
    this.#parking = new Delay(clock);
    this.#limit = new TimeLimit(clock, definition.config.maxInvocationTimeMs, (run) => {
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
        this.#handOver();
        this.#changed();
      },
      onMessage: (message) => this.#heard(message),
      onGone: (gone) => this.#workerGone(gone),
      onFree: () => this.#handOver(),
    });
    this.#gate = new EffectGate({
      definition,
      recorder,
      clock,
      generation: () => this.#seat.current?.generation,
      send: (message) => this.#seat.send(message),
      onUnkept: (error) => this.#recorder.failed(error),
    });
    this.#words = { definition, recorder, clock, onWait: events.onWait, onSent: events.onSent };
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

  /** Whether the worker has this invocation in hand. */
  isRunning(eventId: string): boolean {
    return this.#runs.of(eventId) !== undefined;
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
    this.#seat.forgetBackOff();
    this.#restWhenIdle();
  }

  /** Ends the worker. What it was running stays open. */
  async endWorker(): Promise<void> {
    this.#parking.cancel();
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

  // --- telling a run what happened

  /** In the order of the journal, and only while there is room for it to move. */
  tellWaitEnded(eventId: string, waitId: string, end: WaitEnd): void {
    this.#tell(eventId, (run) => ({ type: 'wait-ended', run, waitId, end }));
  }

  tellSignal(eventId: string, signalId: string): void {
    const signal = this.#open(eventId)?.signals.find((candidate) => candidate.signalId === signalId);
    if (signal !== undefined) this.#tell(eventId, (run) => ({ type: 'signal', run, signal }));
  }

  #tell(eventId: string, message: (run: number) => ToWorker): void {
    const run = this.#runs.of(eventId);
    if (run === undefined || !run.isHandedOver) return;
    run.unsaid.push(message(run.number));
    if (run.isParked) this.#handOver();
    else this.#say(run);
    this.#changed();
  }

  #say(run: Run): void {
    for (const message of run.unsaid.splice(0)) {
      run.told += 1;
      this.#seat.send(message);
    }
  }

  /** False where no worker has the invocation in hand. */
  askRun(eventId: string, query: Omit<Extract<ToWorker, { type: 'query' }>, 'type' | 'run'>): boolean {
    const run = this.#runs.of(eventId);
    if (run === undefined || !run.isHandedOver || !this.#seat.isReady) return false;
    this.#seat.send({ type: 'query', run: run.number, ...query });
    return true;
  }

  // --- handing over

  #handOver(): void {
    if (!this.#wanted) {
      this.#restWhenIdle();
      return;
    }
    this.#expireKeys();
    // That may have left a doubt, and with it a hold.
    if (!this.#wanted) return;
    const { concurrency } = this.#options.definition.config;
    const now = this.#options.clock.now();
    for (const run of this.#runs.eager()) {
      if (this.#runs.movingCount < concurrency) this.#unpark(run);
    }
    const { resume, begin } = nextWork(this.#snapshot, {
      isInHand: (eventId) => this.isRunning(eventId),
      room: concurrency - this.#runs.movingCount,
      nowMs: now,
    });
    if (resume.length + begin === 0) {
      this.#restWhenIdle();
      if (this.#runs.movingCount === 0 && restingAs(this.#snapshot, now) === 'awaiting') this.#settleDown();
      return;
    }
    if (this.#seat.isTurnOver) {
      // It lines up behind the others, once nothing moves.
      if (this.#runs.movingCount === 0) void this.#letGo().then(() => this.#handOver());
      return;
    }
    if (!this.#seat.isReady) {
      this.#seat.want();
      return;
    }
    for (const open of resume) this.#invoke(open);
    for (let count = 0; count < begin; count += 1) this.#begin();
  }

  /** A key that the provider may have forgotten is no key any more [S31]. */
  #expireKeys(): void {
    const now = this.#options.clock.now();
    for (const open of this.#snapshot.open) {
      if (this.isRunning(open.event.eventId)) continue;
      const expired = expiredKeys(open, now);
      for (const { effectId } of expired) {
        this.#recorder.note('effect_expired', { event_id: open.event.eventId, effect_id: effectId });
      }
      if (expired.length > 0) this.#doubted();
    }
  }

  async #letGo(): Promise<void> {
    this.#recordParked();
    await this.endWorker();
  }

  #begin(): void {
    const event = this.#snapshot.queue[0];
    if (event === undefined) return;
    const { definition, ids, clock } = this.#options;
    const { inbox, invocationCount } = this.#snapshot;
    const delivered = inboxDelivery(inbox, clock.now());
    const expired = inbox.filter((message) => !delivered.includes(message));
    const idsOf = (messages: typeof inbox): string[] => messages.map(({ messageId }) => messageId);
    this.#recorder.note('invocation_start', {
      invocation: invocationCount + 1,
      event_id: event.eventId,
      attempt: 1,
      config_hash: definition.configHash,
      code_hash: definition.codeHash,
      seed: ids.next().replaceAll('-', ''),
      ...(delivered.length > 0 ? { inbox: idsOf([...delivered]) } : {}),
      ...(expired.length > 0 ? { inbox_expired: idsOf(expired) } : {}),
    });
    const open = this.#open(event.eventId);
    if (open !== undefined) this.#invoke(open);
  }

  #invoke(open: OpenInvocation): void {
    const { clock } = this.#options;
    this.#seat.busy();
    if (open.retryAt !== null) this.#retry(open);
    const run = this.#runs.add(open.event.eventId, clock.monotonic());
    if (open.effects.some(isSpilled)) void this.#fetchAndSend(run, open);
    else this.#send(run, open, open.effects);
    this.#limit.watch(this.#runs.all());
    this.#changed();
  }

  #retry({ event, invocation, attempt, codeHash }: OpenInvocation): void {
    this.#recorder.note('invocation_start', {
      invocation,
      event_id: event.eventId,
      attempt: attempt + 1,
      config_hash: this.#options.definition.configHash,
      code_hash: this.#options.definition.codeHash || codeHash,
    });
  }

  #send(run: Run, { event, attempt }: OpenInvocation, effects: readonly RecordedEffect[]): void {
    const open = this.#open(event.eventId);
    if (open === undefined) return;
    const { definition, keyPrefix } = this.#options;
    this.#seat.send({
      type: 'invoke',
      run: run.number,
      mode: 'run',
      event,
      process: definition.name,
      attempt: open.attempt ?? attempt,
      record: recordOf(this.#snapshot, open, definition, effects),
      keyPrefix,
      isDurable: definition.config.journalLevel !== 'none',
      writableKeys: definition.config.writableKeys,
    });
    run.isHandedOver = true;
  }

  /** A result that is lost leaves an effect that happened and whose value somebody has to say; it is never run again [S16]. */
  async #fetchAndSend(run: Run, open: OpenInvocation): Promise<void> {
    try {
      const fetched = await fetchSpilled(this.#recorder, open.effects);
      if (this.#runs.get(run.number) !== run) return;
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

  // --- what the worker says

  /** A worker that says what can't be is ended; what it was running is handed to another. */
  #heard(message: FromWorker): void {
    if (message.type === 'ready' || message.type === 'pong') return;
    if (message.type === 'query-answered') {
      this.#options.events.onAnswer(message);
      return;
    }
    const run = this.#runs.get(message.run);
    if (run === undefined) return;
    try {
      this.#about(message, run);
    } catch (error) {
      const text = messageOf(error).slice(0, MAX_RESPONSE);
      this.#recorder.note('log', { event_id: run.eventId, level: 'error', text });
      this.#seat.kill('said what can not be');
    }
    this.#changed();
  }

  #about(message: Exclude<InvocationMessage, { type: 'query-answered' }>, run: Run): void {
    const { eventId } = run;
    switch (message.type) {
      case 'effect-announced':
        this.#moves(run);
        this.#gate.announced(message, eventId);
        return;
      case 'effect-ended':
        this.#gate.ended(message, eventId);
        return;
      case 'invocation-waiting':
        if (message.heard === run.told && run.unsaid.length === 0) this.#park(run);
        return;
      case 'invocation-done':
        refuseUnended(this.#ending, eventId);
        recordSuccess(this.#ending, eventId, {
          response: message.response,
          durationMs: this.#durationOf(run),
        });
        this.#ended(run, true);
        return;
      case 'invocation-failed':
        this.#failed(message, run);
        return;
      case 'invocation-held':
        this.#runs.delete(run);
        this.#doubted();
        // Its code may still be alive in there; the next run gets a worker of its own where it can.
        if (this.#runs.size === 0) void this.endWorker();
        return;
      case 'state-written':
      case 'said':
      case 'clock-read':
      case 'version-chosen':
      case 'wait-began':
      case 'message-sent':
      case 'log':
        this.#moves(run);
        recordWord(this.#words, message, eventId);
        return;
    }
  }

  get #ending() {
    const { definition, recorder, clock } = this.#options;
    return { definition, recorder, clock };
  }

  #failed(message: Extract<FromWorker, { type: 'invocation-failed' }>, run: Run): void {
    const failure = { ...message, isTerminal: message.terminal, durationMs: this.#durationOf(run) };
    if (message.code === 'replay.diverged') {
      recordDivergence(this.#ending, run.eventId, failure);
      this.#runs.delete(run);
      this.#options.events.onFatal(message.message);
      return;
    }
    refuseUnended(this.#ending, run.eventId);
    const isOver = recordFailure(this.#ending, run.eventId, failure);
    this.#ended(run, isOver);
  }

  #ended(run: Run, isOver: boolean): void {
    this.#gate.invocationEnded(run.eventId);
    this.#runs.delete(run);
    this.#limit.watch(this.#runs.all());
    if (isOver) this.#recorder.cycleEnded();
    this.#options.events.onWait();
    if (isOver) this.#options.events.onEnded();
    this.#handOver();
  }

  #durationOf({ handedOverAt }: Run): number {
    return Math.round((this.#options.clock.monotonic() - handedOverAt) * 10) / 10;
  }

  #open(eventId: string): OpenInvocation | undefined {
    return this.#snapshot.open.find((open) => open.event.eventId === eventId);
  }

  #doubted(): void {
    const doubt = this.doubt();
    if (doubt !== null) this.#options.events.onDoubt(doubt);
  }

  // --- waiting

  #park(run: Run): void {
    if (run.isParked) return;
    run.isParked = true;
    run.isParkedOnRecord = false;
    this.#limit.watch(this.#runs.all());
    this.#settleDown();
    this.#handOver();
  }

  #unpark(run: Run): void {
    this.#moves(run);
    this.#say(run);
  }

  #moves(run: Run): void {
    if (!run.isParked) return;
    run.isParked = false;
    run.movingSince = this.#options.clock.monotonic();
    this.#limit.watch(this.#runs.all());
  }

  /** What goes on waiting for a while is journaled, and then the worker is not kept for it. */
  #settleDown(): void {
    if (this.#parking.at !== null) return;
    const patience = Math.min(PARKING_MS, this.#options.definition.config.workerIdleMs);
    this.#parking.start(patience, () => {
      this.#recordParked();
      this.waitIfNothingElse();
      this.#changed();
    });
  }

  #recordParked(): void {
    for (const run of this.#runs.all()) {
      if (!run.isParked || run.isParkedOnRecord || run.unsaid.length > 0) continue;
      run.isParkedOnRecord = true;
      const waits = this.#open(run.eventId)?.waits ?? [];
      const open = waits.filter(({ end }) => end === null).map(({ waitId }) => waitId);
      this.#recorder.note('invocation_waiting', { event_id: run.eventId, for: open.slice(0, 100) });
    }
  }

  /** Tells the process once nothing is left to do but to wait. */
  waitIfNothingElse(): void {
    if (!this.#wanted || this.#runs.movingCount > 0 || this.#seat.isSpawning || this.isInLine) return;
    if (this.#runs.all().some((run) => !run.isParkedOnRecord)) return;
    if (restingAs(this.#snapshot, this.#options.clock.now()) === 'awaiting') this.#options.events.onWaiting();
  }

  /** Its worker is gone; it has failed, unless what it was doing is in doubt. */
  #recordLate(): void {
    const late = this.#late;
    this.#late = null;
    const open = late === null ? undefined : this.#open(late.eventId);
    if (late === null || open === undefined || open.effects.some(isUnsettled)) return;
    const { maxInvocationTimeMs } = this.#options.definition.config;
    const isOver = recordFailure(this.#ending, late.eventId, {
      code: 'invocation.too-slow',
      message: `It took more than ${maxInvocationTimeMs / 1000} s, which is what the manifest allows.`,
      isTerminal: false,
      durationMs: this.#durationOf(late),
    });
    this.#options.events.onWait();
    if (isOver) this.#options.events.onEnded();
  }

  // --- the worker

  #workerGone(gone: WorkerGone): void {
    this.#parking.cancel();
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
    // One that comes after progress may be anybody's kill; only what dies again has to wait.
    this.#seat.backOff(deaths <= 1 ? 0 : backoffMs(restartBackoffMs, deaths - 1));
  }

  #restWhenIdle(): void {
    if (this.#runs.movingCount > 0) return;
    this.#seat.idle(() => {
      if (this.#runs.movingCount === 0) void this.#letGo();
    });
  }

  /** Another process waits for a worker. */
  makeRoom(): void {
    this.#restWhenIdle();
  }

  #changed(): void {
    this.#options.events.onChange();
  }
}
