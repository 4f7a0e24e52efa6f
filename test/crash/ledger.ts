// What was handed to a journal, in order, and what it answered. The judge goes by this and not by what the journal says
// of itself.

import type { JsonObject } from '../../core/model/json.ts';

export interface LedgerEntry {
  readonly entryId: string;
  readonly process: string;
  readonly timestamp: string;
  readonly entry_type: string;
  readonly data: JsonObject;
  /** Durable before it is acknowledged, whatever the journal promises otherwise. */
  readonly isSynced: boolean;
  /** `open` until there is an answer, which a crash may never let come. */
  answer: 'open' | 'acknowledged' | 'refused';
  /** As the answer has it. */
  seq: number | null;
}

export class Ledger {
  readonly #byProcess = new Map<string, LedgerEntry[]>();
  readonly #byId = new Map<string, LedgerEntry>();
  #count = 0;

  get processes(): readonly string[] {
    return [...this.#byProcess.keys()];
  }

  /** In the order in which they were handed over. */
  entriesOf(process: string): readonly LedgerEntry[] {
    return this.#byProcess.get(process) ?? [];
  }

  find(entryId: string): LedgerEntry | undefined {
    return this.#byId.get(entryId);
  }

  get acknowledged(): readonly LedgerEntry[] {
    return [...this.#byId.values()].filter(({ answer }) => answer === 'acknowledged');
  }

  /** What goes on from a crash that left these entries and no others: all of them are as good as acknowledged now. */
  onlyWith(numbers: ReadonlyMap<string, number>): Ledger {
    const ledger = new Ledger();
    ledger.#count = this.#count;
    for (const entry of this.#byId.values()) {
      const seq = numbers.get(entry.entryId);
      if (seq !== undefined) ledger.#keep({ ...entry, answer: 'acknowledged', seq });
    }
    return ledger;
  }

  /** Whatever is answered from now on is not in here. */
  asOfNow(): Ledger {
    const ledger = new Ledger();
    ledger.#count = this.#count;
    for (const entry of this.#byId.values()) ledger.#keep({ ...entry });
    return ledger;
  }

  /** A new entry with an id and a time that say nothing and never change. */
  enter(process: string, entry_type: string, data: JsonObject, isSynced = false): LedgerEntry {
    const n = (this.#count += 1);
    const second = String(n % 60).padStart(2, '0');
    const minute = String(Math.floor(n / 60) % 60).padStart(2, '0');
    const entry: LedgerEntry = {
      entryId: `entry-${n}`,
      process,
      timestamp: `2026-01-05T09:${minute}:${second}.000+00:00`,
      entry_type,
      data,
      isSynced,
      answer: 'open',
      seq: null,
    };
    this.#keep(entry);
    return entry;
  }

  #keep(entry: LedgerEntry): void {
    this.#byId.set(entry.entryId, entry);
    const entries = this.#byProcess.get(entry.process);
    if (entries === undefined) this.#byProcess.set(entry.process, [entry]);
    else entries.push(entry);
  }
}
