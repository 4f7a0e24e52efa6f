// core/runtime/invocation-runner.ts: which invocations are in the worker, and what becomes of them when it is gone.

import { effectIdOf, type EffectEnd } from '../../../../core/model/effects.ts';
import type { OpenInvocation } from '../../../../core/model/snapshot.ts';
import type { WaitEnd } from '../../../../core/model/waits.ts';
import { canonicalOf } from '../journal.ts';
import { isUnreported, Record, type Run } from '../state.ts';
import { Part } from './part.ts';

/** So often nothing begins between one thing that happens and the next. */
const ENDLESS = 50;

export class InvocationRunner extends Part {
  #turns = 0;

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
    if (host.isGateOpen) this.on.gate.permitAll();
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
    if (doubt !== null) this.on.process.hold('in_doubt', doubt);
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
      for (const { effectId } of expired) this.on.gate.expire(open.event.eventId, effectId);
      if (expired.length > 0) this.doubted();
    }
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

  #invoke({ event: { eventId }, invocation, attempt, retryAt, isToBegin }: OpenInvocation): void {
    this.#turns += 1;
    if (this.#turns > ENDLESS) {
      this.blame('P4', `${eventId} goes round and round`);
      return;
    }
    if (isToBegin === true) this.note('invocation_start', { invocation, event_id: eventId, attempt });
    else if (retryAt !== null) {
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
    this.on.code.advance(run);
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
    this.on.code.advance(run);
  }

  #unpark(run: Run): void {
    run.isParked = false;
    this.#say(run);
  }

  park(run: Run): void {
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
    if (isAwaiting && this.on.process.lifecycle === 'running') this.on.process.change('await');
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

function isAnswered(end: EffectEnd | null): boolean {
  if (end?.kind === 'done') return true;
  if (end?.kind === 'did_not_happen') return end.again !== true;
  return end?.kind === 'in_doubt' && end.givenUp === true;
}
