// What the parts of one run share: the channel, what waits for the host's word, what is recorded and not asked for yet,
// and whether the run is over.

import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '../model/errors.ts';
import { MAX_TOLD_WAITS } from '../model/limits.ts';
import type { ServerStatus } from '../model/tools.ts';
import type { FromWorker, ToWorker } from '../model/worker-protocol.ts';
import { END_OF_INVOCATION } from './check-message.ts';
import type { Scrubber } from '../model/scrubber.ts';
import { Deliveries, type Recorded } from './deliveries.ts';
import { afterHaving, type Patience } from './patience.ts';

export type Invoke = Extract<ToWorker, { type: 'invoke' }>;
export type Reply = Extract<ToWorker, { readonly run: number }> & {
  readonly type: Exclude<ToWorker['type'], 'invoke'>;
};
type Unnumbered<T> = T extends { readonly run: number } ? Omit<T, 'run'> : never;
export type Said = Unnumbered<FromWorker>;

/** How long something new waits for recorded things that nobody asks for, before that is a divergence. */
const LEFTOVER_PATIENCE_MS = 3_000;
/** Writes, waits, messages and readings of one run. */
const MAX_TOLD = 20_000;
/** So long nothing happens before a run that waits says so. */
const QUIET_MS = 25;

const PUT_BACK = 'Put back the code that began this invocation, then force-recover.';

/** Set while code runs that must not use `ctx`, with what it is. */
const inside = new AsyncLocalStorage<string>();

/** Something recorded that its code has not asked for. */
export interface Left {
  readonly seq: number;
  /** For a person. */
  readonly text: string;
}

/** Part of a run that can have more in its record than its code has asked for: the first such thing. */
export interface Leftover {
  (): Left | undefined;
}

export class RunScope {
  readonly invoke: Invoke;
  readonly deliveries: Deliveries;
  /** What this worker was given: it goes through `ctx` to nobody, so that what code gets back is what a re-run gets. */
  readonly secrets: Scrubber;
  /** Resolves with the first divergence, which code that swallows errors does not get away with. */
  readonly diverged: Promise<AppError>;
  /** In a run that only looks: resolves when its code has come to the end of the record. */
  readonly atEnd: Promise<void>;
  /** Whether code listens to signals. */
  isListening = false;
  /** How much the host has said about waits and signals. */
  heard = 0;
  readonly #send: (message: FromWorker) => void;
  readonly #permits = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  readonly #outcomes = new Map<string, () => void>();
  readonly #effects = new Set<Promise<unknown>>();
  readonly #acting = new Set<Promise<unknown>>();
  readonly #leftovers: Leftover[] = [];
  readonly #parked = new Set<() => void>();
  readonly #afterEach: (() => void)[] = [];
  readonly #waitsFor = new Map<symbol, string | null>();
  #quiet: NodeJS.Timeout | undefined;
  #stuck: Patience | undefined;
  #lined: Promise<void> | null = null;
  #told = 0;
  #isUsed = false;
  #isOver = false;
  #divergence: AppError | null = null;
  #tellDiverged!: (error: AppError) => void;
  #tellAtEnd!: () => void;

