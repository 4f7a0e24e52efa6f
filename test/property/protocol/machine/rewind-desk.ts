// core/runtime/rewind-desk.ts: taking the process back, and making good what a crash left of that.

import { AppError } from '../../../../core/model/errors.ts';
import { RewindScan } from '../../../../core/model/rewind.ts';
import { backwards, copyOf, type Place } from '../journal.ts';
import { Part } from './part.ts';

/** After one of these the state is another; what to go back to between them makes no difference. */
const TARGETS: ReadonlySet<string> = new Set([
  'trigger_event',
  'invocation_start',
  'effect_started',
  'effect_finished',
  'promise_created',
  'invocation_result',
  'error',
]);

export class RewindDesk extends Part {
  /** The beginning of everything among them. */
  targets(): readonly Place[] {
    const behind = [...backwards(this.head)];
    const first = behind.findLast(({ snapshot }) => snapshot.lifecycle === 'running');
    return behind.filter((place) => place === first || TARGETS.has(place.entry?.entry_type ?? ''));
  }

  apply(seq: number): void {
    const { process, runner, recorder } = this.on;
    if (!this.#mayBe(seq)) return;
    if (process.lifecycle !== 'suspended' || !this.snapshot.holds.some(({ kind }) => kind === 'operator'))
      process.hold('operator', 'operator');
    runner.pause(true);
    runner.workerGone(true);
    // What is read is durable first.
    recorder.sync(this.state.journal);
    if (!this.#mayBe(seq)) return;
    const { target, scan } = this.#scanned(seq);
    this.note('rewind', { target_seq: seq, handled_again: true }, null, true);
    scan.feed(this.head.entry!);
    recorder.moved(target, this.rules.rewound(scan));
  }

  finish(): void {
    const { rewinding } = this.snapshot;
    if (rewinding === null || !this.rules.finishesRewinds) return;
    const { target, scan } = this.#scanned(rewinding.target);
    this.on.recorder.moved(target, this.rules.rewound(scan));
  }

  /** Somebody has to decide something first. */
  #mayBe(seq: number): boolean {
    try {
      this.#scanned(seq).scan.plan('agent', { seq, timestamp: '', entryType: '' }, true);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'rewind.in-doubt') return false;
      throw error;
    }
  }

  #scanned(seq: number): { readonly target: Place; readonly scan: RewindScan } {
    const places = [...backwards(this.head)].toReversed();
    const target = places.find((place) => place.seq === seq)!;
    const scan = new RewindScan(copyOf(target.snapshot));
    for (const { entry } of places) if (entry !== null && entry.seq > seq) scan.feed(entry);
    return { target, scan };
  }
}
