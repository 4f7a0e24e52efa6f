// Taking a process back to an earlier entry [S39]. The plan is worked out from the journal and changes nothing; to apply it is
// one entry, which says how far, and the checkpoint of the state that it leads to, which follows at once. Where a crash came
// between the two, whoever takes the process over works the same out again.

import { AppError } from '../model/errors.ts';
import type { FoldedEntry } from '../model/fold.ts';
import type { JournalProvider } from '../model/ports.ts';
import { RewindScan, type RewindPlan } from '../model/rewind.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { readFromEntry } from '../replay/from-entry.ts';
import type { Actor } from './lifecycle-driver.ts';
import type { Recorder } from './recorder.ts';

/** How often it is read again because something came in meanwhile. */
const MAX_LOOKS = 20;
/** Of what was undone, in the entry. */
const MAX_LISTED = 1_000;

export interface RewindDeskOptions {
  readonly process: string;
  readonly journal: JournalProvider;
  readonly recorder: () => Recorder;
  /** Nothing of it runs, and nothing begins. */
  readonly isAtRest: () => boolean;
  readonly suspend: (actor: Actor) => Promise<void>;
  readonly endWorker: () => Promise<void>;
  /** One thing at a time; rejects where nothing can be done. */
  readonly exclusively: (act: () => void | Promise<void>) => Promise<void>;
  readonly onChange: () => void;
}

export interface RewindOrder {
  /** The entry to go on from. */
  readonly to: number;
  /** Whether invocations that have ended since are handled again. */
  readonly isHandledAgain: boolean;
}

interface Scanned {
  readonly scan: RewindScan;
  readonly plan: RewindPlan;
}

export class RewindDesk {
  readonly #options: RewindDeskOptions;

  constructor(options: RewindDeskOptions) {
    this.#options = options;
  }

  /**
   * What it would do; nothing is done.
   * @throws `journal.required`, `rewind.no-entry`, `rewind.too-far`, `rewind.in-doubt`, `journal.damaged`
   */
  async plan(order: RewindOrder): Promise<RewindPlan> {
    const { recorder } = this.#options;
    this.#refuseKeepingNothing();
    await recorder().settled();
    return (await this.#scan(order)).plan;
  }

  /**
   * Suspends the process, ends its worker and moves it. It stays suspended, or whatever else it was at rest as; one that has
   * failed is held for when it is started again. Resolves with what was done, durable.
   * @param undone how many invocations whoever decided this saw undone; null for whatever there are
   * @throws what {@link plan} does, and `rewind.changed`, with nothing moved
   */
  async apply(order: RewindOrder, undone: number | null, actor: Actor): Promise<RewindPlan> {
    const { endWorker, exclusively, onChange, process } = this.#options;
    // Whatever makes it impossible is found before anything is stopped for it.
    refuseOther(process, await this.plan(order), undone);
    if (!this.#staysAtRest()) await this.#suspend(actor);
    await endWorker();
    let done!: RewindPlan;
    await exclusively(async () => {
      await this.#onStill(order, ({ scan, plan }, recorder) => {
        // Somebody may have resumed it, and one that has failed may have begun again by itself.
        if (!this.#staysAtRest()) throw changed(process, 'it was set going again');
        refuseOther(process, plan, undone);
        done = plan;
        return recorder.move('rewind', entryOf(plan, actor), (entry) => stateAfter(scan, entry, order));
      });
    });
    onChange();
    return done;
  }

  /** After a crash between the entry and its checkpoint. */
  async finish(): Promise<void> {
    const { rewinding } = this.#options.recorder().snapshot;
    if (rewinding === null) return;
    const { target: to, isHandledAgain } = rewinding;
    await this.#onStill({ to, isHandledAgain }, ({ scan }, recorder) =>
      recorder.moved(scan.rewound(isHandledAgain)),
    );
  }

  async #suspend(actor: Actor): Promise<void> {
    try {
      await this.#options.suspend(actor);
    } catch (error) {
      // By its turn it may have come to its end, whose worker is still to go.
      const { lifecycle } = this.#options.recorder().snapshot;
      if (lifecycle !== 'stopped' && lifecycle !== 'failed') throw error;
    }
  }

  /** What was held by an operator, or ended, waits for somebody; anything else would go on by itself. */
  #staysAtRest(): boolean {
    const { lifecycle, holds } = this.#options.recorder().snapshot;
    if (!this.#options.isAtRest() || lifecycle === 'awaiting') return false;
    return lifecycle !== 'suspended' || holds.some(({ kind }) => kind === 'operator');
  }

  #refuseKeepingNothing(): void {
    const { recorder, process } = this.#options;
    if (recorder().level !== 'none') return;
    throw new AppError(
      'journal.required',
      `${process} keeps no journal, so there is no earlier entry to go on from. Give it a journal level first.`,
      { process },
    );
  }

  /** Reads until nothing came in while it did, and acts before anything can. */
  async #onStill(
    order: RewindOrder,
    act: (scanned: Scanned, recorder: Recorder) => Promise<void>,
  ): Promise<void> {
    const { process } = this.#options;
    for (let look = 0; look < MAX_LOOKS; look += 1) {
      const recorder = this.#options.recorder();
      await recorder.settled();
      const scanned = await this.#scan(order);
      // Afterwards an entry of its own would say that it was set.
      recorder.lookAtClock();
      if (scanned.scan.seq !== recorder.snapshot.seq) continue;
      await act(scanned, recorder);
      return;
    }
    throw changed(process, 'events kept coming in');
  }

  async #scan({ to, isHandledAgain }: RewindOrder): Promise<Scanned> {
    const { journal, process } = this.#options;
    const { target, snapshot, behind } = await readFromEntry(journal, process, to);
    const scan = new RewindScan(snapshot);
    for (const entry of behind) scan.feed(entry);
    const { seq, timestamp, entry_type: entryType } = target;
    return { scan, plan: scan.plan(process, { seq, timestamp, entryType }, isHandledAgain) };
  }
}

function stateAfter(scan: RewindScan, entry: FoldedEntry, { isHandledAgain }: RewindOrder): ProcessSnapshot {
  scan.feed(entry);
  return scan.rewound(isHandledAgain);
}

function entryOf({ target, undone, isHandledAgain, basedOn }: RewindPlan, { name, reason }: Actor) {
  return {
    target_seq: target.seq,
    handled_again: isHandledAgain,
    entries_affected: basedOn - target.seq,
    undone: undone.slice(0, MAX_LISTED).map(({ eventId }) => eventId),
    undone_count: undone.length,
    actor: name,
    reason,
  };
}

function refuseOther(process: string, plan: RewindPlan, undone: number | null): void {
  if (undone === null || plan.undone.length === undone) return;
  throw changed(process, `${plan.undone.length} invocations would be undone, and not ${undone}`);
}

function changed(process: string, why: string): AppError {
  return new AppError(
    'rewind.changed',
    `${process} has moved since the rewind was planned: ${why}. Look at the plan again.`,
    { process },
  );
}
