// One supervised process: its parts, wired together, and what others may ask of it. It lives in the journal; this object
// is what moves it.

import type { EntryType, Sender } from '../model/entry.ts';
import type { CapBook, CapMember } from '../governance/cap-book.ts';
import { BudgetKeeper, type ExtensionOrder } from '../governance/budget-keeper.ts';
import { EscalationKeeper } from '../governance/escalation-keeper.ts';
import type { Post } from '../governance/webhook-post.ts';
import { MissionKeeper } from '../governance/mission-keeper.ts';
import { HealthKeeper } from '../governance/health-keeper.ts';
import { SecretKeeper, type RotationOrder, type SecretStanding } from '../governance/secret-keeper.ts';
import type { SourcePlaces } from '../governance/secret-sources.ts';
import type { SecretVault } from '../governance/secret-vault.ts';
import { asAppError, type AppError } from '../model/errors.ts';
import type { Cause } from '../model/escalation.ts';
import { openAnomalies, type AnomalyType } from '../model/health.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { isActive } from '../model/lifecycle.ts';
import type { SentMessage } from '../model/messages.ts';
import { JUDGE_NAME, type MissionOrder } from '../model/mission.ts';
import type { Clock, Ids, JournalProvider, WorkerFacts, WorkerHost } from '../model/ports.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import type { SelfChange } from '../model/self-change.ts';
import type { SettingChange } from '../model/settings.ts';
import { emptySnapshot, type ProcessSnapshot } from '../model/snapshot.ts';
import { toldAtStart } from '../model/told.ts';
import type { WorkspaceSwitch } from '../model/trigger-record.ts';
import type { WebhookServers } from '../triggers/webhook-servers.ts';
import { ApprovalDesk } from './approval-desk.ts';
import { ApprovalDoor } from './approval-door.ts';
import { AutomaticRestart } from './automatic-restart.ts';
import { ClockWatch } from './clock-watch.ts';
import { eventIntake, type EventIntake } from './event-intake.ts';
import { Heartbeat } from './heartbeat.ts';
import { InvocationRunner, type ToldServers } from './invocation-runner.ts';
import { host, LifecycleDriver, type Actor } from './lifecycle-driver.ts';
import { LiveSettings, type SettingsOrder } from './live-settings.ts';
import type { LiveState } from './live-state.ts';
import { OperatorDesk } from './operator-desk.ts';
import { Outbox } from './outbox.ts';
import { ProcessGuard } from './process-guard.ts';
import { ProcessMotion, type ProcessParts } from './process-motion.ts';
import { ProcessOrders } from './process-orders.ts';
import { QueryDesk } from './query-desk.ts';
import { Recorder } from './recorder.ts';
import { RewindDesk } from './rewind-desk.ts';
import type { Delivery, Listener } from './switchboard.ts';
import { takeOver } from './take-over.ts';
import { TriggerDesk } from './trigger-desk.ts';
import { MANUAL_TRIGGER } from './trigger-id.ts';
import { TriggerSet, type Tick } from './trigger-set.ts';
import { WaitKeeper } from './wait-keeper.ts';
import type { Family } from './family.ts';
import type { FollowStep } from './follow-parent.ts';
import type { ModelJudges } from './model-judges.ts';
import { openPlanned } from './open-plan.ts';
import { SelfDesk } from './self-desk.ts';
import { SelfReads } from './self-reads.ts';
import { SelfSpawn } from './self-spawn.ts';
import { SelfUndo } from './self-undo.ts';
import { WorkerJudge } from './worker-judge.ts';
import type { WorkerPermits } from './worker-permits.ts';

export interface ProcessDependencies {
  readonly journal: JournalProvider;
  readonly workerHost: WorkerHost;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Begins idempotency keys. */
  readonly journalId: string;
  readonly permits: WorkerPermits;
  /** Of all processes of the host. */
  readonly servers: WebhookServers;
  /** Why the disk of a folder gives no hints of what changes on it; null for one that does. */
  readonly needsPolling: (path: string) => string | null;
  /** Limits on all processes together. */
  readonly caps: CapBook;
  /** What the host knows of secrets, which stands in nothing that is written [J10]. */
  readonly vault: SecretVault;
  readonly places: SourcePlaces;
  /** Brings a message to all who listen [S38]. */
  readonly deliver: (sender: string, message: SentMessage) => Promise<Delivery>;
  /** How the one switch for all triggers stands; null where nobody ever touched it. */
  readonly triggerSwitch: () => WorkspaceSwitch | null;
  /** The processes that processes began. */
  readonly family: Family;
  /** Where judges come from that are models. */
  readonly modelJudges: ModelJudges;
  /** Tells a receiver on the web something. */
  readonly post: Post;
  /** Somebody outside could not be told what is wrong, and is not told any more. */
  readonly onUntold: (message: string) => void;
  readonly onChange: (name: string) => void;
}

