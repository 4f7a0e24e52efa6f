// The host of the model, step by step as core/runtime takes them, and the run of agent code in its worker, as core/agent
// does. Whatever is decided here is asked of the rules.

import { effectIdOf, type EffectEnd } from '../../../core/model/effects.ts';
import type { EntryType } from '../../../core/model/entry.ts';
import { liftsAtStart, OPERATORS_HOLDS, type HoldKind } from '../../../core/model/holds.ts';
import type { JsonObject } from '../../../core/model/json.ts';
import { isLifecycleState, type LifecycleEvent, type LifecycleState } from '../../../core/model/lifecycle.ts';
import type { OpenInvocation, ProcessSnapshot } from '../../../core/model/snapshot.ts';
import type { DurableWait, WaitEnd } from '../../../core/model/waits.ts';
import {
  canonicalOf,
  msAt,
  stampAt,
  TICK_MS,
  type Library,
  type Place,
  type Promised,
  type Violation,
} from './journal.ts';
import type { Delivered, Op } from './programs.ts';
import type { Rules } from './rules.ts';
import {
  Record,
  type Disk,
  type Host,
  type OpRun,
  type Run,
  type Scenario,
  type State,
  type Want,
} from './state.ts';

export interface Model {
  readonly rules: Rules;
  readonly library: Library;
  readonly scenario: Scenario;
  /** Of the program, as far as it has asked for them. */
  readonly effects: Map<string, Effect>;
}

type Effect = Extract<Op, { kind: 'effect' }>;

/** So often nothing begins between one thing that happens and the next. */
const ENDLESS = 50;

const headOf = ({ kept, tail }: Disk): Place => tail.at(-1)?.place ?? kept;

export class Machine {
  readonly model: Model;
  readonly state: State;
  readonly violations: Violation[] = [];

  constructor(model: Model, state: State) {
    this.model = model;
    this.state = state;
  }

  get rules(): Rules {
    return this.model.rules;
  }

  get host(): Host {
    return this.state.host!;
  }

  /** The live state: the fold over everything that was noted. */
  get snapshot(): Readonly<ProcessSnapshot> {
    return headOf(this.state.journal).snapshot;
  }

  get head(): Place {
    return headOf(this.state.journal);
  }

  get nowMs(): number {
    return msAt(this.state.now);
  }

  blame(promise: Promised, what: string): void {
    this.violations.push({ promise, what });
  }

  // --- core/runtime/recorder.ts

  note(type: EntryType, data: JsonObject, want: Want | null = null, isSynced = false): void {
    this.write(
      this.state.journal,
      this.model.library.write(this.head, type, data, this.state.now),
      want,
      isSynced,
    );
  }

  write(disk: Disk, place: Place, want: Want | null, isSynced: boolean): void {
    this.violations.push(...place.violations);
    // Acknowledged in order: behind a line that is being synced, one that is only written waits for it.
    const waits = this.#isAwaited(disk) || isSynced;
    disk.tail.push({ place, isSynced, wants: want === null || !waits ? [] : [want] });
    if (want !== null && !waits) this.grant(want);
  }