  constructor(
    invoke: Invoke,
    send: (message: FromWorker) => void,
    recorded: readonly Recorded[],
    secrets: Scrubber,
  ) {
    this.invoke = invoke;
    this.secrets = secrets;
    this.#send = send;
    this.diverged = new Promise((resolve) => (this.#tellDiverged = resolve));
    this.atEnd = new Promise((resolve) => (this.#tellAtEnd = resolve));
    this.deliveries = new Deliveries({
      recorded,
      afterEach: () => {
        for (const look of this.#afterEach) look();
        this.touch();
      },
      onStuck: (expected, found) => void this.diverge(expected, found),
    });
  }

  /** Whether something new may be begun; otherwise the run only looks. */
  get isReal(): boolean {
    return this.invoke.mode === 'run';
  }

  /** Whether the run is there to find out what its code no longer does as recorded. */
  get isCheck(): boolean {
    return this.invoke.mode === 'check';
  }

  get divergence(): AppError | null {
    return this.#divergence;
  }

  send(message: Said): void {
    this.#send({ ...message, run: this.invoke.run });
    this.touch();
  }

  /** Of no run: it may be told after this one. */
  tellServers(servers: readonly ServerStatus[]): void {
    this.#send({ type: 'tool-servers', servers: this.secrets.json(servers) });
  }

  /** Sends, and resolves when the host permits it; rejects when it refuses. */
  permit(effectId: string, message: Said): Promise<void> {
    const answer = new Promise<void>(
      (resolve, reject) => void this.#permits.set(effectId, { resolve, reject }),
    );
    this.send(message);
    return answer;
  }

  permitted(effectId: string, refusal: AppError | null): void {
    const waiter = this.#permits.get(effectId);
    this.#permits.delete(effectId);
    if (refusal === null) waiter?.resolve();
    else this.deliveries.live(() => waiter?.reject(refusal));
  }

  /**
   * Nothing else can happen to the run now, so the one effect that is under way ends before anything else does, whenever
   * its end is recorded: what follows from it comes behind it in the journal, and nothing outward before that.
   */
  get isAlone(): boolean {
    return (
      this.#effects.size === 1 && this.#waitsFor.size === 0 && !this.isListening && this.deliveries.isLive
    );
  }

  /** Resolves when the end of an effect is in the journal, and its turn has come. */
  outcome(effectId: string): Promise<void> {
    return new Promise((resolve) => void this.#outcomes.set(effectId, resolve));
  }

  outcomeRecorded(effectId: string): void {
    const deliver = this.#outcomes.get(effectId);
    this.#outcomes.delete(effectId);
    if (deliver !== undefined) this.deliveries.live(deliver);
  }

  // --- the record

  addLeftover(leftover: Leftover): void {
    this.#leftovers.push(leftover);
  }

  /** The first thing recorded of this attempt that nobody asked for. */
  leftover(): string | undefined {
    let first: Left | undefined;
    for (const leftover of this.#leftovers) {
      const left = leftover();
      if (left !== undefined && (first === undefined || left.seq < first.seq)) first = left;
    }
    return first?.text;
  }

  /** Something recorded was asked for. */
  asked(): void {
    for (const wake of this.#parked) wake();
  }

  /** Whether a new thing may be begun at once: everything recorded has been asked for. */
  get isRecordUsed(): boolean {
    // A record that is used up stays so.
    this.#isUsed ||= this.leftover() === undefined;
    return this.#isUsed;
  }

  /**
   * Resolves when something new, `found`, may be begun. Branches that run side by side may take a while to ask for
   * theirs; one that never does is a divergence.
   */
  async begin(found: string): Promise<void> {
    while (!this.isRecordUsed) {
      let wake!: () => void;
      let patience: Patience | undefined;
      const first = await new Promise<'asked' | 'late'>((resolve) => {
        wake = () => resolve('asked');
        this.#parked.add(wake);
        patience = afterHaving(LEFTOVER_PATIENCE_MS, () => resolve('late'));
      });
      patience?.end();
      this.#parked.delete(wake);
      const left = this.leftover();
      if (first === 'late' && left !== undefined) throw this.diverge(left, found);
    }
    if (this.isReal) return;
    // What only looks does nothing new: it has seen all there is.
    if (this.isCheck) throw this.unrecorded(found);
    this.#tellAtEnd();
    await never();
  }

  /**
   * Tells the host of something new, `found`: at once, so that it keeps its place, or behind a record that is not used up
   * yet, in the order of asking.
   */
  lineUp(found: string, tell: () => void): Promise<void> {
    if (this.#lined === null && this.isReal && this.isRecordUsed) {
      this.#refuseTooMany();
      tell();
      return Promise.resolve();
    }
    const lined = (this.#lined ?? Promise.resolve()).then(() => this.begin(found)).then(tell);
    this.#lined = lined;
    const done = (): void => {
      if (this.#lined === lined) this.#lined = null;
    };
    lined.finally(done).catch(() => {}); // whoever lined it up is told
    return lined;
  }

  /** All of them are in every checkpoint that is written meanwhile. */
  #refuseTooMany(): void {
    this.#told += 1;
    if (this.#told <= MAX_TOLD) return;
    throw new AppError(
      'invocation.too-long',
      `This invocation has had ${MAX_TOLD} writes, waits and messages, and no more fit in what a checkpoint has to hold. Do the rest in another invocation.`,
    );
  }

  /** In a check: the code does something that the journal has nothing of. */
  unrecorded(found: string): AppError {
    return this.diverge(this.leftover() ?? END_OF_INVOCATION, found);
  }

  /** `next`: what somebody can do about it. */
  diverge(expected: string, found: string, next = PUT_BACK): AppError {
    this.#divergence ??= new AppError(
      'replay.diverged',
      `The code no longer does what was recorded: expected ${expected}, found ${found}. ${next}`,
      { expected, found },
    );
    this.#tellDiverged(this.#divergence);
    return this.#divergence;
  }

  // --- what may be done

  /** Refuses what has to outlive the host where nothing does [S3]. */
  refuseUnlessDurable(what: string): void {
    if (this.invoke.isDurable) return;
    throw new AppError(
      'journal.required',
      `${what} has to outlive a crash, and ${this.invoke.process} keeps no journal. Give the process a journal level.`,
      { process: this.invoke.process },
    );
  }

  /** Refuses what can't be done now: after the end of the run, or from within code that must not use `ctx`. */
  refuseUnlessOpen(what: string): void {
    const where = inside.getStore();
    if (where !== undefined) {
      throw new AppError(
        'effect.nested',
        `${what} was called inside ${where}. A re-run does not run that again, so what it does has to stand outside: return a value and go on from there.`,
      );
    }
    this.refuseIfOver(what);
  }

  /** Refuses what can't be done after the end of the run. */
  refuseIfOver(what: string): void {
    if (this.#isOver) {
      throw new AppError(
        'invocation.over',
        `${what} was called after the invocation had ended. Await everything that onTrigger begins.`,
      );
    }
  }

  /** Runs code that must not use `ctx`. */
  within<T>(what: string, act: () => T): T {
    return inside.run(what, act);
  }

  /** Keeps the run from ending before this effect has. Rejections are the caller's, even where it does not listen. */
  track<T>(effect: Promise<T>): Promise<T> {
    this.#effects.add(effect);
    const done = (): void => {
      this.#effects.delete(effect);
      this.touch();
    };
    effect.finally(done).catch(() => {}); // whoever began it is told
    return effect;
  }

  /** The same, from when the effect may touch the world until what became of it is recorded. */
  acting<T>(effect: Promise<T>): Promise<T> {
    this.#acting.add(effect);
    const done = (): void => void this.#acting.delete(effect);
    effect.finally(done).catch(() => {}); // whoever began it is told
    return effect;
  }

  /** Resolves when nothing that was begun touches the world any more. */
  async quiet(): Promise<void> {
    while (this.#acting.size > 0) await Promise.allSettled(this.#acting);
  }

  // --- waiting

  /** Looks after everything that is delivered. The result ends it. */
  afterEach(look: () => void): () => void {
    this.#afterEach.push(look);
    return () => void this.#afterEach.splice(this.#afterEach.indexOf(look), 1);
  }

  /** Code waits for something durable, or with null for a signal, until the result is called. */
  waits(waitId: string | null): () => void {
    const place = Symbol('wait');
    this.#waitsFor.set(place, waitId);
    this.touch();
    return () => void this.#waitsFor.delete(place);
  }

  /** Something moved: only a run in which nothing has for a moment is one that waits. */
  touch(): void {
    if (this.#isOver || this.#waitsFor.size === 0) return;
    if (this.#stuck !== undefined) this.#stuck.renew();
    else if (this.#quiet === undefined) this.#quiet = setTimeout(() => this.#lookQuiet(), QUIET_MS);
    else this.#quiet.refresh();
  }

  #lookQuiet(): void {
    this.#quiet = undefined;
    const isQuiet = this.#effects.size === 0 && this.deliveries.isStill && this.#waitsFor.size > 0;
    if (this.#isOver || !isQuiet) return;
    const ids = [...new Set([...this.#waitsFor.values()].filter((id) => id !== null))];
    const { run } = this.invoke;
    if (this.isCheck || !this.isRecordUsed) {
      const found = `waiting for ${ids.join(', ') || 'a signal'}`;
      this.#stuck = afterHaving(LEFTOVER_PATIENCE_MS, () => this.#lookStuck(found));
    }
    if (!this.isRecordUsed) return;
    this.#tellAtEnd();
    this.#send({ type: 'invocation-waiting', run, for: ids.slice(0, MAX_TOLD_WAITS), heard: this.heard });
  }

  /** Nothing comes to a check but what is recorded; and code that waits asks for nothing any more. */
  #lookStuck(found: string): void {
    this.#stuck = undefined;
    const isStuck = this.#effects.size === 0 && this.#waitsFor.size > 0 && this.deliveries.isStill;
    if (!this.#isOver && isStuck && (this.isCheck || !this.isRecordUsed)) this.unrecorded(found);
    else this.touch();
  }

  /** Resolves when every effect has ended; from now on nothing new begins. */
  async close(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#quiet);
    this.#stuck?.end();
    // What is under way in a run that only looks would never end; nor would what waits for its turn in a record that
    // its code has left.
    if (this.isReal) await Promise.race([Promise.allSettled(this.#effects), this.diverged]);
    await this.quiet();
    this.deliveries.close();
    this.#tellAtEnd();
  }
}

/** For code that must not go on. */
export function never(): Promise<never> {
  return new Promise<never>(() => {});
}
