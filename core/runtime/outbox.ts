// Delivers what a process has sent from its own journal: in its order, one at a time, as often as it takes. Receivers know
// what they have heard, so a delivery that a crash interrupts is made again and arrives once [S38].

import type { SentMessage } from '../model/messages.ts';
import type { Clock } from '../model/ports.ts';
import { Delay } from './delay.ts';
import type { Recorder } from './recorder.ts';
import type { Delivery } from './switchboard.ts';

/** So long a receiver that can't take a message is asked again, before it counts as refusing. */
const PATIENCE_MS = 30_000;
/** And so long it is asked only once, so that it does not hold up everybody else. */
const IMPATIENCE_MS = 60_000;
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
  /** Until when a receiver is asked only once, on the monotonic clock. */
  readonly #impatientUntil = new Map<string, number>();

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
    const isStillHere = (): boolean => this.#isOpen && recorder() === sender;
    // Nobody hears of what its sender might not remember.
    await sender.settled();
    if (!isStillHere()) return;
    const { to, refused, later } = await deliver(message);
    if (!isStillHere()) return;
    const now = clock.monotonic();
    const asked = later.filter(({ process }) => (this.#impatientUntil.get(process) ?? 0) < now);
    if (asked.length > 0) {
      this.#waitedSince ??= now;
      if (now - this.#waitedSince < PATIENCE_MS) {
        this.#delay.start(this.#waitMs, () => this.pump());
        this.#waitMs = Math.min(MAX_WAIT_MS, this.#waitMs * 2);
        return;
      }
      for (const { process } of asked) this.#impatientUntil.set(process, now + IMPATIENCE_MS);
    }
    this.#waitedSince = null;
    this.#waitMs = FIRST_WAIT_MS;
    const all = [...refused, ...later].map((one) => ({ ...one }));
    recorder().note('message_delivered', { number: message.number, to: [...to], refused: all });
    onChange();
  }
}
