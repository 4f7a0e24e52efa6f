/** What came of things since the journal began; of a fork, since it was made. Never changed in place. */
export interface Tally {
  /** Attempts of invocations that failed. */
  readonly failed: number;
  /** Effects by how they ended: those that were in doubt first count there, and again once that is decided. */
  readonly done: number;
  readonly didNotHappen: number;
  readonly inDoubt: number;
}

export function emptyTally(): Tally {
  return { failed: 0, done: 0, didNotHappen: 0, inDoubt: 0 };
}
