// What of people's messages is taken: as long, as many and as often as the manifest lets them write. How often somebody wrote
// is in memory only, so a host that is started anew begins to count.

import { AppError } from '../model/errors.ts';
import { inboxDelivery, MAX_INBOX, type InboxLimits, type InboxMessage } from '../model/inbox.ts';

const HOUR_MS = 3_600_000;
/** Beyond so many senders the one who wrote first is forgotten. */
const MAX_SENDERS = 1_000;

export interface Letter {
  readonly process: string;
  readonly sender: string;
  readonly content: string;
  /** Null where its writer gave it no time. */
  readonly expiresInMs: number | null;
}

export class InboxLimiter {
  readonly #limits: InboxLimits;
  readonly #sent = new Map<string, readonly number[]>();

  constructor(limits: InboxLimits) {
    this.#limits = limits;
  }

  /**
   * For how long it waits to be read; null for ever. It counts as written from here on.
   * @throws `inbox.disabled`, `inbox.bad-message`, `inbox.full`, `inbox.too-often`
   */
  take(
    { process, sender, content, expiresInMs }: Letter,
    inbox: readonly InboxMessage[],
    nowMs: number,
  ): number | null {
    const { isEnabled, maxMessages, maxLength, defaultTtlMs, maxTtlMs } = this.#limits;
    if (!isEnabled) {
      throw new AppError(
        'inbox.disabled',
        `${process} takes no messages: its manifest says config.inbox.enabled: false.`,
        { process },
      );
    }
    if (content.trim() === '' || content.length > maxLength) {
      throw new AppError(
        'inbox.bad-message',
        `A message to ${process} has 1 to ${maxLength} characters; this one has ${content.length}.`,
      );
    }
    // At the most that any inbox holds, the least urgent makes room.
    if (maxMessages < MAX_INBOX && inboxDelivery(inbox, nowMs).length >= maxMessages) {
      throw new AppError(
        'inbox.full',
        `${process} has ${maxMessages} messages to read already, and takes no more. Write again when it has read them.`,
        { process },
      );
    }
    this.#count(process, sender, nowMs);
    const ttlMs = expiresInMs ?? defaultTtlMs;
    return ttlMs === null || maxTtlMs === null ? ttlMs : Math.min(ttlMs, maxTtlMs);
  }

  #count(process: string, sender: string, nowMs: number): void {
    const { ratePerSender } = this.#limits;
    if (ratePerSender === null) return;
    const recent = (this.#sent.get(sender) ?? []).filter((at) => at > nowMs - HOUR_MS && at <= nowMs);
    if (recent.length >= ratePerSender) {
      throw new AppError(
        'inbox.too-often',
        `${sender} wrote to ${process} ${recent.length} times within an hour, which is as often as its manifest lets anybody.`,
        { process, sender },
      );
    }
    this.#sent.delete(sender);
    if (this.#sent.size >= MAX_SENDERS) this.#sent.delete(this.#sent.keys().next().value!);
    this.#sent.set(sender, [...recent, nowMs]);
  }
}
