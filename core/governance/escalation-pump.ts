// Delivers what was raised, from the process's state: whatever is pending there and due is told, each receiver by itself, so
// that one that hangs holds up nobody else.

import { payloadOf, type EscalationConfig } from '../model/escalation.ts';
import {
  DELIVERY_TARGETS,
  type DeliveryTarget,
  type EscalationDelivery,
  type RaisedCause,
} from '../model/escalation-state.ts';
import type { Clock, Ids } from '../model/ports.ts';
import { timestampOf } from '../model/time.ts';
import { Delay } from '../runtime/delay.ts';
import type { Recorder } from '../runtime/recorder.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import { sentenceOf, type DeliveryResult } from './escalation-delivery.ts';
import { MAX_TIME_MS, nextWaitMs } from './retry-plan.ts';
import type { Post, PostOutcome } from './webhook-post.ts';

/** Connections of one process at once. */
const AT_ONCE = 8;

export interface PumpOptions {
  readonly process: string;
  readonly config: () => { readonly escalation: EscalationConfig | null };
  readonly recorder: () => Recorder;
  readonly isSound: () => boolean;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly post: Post;
  readonly random: () => number;
  readonly onEvent: () => void;
  /** Null where the manifest names none any more. */
  readonly urlOf: (cause: RaisedCause) => string | null;
  /** To be recorded. */
  readonly onDone: (cause: RaisedCause, result: DeliveryResult) => void;
}

/** When a delivery was first tried in this life of the host, and when it is due, on the monotonic clock. */
interface Tries {
  readonly sinceMs: number;
  dueMs: number;
}

export class EscalationPump {
  readonly #options: PumpOptions;
  readonly #delay: Delay;
  readonly #tries = new Map<string, Tries>();
  readonly #underWay = new Set<string>();
  /** Whoever waits for what becomes of a cause's first attempts. */
  readonly #waiting = new Map<string, (sentence: string) => void>();
  #life: AbortController | null = null;

  constructor(options: PumpOptions) {
    this.#options = options;
    this.#delay = new Delay(options.clock);
  }

  open(): void {
    this.#life ??= new AbortController();
    this.run();
  }

  close(): void {
    this.#life?.abort();
    this.#life = null;
    this.#delay.cancel();
  }

  /** Whenever there may be something to tell. */
  run(): void {
    const { recorder, clock } = this.#options;
    const { escalations } = recorder().snapshot;
    this.#delay.cancel();
    if (!this.#mayTell) return;
    let next = Number.POSITIVE_INFINITY;
    for (const cause of escalations) {
      for (const delivery of cause.deliveries) {
        const name = nameOf(cause, delivery.target);
        if (delivery.status !== 'pending' || this.#underWay.has(name)) continue;
        const waitMs = this.#triesOf(name, delivery).dueMs - clock.monotonic();
        if (waitMs > 0) next = Math.min(next, waitMs);
        else if (this.#underWay.size < AT_ONCE) this.#start(name, cause, delivery);
      }
    }
    if (next !== Number.POSITIVE_INFINITY) this.#delay.start(next, () => this.run());
  }

  /** Resolves with a sentence for each receiver of a cause that was raised just now, once each was tried. */
  async told(cause: RaisedCause): Promise<readonly string[]> {
    return Promise.all(
      cause.deliveries.map(
        ({ target, to }) =>
          new Promise<string>((resolve) => {
            if (this.#mayTell) this.#waiting.set(nameOf(cause, target), resolve);
            else resolve(`${to} was not told: nothing is sent as long as its process is not sound.`);
          }),
      ),
    );
  }

  /** Nobody is left to be told of this cause. */
  forget(id: string): void {
    for (const target of DELIVERY_TARGETS) this.#tries.delete(nameOf({ id }, target));
  }

  /** Where nobody knows whether this journal is the one that counts, another host may be telling [S10]. */
  get #mayTell(): boolean {
    const { recorder, isSound } = this.#options;
    const isGap = recorder().snapshot.holds.some(({ kind }) => kind === 'gap');
    return this.#life !== null && isSound() && !isGap;
  }

  /** What the journal says of another life's clock holds for no longer than anything is tried at all. */
  #triesOf(name: string, { dueAt }: EscalationDelivery): Tries {
    const known = this.#tries.get(name);
    if (known !== undefined) return known;
    const { clock } = this.#options;
    const now = clock.monotonic();
    const waitMs = dueAt === null ? 0 : Math.min(MAX_TIME_MS, Math.max(0, Date.parse(dueAt) - clock.now()));
    const tries = { sinceMs: now + waitMs, dueMs: now + waitMs };
    this.#tries.set(name, tries);
    return tries;
  }

  #start(name: string, cause: RaisedCause, delivery: EscalationDelivery): void {
    this.#underWay.add(name);
    const telling =
      delivery.target === 'event' ? this.#sendEvent(cause, delivery) : this.#post(cause, delivery);
    void telling.then((result) => {
      this.#underWay.delete(name);
      if (result !== null) this.#options.onDone(cause, result);
      this.#waiting.get(name)?.(
        result === null ? `${delivery.to} was not told: it was called off.` : sentenceOf(result),
      );
      this.#waiting.delete(name);
      this.run();
    });
  }

