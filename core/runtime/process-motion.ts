// What a process does by itself: what sets it going, what its lifecycle commands, what wakes it, and what holds it.

import type { CapMember } from '../governance/cap-book.ts';
import type { BudgetKeeper } from '../governance/budget-keeper.ts';
import type { EscalationKeeper } from '../governance/escalation-keeper.ts';
import type { MissionKeeper } from '../governance/mission-keeper.ts';
import type { Anomaly, HealthKeeper } from '../governance/health-keeper.ts';
import type { SecretKeeper } from '../governance/secret-keeper.ts';
import type { Overrun } from '../model/budget-state.ts';
import { describeOverrun } from '../model/budget.ts';
import { healthKey } from '../model/health.ts';
import { liftsAtStart, stopsEffects } from '../model/holds.ts';
import type { Cause } from '../model/escalation.ts';
import type { JsonObject } from '../model/json.ts';
import { isActive, type LifecycleCommand } from '../model/lifecycle.ts';
import type { Clock } from '../model/ports.ts';
import { withoutSecrets, type ProcessDefinition } from '../model/process-config.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { restingAs } from '../model/standing.ts';
import { waitingFor } from '../model/why.ts';
import type { AutomaticRestart } from './automatic-restart.ts';
import { isFollower } from './follow-parent.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { InvocationRunner } from './invocation-runner.ts';
import { host, type Actor, type LifecycleDriver } from './lifecycle-driver.ts';
import type { LiveSettings } from './live-settings.ts';
import type { Outbox } from './outbox.ts';
import type { ProcessGuard } from './process-guard.ts';
import type { Recorder } from './recorder.ts';
import type { TriggerSet } from './trigger-set.ts';
import type { WaitKeeper } from './wait-keeper.ts';

/** What moves a process, each part with one job. */
export interface ProcessParts {
  readonly definition: ProcessDefinition;
  readonly clock: Clock;
  readonly recorder: () => Recorder;
  readonly guard: ProcessGuard;
  readonly lifecycle: LifecycleDriver;
  readonly runner: InvocationRunner;
  readonly triggers: TriggerSet;
  readonly waits: WaitKeeper;
  readonly outbox: Outbox;
  readonly heartbeat: Heartbeat;
  readonly restart: AutomaticRestart;
  readonly budget: BudgetKeeper;
  readonly escalations: EscalationKeeper;
  readonly mission: MissionKeeper;
  readonly health: HealthKeeper;
  readonly settings: LiveSettings;
  readonly caps: CapMember;
  readonly secrets: SecretKeeper;
  /** Tells somebody outside, once until it is over. */
  readonly escalate: (cause: Cause) => void;
  /** A cause that was told is over: when it comes up again, it is told again. */
  readonly escalationOver: (key: string, why: string) => void;
  readonly onChange: () => void;
}

export interface MotionOptions extends ProcessParts {
  /** It has lived for as long as it may: it begins anew, or stops. */
  readonly onLifetimeOver: (actor: Actor) => void;
  /** It has used as much as it may, and is not to wait for more. */
  readonly onSpent: (actor: Actor) => void;
  /** It behaves as it should not, and is to stop. */
  readonly onUnwell: (actor: Actor) => void;
}

export class ProcessMotion {
  readonly #parts: MotionOptions;
  #stopping: Promise<void> = Promise.resolve();
  /** Why it is set going. */
  #why = 'the host started';

  constructor(parts: MotionOptions) {
    this.#parts = parts;
  }

