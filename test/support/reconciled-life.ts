// What a life of effects that can be reconciled is told, and what is known of it beforehand.

export const AGENT = 'reconciled';

/** Where everything is; told to workers by their environment. */
export interface ReconciledWorld {
  /** The URL of the provider server. */
  readonly providers: string;
  readonly smtpPort: number;
  /** A socket that is asked for a Message-ID. */
  readonly mailbox: string;
  /** Null where there is none. */
  readonly postgres: string | null;
  readonly files: string;
  readonly graceMs: number;
  readonly timeoutMs: number;
}

export interface ReconciledOrder {
  readonly directory: string;
  readonly world: ReconciledWorld;
  readonly life: string;
  readonly events: number;
  /** Kills that are still to be done, each so long after an effect was announced. */
  readonly kills: readonly ReconciledKill[];
}

export interface ReconciledKill {
  readonly victim: 'worker' | 'host' | 'both';
  readonly afterMs: number;
}

/** Large enough that it is not written in one piece. */
export function contentOf(what: string): string {
  return `${what}\n`.repeat(20_000);
}
