// What the present worker has in hand. A run that only waits takes no room: it stays where it is, and what it waits for is
// told to it when there is room again.

import type { Saying, ToWorker } from '../model/worker-protocol.ts';

export interface Run {
  readonly number: number;
  readonly eventId: string;
  /** Of the monotonic clock, since when it has been moving; durations are counted from the handing over. */
  readonly handedOverAt: number;
  movingSince: number;
  /** Of the monotonic clock, when it last said something. */
  heardAt: number;
  /** Until then the record that goes with it has everything that happens. */
  isHandedOver: boolean;
  isParked: boolean;
  /** Whether the journal says that it waits. */
  isParkedOnRecord: boolean;
  /** How much it was told about waits and signals. */
  told: number;
  /** What is seen of its model's call under way, and since when that has been under way, in epoch milliseconds. */
  saying: (Saying & { readonly sinceMs: number }) | null;
  /** Said to it while it had no room to move in. */
  readonly unsaid: ToWorker[];
}

/** What is seen of it now; of a call that goes on since when it was first seen. */
export function sees(run: Run, saying: Saying | null, nowMs: number): void {
  const sinceMs = run.saying?.model === saying?.model ? run.saying?.sinceMs : undefined;
  run.saying = saying === null ? null : { ...saying, sinceMs: sinceMs ?? nowMs };
}

/** Since its handing over, in milliseconds, to a tenth. */
export function durationOf({ handedOverAt }: Run, monotonicMs: number): number {
  return Math.round((monotonicMs - handedOverAt) * 10) / 10;
}

export class RunSet {
  readonly #onGone: (eventId: string) => void;
  readonly #runs = new Map<number, Run>();
  readonly #byEvent = new Map<string, Run>();
  #last = 0;

  /** `onGone`: the worker has it in hand no more, because it ended or because the worker did. */
  constructor(onGone: (eventId: string) => void) {
    this.#onGone = onGone;
  }

  /** Of those that move. */
  get movingCount(): number {
    let count = 0;
    for (const run of this.#runs.values()) if (!run.isParked) count += 1;
    return count;
  }

  get size(): number {
    return this.#runs.size;
  }

  all(): readonly Run[] {
    return [...this.#runs.values()];
  }

  add(eventId: string, now: number): Run {
    this.#last += 1;
    const run: Run = {
      number: this.#last,
      eventId,
      handedOverAt: now,
      movingSince: now,
      heardAt: now,
      isHandedOver: false,
      isParked: false,
      isParkedOnRecord: false,
      told: 0,
      saying: null,
      unsaid: [],
    };
    this.#runs.set(run.number, run);
    this.#byEvent.set(eventId, run);
    return run;
  }

  get(number: number): Run | undefined {
    return this.#runs.get(number);
  }

  of(eventId: string): Run | undefined {
    return this.#byEvent.get(eventId);
  }

  delete(run: Run): void {
    this.#runs.delete(run.number);
    this.#byEvent.delete(run.eventId);
    this.#onGone(run.eventId);
  }

  clear(): void {
    const gone = [...this.#byEvent.keys()];
    this.#runs.clear();
    this.#byEvent.clear();
    for (const eventId of gone) this.#onGone(eventId);
  }

  /** Parked, and something has happened to them: they move on before anything else begins. */
  eager(): readonly Run[] {
    return this.all().filter((run) => run.isParked && run.unsaid.length > 0);
  }
}
