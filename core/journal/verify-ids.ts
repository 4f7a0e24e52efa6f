// No two entries have one id. Lines in a row that come a second time are told of once.

import { DuplicateIds, SuspectIds, type Suspects } from './duplicate-ids.ts';
import type { Findings, Place } from './verify-findings.ts';
import type { LineFacts } from './verify-line.ts';

type EntryLine = Extract<LineFacts, { is: 'ours' | 'foreign' }>;
type Whose = EntryLine['is'];

export class IdCheck {
  readonly #found: Findings;
  readonly #collected: Readonly<Record<Whose, SuspectIds>> | null;
  readonly #known: Readonly<Record<Whose, DuplicateIds>> | null;
  #run: { readonly is: Whose; readonly place: Place; readonly from: number; count: number } | null = null;

  /** Without suspects it only collects them. */
  constructor(suspects: Suspects | null, found: Findings) {
    this.#found = found;
    this.#collected = suspects === null ? { ours: new SuspectIds(), foreign: new SuspectIds() } : null;
    this.#known =
      suspects === null ? null : { ours: new DuplicateIds(suspects), foreign: new DuplicateIds(suspects) };
  }

  get suspects(): Suspects {
    const [ours, foreign] = [this.#collected?.ours.suspects, this.#collected?.foreign.suspects];
    return {
      ids: new Set([...(ours?.ids ?? []), ...(foreign?.ids ?? [])]),
      isCut: ours?.isCut === true || foreign?.isCut === true,
    };
  }

  take({ is, entry: { entry_id } }: EntryLine, place: Place): void {
    if (entry_id === '') return;
    this.#collected?.[is].add(entry_id);
    const first = this.#known?.[is].seenAt(entry_id, place.seq) ?? null;
    const run = this.#run;
    if (first !== null && run !== null && run.is === is && run.from + run.count === first) {
      run.count += 1;
      return;
    }
    this.end();
    if (first !== null) this.#run = { is, place, from: first, count: 1 };
  }

  end(): void {
    const run = this.#run;
    this.#run = null;
    if (run === null) return;
    const { is, from, count, place } = run;
    const earlier = from === 0 ? 'an earlier entry' : `entry ${from}`;
    const reason =
      count === 1
        ? `has the same entry_id as ${earlier}`
        : `begins ${count} entries that are there already, from ${earlier} on`;
    if (is === 'ours') this.#found.add('duplicate-id', place, reason);
    else this.#found.note('duplicate-id', place, reason);
  }
}
