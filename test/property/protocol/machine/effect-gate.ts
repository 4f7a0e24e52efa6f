// core/runtime/effect-gate.ts: effects are permitted when their announcement is on record, and their ends are noted.

import type { EffectEnd } from '../../../../core/model/effects.ts';
import type { JsonObject } from '../../../../core/model/json.ts';
import { TICK_MS } from '../journal.ts';
import type { Effect } from '../programs.ts';
import type { OpRun, Run, Want } from '../state.ts';
import { Part } from './part.ts';

export class EffectGate extends Part {
  expire(eventId: string, effectId: string): void {
    this.note('effect_expired', { event_id: eventId, effect_id: effectId });
  }

  announce(run: Run, op: OpRun, effect: Effect): void {
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
    if (!rules.isPermittedOnlyOnRecord) this.on.recorder.grant(want);
  }

  permitAll(): void {
    for (const { effectId } of this.host.pending.slice()) this.permitIfDue(effectId);
  }

  permitIfDue(effectId: string): void {
    const { host } = this;
    const pending = host.pending.find((candidate) => candidate.effectId === effectId);
    if (pending === undefined || !host.isGateOpen || !pending.isOnRecord) return;
    const run = this.on.runner.runOf(pending.eventId);
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
    const open = this.on.runner.open(run.eventId);
    const expired = open === undefined ? [] : this.rules.expiredKeys(open, this.nowMs);
    const tooOld = expired.find(({ effectId }) => effectId === op.id);
    // One that was not permitted since it was certain that nothing had happened has not used it.
    if (op.attempt === 1 || tooOld === undefined || tooOld.earlier?.end.kind === 'did_not_happen')
      return false;
    this.expire(run.eventId, op.id);
    op.is = 'held';
    this.on.code.advance(run);
    return true;
  }

  finished(run: Run, { id }: OpRun, end: EffectEnd, isReconciled = false): void {
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
}
