// core/agent/perform-effect.ts: what a worker makes of how a call went.

import type { Effect } from '../programs.ts';
import type { OpRun, Run } from '../state.ts';
import { Part } from './part.ts';

export class PerformEffect extends Part {
  /** An outcome that the worker reports, and what its code is told. */
  report(run: Run, op: OpRun): void {
    const effect = this.#effectOf(op);
    const isLast = op.tries >= effect.attempts;
    const isRepeatable = this.rules.isRepeatable(effect.effectClass);
    if (op.is === 'done') {
      this.on.gate.finished(run, op, { kind: 'done', result: 'done' });
      this.#deliver(run, op, true);
    } else if (op.is === 'did_not_happen') {
      if (this.rules.doubtOutlivesRepetition && op.wasInDoubt && isRepeatable) {
        this.#repeatOrGiveUp(run, op, isLast);
        return;
      }
      this.on.gate.finished(run, op, { kind: 'did_not_happen', error: 'no' });
      if (isLast) this.#deliver(run, op, false);
      else this.#toRepeat(run, op, false);
    } else if (isRepeatable) this.#repeatOrGiveUp(run, op, isLast);
    else {
      this.on.gate.finished(run, op, { kind: 'in_doubt', error: 'lost' });
      if (!this.rules.holdsInDoubt) this.#deliver(run, op, false);
      else if (effect.effectClass === 'reconcile') {
        op.is = 'to ask about';
        op.attempt += 1;
        op.tries += 1;
        this.on.code.advance(run);
      } else this.#held(run, op);
    }
  }

  #repeatOrGiveUp(run: Run, op: OpRun, isLast: boolean): void {
    this.on.gate.finished(run, op, { kind: 'in_doubt', error: 'lost', ...(isLast ? { givenUp: true } : {}) });
    if (isLast) this.#deliver(run, op, false);
    else this.#toRepeat(run, op, true);
  }

  #toRepeat(run: Run, op: OpRun, wasInDoubt: boolean): void {
    op.is = 'to repeat';
    op.attempt += 1;
    op.tries += 1;
    op.wasInDoubt ||= wasInDoubt;
    this.on.code.advance(run);
  }

  #held(run: Run, op: OpRun): void {
    op.is = 'held';
    this.on.code.advance(run);
  }

  #deliver(run: Run, op: OpRun, ok: boolean): void {
    op.ok = ok;
    run.live.push({ name: op.name, ok });
    this.on.code.advance(run);
  }

  repeat(run: Run, op: OpRun): void {
    this.on.gate.announce(run, op, this.#effectOf(op));
  }

  /** Whoever it was done with is asked what became of it. */
  askedAbout(run: Run, op: OpRun, answer: 'happened' | 'did not' | 'unknown'): void {
    const effect = this.#effectOf(op);
    if (answer === 'happened') {
      this.on.gate.finished(run, op, { kind: 'done', result: 'done' }, true);
      this.#deliver(run, op, true);
    } else if (answer === 'unknown') {
      this.on.gate.finished(run, op, { kind: 'in_doubt', error: 'unknown' }, true);
      this.#held(run, op);
    } else if (op.tries <= effect.attempts) this.on.gate.announce(run, op, effect);
    else {
      this.on.gate.finished(run, op, { kind: 'did_not_happen', error: 'often enough' }, true);
      this.#deliver(run, op, false);
    }
  }

  #effectOf({ name }: OpRun): Effect {
    return this.model.effects.get(name)!;
  }
}
