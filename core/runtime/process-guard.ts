// Whether anything may be done to a process: one thing at a time, nothing where its journal failed, and nothing once its
// host closes.

import { AppError } from '../model/errors.ts';
import { OneAtATime } from './one-at-a-time.ts';

export class ProcessGuard {
  readonly #process: string;
  readonly #orders = new OneAtATime();
  #trouble: AppError | null = null;
  #quitting: AppError | null = null;

  constructor(process: string) {
    this.#process = process;
  }

  /** Why the process can't be moved at all; only force-recover helps. */
  get trouble(): AppError | null {
    return this.#trouble;
  }

  set trouble(trouble: AppError | null) {
    this.#trouble = trouble;
  }

  /** Whether the process may move by itself. */
  get mayMove(): boolean {
    return this.#trouble === null && this.#quitting === null;
  }

  /** From now on nothing is done to it any more, for this reason. Resolves when what is being done is done. */
  async quit(why: AppError = closing(this.#process)): Promise<void> {
    this.#quitting = why;
    await this.#orders.idle();
  }

  /** Does it when nothing else is being done to the process. */
  exclusively(act: () => void | Promise<void>): Promise<void> {
    return this.#orders.run(() => {
      this.refuseQuitting();
      return act();
    });
  }

  /** The same, where its journal takes what is done. */
  exclusivelyIfSound(act: () => void | Promise<void>): Promise<void> {
    return this.exclusively(() => {
      this.refuseTrouble();
      return act();
    });
  }

  /** Resolves when nothing is being done to the process; rejects when nothing can be. */
  async ready(): Promise<void> {
    await this.#orders.idle();
    this.refuseQuitting();
    this.refuseTrouble();
  }

  /** @throws what the trouble is */
  refuseTrouble(): void {
    if (this.#trouble !== null) throw this.#trouble;
  }

  /** @throws `host.closing`, or why else it quits */
  refuseQuitting(): void {
    if (this.#quitting !== null) throw this.#quitting;
  }
}

function closing(process: string): AppError {
  return new AppError('host.closing', `The host of ${process} is closing. Start it again first.`);
}
