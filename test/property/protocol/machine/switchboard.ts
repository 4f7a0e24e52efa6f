// core/runtime/outbox.ts, switchboard.ts and event-intake.ts: a message on its way to the other process.

import { headOf, type Want } from '../state.ts';
import { Part } from './part.ts';

export class Switchboard extends Part {
  get isDeliverable(): boolean {
    const { host, journal } = this.state;
    const [message] = this.snapshot.outbox;
    if (host === null || message === undefined || host.delivering !== null) return false;
    if (!this.rules.isHeardOnlyWhenKept) return true;
    return journal.tail.length === 0 || !this.on.recorder.isAwaited(journal);
  }

  hear(): void {
    const { rules, state } = this;
    const [message] = this.snapshot.outbox;
    if (message === undefined) return;
    this.host.delivering = message.number;
    const head = headOf(state.receiver);
    const want: Want = { is: 'sender', number: message.number };
    if (rules.isHeardOnce && rules.heardFrom(head.snapshot, 'sender') >= message.number) {
      this.on.recorder.whenSettled(state.receiver, want);
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
    this.on.recorder.write(state.receiver, place, rules.isArrivedOnlyWhenKept ? want : null, true);
    if (!rules.isArrivedOnlyWhenKept) this.on.recorder.grant(want);
  }

  arrived(number: number): void {
    if (this.state.host?.delivering !== number) return;
    this.host.delivering = null;
    this.note('message_delivered', { number });
  }
}
