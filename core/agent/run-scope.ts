// What the parts of one run share: the channel, what waits for the host's word, and whether the run is over.

import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '../model/errors.ts';
import type { FromWorker, ToWorker } from '../model/worker-protocol.ts';

export type Invoke = Extract<ToWorker, { type: 'invoke' }>;
export type Reply = Exclude<ToWorker, { type: 'invoke' } | { type: 'ping' }>;
type Unnumbered<T> = T extends { readonly run: number } ? Omit<T, 'run'> : never;

/** Set while an effect is being performed, whose code must not use `ctx`. */
const performing = new AsyncLocalStorage<string>();

export class RunScope {
  readonly invoke: Invoke;
  readonly #send: (message: FromWorker) => void;
  readonly #waiting = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  readonly #underWay = new Set<Promise<unknown>>();
  #isOver = false;
  #diverged: AppError | null = null;

  constructor(invoke: Invoke, send: (message: FromWorker) => void) {
    this.invoke = invoke;
    this.#send = send;
  }

  /** The first divergence, which code that swallows errors does not get away with. */
  get diverged(): AppError | null {
    return this.#diverged;
  }

  send(message: Unnumbered<FromWorker>): void {
    this.#send({ ...message, run: this.invoke.run });
  }

  /** Sends, and resolves when the host has answered `name`; rejects when it refuses. */
  ask(name: string, message: Unnumbered<FromWorker>): Promise<void> {
    const answer = new Promise<void>((resolve, reject) => void this.#waiting.set(name, { resolve, reject }));
    this.send(message);
    return answer;
  }

  heard(reply: Reply): void {
    const name =
      reply.type === 'write-recorded' ? `write ${reply.ordinal}` : `${phaseOf(reply)} ${reply.effectId}`;
    const waiter = this.#waiting.get(name);
    this.#waiting.delete(name);
    if (reply.type === 'effect-refused') waiter?.reject(new AppError(reply.code, reply.message));
    else waiter?.resolve();
  }

  /** Refuses what can't be done now: after the end of the run, or from within an effect. */
  refuseUnlessOpen(what: string): void {
    const effect = performing.getStore();
    if (effect !== undefined) {
      throw new AppError(
        'effect.nested',
        `${what} was called inside the effect ${effect}. A re-run does not perform it again, so what it does has to stand outside: return a value and go on from there.`,
      );
    }
    if (this.#isOver) {
      throw new AppError(
        'invocation.over',
        `${what} was called after the invocation had ended. Await everything that onTrigger begins.`,
      );
    }
  }

  /** Keeps the run from ending before this has. Rejections are the caller's, even where it does not listen. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    work.then(
      () => this.#underWay.delete(work),
      () => this.#underWay.delete(work),
    );
    return work;
  }

  perform<T>(effect: string, act: () => Promise<T>): Promise<T> {
    return performing.run(effect, act);
  }

  /** Resolves when everything tracked has ended; from now on nothing new begins. */
  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#underWay);
  }

  diverge(expected: string, found: string): AppError {
    this.#diverged ??= new AppError(
      'replay.diverged',
      `The code no longer does what was recorded: expected ${expected}, found ${found}. Put back the code that began this invocation, then force-recover.`,
      { expected, found },
    );
    return this.#diverged;
  }
}

function phaseOf({ type }: Exclude<Reply, { type: 'write-recorded' }>): string {
  return type === 'effect-recorded' ? 'recorded' : 'permitted';
}