export class AgentProcess implements Listener {
  readonly definition: ProcessDefinition;
  readonly triggers: TriggerSet;
  /** What people decide about its work. */
  readonly desk: OperatorDesk;
  /** What people decide about what its agent asks. */
  readonly approvals: ApprovalDesk;
  readonly triggerDesk: TriggerDesk;
  readonly rewinds: RewindDesk;
  /** The configuration that is in force, and what of it people changed. */
  readonly settings: LiveSettings;
  /** What its agent changed about itself, to be taken back. */
  readonly selfUndo: SelfUndo;
  readonly #dependencies: ProcessDependencies;
  readonly #guard: ProcessGuard;
  readonly #parts: ProcessParts;
  readonly #motion: ProcessMotion;
  readonly #orders: ProcessOrders;
  readonly #intake: EventIntake;
  readonly #queries: QueryDesk;
  readonly #escalations: EscalationKeeper;
  readonly #clockWatch: ClockWatch;
  readonly #door: ApprovalDoor;
  readonly #caps: CapMember;
  #recorder: Recorder;

  constructor(definition: ProcessDefinition, dependencies: ProcessDependencies) {
    const { clock, ids, workerHost, journalId, permits, deliver } = dependencies;
    const { name } = definition;
    this.definition = definition;
    this.#dependencies = dependencies;
    this.#clockWatch = new ClockWatch(clock);
    this.#recorder = this.#newRecorder(emptySnapshot());
    const recorder = (): Recorder => this.#recorder;
    this.#caps = dependencies.caps.join(name, recorder);
    this.settings = new LiveSettings({ process: name, config: definition.config, recorder });
    const onChange = (): void => this.#changed();
    const guard = new ProcessGuard(name);
    this.#guard = guard;
    const exclusively = (act: () => void | Promise<void>): Promise<void> => guard.exclusivelyIfSound(act);
    const restart = new AutomaticRestart({
      config: definition.config,
      clock,
      recorder,
      onDue: (reason) => this.#motion.restartDue(reason),
    });
    const heartbeat = new Heartbeat({
      clock,
      intervalMs: definition.config.heartbeatIntervalMs,
      onBeat: (idleMs) => this.#motion.beat(idleMs),
    });
    const lifecycle = new LifecycleDriver({
      recorder,
      uuid: ids.next(),
      carryOut: (command) => this.#motion.carryOut(command),
      onHeld: (stopEffects) => runner.pause(stopEffects),
      onChange,
    });
    this.#intake = eventIntake({
      process: name,
      ids,
      recorder,
      state: () => lifecycle.state,
      ready: () => guard.ready(),
      filterOf: (triggerId) => this.triggers.find(triggerId)?.filter ?? null,
      onAccepted: (triggerId) => this.#motion.accepted(triggerId),
    });
    this.triggers = new TriggerSet({
      definition,
      recorder,
      clock,
      servers: dependencies.servers,
      needsPolling: dependencies.needsPolling,
      sink: (known) => (call) => this.#intake.take(known, call),
      onDue: (known, due) => this.#intake.due(known, due),
      health: () => ({
        reason: (guard.trouble ?? this.#intake.refusal())?.code ?? null,
        queueSize: this.snapshot.queue.length,
      }),
      knowSecret: (secret) => dependencies.vault.know(`the triggers of ${name}`, 'hmac_secret', secret),
      onChange,
    });
    this.triggerDesk = new TriggerDesk({
      process: name,
      recorder,
      triggers: this.triggers,
      exclusively,
      onChange,
    });
    const budget = new BudgetKeeper({
      process: name,
      config: () => this.settings.config.budget,
      caps: this.#caps,
      family: dependencies.family.member(() => this),
      recorder,
      clock,
      onExceeded: (overrun) => this.#motion.exceeded(overrun),
      onReleased: () => this.#motion.relieve('there is room in its budget again'),
    });
    const secrets = new SecretKeeper({
      process: name,
      config: definition.config.secrets,
      recorder,
      clock,
      vault: dependencies.vault,
      places: dependencies.places,
      onChange,
    });
    const escalate = (cause: Cause): void => escalations.raise(cause);
    const evalModel = definition.config.mission?.evalModel ?? null;
    const mission = new MissionKeeper({
      process: name,
      config: definition.config.mission,
      recorder,
      clock,
      judge:
        evalModel === null
          ? new WorkerJudge({ definition, workerHost, permits })
          : dependencies.modelJudges(evalModel, definition, (secret, run) =>
              secrets.read(secret, `${JUDGE_NAME}/${run}`),
            ),
      budget,
      escalate,
      mayMove: () => guard.mayMove && isActive(lifecycle.state),
      mayJudge: () => lifecycle.state === 'running' || lifecycle.state === 'awaiting',
      onOver: (what, actor) => this.#motion.missionOver(what, actor),
      onRoom: () => this.#motion.goOn(),
      onChange,
    });
    const health: HealthKeeper = new HealthKeeper({
      process: name,
      config: definition.config.health,
      recorder,
      clock,
      moving: () => runner.moving,
      onAnomaly: (anomaly) => this.#motion.unwell(anomaly),
    });
    const self = (): AgentProcess => this;
    const { settings, triggers } = this;
    const { family, journal } = dependencies;
    this.selfUndo = new SelfUndo({ recorder, settings, triggers, family, self, onChange });
    const selfDesk = new SelfDesk({
      definition,
      recorder,
      settings,
      triggers,
      reads: new SelfReads(self, family, clock),
      spawn: new SelfSpawn({ definition, self, family, journal }),
      undo: this.selfUndo,
      refuseNow: () => {
        guard.refuseQuitting();
        guard.refuseTrouble();
      },
      onChange,
    });
    const runner: InvocationRunner = new InvocationRunner({
      definition,
      secrets,
      budget,
      mission,
      health,
      recorder,
      workerHost,
      permits,
      clock,
      ids,
      keyPrefix: `${journalId}/${name}`,
      instructions: () => this.settings.config.instructions,
      plan: () => openPlanned(this.settings.config.agent, this.snapshot.self),
      askHost: (asked) => selfDesk.answer(asked),
      told: () => toldAtStart(this.settings.config, this.snapshot, clock.now()),
      events: {
        onEnded: () => this.#motion.invocationEnded(),
        onDoubt: (doubt) => this.#motion.doubted(doubt),
        onFatal: (reason) => this.#motion.fail(reason),
        onWaiting: () => this.#motion.waitOn(),
        onWait: () => waits.look(),
        onSent: () => outbox.pump(),
        onAnswer: (answer) => this.#queries.heard(answer),
        onRunGone: (eventId) => this.#queries.gone(eventId),
        onChange,
      },
    });
    const waits = new WaitKeeper({
      process: name,
      clock,
      recorder,
      onEnded: (eventId, waitId, end) => {
        runner.tellWaitEnded(eventId, waitId, end);
        this.#motion.wake('something that was waited for is over');
      },
      onRetryDue: () => this.#motion.goOn(),
    });
    const outbox = new Outbox({ clock, recorder, deliver: (message) => deliver(name, message), onChange });
    const escalations = new EscalationKeeper({
      process: name,
      config: () => this.settings.config,
      recorder,
      isSound: () => guard.trouble === null,
      clock,
      ids,
      post: dependencies.post,
      onEvent: () => outbox.pump(),
      onUntold: dependencies.onUntold,
      onChange,
    });
    this.#escalations = escalations;
    this.#queries = new QueryDesk({ definition, recorder, workerHost, runner: () => runner, clock });
    this.#parts = {
      definition,
      clock,
      recorder,
      guard,
      lifecycle,
      runner,
      triggers: this.triggers,
      waits,
      outbox,
      heartbeat,
      restart,
      budget,
      secrets,
      settings: this.settings,
      caps: this.#caps,
      health,
      mission,
      escalations,
      escalate,
      escalationOver: (key, why) => escalations.over(key, why),
      onChange,
    };
    this.#motion = new ProcessMotion({
      ...this.#parts,
      onLifetimeOver: (actor) => this.#orders.lifetimeOver(actor),
      onSpent: (actor) => this.#orders.spent(actor),
      onUnwell: (actor) => this.#orders.unwell(actor),
    });
    this.#orders = new ProcessOrders({
      ...this.#parts,
      motion: this.#motion,
      recover: () => this.recover(),
    });
    this.desk = new OperatorDesk({
      definition,
      clock,
      recorder,
      runner,
      waits,
      exclusively,
      onDecided: (actor) => {
        lifecycle.lift(['in_doubt'], actor);
        this.#motion.relieve('there is room in its budget again');
        this.#changed();
      },
      onWork: (why) => this.#motion.wake(why),
      accept: (tick) => this.#intake.accept(tick),
    });
    this.approvals = new ApprovalDesk({
      process: name,
      snapshot: () => this.snapshot,
      scrubbed: (value) => recorder().scrubbed(value),
      settle: (promiseId, settlement, actor) => this.desk.settlePromise(promiseId, settlement, actor),
    });
    this.#door = new ApprovalDoor({
      process: name,
      config: definition.config.approvalWebhook,
      servers: dependencies.servers,
      desk: this.approvals,
      clock,
      trouble: () => guard.trouble,
      knowSecret: (secret) => dependencies.vault.know(`the approvals of ${name}`, 'hmac_secret', secret),
      onProblem: dependencies.onUntold,
    });
    this.rewinds = new RewindDesk({
      process: name,
      journal: dependencies.journal,
      recorder,
      isAtRest: () => lifecycle.state !== 'running' && runner.runningCount === 0 && runner.worker === null,
      suspend: (actor) => this.suspend(actor),
      endWorker: () => runner.endWorkerGently(),
      exclusively,
      onChange,
    });
  }

  get name(): string {
    return this.definition.name;
  }

  get snapshot(): Readonly<ProcessSnapshot> {
    return this.#recorder.snapshot;
  }

  get live(): LiveState {
    const { runner, restart, waits } = this.#parts;
    const { worker, isSpawning, isAnswering, isInLine, runningCount, respawnAt } = runner;
    return {
      worker,
      isSpawning,
      isAnswering,
      isInLine,
      running: runningCount,
      isRunning: (eventId) => runner.isRunning(eventId),
      saying: runner.saying,
      respawnAt,
      restartAt: restart.at,
      dueAt: waits.next,
      trouble: this.#guard.trouble,
    };
  }

  /** How its worker is doing, looked up now; null where it has none. */
  workerFacts(): WorkerFacts | null {
    return this.#parts.runner.facts();
  }

  /** What its worker said last of its servers of tools; null where none of this host has. */
  toolServers(): ToldServers | null {
    return this.#parts.runner.servers;
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
      this.#caps.touched();
      this.#guard.trouble = null;
      await this.rewinds.finish();
      this.triggerDesk.follow(this.#dependencies.triggerSwitch());
      for (const { generation, pid } of reaped) {
        const exit = { code: null, signal: null, expected: true, reason: 'its host is gone' };
        this.#recorder.note('worker_exited', { generation, pid, ...exit });
      }
    } catch (error) {
      this.#guard.trouble = asAppError(error);
    }
    this.#changed();
  }

  /** Sets a recovered process going as its journal left it. */
  begin(why?: string): void {
    this.#door.open();
    this.#motion.begin(why);
  }

  // --- what operators do, one at a time

  /** Resolves with the event's id once it is durable: then, and not before, its source may be told [S29]. */
  accept(tick: Tick): Promise<string> {
    return this.#intake.accept(tick);
  }

  /** The same, for an operator's *trigger now*. */
  trigger(payload: Json): Promise<string> {
    return this.accept({ triggerId: MANUAL_TRIGGER, triggerType: MANUAL_TRIGGER, payload });
  }

  /** What other processes say; each of their messages once [S38]. */
  hear(tick: Tick, from: Sender): Promise<void> {
    return this.#intake.hear(tick, from);
  }

  listens(): ReturnType<Listener['listens']> {
    // While it is started, stopped or recovered again it listens, and whoever speaks to it then waits.
    const isOff = this.snapshot.holds.some(({ kind }) => kind === 'gap');
    return isActive(this.#parts.lifecycle.state) && !isOff ? this.triggers.listening() : [];
  }

  /** Asks an invocation under way; nothing is written for it. */
  query(name: string, args: Json, eventId: string | null): Promise<Json> {
    this.#guard.refuseQuitting();
    return this.#queries.ask(name, args, eventId);
  }

  /** Whether it knows of this durable promise. */
  knowsPromise(promiseId: string): boolean {
    return this.#parts.waits.knows(promiseId);
  }

  start(actor: Actor): Promise<void> {
    return this.#orders.start(actor);
  }

  suspend(actor: Actor): Promise<void> {
    return this.#orders.suspend(actor);
  }

  /** Lifts what an operator may lift; other holds stay, and the process with them. */
  resume(actor: Actor): Promise<void> {
    return this.#orders.resume(actor);
  }

  stop(actor: Actor): Promise<void> {
    return this.#orders.stop(actor);
  }

  /** Stops it, whatever it is doing, and starts it again. */
  restart(actor: Actor): Promise<void> {
    return this.#orders.restart(actor);
  }

  /** Grants more of a limit; what waited for that goes on. */
  extendBudget(order: ExtensionOrder, actor: Actor): Promise<void> {
    return this.#guard.exclusivelyIfSound(async () => {
      await this.#parts.budget.extend(order, actor);
      this.#motion.relieve('its budget was extended');
      this.#dependencies.family.relieve(this);
      this.#changed();
    });
  }

  /**
   * Tells everybody whom the manifest names that this is a test; resolves with what came of it.
   * @throws `escalation.no-target`
   */
  async testEscalation(by: string): Promise<readonly string[]> {
    await this.#guard.ready();
    return this.#escalations.test(by);
  }

  /** Pauses its mission, takes it up again, or says how it ended. */
  changeMission(order: MissionOrder, actor: Actor): Promise<void> {
    const { guard, lifecycle, mission } = this.#parts;
    return guard.exclusivelyIfSound(async () => {
      await mission.change(order, actor);
      if (order === 'resume') lifecycle.lift(['mission'], actor);
      this.#changed();
    });
  }

  /** An operator has seen what was found, of this type or at all: the detectors begin anew, and what that held goes on. */
  clearHealth(type: AnomalyType | null, actor: Actor): Promise<void> {
    return this.#guard.exclusivelyIfSound(() => {
      this.#parts.health.clear(type, actor);
      const isHeld = openAnomalies(this.snapshot.health).some(({ action }) => action === 'pause');
      if (!isHeld) this.#parts.lifecycle.lift(['health'], actor);
      this.#changed();
    });
  }

  /**
   * Changes settings beside the manifest, all of them or none: in force from then on, for what is under way too [S25].
   * Resolves with what changed.
   * @throws `settings.*`
   */
  async changeSettings(order: SettingsOrder, actor: Actor): Promise<readonly SettingChange[]> {
    let changes: readonly SettingChange[] = [];
    await this.#guard.exclusivelyIfSound(async () => {
      changes = await this.settings.change(order, actor);
      if (changes.length > 0) {
        this.#motion.relieve('its limits were changed');
        this.#dependencies.family.relieve(this);
      }
      this.#changed();
    });
    return changes;
  }

  /** Other caps apply. */
  capsChanged(): void {
    this.#motion.capsChanged();
  }

  /** There may be room under a cap. */
  relieveCap(): void {
    this.#motion.relieveCap();
  }

  /** There may be room in the budget that its family shares. */
  relieveFamily(): void {
    this.#motion.relieveFamily();
  }

  /** Begins another day of its budget where the last one is over. */
  turnBudget(): void {
    if (this.#guard.mayMove) this.#parts.budget.turn();
  }

  /** What follows from what was done to the process that began it. */
  follow(step: FollowStep, actor: Actor): Promise<void> {
    switch (step) {
      case 'suspend':
        return this.suspend(actor);
      case 'stop':
        return this.stop(actor);
      case 'start':
        return this.start(actor);
      case 'resume':
        return this.#guard.exclusivelyIfSound(() => this.#parts.lifecycle.lift(['operator'], actor));
    }
  }

  /** Takes back what its agent changed about itself; with null all of it. Resolves with what that was. */
  async undoSelf(changes: readonly number[] | null, actor: Actor): Promise<readonly SelfChange[]> {
    let undone: readonly SelfChange[] = [];
    await this.#guard.exclusivelyIfSound(async () => {
      undone = await this.selfUndo.undo(changes, actor);
    });
    return undone;
  }

  /** Before an order that brings a value is recorded. */
  secretTold(name: string, value: string): void {
    this.#parts.secrets.told(name, value);
  }

  /** Gives a secret another value, from now on. */
  rotateSecret(order: RotationOrder, actor: Actor): Promise<void> {
    return this.#guard.exclusivelyIfSound(() => this.#parts.secrets.rotate(order, actor));
  }

  /** With null all of them. */
  revokeSecret(name: string | null, actor: Actor): Promise<void> {
    return this.#guard.exclusivelyIfSound(() => this.#parts.secrets.revoke(name, actor));
  }

  secrets(): readonly SecretStanding[] {
    return this.#parts.secrets.standings();
  }

  /** Ends the worker as an accident would. */
  killWorker(): Promise<void> {
    return this.#orders.killWorker();
  }

  /** Rebuilds from the journal and takes over, whatever the state. */
  forceRecover(actor: Actor): Promise<void> {
    return this.#orders.forceRecover(actor);
  }

  /** Puts an entry of the host's into this journal. Resolves when durable. */
  record(type: EntryType, data: JsonObject): Promise<void> {
    return this.#recorder.record(type, data);
  }

  /** Comes to rest before it is loaded anew: what is happening outside may end, and what calls meanwhile is queued. */
  async rest(actor: Actor): Promise<void> {
    const { lifecycle, runner } = this.#parts;
    await this.#guard.exclusively(() => {
      if (this.#guard.trouble === null && lifecycle.state === 'running') lifecycle.hold('quit', actor);
      runner.pause(true);
    });
    await runner.endWorkerGently();
  }

  /** Before it is recovered: what the one before, which has quit, had in memory alone. */
  goOnFrom(before: AgentProcess): void {
    this.#parts.secrets.goOnFrom(before.#parts.secrets);
  }

  /**
   * Holds a moving process for as long as the host is gone, and lets go of its worker. Nothing can be done to it after: `why`
   * is what is told to whoever tries.
   */
  async quit(why?: AppError): Promise<void> {
    const { restart, heartbeat, lifecycle, runner } = this.#parts;
    await this.#guard.quit(why);
    restart.cancel();
    heartbeat.stop();
    this.#motion.stopWatching();
    if (this.#guard.trouble === null && lifecycle.state === 'running') {
      lifecycle.hold('quit', host('the host quits'));
    }
    runner.pause(true);
    await Promise.all([this.#queries.close(), this.#parts.mission.idle()]);
    await Promise.all([runner.endWorkerGently(), this.triggers.closed(), this.#door.close()]);
    if (this.#guard.trouble === null) await this.#recorder.checkpoint().catch(() => {}); // the recorder has told us
    await this.#recorder.settled();
    if (why !== undefined) this.#recorder.retire(why);
  }

  /** Resolves when everything so far is in the journal. */
  settled(): Promise<void> {
    return this.#recorder.settled();
  }

  /** Another process waits for a worker. */
  makeRoom(): void {
    this.#parts.runner.makeRoom();
  }

  // --- small parts

  #newRecorder(snapshot: ProcessSnapshot): Recorder {
    const { journal, clock, ids, vault } = this.#dependencies;
    const { journalLevel, checkpointEvery } = this.definition.config;
    const recorder: Recorder = new Recorder(snapshot, {
      journal,
      process: this.name,
      level: journalLevel,
      checkpointEvery,
      clock,
      clockWatch: this.#clockWatch,
      ids,
      onEntry: () => this.#caps.touched(),
      scrub: vault,
      onFailure: (error) => {
        if (recorder === this.#recorder) this.#journalFailed(error);
      },
    });
    return recorder;
  }

  /** The journal did not take an entry: nothing may happen that it does not know of. */
  #journalFailed(error: unknown): void {
    this.#guard.trouble = asAppError(error);
    this.#motion.stopWatching();
    this.#parts.runner.pause(true);
    void this.#parts.runner.endWorker();
    this.#changed();
  }

  #changed(): void {
    this.#escalations.look();
    this.#dependencies.onChange(this.name);
  }
}
