// How many workers there are at once over all processes. Whoever wants one more lines up; those who have one that does
// nothing are asked for it, and those who have had one for a while line up again. So five hundred agents share a machine
// that holds a dozen, each in its turn.

export interface Permit {
  readonly isGranted: boolean;
  release(): void;
}

interface Request {
  isGranted: boolean;
  isReleased: boolean;
  readonly onGranted: () => void;
}

export class WorkerPermits {
  readonly #most: number;
  readonly #line: Request[] = [];
  readonly #onContended: () => void;
  #granted = 0;

  /** `onContended`: somebody waits; called whenever somebody lines up. */
  constructor(most: number, onContended: () => void = () => {}) {
    this.#most = most;
    this.#onContended = onContended;
  }

  get isContended(): boolean {
    return this.#line.length > 0;
  }

  /** Granted at once or later, then with a call; in the order of asking. */
  request(onGranted: () => void): Permit {
    const request: Request = { isGranted: false, isReleased: false, onGranted };
    if (this.#granted < this.#most && this.#line.length === 0) {
      request.isGranted = true;
      this.#granted += 1;
    } else {
      this.#line.push(request);
      queueMicrotask(() => {
        if (!request.isGranted && !request.isReleased) this.#onContended();
      });
    }
    return {
      get isGranted() {
        return request.isGranted;
      },
      release: () => this.#release(request),
    };
  }

  #release(request: Request): void {
    if (request.isReleased) return;
    request.isReleased = true;
    if (request.isGranted) this.#granted -= 1;
    else this.#line.splice(this.#line.indexOf(request), 1);
    this.#grant();
  }

  #grant(): void {
    while (this.#granted < this.#most) {
      const next = this.#line.shift();
      if (next === undefined) return;
      next.isGranted = true;
      this.#granted += 1;
      // Not from within whoever released theirs.
      queueMicrotask(() => {
        if (!next.isReleased) next.onGranted();
      });
    }
  }
}
