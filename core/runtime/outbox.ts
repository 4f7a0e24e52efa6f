// Delivers what a process has sent from its own journal: in its order, one at a time, as often as it takes. Receivers know
// what they have heard, so a delivery that a crash interrupts is made again and arrives once [S38].

import { codeOf, messageOf } from '../model/errors.ts';
import type { SentMessage } from '../model/messages.ts';
import type { Clock } from '../model/ports.ts';
import { Delay } from './delay.ts';
import type { Recorder } from './recorder.ts';
import { NO_ROOM, type Delivery } from './switchboard.ts';

/** So long a receiver without room is asked again, before it counts as refusing. */
const PATIENCE_MS = 30_000;
const FIRST_WAIT_MS = 50;
const MAX_WAIT_MS = 5_000;

export interface OutboxOptions {
  readonly clock: Clock;
  readonly recorder: () => Recorder;
  readonly deliver: (message: SentMessage) => Promise<Delivery>;
  readonly onChange: () => void;
}

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #delay: Delay;
  #isOpen = false;
  #isBusy = false;
  #waitMs = FIRST_WAIT_MS;
  #waitedSince: number | null = null;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#delay = new Delay(options.clock);
  }

  open(): void {
    this.#isOpen = true;
    this.pump();
  }

  close(): void {
    this.#isOpen = false;
    this.#delay.cancel();
  }

  /** Whenever there may be something to deliver. */
  pump(): void {
    if (!this.#isOpen || this.#isBusy || this.#delay.at !== null) return;
    const [message] = this.#options.recorder().snapshot.outbox;
    if (message === undefined) return;
    this.#isBusy = true;
    void this.#deliver(message).finally(() => {
      this.#isBusy = false;
      this.pump();
    });
  }

  async #deliver(message: SentMessage): Promise<void> {
    const { recorder, deliver, clock, onChange } = this.#options;
    const sender = recorder();
    // Nobody hears of what its sender might not remember.
    await sender.settled();
    try {
      const { to, refused } = await deliver(message);
      this.#waitedSince = null;
      this.#waitMs = FIRST_WAIT_MS;
      if (this.#isOpen && recorder() === sender) this.#record(message, { to, refused });
    } catch (error) {
      if (!this.#isOpen || recorder() !== sender) return;
      this.#waitedSince ??= clock.monotonic();
      if (codeOf(error) === NO_ROOM && clock.monotonic() - this.#waitedSince < PATIENCE_MS) {
        this.#delay.start(this.#waitMs, () => this.pump());
        this.#waitMs = Math.min(MAX_WAIT_MS, this.#waitMs * 2);
        return;
      }
      this.#waitedSince = null;
      this.#record(message, { to: [], refused: [{ process: '', why: messageOf(error) }] });
    }
    onChange();
  }

  #record({ number }: SentMessage, { to, refused }: Delivery): void {
    const data = { number, to: [...to], refused: refused.map((one) => ({ ...one })) };
    this.#options.recorder().note('message_delivered', data);
  }
}
