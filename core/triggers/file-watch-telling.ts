// [P1] Tells the sink of changes, several at a time. What it refuses is told again later, merged with what has come
// since.

import { basename } from 'node:path';
import { backoffMs } from '../model/backoff.ts';
import { codeOf, messageOf } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import { timestampOf } from '../model/time.ts';
import { keyOfChange, type FileChange } from './file-watch-change.ts';
import type { FileLedger, Telling } from './file-watch-ledger.ts';
import type { TriggerCall, TriggerSink } from './trigger-sink.ts';

export interface FileWatchProblem {
  readonly code: string;
  readonly message: string;
  /** A journal timestamp. */
  readonly at: string;
}

export interface TellerOptions {
  readonly clock: Clock;
  readonly sink: TriggerSink;
  readonly metadata: { readonly watch_path: string; readonly patterns: readonly string[] };
  readonly retryMs: number;
  /** Something was told or refused: there may be more to do. */
  readonly onEnd: () => void;
}

/** Calls of the sink at a time. */
const AT_ONCE = 16;

export class ChangeTeller {
  readonly #ledger: FileLedger;
  readonly #options: TellerOptions;
  readonly #underWay = new Set<Promise<void>>();
  #refusals = 0;
  #retryAt = 0;
  #problem: FileWatchProblem | null = null;

  constructor(ledger: FileLedger, options: TellerOptions) {
    this.#ledger = ledger;
    this.#options = options;
  }

  /** Why nothing could be told the last time; null when it could. */
  get problem(): FileWatchProblem | null {
    return this.#problem;
  }

  /** When there may be something to tell, monotonic; `Infinity` for not before something else happens. */
  get nextAt(): number {
    return this.#room > 0 ? Math.max(this.#ledger.nextAt, this.#retryAt) : Number.POSITIVE_INFINITY;
  }

  get #room(): number {
    return AT_ONCE - this.#underWay.size;
  }

  /** What can be told now, to be looked at once more before it is. */
  ripe(): readonly string[] {
    const now = this.#options.clock.monotonic();
    return this.#room <= 0 || now < this.#retryAt ? [] : this.#ledger.ripe(this.#room, now);
  }

  /** Begins to tell of them. */
  tell(paths: readonly string[]): void {
    for (const telling of this.#ledger.tell(paths, this.#options.clock.monotonic())) this.#begin(telling);
  }

  /** Resolves when nothing is being told. */
  async idle(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  #begin(telling: Telling): void {
    const told = this.#call(telling);
    this.#underWay.add(told);
    void told.then(() => {
      this.#underWay.delete(told);
      this.#options.onEnd();
    });
  }

  async #call(telling: Telling): Promise<void> {
    const { clock, sink, retryMs, metadata } = this.#options;
    try {
      await sink(callOf(telling.change, metadata));
      telling.done();
      this.#refusals = 0;
      this.#problem = null;
    } catch (error) {
      telling.refused();
      // Many that are refused at a time are refused for one reason.
      if (clock.monotonic() >= this.#retryAt) {
        this.#refusals += 1;
        this.#retryAt = clock.monotonic() + backoffMs(retryMs, this.#refusals);
      }
      const at = timestampOf(clock.now());
      this.#problem = { code: codeOf(error), message: messageOf(error), at };
    }
  }
}

function callOf(change: FileChange, metadata: TellerOptions['metadata']): TriggerCall {
  const { path, event, events, oldPath } = change;
  return {
    payload: {
      path,
      filename: basename(path),
      event_type: event,
      event_types: events,
      ...(oldPath === null ? {} : { old_path: oldPath }),
    },
    metadata: { ...metadata },
    key: keyOfChange(change),
  };
}