  /** Whether the last line is not acknowledged yet: `recorder.settled()`. */
  #isAwaited({ tail }: Disk): boolean {
    if (this.model.scenario.durability === 'always') return true;
    return tail.some(({ isSynced }) => isSynced);
  }

  /** `recorder.settled()` */
  #whenSettled(disk: Disk, want: Want): void {
    const last = disk.tail.at(-1);
    if (last === undefined || !this.#isAwaited(disk)) this.grant(want);
    else disk.tail[disk.tail.length - 1] = { ...last, wants: [...last.wants, want] };
  }

  checkpoint(): void {
    // What it stands for is durable before it is written (core/journal/append-file.ts).
    const place = this.model.library.checkpoint(this.head, this.state.now);
    this.write(this.state.journal, place, null, false);
  }

  sync(disk: Disk): void {
    const lines = disk.tail;
    disk.kept = headOf(disk);
    disk.tail = [];
    for (const want of lines.flatMap(({ wants }) => wants)) this.grant(want);
  }

  grant(want: Want): void {
    const { told } = this.state;
    switch (want.is) {
      case 'source':
        if (!told.accepted.includes(want.eventId)) told.accepted.push(want.eventId);
        this.lift(['idle']);
        this.wake();
        return;
      case 'settler':
        this.toldSettled(want.waitId, want.status);
        this.wake();
        return;
      case 'settled by time':
        this.toldSettled(want.waitId, want.status);
        return;
      case 'reader':
        if (!told.notes.includes(want.messageId)) told.notes.push(want.messageId);
        return;
      case 'operator':
        told[want.did] += 1;
        if (want.did === 'redelivered') this.wake();
        return;
      case 'permit': {
        if (this.state.host?.worker?.generation !== want.generation) return;
        const pending = this.host.pending.find(({ effectId }) => effectId === want.effectId);
        if (pending === undefined) return;
        pending.isOnRecord = true;
        this.#permitIfDue(want.effectId);
        return;
      }
      case 'sender':
        this.arrived(want.number);
        return;
    }
  }

  toldSettled(waitId: string, status: string): void {
    const before = this.state.told.settled[waitId];
    if (before !== undefined && before !== status)
      this.blame('P1', `${waitId} was ${before} to one settler and is ${status} to the next`);
    this.state.told.settled[waitId] = status;
  }

  // --- core/runtime/lifecycle-driver.ts

  get lifecycle(): LifecycleState {
    const { lifecycle } = this.snapshot;
    return isLifecycleState(lifecycle) ? lifecycle : 'failed';
  }

  can(event: LifecycleEvent): boolean {
    return this.rules.transition(this.lifecycle, event).ok;
  }

  change(event: LifecycleEvent): void {
    const from = this.lifecycle;
    const result = this.rules.transition(from, event);
    if (!result.ok) {
      this.blame('P4', `the process can not ${event} while it is ${from}`);
      return;
    }
    this.note('state_transition', { from_state: from, to_state: result.state });
    for (const command of result.commands) {
      switch (command) {
        case 'prepare':
          this.change('started');
          break;
        case 'dispatch':
          this.goOn();
          break;
        case 'checkpoint':
          this.pause();
          this.checkpoint();
          break;
        case 'release-workers':
          this.pause(true);
          this.workerGone(true);
          break;
        case 'open-triggers':
        case 'close-triggers':
        case 'finish-stopping':
        case 'consider-restart':
          break;
      }
    }
  }

  hold(kind: HoldKind, reason: string): void {
    const known = this.snapshot.holds.find((hold) => hold.kind === kind);
    if (known?.reason !== reason) this.note('hold_placed', { hold: kind, reason });
    if (this.can('suspend')) this.change('suspend');
    else this.pause();
  }

  lift(kinds: readonly HoldKind[]): void {
    const present = this.snapshot.holds.filter((hold) => kinds.includes(hold.kind));
    for (const { kind } of present) this.note('hold_lifted', { hold: kind });
    if (this.snapshot.holds.length === 0 && this.lifecycle === 'suspended') this.change('resume');
    else if (present.length > 0) this.pause();
  }

  // --- core/runtime/agent-process.ts

  resume(): void {
    this.lift(OPERATORS_HOLDS);
  }

  goOn(): void {
    if (this.lifecycle !== 'running') return;
    if (this.rules.staysHeld && this.snapshot.holds.length > 0) {
      this.change('suspend');
      return;
    }
    if (this.doubt() !== null) {
      this.doubted();
      return;
    }
    this.host.isWanted = true;
    this.host.isGateOpen = true;
    this.#permitAll();
    this.handOver();
    this.waitIfNothingElse();
  }

  wake(): void {
    if (this.lifecycle === 'awaiting') this.change('wake');
    else this.goOn();
    this.look();
  }

  setGoing(): void {
    switch (this.lifecycle) {
      case 'created':
        this.change('start');
        return;
      case 'starting':
        this.change('started');
        return;
      case 'running':
        this.goOn();
        return;
      case 'suspended': {
        const isStale = this.rules.liftsStaleDoubt && this.doubt() === null;
        const own = this.snapshot.holds.map(({ kind }) => kind).filter((kind) => liftsAtStart(kind, isStale));
        const isFree = this.rules.resumesWhatNothingHolds && this.snapshot.holds.length === 0;
        if (own.length > 0 || isFree) this.lift(own);
        if (!this.rules.staysHeld && this.lifecycle === 'suspended') this.change('resume');
        return;
      }
      case 'awaiting':
        if (this.rules.restingAs(this.snapshot, this.nowMs) !== 'awaiting') this.wake();
        return;
      case 'stopping':
      case 'stopped':
      case 'failed':
        return;
    }
  }

  // --- core/runtime/wait-keeper.ts

  get isDue(): boolean {
    const { open } = this.snapshot;
    const retry = this.rules.nextRetry(this.snapshot);
    return (
      this.rules.keepsWatch(this.lifecycle) &&
      (open.some(({ waits }) => this.rules.dueWaits(waits, this.nowMs).length > 0) ||
        (retry !== null && retry <= this.nowMs && this.lifecycle === 'running' && this.#isRetryReady()))
    );
  }

  /** A retry that is due, and in nobody's hands. */
  #isRetryReady(): boolean {
    return this.snapshot.open.some(
      ({ event, retryAt }) =>
        retryAt !== null && Date.parse(retryAt) <= this.nowMs && this.runOf(event.eventId) === undefined,
    );
  }

  look(): void {
    if (!this.rules.keepsWatch(this.lifecycle)) return;
    for (const open of this.snapshot.open) {
      for (const wait of this.rules.dueWaits(open.waits, this.nowMs)) this.#fire(open, wait);
    }
    const retry = this.rules.nextRetry(this.snapshot);
    if (retry !== null && retry <= this.nowMs) this.goOn();
  }

  #fire({ event }: OpenInvocation, { waitId, kind }: DurableWait): void {
    const event_id = event.eventId;
    if (kind === 'timer') {
      this.note('timer_fired', { event_id, timer_id: waitId });
      this.#ended(event.eventId, waitId, { status: 'fired' });
      return;
    }
    const data = { event_id, promise_id: waitId, status: 'expired' };
    this.note('promise_settled', data, null, this.rules.isExpirySynced);
    this.#ended(event.eventId, waitId, { status: 'expired' });
  }

  #ended(eventId: string, waitId: string, end: WaitEnd): void {
    this.tellWaitEnded(eventId, waitId, end);
    if (this.lifecycle === 'awaiting') this.change('wake');
    else this.goOn();
  }

  settle(waitId: string, status: 'resolved' | 'rejected'): void {
    const { rules } = this;
    const open = this.snapshot.open.find(({ waits }) => waits.some((wait) => wait.waitId === waitId));
    const wait = open?.waits.find((candidate) => candidate.waitId === waitId);
    if (open === undefined || wait === undefined) {
      const before = this.snapshot.settled.find(({ promiseId }) => promiseId === waitId);
      if (before === undefined) return;
      const want: Want = { is: 'settled by time', waitId, status: before.status };
      if (rules.isLateSettlerToldWhenKept) this.#whenSettled(this.state.journal, want);
      else this.grant(want);
      return;
    }
    if (wait.end !== null && rules.settlesOnce) {
      this.#whenSettled(this.state.journal, { is: 'settled by time', waitId, status: wait.end.status });
      return;
    }
    const end = status === 'resolved' ? { status, value: null } : { status, error: 'no' };
    const data: JsonObject = { event_id: open.event.eventId, promise_id: waitId, ...end };
    const want: Want = { is: 'settler', waitId, status };
    this.note('promise_settled', data, rules.isSettlerToldWhenKept ? want : null, rules.isSettlementSynced);
    this.tellWaitEnded(open.event.eventId, waitId, end);
    this.wake();
    if (!rules.isSettlerToldWhenKept) this.grant(want);
  }

  // --- core/runtime/invocation-runner.ts

  runOf(eventId: string): Run | undefined {
    return this.state.host?.worker?.runs.find((run) => run.eventId === eventId);
  }

  get moving(): number {
    return this.host.worker?.runs.filter(({ isParked }) => !isParked).length ?? 0;
  }

  pause(stopEffects: boolean = this.rules.stopsEffects(this.snapshot.holds)): void {
    const { host } = this;
    host.isWanted = false;
    host.isGateOpen = !stopEffects;
    if (host.isGateOpen) this.#permitAll();
  }

  doubt(): string | null {
    for (const { event, effects } of this.snapshot.open) {
      if (this.runOf(event.eventId) !== undefined) continue;
      const effect = effects.find(this.rules.needsOperator);
      if (effect !== undefined) return effect.effectId;
    }
    return null;
  }

  doubted(): void {
    const doubt = this.doubt();
    if (doubt !== null) this.hold('in_doubt', doubt);
  }

  handOver(): void {
    const { host, rules } = this;
    if (!host.isWanted) return;
    const { concurrency } = this.model.scenario;
    this.#expireKeys();
    const runs = host.worker?.runs ?? [];
    for (const run of runs.slice()) {
      if (run.isParked && run.unsaid.length > 0 && this.moving < concurrency) this.#unpark(run);
    }
    const { resume, begin } = rules.nextWork(this.snapshot, {
      isInHand: (eventId) => this.runOf(eventId) !== undefined,
      room: concurrency - this.moving,
      nowMs: this.nowMs,
    });
    if (resume.length + begin === 0) {
      if (this.moving === 0 && rules.restingAs(this.snapshot, this.nowMs) === 'awaiting')
        host.isSettlingDown = true;
      return;
    }
    if (host.worker === null) {
      const generation = this.snapshot.generation + 1;
      host.worker = { generation, runs: [] };
      this.note('worker_started', { generation, pid: generation, start_time: `${generation}` });
      this.handOver();
      return;
    }
    for (const open of resume) this.#invoke(open);
    for (let count = 0; count < begin; count += 1) this.#begin();
  }

  #expireKeys(): void {
    for (const open of this.snapshot.open) {
      if (this.runOf(open.event.eventId) !== undefined) continue;
      const expired = this.rules.expiredKeys(open, this.nowMs);
      for (const { effectId } of expired) this.#expire(open.event.eventId, effectId);
      if (expired.length > 0) this.doubted();
    }
  }

  #expire(eventId: string, effectId: string): void {
    this.note('effect_expired', { event_id: eventId, effect_id: effectId });
  }

  #begin(): void {
    const { queue, inbox, invocationCount, holds } = this.snapshot;
    const [event] = queue;
    if (event === undefined) return;
    if (holds.length > 0) this.blame('P4', `${event.eventId} begins in a process that is held`);
    const delivered = this.rules.inboxDelivery(inbox, this.nowMs).map(({ messageId }) => messageId);
    this.note('invocation_start', {
      invocation: invocationCount + 1,
      event_id: event.eventId,
      attempt: 1,
      ...(delivered.length > 0 ? { inbox: delivered } : {}),
    });
    const open = this.open(event.eventId);
    if (open !== undefined) this.#invoke(open);
  }

  open(eventId: string): OpenInvocation | undefined {
    return this.snapshot.open.find(({ event }) => event.eventId === eventId);
  }

  #turns = 0;

  #invoke({ event: { eventId }, invocation, attempt, retryAt }: OpenInvocation): void {
    this.#turns += 1;
    if (this.#turns > ENDLESS) {
      this.blame('P4', `${eventId} goes round and round`);
      return;
    }
    if (retryAt !== null) {
      const next = this.rules.retriesCount(attempt);
      this.note('invocation_start', { invocation, event_id: eventId, attempt: next });
    }
    const open = this.open(eventId);
    if (open === undefined || this.host.worker === null) return;
    const run: Run = {
      eventId,
      attempt: open.attempt,
      record: new Record(open, this.model.library.interned.of(JSON.stringify(canonicalOf(open)))),
      ...recordedIn(open, this.rules.deliversInOrder),
      live: [],
      early: [],
      delivered: [],
      ops: [],
      isParked: false,
      isParkedOnRecord: false,
      unsaid: [],
    };
    this.host.worker.runs.push(run);
    this.advance(run);
  }

  tellWaitEnded(eventId: string, waitId: string, end: WaitEnd): void {
    const run = this.runOf(eventId);
    if (run === undefined) return;
    run.unsaid.push({ name: waitId, ok: end.status === 'fired' || end.status === 'resolved' });
    if (run.isParked) this.handOver();
    else this.#say(run);
  }

  #say(run: Run): void {
    run.live.push(...run.unsaid.splice(0));
    this.advance(run);
  }

  #unpark(run: Run): void {
    run.isParked = false;
    this.#say(run);
  }

  #park(run: Run): void {
    if (run.isParked) return;
    run.isParked = true;
    run.isParkedOnRecord = false;
    this.host.isSettlingDown = true;
    this.handOver();
  }

  /** What goes on waiting is journaled, and the worker is not kept for it. */
  settleDown(): void {
    this.host.isSettlingDown = false;
    for (const run of this.host.worker?.runs ?? []) {
      if (!run.isParked || run.isParkedOnRecord || run.unsaid.length > 0) continue;
      run.isParkedOnRecord = true;
      this.note('invocation_waiting', { event_id: run.eventId });
    }
    this.waitIfNothingElse();
  }

  waitIfNothingElse(): void {
    if (!this.host.isWanted || this.moving > 0) return;
    if (this.host.worker?.runs.some(({ isParkedOnRecord }) => !isParkedOnRecord)) return;
    const isAwaiting = this.rules.restingAs(this.snapshot, this.nowMs) === 'awaiting';
    if (isAwaiting && this.lifecycle === 'running') this.change('await');
  }

  workerGone(isExpected: boolean): void {
    const { host, rules } = this;
    const { worker } = host;
    if (worker === null) return;
    const permitted = rules.takesBack === 'everything' ? this.#underWay() : [];
    host.worker = null;
    host.isSettlingDown = false;
    for (const { effectId, eventId } of [...host.pending, ...permitted]) {
      const withdrawn = { event_id: eventId, effect_id: effectId, end: 'did_not_happen', unpermitted: true };
      this.note('effect_finished', withdrawn);
    }
    host.pending = [];
    this.note('worker_exited', {
      generation: worker.generation,
      pid: worker.generation,
      expected: isExpected,
    });
    this.doubted();
    this.handOver();
  }

  #underWay(): readonly { readonly effectId: string; readonly eventId: string }[] {
    return (this.host.worker?.runs ?? []).flatMap(({ ops, eventId }) =>
      ops.filter(isUnreported).map(({ id }) => ({ effectId: id, eventId })),
    );
  }

  // --- core/runtime/effect-gate.ts

  #announce(run: Run, op: OpRun, effect: Effect): void {
    const { rules, host } = this;
    op.is = 'announced';
    op.waitsFrom = this.state.now;
    const key = rules.keyOf(op.id, op.attempt);
    const { effectClass, keyTtl, timeout, name } = effect;
    if (rules.isKeyCheckedAtGate && this.#isTooOld(run, op)) return;
    const started: JsonObject = {
      event_id: run.eventId,
      effect_id: op.id,
      name,
      occurrence: 0,
      class: effectClass,
      args_hash: 'h',
      key,
      ...(keyTtl === null ? {} : { key_ttl_ms: keyTtl * TICK_MS }),
      ...(timeout === null ? {} : { timeout_ms: timeout * TICK_MS }),
      attempt: op.attempt,
    };
    const generation = host.worker!.generation;
    host.pending.push({ effectId: op.id, eventId: run.eventId, isOnRecord: false });
    const want: Want = { is: 'permit', effectId: op.id, generation };
    this.note(
      'effect_started',
      started,
      rules.isPermittedOnlyOnRecord ? want : null,
      rules.isAnnouncementSynced(effectClass),
    );
    if (!rules.isPermittedOnlyOnRecord) this.grant(want);
  }

  #permitAll(): void {
    for (const { effectId } of this.host.pending.slice()) this.#permitIfDue(effectId);
  }

  #permitIfDue(effectId: string): void {
    const { host } = this;
    const pending = host.pending.find((candidate) => candidate.effectId === effectId);
    if (pending === undefined || !host.isGateOpen || !pending.isOnRecord) return;
    const run = this.runOf(pending.eventId);
    const op = run?.ops.find(({ id }) => id === effectId);
    if (run === undefined || op === undefined) return;
    host.pending = host.pending.filter((candidate) => candidate !== pending);
    if (this.rules.isKeyCheckedAtGate && this.#isTooOld(run, op)) return;
    if (this.snapshot.holds.some(({ kind }) => kind !== 'in_doubt'))
      this.blame('P4', `${effectId} is permitted in a process that an operator holds`);
    op.is = 'permitted';
    if (this.rules.timeoutCountsFrom === 'call') op.waitsFrom = this.state.now;
  }

  /** A repetition under a key that the provider may have forgotten: only an operator may decide. */
  #isTooOld(run: Run, op: OpRun): boolean {
    const open = this.open(run.eventId);
    const expired = open === undefined ? [] : this.rules.expiredKeys(open, this.nowMs);
    const tooOld = expired.find(({ effectId }) => effectId === op.id);
    // One that was not permitted since it was certain that nothing had happened has not used it.
    if (op.attempt === 1 || tooOld === undefined || tooOld.earlier?.end.kind === 'did_not_happen')
      return false;
    this.#expire(run.eventId, op.id);
    op.is = 'held';
    this.advance(run);
    return true;
  }

  /** An outcome that the worker reports, and what its code is told. */
  report(run: Run, op: OpRun): void {
    const effect = this.#effectOf(op);
    const isLast = op.tries >= effect.attempts;
    const isRepeatable = this.rules.isRepeatable(effect.effectClass);
    if (op.is === 'done') {
      this.#finished(run, op, { kind: 'done', result: 'done' });
      this.#deliver(run, op, true);
    } else if (op.is === 'did_not_happen') {
      if (this.rules.doubtOutlivesRepetition && op.wasInDoubt && isRepeatable) {
        this.#repeatOrGiveUp(run, op, isLast);
        return;
      }
      this.#finished(run, op, { kind: 'did_not_happen', error: 'no' });
      if (isLast) this.#deliver(run, op, false);
      else this.#toRepeat(run, op, false);
    } else if (isRepeatable) this.#repeatOrGiveUp(run, op, isLast);
    else {
      this.#finished(run, op, { kind: 'in_doubt', error: 'lost' });
      if (!this.rules.holdsInDoubt) this.#deliver(run, op, false);
      else if (effect.effectClass === 'reconcile') {
        op.is = 'to ask about';
        op.attempt += 1;
        op.tries += 1;
        this.advance(run);
      } else this.#held(run, op);
    }
  }

  #repeatOrGiveUp(run: Run, op: OpRun, isLast: boolean): void {
    this.#finished(run, op, { kind: 'in_doubt', error: 'lost', ...(isLast ? { givenUp: true } : {}) });
    if (isLast) this.#deliver(run, op, false);
    else this.#toRepeat(run, op, true);
  }

  #toRepeat(run: Run, op: OpRun, wasInDoubt: boolean): void {
    op.is = 'to repeat';
    op.attempt += 1;
    op.tries += 1;
    op.wasInDoubt ||= wasInDoubt;
    this.advance(run);
  }

  #held(run: Run, op: OpRun): void {
    op.is = 'held';
    this.advance(run);
  }

  #finished(run: Run, { id }: OpRun, end: EffectEnd, isReconciled = false): void {
    if (end.kind === 'done' && !this.rules.recordsOutcomes) return;
    this.note('effect_finished', {
      event_id: run.eventId,
      effect_id: id,
      end: end.kind,
      ...(end.kind === 'done' ? { result: end.result } : { error: end.error }),
      ...(end.kind === 'in_doubt' && end.givenUp === true ? { given_up: true } : {}),
      ...(isReconciled ? { reconciled: true } : {}),
    });
  }

  #deliver(run: Run, op: OpRun, ok: boolean): void {
    op.ok = ok;
    run.live.push({ name: op.name, ok });
    this.advance(run);
  }

  repeat(run: Run, op: OpRun): void {
    this.#announce(run, op, this.#effectOf(op));
  }

  /** Whoever it was done with is asked what became of it. */
  askedAbout(run: Run, op: OpRun, answer: 'happened' | 'did not' | 'unknown'): void {
    const effect = this.#effectOf(op);
    if (answer === 'happened') {
      this.#finished(run, op, { kind: 'done', result: 'done' }, true);
      this.#deliver(run, op, true);
    } else if (answer === 'unknown') {
      this.#finished(run, op, { kind: 'in_doubt', error: 'unknown' }, true);
      this.#held(run, op);
    } else if (op.tries <= effect.attempts) this.#announce(run, op, effect);
    else {
      this.#finished(run, op, { kind: 'did_not_happen', error: 'often enough' }, true);
      this.#deliver(run, op, false);
    }
  }

  #effectOf({ name }: OpRun): Effect {
    return this.model.effects.get(name)!;
  }

  // --- core/agent: the code of a run, from one delivery to the next

  #asked({ delivered, attempt }: Run) {
    return this.model.scenario.program(delivered, attempt);
  }

  advance(run: Run): void {
    for (;;) {
      if (this.runOf(run.eventId) !== run) return;
      this.#ask(run);
      if (this.runOf(run.eventId) !== run) return;
      const next = this.#take(run);
      if (next === null) break;
      const op = run.ops.find(({ name, id }) => name === next.name || id === next.name);
      if (op === undefined) run.early.push(next);
      if (op === undefined || op.is === 'delivered') continue;
      op.is = 'delivered';
      op.ok = next.ok;
      run.delivered.push({ name: op.name, ok: next.ok });
    }
    this.#rest(run);
  }

  #ask(run: Run): void {
    for (;;) {
      const behind = run.ops.find(({ is }) => is === 'behind the record');
      if (behind !== undefined && run.unasked.length === 0) {
        this.#begun(run, behind);
        continue;
      }
      // Once it is over nothing new begins.
      if (run.ops.some(({ is }) => is === 'held')) return;
      const { ops } = this.#asked(run);
      const next = ops[run.ops.length];
      if (next === undefined) return;
      const op = this.#opOf(run, next);
      run.ops.push(op);
      run.unasked = run.unasked.filter((id) => id !== op.id);
      this.#plan(run, op, next);
    }
  }

  #opOf(run: Run, { kind, name, ...rest }: Op): OpRun {
    const effectClass = 'effectClass' in rest ? rest.effectClass : null;
    return {
      name,
      kind: kind === 'effect' || kind === 'send' ? kind : 'wait',
      id: effectIdOf(run.eventId, name, 0),
      effectClass,
      is: 'behind the record',
      attempt: 1,
      tries: 1,
      waitsFrom: this.state.now,
      wasInDoubt: false,
      ok: false,
    };
  }

  #plan(run: Run, op: OpRun, asked: Op): void {
    if (asked.kind === 'effect') this.model.effects.set(op.name, asked);
    const { effects, waits, sends, attemptSeq } = run.record.open;
    if (asked.kind === 'send') {
      if (sends.some(({ topic }) => topic === op.name)) this.#sentNow(run, op);
      return;
    }
    if (asked.kind !== 'effect') {
      const recorded = waits.find(({ waitId }) => waitId === op.id);
      if (recorded === undefined) return;
      op.is = 'waited for';
      run.live.push(...run.early.filter(({ name }) => name === op.id));
      if (recorded.end === null) return;
      op.ok = recorded.end.status === 'fired' || recorded.end.status === 'resolved';
      op.is = (recorded.endSeq ?? 0) > attemptSeq ? 'recorded' : 'recorded earlier';
      return;
    }
    const recorded = effects.find(({ effectId }) => effectId === op.id);
    const plan = this.rules.planEffect(recorded, 'h', attemptSeq);
    if (plan.act === 'diverged') {
      this.blame('P3', `the same code diverges: ${plan.expected}, ${plan.found}`);
      return;
    }
    if (plan.act === 'return' || plan.act === 'reject') {
      op.ok = plan.act === 'return';
      op.is = (recorded?.endSeq ?? 0) > attemptSeq ? 'recorded' : 'recorded earlier';
      if (plan.act === 'reject' && this.state.world[op.id]?.isToBeDone === true)
        this.blame('P2', `an operator said that ${op.id} did not happen, and it is passed over`);
      return;
    }
    op.attempt = plan.attempt;
    if (recorded === undefined) return;
    op.wasInDoubt = recorded.end === null || recorded.end.kind === 'in_doubt';
    // Its call began before its worker was gone, and so before this run.
    const announcedAt = Math.round((Date.parse(recorded.announcedAt) - msAt(0)) / TICK_MS);
    op.waitsFrom = this.rules.timeoutCountsFrom === 'call' ? this.state.now : announcedAt;
    if (plan.act === 'reconcile' && this.rules.asksFirst) op.is = 'to ask about';
    else this.#announce(run, op, asked);
  }

  /** Something new: everything recorded has been asked for. */
  #begun(run: Run, op: OpRun): void {
    const asked = this.#asked(run).ops.find(({ name }) => name === op.name);
    if (asked === undefined) throw new Error(`${op.name} was never asked for`);
    switch (asked.kind) {
      case 'effect':
        this.#announce(run, op, asked);
        return;
      case 'send': {
        const number = this.rules.nextNumber(
          this.snapshot,
          this.snapshot.writer !== null && this.host.epoch > 1,
        );
        const data = `${run.eventId}/${op.name}`;
        const sent = { event_id: run.eventId, number, kind: 'event', topic: op.name, occurrence: 0, data };
        this.note('message_sent', sent, null, this.rules.isMessageSynced);
        this.#sentNow(run, op);
        return;
      }
      case 'promise':
      case 'timer': {
        op.is = 'waited for';
        const inTicks = asked.kind === 'timer' ? asked.due : asked.expires;
        const at = inTicks === null ? null : stampAt(this.state.now + inTicks);
        const common = { event_id: run.eventId, name: op.name, occurrence: 0 };
        if (asked.kind === 'promise')
          this.note('promise_created', { ...common, promise_id: op.id, data: null, expires_at: at });
        else this.note('timer_started', { ...common, timer_id: op.id, fires_at: at });
        return;
      }
    }
  }

  #sentNow(run: Run, op: OpRun): void {
    op.is = 'delivered';
    op.ok = true;
    run.delivered.push({ name: op.name, ok: true });
  }

  /** core/agent/deliveries.ts: of earlier attempts at once, then what is recorded in its order, then what is new. */
  #take(run: Run): Delivered | null {
    const earlier = run.ops.filter(({ is }) => is === 'recorded earlier');
    const [first] = earlier.sort((a, b) => endOf(run, a) - endOf(run, b));
    if (first !== undefined) return { name: first.name, ok: first.ok };
    const [next] = run.recorded;
    if (next === undefined) return run.live.shift() ?? null;
    const op = run.ops.find(({ id, is }) => id === next && is === 'recorded');
    if (op === undefined) return null;
    run.recorded.shift();
    return { name: op.name, ok: op.ok };
  }

  #rest(run: Run): void {
    const { end } = this.#asked(run);
    const isHeld = run.ops.some(({ is }) => is === 'held');
    const effects = run.ops.filter(({ kind }) => kind === 'effect');
    const isBehind = run.ops.some(({ is }) => is === 'behind the record');
    const isLeft = run.unasked.length > 0 && (end !== null || isBehind);
    if (!isHeld && (run.recorded.length > 0 || isLeft)) {
      this.blame('P3', `the same code diverges: nobody asks for ${run.recorded[0] ?? run.unasked[0]}`);
      return;
    }
    if (isHeld || end !== null) {
      if (effects.every(({ is }) => is === 'delivered' || is === 'held' || is === 'behind the record'))
        this.#ends(run, isHeld);
      return;
    }
    const moves = run.ops.some(({ is, kind }) => kind === 'effect' && is !== 'delivered');
    if (!moves && run.ops.some(({ is }) => is === 'waited for')) this.#park(run);
  }

  #ends(run: Run, isHeld: boolean): void {
    const worker = this.host.worker!;
    const { eventId } = run;
    if (isHeld) {
      worker.runs = worker.runs.filter((other) => other !== run);
      this.doubted();
      if (worker.runs.length === 0) this.workerGone(true);
      return;
    }
    const open = this.open(eventId);
    const { end } = this.#asked(run);
    const isUnended = open?.effects.some(
      (effect) => (effect.end === null && effect.seq > open.attemptSeq) || this.rules.needsOperator(effect),
    );
    if (this.rules.refusesUnended && isUnended === true) {
      this.workerGone(false);
      return;
    }
    this.#seeThatNothingIsPassedOver(run, end === 'done');
    worker.runs = worker.runs.filter((other) => other !== run);
    const attempt = open?.attempt ?? 1;
    let isOver = true;
    if (end === 'done')
      this.note('invocation_result', { event_id: eventId, attempt, invocation: open?.invocation ?? 0 });
    else isOver = this.#failed(eventId, attempt);
    if (isOver) this.checkpoint();
    this.look();
    this.handOver();
  }

  #failed(eventId: string, attempt: number): boolean {
    const { delivery } = this.model.scenario;
    const after = this.rules.afterFailure(delivery, { attempt, isTerminal: false });
    const data = { event_id: eventId, error_type: 'Error', error: 'failed', attempt };
    if (after.next === 'retry') {
      if (attempt > delivery.maxRetries)
        this.blame('P4', `${eventId} is tried more often than its policy says`);
      this.note('error', {
        ...data,
        final: false,
        retry_at: stampAt(this.state.now + after.delayMs / TICK_MS),
      });
      return false;
    }
    const letter =
      after.next === 'dead-letter' ? { dead_letter: true, dead_letter_size: delivery.deadLetterSize } : {};
    this.note('error', { ...data, final: true, ...letter });
    return true;
  }

  #seeThatNothingIsPassedOver(run: Run, isDone: boolean): void {
    const { facts } = this.head;
    for (const { id, name, kind, effectClass } of run.ops) {
      if (kind !== 'effect') continue;
      const fact = facts.effects[id];
      const touched = this.state.world[id];
      const isCertain = fact?.state === 'done' || fact?.state === 'no';
      if (touched?.mayHaveHappened === true && !isCertain && !this.rules.isRepeatable(effectClass!))
        this.blame('P2', `${run.eventId} ends, and what became of ${name} is not known`);
      if (isDone && fact?.state !== 'done')
        this.blame('P2', `${run.eventId} ends well without an outcome of ${name}`);
    }
  }

  // --- core/runtime/outbox.ts, switchboard.ts, event-intake.ts

  get isDeliverable(): boolean {
    const { host, journal } = this.state;
    const [message] = this.snapshot.outbox;
    if (host === null || message === undefined || host.delivering !== null) return false;
    if (!this.rules.isHeardOnlyWhenKept) return true;
    return journal.tail.length === 0 || !this.#isAwaited(journal);
  }

  hear(): void {
    const { rules, state } = this;
    const [message] = this.snapshot.outbox;
    if (message === undefined) return;
    this.host.delivering = message.number;
    const head = headOf(state.receiver);
    const want: Want = { is: 'sender', number: message.number };
    if (rules.isHeardOnce && rules.heardFrom(head.snapshot, 'sender') >= message.number) {
      this.#whenSettled(state.receiver, want);
      return;
    }
    const event = {
      event_id: `h${head.facts.heard.length + 1}`,
      trigger_id: 'event',
      trigger_type: 'event',
      payload: { data: message.data },
      from: { process: 'sender', number: message.number },
    };
    const place = this.model.library.write(head, 'trigger_event', event, state.now);
    this.write(state.receiver, place, rules.isArrivedOnlyWhenKept ? want : null, true);
    if (!rules.isArrivedOnlyWhenKept) this.grant(want);
  }

  arrived(number: number): void {
    if (this.state.host?.delivering !== number) return;
    this.host.delivering = null;
    this.note('message_delivered', { number });
  }
}

