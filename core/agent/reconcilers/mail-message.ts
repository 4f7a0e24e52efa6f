// A mail with a Message-ID of its own, and a mailbox in which it can be looked for.

import { codeOf, messageOf } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';
import { DidNotHappen } from '../effect-errors.ts';
import {
  beforehand,
  notThere,
  reconciledEffect,
  tokenOf,
  type ReconciledEffect,
  type ReconcilerOptions,
} from './reconciled-effect.ts';

/**
 * Like what `createTransport` of the package `nodemailer` gives. What it is to send has a `signal`; one that takes no heed of it
 * has to give up by itself before `timeoutMs`.
 */
export interface MailTransport {
  sendMail(message: Record<string, unknown>): Promise<{ readonly rejected?: readonly unknown[] }>;
  close?(): void;
}

export interface MailMessageOptions extends ReconcilerOptions {
  /** Called for each attempt. */
  readonly transport: () => MailTransport | Promise<MailTransport>;
  /** What the transport is given, beside the Message-ID: `from`, `to`, `subject`, `text` and the like. */
  readonly message: Readonly<Record<string, Json>>;
  /** Behind the @ of the Message-ID. */
  readonly domain: string;
  /** Whether a message with this Message-ID is there; see {@link findByImap}. */
  readonly find: (messageId: string, signal: AbortSignal) => Promise<boolean>;
  /**
   * How long a message that was accepted takes at most until `find` finds it. Nobody but you knows that: a copy in *Sent* is
   * there in seconds, delivery may take minutes. Later than that it is sent again.
   */
  readonly graceMs: number;
}

export type MailSent = {
  readonly messageId: string;
  /** Who was refused while others were not; null where that can't be told any more. */
  readonly rejected: readonly string[] | null;
};

/**
 * Sends a mail, once. Its Message-ID is `<hf-…@domain>` with 40 hexadecimal digits of the SHA-256 of its key, so it is the same
 * in every attempt, and most receivers show two of the same only once.
 *
 * It did not happen where there was no connection, or the server refused (4xx is tried again, 5xx is not). Whatever else goes
 * wrong leaves it in doubt. It happened where `find` finds it; it is *unknown yet* while `find` fails, and until nothing has been
 * sent for `graceMs`; after that it did not happen. That is as certain as your `graceMs` is.
 */
export function mailMessage(
  options: MailMessageOptions,
): ReconciledEffect<MailSent, Readonly<Record<string, Json>>> {
  const { transport, message, domain, find, graceMs } = options;
  const messageIdOf = (key: string): string => `<${tokenOf(key)}@${domain}>`;
  return reconciledEffect<MailSent, Readonly<Record<string, Json>>>(options, {
    args: message,
    perform: async ({ args, key, signal }) => {
      const messageId = messageIdOf(key);
      const opened = await beforehand(transport);
      try {
        // With the signal, so that what is given up is not sent later.
        signal.throwIfAborted();
        const { rejected = [] } = await opened.sendMail({ ...args, messageId, signal });
        return { messageId, rejected: rejected.map(String) };
      } catch (error) {
        throw refusal(error) ?? error;
      } finally {
        opened.close?.();
      }
    },
    reconcile: async (call) => {
      const messageId = messageIdOf(call.key);
      if (await find(messageId, call.signal)) {
        return { happened: true, result: { messageId, rejected: null } };
      }
      return notThere(call, graceMs);
    },
  });
}

/** As nodemailer calls it: no login, no sender or recipient that is taken, or no message that is. */
const REFUSED: ReadonlySet<string> = new Set(['EAUTH', 'EENVELOPE', 'EMESSAGE']);
const UNREACHED: ReadonlySet<string> = new Set(['EDNS', 'ECONNREFUSED', 'ENOTFOUND']);

/**
 * Null where the server may have taken it all the same. A connection that is lost says nothing, whatever the server said last:
 * nodemailer calls that `CONN`, also where the whole message was sent.
 */
function refusal(error: unknown): DidNotHappen | null {
  if (!(error instanceof Error)) return null;
  const code = codeOf(error) ?? '';
  const isUnreached = UNREACHED.has(code) || ('syscall' in error && error.syscall === 'connect');
  if (!isUnreached && !REFUSED.has(code)) return null;
  const status = 'responseCode' in error ? Number(error.responseCode) : Number.NaN;
  const retryable = isUnreached || (status >= 400 && status < 500);
  return new DidNotHappen(messageOf(error), { retryable, cause: error });
}

/** Like an `ImapFlow` of the package `imapflow`. */
export interface ImapClient {
  connect(): Promise<unknown>;
  getMailboxLock(folder: string): Promise<{ release(): void }>;
  search(query: { header: Record<string, string> }, options: { uid: boolean }): Promise<unknown>;
  /** Ends the connection at once. */
  close(): void;
}

export interface FindByImapOptions {
  /** A new one for each question, not connected yet. */
  readonly client: () => ImapClient | Promise<ImapClient>;
  /** Looked at one after the other. */
  readonly folders: readonly string[];
}

/** For {@link mailMessage}: looks for the Message-ID in these folders. */
export function findByImap({ client, folders }: FindByImapOptions): MailMessageOptions['find'] {
  return async (messageId, signal) => {
    const imap = await client();
    const end = (): void => imap.close();
    signal.addEventListener('abort', end, { once: true });
    try {
      await imap.connect();
      for (const folder of folders) {
        const lock = await imap.getMailboxLock(folder);
        try {
          const found = await imap.search({ header: { 'message-id': messageId } }, { uid: true });
          if (!Array.isArray(found)) throw new Error(`the server did not search ${folder}`);
          if (found.length > 0) return true;
        } finally {
          lock.release();
        }
      }
      return false;
    } finally {
      signal.removeEventListener('abort', end);
      imap.close();
    }
  };
}
