// [A11] [P1] Tells a process of the files of a folder. Where to look is for a hint to say; what happened is what a
// look finds to be another state than the one that was last told. So a lost hint costs time, and nothing else.

import { basename, resolve } from 'node:path';
import { messageOf } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import { timestampOf } from '../model/time.ts';
import type { FileWatchTriggerConfig } from '../model/trigger-config.ts';
import { prepareFolder, realFolder } from './file-watch-disk.ts';
import { startHints } from './file-watch-hints.ts';
import { FileLedger } from './file-watch-ledger.ts';
import { FolderLooks, type DiskTrouble } from './file-watch-looks.ts';
import { nameMatcher } from './file-watch-names.ts';
import { ChangeTeller, type FileWatchProblem } from './file-watch-telling.ts';
import type { TriggerSink } from './trigger-sink.ts';

export interface FileWatchTimes {
  /** Between two looks at everything, while the system gives hints. */
  readonly reconcileMs: number;
  /** And while it gives none. */
  readonly pollMs: number;
  /** Before what was refused is told again for the first time; doubled each time, a minute at most. */
  readonly retryMs: number;
  /** After a look at everything, none for so many times as long as it took. */
  readonly rest: number;
}

const DEFAULT_TIMES: FileWatchTimes = { reconcileMs: 30_000, pollMs: 1_000, retryMs: 500, rest: 9 };

export interface FileWatchOptions {
  readonly clock: Clock;
  readonly sink: TriggerSink;
  /** Why a folder's disk gives no hints, and may number its files anew: a network's. Null for any other. */
  readonly needsPolling?: (path: string) => string | null;
  readonly times?: Partial<FileWatchTimes>;
}

export interface FileWatchFacts {
  readonly path: string;
  /** `hints`: the system tells what changes; `polling`: all is looked at again and again. */
  readonly by: 'hints' | 'polling';
  /** Why it is polled; null where it is not. */
  readonly whyPolling: string | null;
  /** That match, those that are gone and not told of yet among them. */
  readonly files: number;
  /** Paths with something to tell. */
  readonly pending: number;
  /** Looks at everything that have ended, the one at the start among them. */
  readonly looks: number;
  /** What is wrong now; null for nothing. */
  readonly problem: FileWatchProblem | null;
}

/** Disposing it waits for what is being told; what is pending is not told any more. */
export interface RunningFileWatch extends AsyncDisposable {
  readonly facts: FileWatchFacts;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Within less, a file system's clock may not tell two states apart. */
const LEAST_SETTLE_MS = 20;
/** A file that is written all the time is told of all the same, after so many times the debouncing. */
const LONGEST = 10;

/**
 * Resolves when it is known what is there, which is no news: what happens from then on is told. What it knows it knows for as
 * long as it is open: what happens before it is opened again is never told.
 * @throws `trigger.not-a-directory`, `trigger.bad-path`, `trigger.bad-pattern`
 */
export async function startFileWatch(
  config: FileWatchTriggerConfig,
  options: FileWatchOptions,
): Promise<RunningFileWatch> {
  const matches = nameMatcher(config.patterns);
  await prepareFolder(config.path);
  const watch = new FileWatch(config, options, matches);
  await watch.start();
  return watch;
}

class FileWatch implements RunningFileWatch {
  readonly #config: FileWatchTriggerConfig;
  readonly #root: string;
  readonly #clock: Clock;
  readonly #times: FileWatchTimes;
  readonly #matches: (name: string) => boolean;
  readonly #settleMs: number;
  readonly #ledger: FileLedger;
  readonly #looks: FolderLooks;
  readonly #teller: ChangeTeller;
  #whyPolling: string | null;
  #problem: FileWatchProblem | null = null;

  /** Files to look at. */
  #hinted = new Set<string>();
  #hints: { readonly of: string; readonly stop: AsyncDisposable } | null = null;
  readonly #stopping = new Set<Promise<void>>();

  /** Monotonic: when everything is to be looked at, and may be. */
  #lookAt = 0;
  #restUntil = 0;
  #lookCount = 0;
  #isOver = false;
  #hasWoken = false;
  #wake: (() => void) | null = null;

