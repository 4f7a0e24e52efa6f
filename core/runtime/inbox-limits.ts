// What may be written to an agent, decided where a message is accepted: whether it takes any, how long one may be, how long
// it may wait, and how many a sender may write in an hour.

import { AppError } from '../model/errors.ts';
import type { InboxConfig } from '../model/inbox.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';

const HOUR_MS = 3_600_000;
/** Of those that write too much, too. */
const MAX_SENDERS = 1_000;

export class InboxLimits {
  readonly #process: string;
  readonly #config: InboxConfig;
  /** When each sender wrote in the last hour; what was written before this host began is in the state, as far as it goes. */
  readonly #written = new Map<string, readonly number[]>();

  constructor(process: string, config: InboxConfig) {
    this.#process = process;
    this.#config = config;
  }

  /** @throws `inbox.off`, `inbox.bad-message` */
  check(content: string): void {
    const { isEnabled, maxLength } = this.#config;
    if (!isEnabled) {
      throw new AppError(
        'inbox.off',
        `${this.#process} takes no messages: its manifest turns its inbox off. Turn it on there.`,
        { process: this.#process },
      );
    }
    if (content.trim() !== '' && content.length <= maxLength) return;
    throw new AppError(
      'inbox.bad-message',
      `A message to ${this.#process} has 1 to ${maxLength} characters; this one has ${content.length}.`,
    );
  }

  /** How long one waits at most; null for ever. */
  ttlOf(askedMs: number | null): number | null {
    const { defaultTtlMs, maxTtlMs } = this.#config;
    const ttl = askedMs ?? defaultTtlMs;
    if (maxTtlMs === null) return ttl;
    return ttl === null ? maxTtlMs : Math.min(ttl, maxTtlMs);
  }

  /** Counts one, unless there were too many. @throws `inbox.too-many` */
  count(sender: string, { inbox, inboxRead }: Readonly<ProcessSnapshot>, nowMs: number): void {
    const { maxPerHour } = this.#config;
    if (maxPerHour === null) return;
    const lately = (times: readonly number[]): readonly number[] =>
      times.filter((at) => at > nowMs - HOUR_MS && at <= nowMs);
    const known = [...inbox, ...inboxRead.map(({ message }) => message)]
      .filter((message) => message.sender === sender)
      .map(({ createdAt }) => Date.parse(createdAt));
    const written = lately(this.#written.get(sender) ?? []);
    const count = Math.max(written.length, lately(known).length);
    if (count >= maxPerHour) {
      throw new AppError(
        'inbox.too-many',
        `${sender} has written ${count} messages to ${this.#process} in the last hour, and ${maxPerHour} is the most. Write again later.`,
        { process: this.#process, sender, max: maxPerHour },
      );
    }
    this.#written.delete(sender);
    this.#written.set(sender, [...written, nowMs]);
    const oldest = this.#written.size > MAX_SENDERS ? this.#written.keys().next().value : undefined;
    if (oldest !== undefined) this.#written.delete(oldest);
  }
}
