// One supervised process: how its host takes it over, sets it going and lets go of it, and what others may ask of it. It lives
// in the journal; this object is what moves it. What it consists of is process-parts.ts.

import type { EntryType, Sender } from '../model/entry.ts';
import type { SecretKeeper } from '../governance/secret-keeper.ts';
import { asAppError, type AppError } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { isActive } from '../model/lifecycle.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import type { ApprovalDesk } from './approval-desk.ts';
import type { BudgetRoom } from './budget-room.ts';
import { composeProcess } from './compose-process.ts';
import type { FollowStep } from './follow-parent.ts';
import type { GovernanceOrders } from './governance-orders.ts';
import type { InvocationRunner } from './invocation-runner.ts';
import { host, type Actor } from './lifecycle-driver.ts';
import type { LiveSettings } from './live-settings.ts';
import { liveStateOf, type LiveState } from './live-state.ts';
import { mayHaveTriggers } from './motion-decisions.ts';
import type { OperatorDesk } from './operator-desk.ts';
import type { ProcessDependencies } from './process-dependencies.ts';
import type { ProcessParts } from './process-parts.ts';
import type { QueryDesk } from './query-desk.ts';
import type { RewindDesk } from './rewind-desk.ts';
import type { Listener } from './switchboard.ts';
import { takeOver, type TakenOver } from './take-over.ts';
import type { TriggerDesk } from './trigger-desk.ts';
import { MANUAL_TRIGGER } from './trigger-id.ts';
import type { Tick, TriggerSet } from './trigger-set.ts';
import type { WaitKeeper } from './wait-keeper.ts';

export class AgentProcess implements Listener {
  readonly definition: ProcessDefinition;
  readonly triggers: TriggerSet;
  /** What people decide about its work. */
  readonly desk: OperatorDesk;
  /** What people decide about what its agent asks. */
  readonly approvals: ApprovalDesk;
  /** What people decide about its bounds. */
  readonly governance: GovernanceOrders;
  readonly triggerDesk: TriggerDesk;
  readonly rewinds: RewindDesk;
  /** Questions to an invocation under way; nothing is written for them. */
  readonly queries: Pick<QueryDesk, 'ask'>;
  /** The configuration that is in force, and what of it people changed. */
  readonly settings: LiveSettings;
  /** Of which no value is told; what an order brings along is told here before that is recorded. */
  readonly secrets: Pick<SecretKeeper, 'standings' | 'told'>;
  /** Whether there is room under the limits that it shares with others. */
  readonly room: BudgetRoom;
  /** Its worker: looked at, and asked for when others wait for one. */
  readonly runner: Pick<InvocationRunner, 'facts' | 'servers' | 'makeRoom'>;
  /** Its durable promises. */
  readonly waits: Pick<WaitKeeper, 'knows'>;
  readonly #parts: ProcessParts;

  constructor(definition: ProcessDefinition, dependencies: ProcessDependencies) {
    const parts = composeProcess(definition, dependencies, () => this);
    this.definition = definition;
    this.triggers = parts.triggers;
    this.desk = parts.desk;
    this.approvals = parts.approvals;
    this.governance = parts.governance;
    this.triggerDesk = parts.triggerDesk;
    this.rewinds = parts.rewinds;
    this.queries = parts.queries;
    this.settings = parts.settings;
    this.secrets = parts.secrets;
    this.room = parts.room;
    this.runner = parts.runner;
    this.waits = parts.waits;
    this.#parts = parts;
  }

  get name(): string {
    return this.definition.name;
  }

  get snapshot(): Readonly<ProcessSnapshot> {
    return this.#parts.recorder().snapshot;
  }

  get live(): LiveState {
    return liveStateOf(this.#parts);
  }

  // --- what its host does with it

  /**
   * Takes the process over and rebuilds it. Nothing moves yet. A journal that can't be recovered leaves the process in
   * trouble, which it tells; it never rejects.
   */
  async recover(): Promise<void> {
    const { dependencies, journal, guard, caps, triggerDesk, rewinds, onChange } = this.#parts;
    try {
      const reaped = await this.#rebuild();
      caps.touched();
      guard.trouble = null;
      await rewinds.finish();
      triggerDesk.follow(dependencies.triggerSwitch());
      for (const { generation, pid } of reaped) {
        const exit = { code: null, signal: null, expected: true, reason: 'its host is gone' };
        journal.recorder.note('worker_exited', { generation, pid, ...exit });
      }
    } catch (error) {
      guard.trouble = asAppError(error);
    }
    onChange();
  }

  /** Goes on from what is read. What is lined up belongs to that, and so does what comes in while it is read. */
  async #rebuild(): Promise<TakenOver['reaped']> {
    const { dependencies, journal } = this.#parts;
    for (;;) {
      const { seq } = this.snapshot;
      await journal.recorder.settled();
      const { snapshot, reaped } = await takeOver(this.definition, dependencies);
      if (this.snapshot.seq !== seq) continue;
      journal.goOnFrom(snapshot);
      return reaped;
    }
  }