export function isUnreported({ kind, is }: OpRun): boolean {
  return (
    kind === 'effect' && (is === 'permitted' || is === 'done' || is === 'did_not_happen' || is === 'in_doubt')
  );
}

/** What the journal has of this attempt: in the order of its ends, and what has to be asked for (core/agent/run-invocation.ts). */
function recordedIn(
  { event, effects, waits, sends, attemptSeq }: OpenInvocation,
  inOrder: boolean,
): Pick<Run, 'recorded' | 'unasked'> {
  const ended = [
    ...effects.flatMap(({ effectId, end, seq, endSeq }) =>
      isAnswered(end) ? [{ id: effectId, at: inOrder ? endSeq : endSeq === null ? null : seq, endSeq }] : [],
    ),
    ...waits.flatMap(({ waitId, end, endSeq }) => (end === null ? [] : [{ id: waitId, at: endSeq, endSeq }])),
  ];
  const recorded = ended
    .filter(({ endSeq }) => (endSeq ?? 0) > attemptSeq)
    .sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
    .map(({ id }) => id);
  const unasked = [
    ...effects.filter(({ seq }) => seq > attemptSeq).map(({ effectId }) => effectId),
    ...waits.filter(({ seq }) => seq > attemptSeq).map(({ waitId }) => waitId),
    ...sends.filter(({ seq }) => seq > attemptSeq).map(({ topic }) => effectIdOf(event.eventId, topic, 0)),
  ];
  return { recorded, unasked };
}

/** The line that tells of the end of something recorded. */
function endOf({ record }: Run, { id }: OpRun): number {
  const { effects, waits } = record.open;
  const ended = effects.find(({ effectId }) => effectId === id) ?? waits.find(({ waitId }) => waitId === id);
  return ended?.endSeq ?? 0;
}

function isAnswered(end: EffectEnd | null): boolean {
  if (end?.kind === 'done') return true;
  if (end?.kind === 'did_not_happen') return end.again !== true;
  return end?.kind === 'in_doubt' && end.givenUp === true;
}