  /** In the record of what the process has sent it is delivered from there [S38]. */
  async #sendEvent(cause: RaisedCause, { to }: EscalationDelivery): Promise<DeliveryResult> {
    const { process, recorder, ids, onEvent } = this.#options;
    const { sent, numbering } = recorder().snapshot;
    const event = {
      number: sent + 1,
      numbering: numbering || ids.next(),
      kind: 'event',
      topic: to,
      data: payloadOf(process, cause),
      escalation_id: cause.id,
    };
    // Its receivers remember its number for good, so its sender must too [S29, S38].
    recorder()
      .record('message_sent', event, { synced: true })
      .catch(() => {}); // the recorder has told the process
    onEvent();
    return { target: 'event', to, attempt: 1, status: null, isSent: true };
  }

  /** Null where it was called off: it is pending as before. */
  async #post(cause: RaisedCause, delivery: EscalationDelivery): Promise<DeliveryResult | null> {
    const { recorder, isSound } = this.#options;
    const life = this.#life;
    const own = recorder();
    // Nobody hears of what the journal might not remember.
    await own.settled();
    const isStillHere = (): boolean =>
      life !== null && life === this.#life && recorder() === own && isSound();
    if (life === null || !isStillHere()) return null;
    const outcome = await this.#attempt(cause, life.signal);
    return isStillHere() ? this.#resultOf(cause, delivery, outcome) : null;
  }

  async #attempt(cause: RaisedCause, signal: AbortSignal): Promise<PostOutcome> {
    const { process, config, clock, post, urlOf } = this.#options;
    const url = urlOf(cause);
    if (url === null) {
      const reason = 'the manifest names no webhook for it any more';
      return { isSent: false, reason, status: null, mayRetry: false, retryAfterMs: null };
    }
    const { escalation } = config();
    const body = JSON.stringify(payloadOf(process, cause));
    const secret = escalation?.secret ?? null;
    return post({
      url,
      body,
      headers: deliveryHeaders({ id: cause.id, body, secret, nowMs: clock.now() }),
      allowPrivate: escalation?.allowPrivate ?? false,
      signal,
    });
  }

  #resultOf(cause: RaisedCause, delivery: EscalationDelivery, outcome: PostOutcome): DeliveryResult {
    const { clock, random } = this.#options;
    const attempt = delivery.attempts + 1;
    const common = { target: delivery.target, to: delivery.to, attempt, status: outcome.status };
    if (outcome.isSent) return { ...common, isSent: true };
    const tries = this.#triesOf(nameOf(cause, delivery.target), delivery);
    const { reason, mayRetry, retryAfterMs } = outcome;
    const now = clock.monotonic();
    const waitMs = nextWaitMs({
      attempts: attempt,
      elapsedMs: now - tries.sinceMs,
      // Whoever asked for a test is told what came of it.
      mayRetry: mayRetry && cause.kind !== 'test',
      retryAfterMs,
      chance: random(),
    });
    if (waitMs !== null) tries.dueMs = now + waitMs;
    const retryAt = waitMs === null ? null : timestampOf(clock.now() + waitMs);
    return { ...common, isSent: false, reason, retryAt };
  }
}

function nameOf({ id }: Pick<RaisedCause, 'id'>, target: DeliveryTarget): string {
  return `${target} ${id}`;
}
