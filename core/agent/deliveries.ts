// Everything that happens to a run reaches its code here [S26]: one thing in each macrotask, so that what follows from one
// is done before the next; what is recorded first, in the order of the journal; and only then what is new. So a re-run
// asks for the same things in the same order as the run before it, also where its code does several at once.

/** How long something recorded waits for code that does not ask for it, before that is a divergence. */
const PATIENCE_MS = 3_000;

export interface DeliveriesOptions {
  /** What is recorded of this attempt, in the order of the journal. Signals need no asking. */
  readonly recorded: readonly Recorded[];
  /** Between two things, when all that followed from the first has been done. */
  readonly afterEach: () => void;
  /** Something was asked for behind something recorded that nobody asks for. */
  readonly onStuck: (expected: string, found: string) => void;
}

export interface Recorded {
  /** The entry that tells of it. */
  readonly seq: number;
  readonly key: string;
  /** What is done when its turn comes; null for what code has to ask for first. */
  readonly act: (() => void) | null;
}

export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #asked = new Map<string, () => void>();
  readonly #earlier: { readonly seq: number; readonly act: () => void }[] = [];
  readonly #live: (() => void)[] = [];
  readonly #whenCaughtUp: (() => void)[] = [];
  #next = 0;
  #isScheduled = false;
  #isOver = false;
  #holds = 0;
  #stuck: NodeJS.Timeout | undefined;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    this.#pump();
  }

  /** Whether all that is recorded has been delivered. */
  get isLive(): boolean {
    return this.#next >= this.#options.recorded.length;
  }

  /** Nothing is on its way but what code would have to ask for first. */
  get isStill(): boolean {
    return !this.#isScheduled && this.#earlier.length === 0 && (!this.isLive || this.#live.length === 0);
  }

  /** Resolves when the turn of something recorded has come. */
  turn(key: string): Promise<void> {
    return new Promise((resolve) => {
      this.#asked.set(key, resolve);
      this.#pump();
    });
  }

  /**
   * Resolves soon: for what an earlier attempt recorded with the entry `seq`. This one may go another way [S24], so nothing
   * waits for what is not asked for; but of what is, the first in the journal comes first, so that branches side by side
   * ask for the same again.
   */
  soon(seq: number): Promise<void> {
    return new Promise((resolve) => {
      this.#earlier.push({ seq, act: resolve });
      this.#pump();
    });
  }

  /** Resolves when all that is recorded, and all that was told until then, has been delivered. */
  caughtUp(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenCaughtUp.push(resolve);
      this.#pump();
    });
  }

  /** Something new has happened. */
  live(act: () => void): void {
    this.#live.push(act);
    this.#pump();
  }

  /** Until the result is called nothing is delivered: what code asks for now comes before it, in every run. */
  hold(): () => void {
    this.#holds += 1;
    return () => {
      this.#holds -= 1;
      this.#pump();
    };
  }

  close(): void {
    this.#isOver = true;
    clearTimeout(this.#stuck);
  }

  #pump(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#step();
    });
  }

  #step(): void {
    if (this.#holds > 0) return;
    this.#options.afterEach();
    const isCaughtUp = this.isLive && this.#live.length === 0;
    if (isCaughtUp) for (const resolve of this.#whenCaughtUp.splice(0)) resolve();
    const act = this.#take();
    if (act === null) return;
    clearTimeout(this.#stuck);
    this.#stuck = undefined;
    act();
    this.#pump();
  }

  #take(): (() => void) | null {
    const recorded = this.#options.recorded[this.#next];
    const [first] = this.#earlier.sort((a, b) => a.seq - b.seq);
    // Signals that the earlier attempt got are among what is recorded of this one.
    if (
      first !== undefined &&
      (recorded === undefined || recorded.act === null || first.seq < recorded.seq)
    ) {
      this.#earlier.shift();
      return first.act;
    }
    if (recorded === undefined) return this.#live.shift() ?? null;
    const act = recorded.act ?? this.#asked.get(recorded.key);
    if (act === undefined) {
      this.#waitFor(recorded.key);
      return null;
    }
    this.#asked.delete(recorded.key);
    this.#next += 1;
    return act;
  }

  /** Branches that run side by side may take a while to ask for theirs. */
  #waitFor(key: string): void {
    if (this.#stuck !== undefined || this.#isOver) return;
    const [found] = this.#asked.keys();
    if (found === undefined && this.#live.length === 0) return;
    this.#stuck = setTimeout(() => {
      this.#stuck = undefined;
      if (this.#options.recorded[this.#next]?.key !== key) return;
      this.#options.onStuck(key, found ?? 'what came after it');
    }, PATIENCE_MS);
    this.#stuck.unref();
  }
}
