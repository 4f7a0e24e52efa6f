/** What was begun and is not over, for whoever has to wait until nothing of it runs. */
export class UnderWay {
  readonly #all = new Set<Promise<unknown>>();

  /** Settles as the work does. */
  async follow<T>(work: Promise<T>): Promise<T> {
    this.#all.add(work);
    try {
      return await work;
    } finally {
      this.#all.delete(work);
    }
  }

  /** Resolves when all that is under way now is over, in whatever way. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#all);
  }
}
