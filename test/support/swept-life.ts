// What a host of the sweep is told to do.

export interface Kill {
  readonly victim: 'worker' | 'host' | 'both';
  readonly at:
    | { readonly seq: number; readonly when: 'written' | 'durable' }
    /** The how-manieth announcement that this host writes, and so long after it. */
    | { readonly effect: number; readonly delayMs: number };
}

export interface SweptOrder {
  readonly directory: string;
  readonly ledger: string;
  readonly life: string;
  readonly events: number;
  readonly kill: Kill | null;
}

export const AGENT = 'swept';
