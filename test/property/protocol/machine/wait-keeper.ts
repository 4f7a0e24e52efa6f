// core/runtime/wait-keeper.ts: timers and promises, and the retries that are due.

import type { JsonObject } from '../../../../core/model/json.ts';
import type { OpenInvocation } from '../../../../core/model/snapshot.ts';
import type { DurableWait, WaitEnd } from '../../../../core/model/waits.ts';
import type { Want } from '../state.ts';
import { Part } from './part.ts';

export class WaitKeeper extends Part {
  get isDue(): boolean {
    const { open } = this.snapshot;
    const retry = this.rules.nextRetry(this.snapshot);
    return (
      this.rules.keepsWatch(this.on.process.lifecycle) &&
      (open.some(({ waits }) => this.rules.dueWaits(waits, this.nowMs).length > 0) ||
        (retry !== null &&
          retry <= this.nowMs &&
          this.on.process.lifecycle === 'running' &&
          this.#isRetryReady()))
    );
  }

  /** A retry that is due, and in nobody's hands. */
  #isRetryReady(): boolean {
    return this.snapshot.open.some(
      ({ event, retryAt }) =>
        retryAt !== null &&
        Date.parse(retryAt) <= this.nowMs &&
        this.on.runner.runOf(event.eventId) === undefined,
    );
  }

  look(): void {
    if (!this.rules.keepsWatch(this.on.process.lifecycle)) return;
    for (const open of this.snapshot.open) {
      for (const wait of this.rules.dueWaits(open.waits, this.nowMs)) this.#fire(open, wait);
    }
    const retry = this.rules.nextRetry(this.snapshot);
    if (retry !== null && retry <= this.nowMs) this.on.process.goOn();
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
    this.on.runner.tellWaitEnded(eventId, waitId, end);
    if (this.on.process.lifecycle === 'awaiting') this.on.process.change('wake');
    else this.on.process.goOn();
  }

  settle(waitId: string, status: 'resolved' | 'rejected'): void {
    const { rules } = this;
    const open = this.snapshot.open.find(({ waits }) => waits.some((wait) => wait.waitId === waitId));
    const wait = open?.waits.find((candidate) => candidate.waitId === waitId);
    if (open === undefined || wait === undefined) {
      const before = this.snapshot.settled.find(({ promiseId }) => promiseId === waitId);
      if (before === undefined) return;
      const want: Want = { is: 'settled by time', waitId, status: before.status };
      if (rules.isLateSettlerToldWhenKept) this.on.recorder.whenSettled(this.state.journal, want);
      else this.on.recorder.grant(want);
      return;
    }
    if (wait.end !== null && rules.settlesOnce) {
      this.on.recorder.whenSettled(this.state.journal, {
        is: 'settled by time',
        waitId,
        status: wait.end.status,
      });
      return;
    }
    const end = status === 'resolved' ? { status, value: null } : { status, error: 'no' };
    const data: JsonObject = { event_id: open.event.eventId, promise_id: waitId, ...end };
    const want: Want = { is: 'settler', waitId, status };
    this.note('promise_settled', data, rules.isSettlerToldWhenKept ? want : null, rules.isSettlementSynced);
    this.on.runner.tellWaitEnded(open.event.eventId, waitId, end);
    this.on.process.wake();
    if (!rules.isSettlerToldWhenKept) this.on.recorder.grant(want);
  }
}