  /** Sets a recovered process going as its journal left it. */
  begin(why?: string): void {
    this.#parts.door.open();
    this.#parts.going.begin(why);
  }

  /** Before it is recovered: what the one before, which has quit, had in memory alone. */
  goOnFrom(before: AgentProcess): void {
    this.#parts.secrets.goOnFrom(before.#parts.secrets);
  }

  /** Comes to rest before it is loaded anew: what is happening outside may end, and what calls meanwhile is queued. */
  async rest(actor: Actor): Promise<void> {
    const { guard, lifecycle, runner } = this.#parts;
    await guard.exclusively(() => {
      if (guard.trouble === null && lifecycle.state === 'running') lifecycle.hold('quit', actor);
      runner.pause(true);
    });
    await runner.endWorkerGently();
  }

  /**
   * Holds a moving process for as long as the host is gone, and lets go of its worker. Nothing can be done to it after: `why`
   * is what is told to whoever tries.
   */
  async quit(why?: AppError): Promise<void> {
    const { journal, guard, lifecycle, restart, heartbeat, watch, runner } = this.#parts;
    const { queries, mission, triggers, door } = this.#parts;
    await guard.quit(why);
    restart.cancel();
    heartbeat.stop();
    watch.close();
    if (guard.trouble === null && lifecycle.state === 'running') {
      lifecycle.hold('quit', host('the host quits'));
    }
    runner.pause(true);
    await Promise.all([queries.close(), mission.idle()]);
    await Promise.all([runner.endWorkerGently(), triggers.closed(), door.close()]);
    if (guard.trouble === null) await journal.recorder.checkpoint().catch(() => {}); // the recorder has told us
    await journal.recorder.settled();
    if (why !== undefined) journal.recorder.retire(why);
  }

  /** Puts an entry of the host's into this journal. Resolves when durable. */
  record(type: EntryType, data: JsonObject): Promise<void> {
    return this.#parts.journal.recorder.record(type, data);
  }

  /** Resolves when everything so far is in the journal. */
  settled(): Promise<void> {
    return this.#parts.journal.recorder.settled();
  }

  // --- what wakes it

  /** Resolves with the event's id once it is durable: then, and not before, its source may be told [S29]. */
  accept(tick: Tick): Promise<string> {
    return this.#parts.intake.accept(tick);
  }

  /** The same, for an operator's *trigger now*. */
  trigger(payload: Json): Promise<string> {
    return this.accept({ triggerId: MANUAL_TRIGGER, triggerType: MANUAL_TRIGGER, payload });
  }

  /** What other processes say; each of their messages once [S38]. */
  hear(tick: Tick, from: Sender): Promise<void> {
    return this.#parts.intake.hear(tick, from);
  }

  listens(): ReturnType<Listener['listens']> {
    // While it is started, stopped or recovered again it listens, and whoever speaks to it then waits.
    const isOn = isActive(this.#parts.lifecycle.state) && mayHaveTriggers(this.snapshot);
    return isOn ? this.triggers.listening() : [];
  }

  // --- orders about the whole of it, one at a time

  start(actor: Actor): Promise<void> {
    return this.#parts.orders.start(actor);
  }

  suspend(actor: Actor): Promise<void> {
    return this.#parts.orders.suspend(actor);
  }

  /** Lifts what an operator may lift; other holds stay, and the process with them. */
  resume(actor: Actor): Promise<void> {
    return this.#parts.orders.resume(actor);
  }

  stop(actor: Actor): Promise<void> {
    return this.#parts.orders.stop(actor);
  }

  /** Stops it, whatever it is doing, and starts it again. */
  restart(actor: Actor): Promise<void> {
    return this.#parts.orders.restart(actor);
  }

  /** What follows from what was done to the process that began it. */
  follow(step: FollowStep, actor: Actor): Promise<void> {
    return this.#parts.orders.follow(step, actor);
  }

  /** Ends the worker as an accident would. */
  killWorker(): Promise<void> {
    return this.#parts.orders.killWorker();
  }

  /** Rebuilds from the journal and takes over, whatever the state. */
  forceRecover(actor: Actor): Promise<void> {
    return this.#parts.orders.forceRecover(actor);
  }
}
