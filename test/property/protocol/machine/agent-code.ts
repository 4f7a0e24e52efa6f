// core/agent: the code of a run, from one delivery to the next.

import { effectIdOf } from '../../../../core/model/effects.ts';
import { msAt, stampAt, TICK_MS } from '../journal.ts';
import type { Delivered, Op } from '../programs.ts';
import type { OpRun, Run } from '../state.ts';
import { Part } from './part.ts';

export class AgentCode extends Part {
  asked({ delivered, attempt }: Run) {
    return this.model.scenario.program(delivered, attempt);
  }

  advance(run: Run): void {
    for (;;) {
      if (this.on.runner.runOf(run.eventId) !== run) return;
      this.#ask(run);
      if (this.on.runner.runOf(run.eventId) !== run) return;
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
      const { ops } = this.asked(run);
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
    if (plan.act === 'unlike') {
      this.blame('P2', `somebody is asked whether ${op.id} is another one, and its arguments are the same`);
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
    else this.on.gate.announce(run, op, asked);
  }

  /** Something new: everything recorded has been asked for. */
  #begun(run: Run, op: OpRun): void {
    const asked = this.asked(run).ops.find(({ name }) => name === op.name);
    if (asked === undefined) throw new Error(`${op.name} was never asked for`);
    switch (asked.kind) {
      case 'effect':
        this.on.gate.announce(run, op, asked);
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
    const { end } = this.asked(run);
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
        this.on.ends.ends(run, isHeld);
      return;
    }
    const moves = run.ops.some(({ is, kind }) => kind === 'effect' && is !== 'delivered');
    if (!moves && run.ops.some(({ is }) => is === 'waited for')) this.on.runner.park(run);
  }
}

/** The line that tells of the end of something recorded. */
function endOf({ record }: Run, { id }: OpRun): number {
  const { effects, waits } = record.open;
  const ended = effects.find(({ effectId }) => effectId === id) ?? waits.find(({ waitId }) => waitId === id);
  return ended?.endSeq ?? 0;
}
