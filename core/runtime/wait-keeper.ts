// Ends durable waits: timers and expiring promises when they are due, late rather than never, and promises when somebody
// outside settles them. Each ends once, and its end is in the journal before anybody hears of it.

import { AppError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { Clock } from '../model/ports.ts';
import type { OpenInvocation } from '../model/snapshot.ts';
import { nextRetry } from '../model/standing.ts';
import { timestampOf } from '../model/time.ts';
import { dueWaits, nextDue, type DurableWait, type Settlement, type WaitEnd } from '../model/waits.ts';
import { Delay } from './delay.ts';
import type { Actor } from './lifecycle-driver.ts';
import type { Recorder } from './recorder.ts';

/** The clock may be set, and machines sleep: nothing is waited for longer than this without another look. */
const MAX_WAIT_MS = 10_000;

export interface WaitKeeperOptions {
  readonly process: string;
  readonly clock: Clock;
  readonly recorder: () => Recorder;
  readonly onEnded: (eventId: string, waitId: string, end: WaitEnd) => void;
  /** The next attempt of a failed invocation may begin. */
  readonly onRetryDue: () => void;
}

export interface Settled {
  /** What it was settled as, by this call or before it. */
  readonly status: string;
  readonly isFirst: boolean;
}

export class WaitKeeper {
  readonly #options: WaitKeeperOptions;
  readonly #delay: Delay;
  #isOpen = false;
  #isLooking = false;
  #isAsked = false;

  constructor(options: WaitKeeperOptions) {
    this.#options = options;
    this.#delay = new Delay(options.clock);
  }

  /** Epoch milliseconds at which the next thing is due; null for nothing. */
  get next(): number | null {
    const { snapshot } = this.#options.recorder();
    const due = nextDue(snapshot.open.flatMap(({ waits }) => waits));
    const retry = nextRetry(snapshot);
    if (due === null || retry === null) return due ?? retry;
    return Math.min(due, retry);
  }

  /** Ends what is due, and goes on doing so until it is closed. */
  open(): void {
    this.#isOpen = true;
    this.look();
  }

  close(): void {
    this.#isOpen = false;
    this.#delay.cancel();
  }

  /** Whenever what is waited for may have changed. */
  look(): void {
    // What ends one leads to another look, from within this one.
    this.#isAsked = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      while (this.#isOpen && this.#isAsked) {
        this.#isAsked = false;
        this.#lookOnce();
      }
    } finally {
      this.#isLooking = false;
    }
  }

  #lookOnce(): void {
    const { clock, recorder, onRetryDue } = this.#options;
    if (this.next !== null) recorder().lookAtClock();
    const now = clock.now();
    for (const open of recorder().snapshot.open) {
      for (const wait of dueWaits(open.waits, now)) this.#fire(open, wait, now);
    }
    const retry = nextRetry(recorder().snapshot);
    if (retry !== null && retry <= now) onRetryDue();
    const next = this.next;
    if (!this.#isOpen) return;
    if (next === null) this.#delay.cancel();
    else
      this.#delay.start(
        Math.max(retry !== null && retry <= now ? 1_000 : 1, Math.min(MAX_WAIT_MS, next - now)),
        () => this.look(),
      );
  }

  #fire({ event }: OpenInvocation, { waitId, kind, dueAt }: DurableWait, now: number): void {
    const { recorder, onEnded } = this.#options;
    const event_id = event.eventId;
    if (kind === 'timer') {
      recorder().note('timer_fired', { event_id, timer_id: waitId, late_ms: Math.max(0, now - dueAt!) });
      onEnded(event.eventId, waitId, { status: 'fired' });
      return;
    }
    const expired = { event_id, promise_id: waitId, status: 'expired', by: 'host' };
    // Whoever settles it too late is told so, and so it stays [S29].
    recorder()
      .record('promise_settled', expired, { synced: true })
      .catch(() => {}); // the recorder has told the process
    onEnded(event.eventId, waitId, { status: 'expired' });
  }

  /** Whether this process knows of the promise, open or settled. */
  knows(promiseId: string): boolean {
    const { open, settled, deadLetters } = this.#options.recorder().snapshot;
    return (
      this.#find(promiseId) !== null ||
      settled.some((other) => other.promiseId === promiseId) ||
      [...open, ...deadLetters.flatMap((letter) => letter.open ?? [])].some(({ waits }) =>
        waits.some(({ waitId }) => waitId === promiseId),
      )
    );
  }

  /**
   * Resolves when the settlement is durable [S29]. One that comes second changes nothing, and is told what the first
   * was.
   * @throws `promise.not-found`
   */
  async settle(promiseId: string, given: Settlement, actor: Actor): Promise<Settled> {
    const { process, recorder, clock, onEnded } = this.#options;
    // As it is recorded, so that whoever waits for it gets what a re-run gets.
    const settlement = recorder().scrubbed(given);
    const found = this.#find(promiseId);
    if (found === null) {
      const before = recorder().snapshot.settled.find((other) => other.promiseId === promiseId);
      if (before !== undefined) {
        await recorder().settled();
        return { status: before.status, isFirst: false };
      }
      throw new AppError(
        'promise.not-found',
        `${process} waits for no promise ${promiseId} (any more): its invocation has ended, or there never was one.`,
        { promiseId },
      );
    }
    const { open, wait } = found;
    if (wait.end !== null) {
      await recorder().settled();
      return { status: wait.end.status, isFirst: false };
    }
    const data: JsonObject = {
      event_id: open.event.eventId,
      promise_id: promiseId,
      ...settlement,
      by: actor.name,
      reason: actor.reason,
      settled_at: timestampOf(clock.now()),
    };
    const durable = recorder().record('promise_settled', data, { synced: true });
    onEnded(open.event.eventId, promiseId, settlement);
    await durable;
    return { status: settlement.status, isFirst: true };
  }

  #find(promiseId: string): { readonly open: OpenInvocation; readonly wait: DurableWait } | null {
    for (const open of this.#options.recorder().snapshot.open) {
      const wait = open.waits.find(({ kind, waitId }) => kind === 'promise' && waitId === promiseId);
      if (wait !== undefined) return { open, wait };
    }
    return null;
  }
}
