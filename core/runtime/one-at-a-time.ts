/** Does one thing at a time, in the order in which it was asked for. */
export class OneAtATime {
  #last: Promise<void> = Promise.resolve();

  /** Rejects as `act` does; what comes behind it goes on all the same. */
  run(act: () => void | Promise<void>): Promise<void> {
    const done = this.#last.then(act);
    this.#last = done.catch(() => {}); // whoever asked is told
    return done;
  }

  /** Resolves when nothing is being done and nothing waits. */
  async idle(): Promise<void> {
    for (let seen: Promise<void> | null = null; seen !== this.#last;) {
      seen = this.#last;
      await seen;
    }
  }
}
