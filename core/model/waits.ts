// What an invocation waits for and a restart does not forget: promises that somebody outside settles, and timers.

import type { Json } from './json.ts';

export const SETTLEMENTS = ['resolved', 'rejected', 'expired'] as const;
export type SettlementStatus = (typeof SETTLEMENTS)[number];

export type WaitEnd =
  /** A timer. */
  | { readonly status: 'fired' }
  | { readonly status: 'resolved'; readonly value: Json }
  | { readonly status: 'rejected'; readonly error: string }
  /** Nobody settled it in time. */
  | { readonly status: 'expired' };

export interface DurableWait {
  /** Of a promise: what an outside party holds to settle it, and nobody can guess. */
  readonly waitId: string;
  readonly kind: 'promise' | 'timer';
  readonly name: string;
  /** The how-manieth of its kind and name in the invocation, from 0. */
  readonly occurrence: number;
  readonly createdAt: string;
  /** When it fires or expires, in epoch milliseconds; null for never. */
  readonly dueAt: number | null;
  /**
   * Of one that was given as a duration: by how many milliseconds the clock was set since it began. Set back, it is due so
   * much earlier.
   */
  readonly shiftMs?: number;
  /** What whoever settles it gets to see. */
  readonly data: Json;
  /** The entry that tells of it, and the one that tells of its end. */
  readonly seq: number;
  readonly end: WaitEnd | null;
  readonly endSeq: number | null;
}

/** What somebody outside says that a promise has become. */
export type Settlement =
  | { readonly status: 'resolved'; readonly value: Json }
  | { readonly status: 'rejected'; readonly error: string };

/** A promise that was settled, kept for a while after its invocation: whoever settles it again is told the same. */
export interface SettledPromise {
  readonly promiseId: string;
  readonly status: SettlementStatus;
  readonly at: string;
}

export function isSettlementStatus(text: string): text is SettlementStatus {
  return (SETTLEMENTS as readonly string[]).includes(text);
}

/** The first of them that comes due, in epoch milliseconds; null when none does. */
export function nextDue(waits: Iterable<DurableWait>): number | null {
  let first: number | null = null;
  for (const { dueAt, end } of waits) {
    if (dueAt !== null && end === null && (first === null || dueAt < first)) first = dueAt;
  }
  return first;
}

/** Those that are due at `nowMs`, in the order in which they came due. */
export function dueWaits(waits: readonly DurableWait[], nowMs: number): readonly DurableWait[] {
  return waits
    .filter(({ dueAt, end }) => dueAt !== null && end === null && dueAt <= nowMs)
    .sort((a, b) => a.dueAt! - b.dueAt! || a.seq - b.seq);
}
