// core/runtime/invocation-end.ts: how the run of an invocation ends, and what an end must not pass over.

import { stampAt, TICK_MS } from '../journal.ts';
import type { Run } from '../state.ts';
import { Part } from './part.ts';

export class InvocationEnd extends Part {
  ends(run: Run, isHeld: boolean): void {
    const worker = this.host.worker!;
    const { eventId } = run;
    if (isHeld) {
      worker.runs = worker.runs.filter((other) => other !== run);
      this.on.runner.doubted();
      if (worker.runs.length === 0) this.on.runner.workerGone(true);
      return;
    }
    const open = this.on.runner.open(eventId);
    const { end } = this.on.code.asked(run);
    const isUnended = open?.effects.some(
      (effect) => (effect.end === null && effect.seq > open.attemptSeq) || this.rules.needsOperator(effect),
    );
    if (this.rules.refusesUnended && isUnended === true) {
      this.on.runner.workerGone(false);
      return;
    }
    this.#seeThatNothingIsPassedOver(run, end === 'done');
    worker.runs = worker.runs.filter((other) => other !== run);
    const attempt = open?.attempt ?? 1;
    let isOver = true;
    if (end === 'done')
      this.note('invocation_result', { event_id: eventId, attempt, invocation: open?.invocation ?? 0 });
    else isOver = this.#failed(eventId, attempt);
    if (isOver) this.on.recorder.checkpoint();
    this.on.waits.look();
    this.on.runner.handOver();
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
}