  constructor(
    config: FileWatchTriggerConfig,
    { clock, sink, needsPolling, times }: FileWatchOptions,
    matches: (name: string) => boolean,
  ) {
    const { path, patterns, events, debounceMs, polling } = config;
    const whyShared = needsPolling?.(path) ?? null;
    const isShared = whyShared !== null;
    this.#config = config;
    this.#root = resolve(path);
    this.#clock = clock;
    this.#times = { ...DEFAULT_TIMES, ...times };
    this.#matches = matches;
    this.#settleMs = Math.max(LEAST_SETTLE_MS, debounceMs);
    this.#whyPolling = polling === null ? whyShared : polling ? 'the trigger asks for it' : null;
    this.#ledger = new FileLedger({
      events,
      settleMs: this.#settleMs,
      longestMs: this.#settleMs * LONGEST,
      trustsInodes: !isShared,
    });
    this.#looks = new FolderLooks(this.#ledger, {
      root: this.#root,
      matches,
      isShared,
      startedAt: clock.now(),
      monotonic: () => clock.monotonic(),
      isOver: () => this.#isOver,
    });
    this.#teller = new ChangeTeller(this.#ledger, {
      clock,
      sink,
      metadata: { watch_path: path, patterns },
      retryMs: this.#times.retryMs,
      onEnd: () => this.#awake(),
    });
  }

  get facts(): FileWatchFacts {
    const { files, pending } = this.#ledger;
    return {
      path: this.#config.path,
      by: this.#whyPolling === null ? 'hints' : 'polling',
      whyPolling: this.#whyPolling,
      files,
      pending,
      looks: this.#lookCount,
      problem: this.#teller.problem ?? this.#problem,
    };
  }

  async start(): Promise<void> {
    await this.#lookAtEverything(() => this.#looks.first());
    void this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#awake();
    this.#stopHints();
    // Not for the disk: a look at one that hangs never ends, and what it would find is not told.
    await Promise.all([this.#teller.idle(), ...this.#stopping]);
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      try {
        const hasActed = await this.#act();
        if (this.#now() >= this.#nextLookAt) {
          await this.#lookAtEverything(() => this.#looks.atEverything(async () => void (await this.#act())));
        } else if (!hasActed) await this.#sleep();
      } catch (error) {
        // Nothing that is known of: watching goes on, and says so.
        this.#note({ code: 'trigger.watch-broken', message: messageOf(error) });
        this.#lookSoon(0);
        await new Promise<void>((resolve) => void this.#clock.after(this.#times.pollMs, resolve));
      }
    }
  }

  /** Follows hints and tells what is ripe; false when there was neither. */
  async #act(): Promise<boolean> {
    const hinted = [...this.#hinted];
    if (hinted.length > 0) {
      this.#hinted = new Set();
      await this.#looks.atHinted(hinted);
      // What else happened in the same burst was perhaps not hinted at.
      this.#lookSoon(this.#settleMs);
    }
    const ripe = this.#isOver ? [] : this.#teller.ripe();
    if (ripe.length > 0) {
      // As it is at the very moment: what changed just now waits.
      await this.#looks.again(ripe);
      if (!this.#isOver) this.#teller.tell(ripe);
    }
    if (this.#ledger.wantsLook) this.#lookSoon(this.#settleMs);
    return hinted.length + ripe.length > 0;
  }

  async #lookAtEverything(look: () => Promise<DiskTrouble | null>): Promise<void> {
    const began = this.#now();
    // What is asked for from now on is asked for anew.
    this.#lookAt = Number.POSITIVE_INFINITY;
    this.#note(await look());
    this.#lookCount += 1;
    await this.#followFolder();
    const { pollMs, reconcileMs, rest } = this.#times;
    const tookMs = this.#now() - began;
    this.#restUntil = this.#now() + tookMs * rest;
    this.#lookSoon(this.#hints === null ? pollMs : reconcileMs);
  }

  /** Hints are asked of the folder that is there now: one that was made again is another one. */
  async #followFolder(): Promise<void> {
    if (this.#isOver || this.#whyPolling !== null) return;
    const found = await realFolder(this.#root);
    if (this.#isOver || (this.#hints !== null && this.#hints.of === found?.identity)) return;
    this.#stopHints();
    if (found === null) return;
    const stop = startHints(this.#root, found.real, {
      onFile: (path) => {
        if (!this.#matches(basename(path)) || this.#looks.isLeftOut(path)) return;
        this.#hinted.add(path);
        this.#awake();
      },
      onAnything: () => {
        this.#lookSoon(this.#settleMs);
        this.#awake();
      },
      onGone: () => this.#withoutHints(),
      onExhausted: (why) => {
        this.#whyPolling = `the system has no more watchers: ${why}`;
        this.#withoutHints();
      },
    });
    this.#hints = { of: found.identity, stop };
  }

  #withoutHints(): void {
    this.#stopHints();
    this.#lookSoon(0);
    this.#awake();
  }

  #stopHints(): void {
    const hints = this.#hints;
    this.#hints = null;
    if (hints === null) return;
    const stopped = this.#stop(hints.stop);
    this.#stopping.add(stopped);
    void stopped.then(() => this.#stopping.delete(stopped));
  }

  async #stop(hints: AsyncDisposable): Promise<void> {
    try {
      await hints[Symbol.asyncDispose]();
    } catch (error) {
      this.#note({ code: 'trigger.watch-broken', message: messageOf(error) });
    }
  }

  #lookSoon(withinMs: number): void {
    this.#lookAt = Math.min(this.#lookAt, this.#now() + withinMs);
  }

  get #nextLookAt(): number {
    return Math.max(this.#lookAt, this.#restUntil);
  }

  async #sleep(): Promise<void> {
    const at = Math.min(this.#nextLookAt, this.#teller.nextAt);
    if (!this.#hasWoken) {
      await new Promise<void>((resolve) => {
        const cancel = this.#clock.after(Math.max(1, at - this.#now()), resolve);
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#wake = null;
    this.#hasWoken = false;
  }

  #awake(): void {
    this.#hasWoken = true;
    this.#wake?.();
  }

  #note(trouble: DiskTrouble | null): void {
    this.#problem = trouble === null ? null : { ...trouble, at: timestampOf(this.#clock.now()) };
  }

  #now(): number {
    return this.#clock.monotonic();
  }
}