  get #recorder(): Recorder {
    return this.#parts.recorder();
  }

  get #snapshot(): Readonly<ProcessSnapshot> {
    return this.#recorder.snapshot;
  }

  /** Resolves when what was being stopped is. */
  get stopped(): Promise<void> {
    return this.#stopping;
  }

  // --- setting going

  /** As its journal left it; `why` where that is not the start of its host. */
  begin(why?: string): void {
    if (why !== undefined) this.#why = why;
    const { guard, lifecycle, restart, heartbeat, settings, caps, onChange } = this.#parts;
    if (guard.trouble !== null) return;
    this.#configure();
    settings.refit();
    caps.turn();
    if (this.#snapshot.lifecycle !== 'created') this.noteRecovered({});
    if (lifecycle.state === 'failed') {
      restart.takeUp();
      this.#closeTriggers();
    } else if (lifecycle.state !== 'stopped') this.setGoing(host('start() called'));
    this.keepWatch();
    heartbeat.start();
    onChange();
  }

  /** What was found, and its host was gone before anything was done about it. */
  #answerAnomalies(): void {
    const { health, lifecycle } = this.#parts;
    health.settle();
    if (!isActive(lifecycle.state)) return;
    for (const anomaly of health.unanswered) this.unwell(anomaly);
  }

  /** From whatever state there is; a state of rest is started. */
  setGoing(actor: Actor): void {
    const { lifecycle, clock } = this.#parts;
    this.#turnBudget();
    if (this.#lacksSecrets()) return;
    switch (lifecycle.state) {
      case 'created':
        this.#applyInitialState();
        lifecycle.change('start', actor);
        return;
      case 'stopped':
      case 'failed':
        lifecycle.change('start', actor);
        return;
      case 'starting':
        this.carryOut('prepare');
        return;
      case 'running':
        this.goOn();
        return;
      case 'suspended':
        this.#setGoingSuspended();
        return;
      case 'awaiting':
        this.#openTriggers();
        // What came due meanwhile fires now; unless that or something else gives it work, it goes on waiting.
        if (restingAs(this.#snapshot, clock.now()) !== 'awaiting') this.wake('it has something to do');
        return;
      case 'stopping':
        this.carryOut('finish-stopping');
        return;
    }
  }

  /** Whatever is under way needs them as well. One that lacks some has failed, and says why. */
  #lacksSecrets(): boolean {
    const { lifecycle, secrets } = this.#parts;
    if (!lifecycle.can('fail') || lifecycle.state === 'stopping') return false;
    const why = secrets.whyUnresolved();
    if (why !== null) this.fail(why.message);
    return why !== null;
  }

  #configure(): void {
    const { configHash, codeHash, config } = this.#parts.definition;
    if (this.#snapshot.configHash === configHash) return;
    this.#recorder.note('configured', {
      hash: configHash,
      code_hash: codeHash,
      config: withoutSecrets(config) as unknown as JsonObject,
      trigger_ids: [...this.#parts.triggers.configuredIds],
    });
  }

  #applyInitialState(): void {
    for (const [key, value] of Object.entries(this.#parts.definition.config.initialState)) {
      this.#recorder.note('context_update', { key, value, source: 'system' });
    }
  }

  /** Promptise's keys of this type, and why it came to it. Recovering is no transition [S35]. */
  noteRecovered(more: JsonObject): void {
    const { lifecycle, seq, context, invocationCount } = this.#snapshot;
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
    const { lifecycle, runner } = this.#parts;
    const { holds, lifecycleActor } = this.#snapshot;
    const isDoubtOver = runner.doubt() === null;
    const own = holds.map(({ kind }) => kind).filter((kind) => liftsAtStart(kind, isDoubtOver));
    // A crash may come between the lifting of the last hold and the step that follows; a foreign journal has no holds at all.
    const isFree = holds.length === 0 && lifecycleActor !== '';
    if (own.length > 0 || isFree) lifecycle.lift(own, host(this.#why));
    // What is queued waits; cron keeps at most one event for each trigger [S42].
    if (lifecycle.state === 'suspended') this.#openTriggers();
  }

  /** What is due fires, and what was sent is delivered, as long as the host lives; also where nothing moves. */
  keepWatch(): void {
    this.#answerAnomalies();
    this.#parts.waits.open();
    this.#parts.outbox.open();
    this.#parts.escalations.open();
  }

  stopWatching(): void {
    this.#parts.triggers.close();
    this.#parts.waits.close();
    this.#parts.outbox.close();
    this.#parts.escalations.close();
    this.#parts.mission.callOff('its host let go of it while the judge was asked');
  }

  // --- what the lifecycle commands

  carryOut(command: LifecycleCommand): void {
    const { runner, restart } = this.#parts;
    switch (command) {
      case 'prepare':
        if (this.#lacksSecrets()) return;
        this.#parts.lifecycle.change('started', host('startup complete'));
        return;
      case 'open-triggers':
        this.#openTriggers();
        return;
      case 'close-triggers':
        this.#closeTriggers();
        this.#parts.mission.callOff('the process ended while the judge was asked');
        return;
      case 'dispatch':
        this.goOn();
        return;
      case 'checkpoint':
        runner.pause(stopsEffects(this.#snapshot.holds));
        void this.#recorder.checkpoint().catch(() => {}); // the recorder has told us
        return;
      case 'release-workers':
        runner.pause(true);
        void runner.endWorker();
        return;
      case 'finish-stopping':
        runner.pause(true);
        this.#stopping = this.#finishStopping();
        return;
      case 'consider-restart':
        restart.consider();
        return;
    }
  }

  #openTriggers(): void {
    if (this.#mayHaveTriggers) this.#parts.triggers.open();
  }

  /** One that failed goes on telling its callers that it takes nothing [A12]. */
  #closeTriggers(): void {
    const { lifecycle, triggers } = this.#parts;
    if (lifecycle.state === 'failed' && this.#mayHaveTriggers) triggers.answer();
    else triggers.close();
  }

  /** Where nobody knows whether this journal is the one that counts, its triggers are off [S10]. */
  get #mayHaveTriggers(): boolean {
    return !this.#snapshot.holds.some(({ kind }) => kind === 'gap');
  }

  async #finishStopping(): Promise<void> {
    const { runner, guard, lifecycle } = this.#parts;
    await runner.endWorkerGently();
    this.#parts.secrets.stopped();
    if (guard.trouble === null && lifecycle.state === 'stopping') {
      // What was stopped with its parent is started with it again.
      const { lifecycleActor } = this.#snapshot;
      const complete = host('shutdown complete');
      const actor = isFollower(lifecycleActor) ? { ...complete, name: lifecycleActor } : complete;
      lifecycle.change('stopped', actor);
    }
  }

  // --- going on, and coming to rest

  /** Goes on with whatever may move now. */
  goOn(): void {
    const { guard, lifecycle, runner, triggers } = this.#parts;
    if (!guard.mayMove || lifecycle.state !== 'running') return;
    if (this.#snapshot.holds.length > 0) this.#turnBudget();
    const [held] = this.#snapshot.holds;
    if (held !== undefined) {
      // Held before it failed or was stopped, and still [S34].
      lifecycle.change('suspend', host(`still held: ${held.reason || held.kind}`));
      return;
    }
    const doubt = runner.doubt();
    if (doubt !== null) {
      this.doubted(doubt);
      return;
    }
    if (!triggers.isOpen) this.#openTriggers();
    runner.dispatch();
    runner.waitIfNothingElse();
    this.#parts.mission.look();
  }

  /** There may be something to go on with. */
  wake(why: string): void {
    const { guard, heartbeat, lifecycle, waits, onChange } = this.#parts;
    if (!guard.mayMove) return;
    heartbeat.worked();
    if (lifecycle.state === 'awaiting') lifecycle.change('wake', host(why));
    else this.goOn();
    waits.look();
    onChange();
  }

  /** What it has begun waits for somebody or for a moment, and there is nothing else to do. */
  waitOn(): void {
    const { guard, lifecycle } = this.#parts;
    if (guard.mayMove && lifecycle.state === 'running') {
      lifecycle.change('await', host(waitingFor(this.#snapshot)));
    }
  }

  accepted(triggerId: string): void {
    this.#parts.heartbeat.worked();
    this.#parts.lifecycle.lift(['idle'], host(`woken by ${triggerId}`));
    this.wake(`woken by ${triggerId}`);
  }

  invocationEnded(): void {
    this.#parts.heartbeat.worked();
    const { consecutiveFailures, lastError } = this.#snapshot;
    if (consecutiveFailures >= this.#parts.definition.config.maxConsecutiveFailures) {
      this.fail(`${consecutiveFailures} failures in a row, the last: ${lastError?.message ?? 'unknown'}`);
    }
    this.#parts.mission.look();
  }

  doubted(doubt: string): void {
    if (this.#parts.guard.trouble === null) this.#parts.lifecycle.hold('in_doubt', host(doubt));
  }

  /** What did not fit was not done. It waits for more, unless the manifest says that it is to stop. */
  exceeded(overrun: Overrun): void {
    const { budget, guard, lifecycle, onSpent } = this.#parts;
    if (guard.trouble !== null) return;
    const actor = host(describeOverrun(overrun));
    // What others have used up is no reason to end it.
    const isOwn = overrun.cap === undefined && overrun.of === undefined;
    if (budget.config.onExceeded === 'stop' && isOwn) onSpent(actor);
    else lifecycle.hold('budget', actor);
  }

  /** Another day of the budget may have begun, or there are other limits: what waited for that goes on. */
  relieve(why: string): void {
    const { guard, lifecycle, budget } = this.#parts;
    const { holds } = this.#snapshot;
    if (!guard.mayMove || !budget.hasRoom) return;
    if (holds.some(({ kind }) => kind === 'budget')) lifecycle.lift(['budget'], host(why));
  }

  /** Its mission is over, and the manifest says what then. */
  missionOver(what: 'stop' | 'suspend', actor: Actor): void {
    const { guard, lifecycle, onSpent } = this.#parts;
    if (guard.trouble !== null) return;
    if (what === 'suspend') lifecycle.hold('mission', actor);
    else onSpent(actor);
  }

  /** Its health is not as it should be: what the manifest says is done at once, whatever it is doing. */
  unwell({ type, action, description, details }: Anomaly): void {
    const { definition, guard, lifecycle, escalate, onUnwell } = this.#parts;
    if (guard.trouble !== null) return;
    const actor = host(description);
    switch (action) {
      case 'log':
        return;
      case 'pause':
        lifecycle.hold('health', actor);
        return;
      case 'stop':
        onUnwell(actor);
        return;
      case 'escalate':
        escalate({
          kind: 'health',
          key: healthKey(type),
          summary: `${definition.name}: ${description}`,
          detail: {
            type: 'health_anomaly',
            process_id: definition.name,
            anomaly_type: type,
            details,
          },
          target: definition.config.health.escalation,
        });
        return;
    }
  }

  /** Other caps apply. */
  capsChanged(): void {
    const { guard, caps } = this.#parts;
    if (!guard.mayMove) return;
    caps.turn();
    this.relieveCap();
  }

  /** There may be room under a cap that it waits for. */
  relieveCap(): void {
    if (this.#snapshot.budget.exceeded?.cap !== undefined) this.relieve('there is room under the cap again');
  }

  /** There may be room in what its family shares, which it waits for. */
  relieveFamily(): void {
    if (this.#snapshot.budget.exceeded?.of !== undefined)
      this.relieve('there is room in the budget that it shares');
  }

  fail(reason: string): void {
    const { lifecycle } = this.#parts;
    if (lifecycle.can('fail')) lifecycle.change('fail', host(reason));
  }

  restartDue(reason: string): void {
    const { guard, lifecycle } = this.#parts;
    if (guard.mayMove && lifecycle.state === 'failed') lifecycle.change('start', host(reason));
  }

  // --- as time goes by

  beat(idleMs: number): void {
    const { guard, lifecycle, runner, triggers, waits, definition, onChange } = this.#parts;
    if (guard.trouble === null && isActive(lifecycle.state)) {
      this.#recorder.lookAtClock();
      // Where nothing waits for it, a day begins with the first that is done in it.
      if (this.#snapshot.holds.some(({ kind }) => kind === 'budget')) this.#turnBudget();
      this.#parts.health.settle();
    }
    if (guard.trouble === null && isActive(lifecycle.state)) this.#parts.mission.look();
    triggers.check();
    const { isAnswering } = runner;
    void runner.beat();
    // Whether it answers is all that a beat tells.
    if (runner.isAnswering !== isAnswering) onChange();
    waits.look();
    if (this.#hasLivedLongEnough()) return;
    const { idleTimeoutMs } = definition.config;
    const { queue, open } = this.#snapshot;
    const isIdle = lifecycle.state === 'running' && queue.length === 0 && open.length === 0;
    if (idleTimeoutMs > 0 && idleMs > idleTimeoutMs && isIdle && guard.trouble === null) {
      lifecycle.hold('idle', host(`no event for ${Math.round(idleMs / 1000)} s`));
    }
  }

  #turnBudget(): void {
    this.#parts.budget.turn();
    this.relieve('there is room in its budget again');
  }

  #hasLivedLongEnough(): boolean {
    const { definition, guard, lifecycle, clock, onLifetimeOver } = this.#parts;
    const { maxLifetimeMs } = definition.config;
    const { startedAt } = this.#snapshot;
    const { state } = lifecycle;
    if (maxLifetimeMs === 0 || startedAt === null || guard.trouble !== null) return false;
    if (state !== 'running' && state !== 'awaiting') return false;
    if (clock.now() - Date.parse(startedAt) < maxLifetimeMs) return false;
    onLifetimeOver(host(`it has lived for ${maxLifetimeMs / 1000} s, which is what the manifest allows`));
    return true;
  }
}
