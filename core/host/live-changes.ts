// What is known of the processes of a live workspace until they tell of a change: the row of each, and how large its entries
// are.

import type { ProcessRow } from '../contract/process-row.ts';
import type { FileJournal } from '../journal/file-journal.ts';
import { sizeOf, sumOf } from './looked-at-journal.ts';
import { rowCache } from './row-cache.ts';

export class LiveChanges {
  readonly #journal: FileJournal;
  /** Those that told of a change; whoever looks takes them out. */
  readonly #touched = new Set<string>();
  readonly #rows = rowCache();
  readonly #sizes = new Map<string, number | null>();

  constructor(journal: FileJournal) {
    this.#journal = journal;
  }

  /** Something of it is not as it was. */
  touch(process: string): void {
    this.#touched.add(process);
  }

  /** It is gone, and left nothing. */
  forget(process: string): void {
    this.#sizes.delete(process);
    this.#rows.drop(process);
  }

  /** The row made from `facts`: the last one while every fact is the very same and nothing was told, else what `make` gives. */
  row(process: string, facts: readonly unknown[], make: () => ProcessRow): ProcessRow {
    this.#take();
    return this.#rows.row(process, facts, make);
  }

  /** Of all entries together; null where that could not be asked. */
  sizeBytes(): number | null {
    this.#take();
    return sumOf(this.#sizes.values());
  }

  /** Looks up again what is known of all that told of a change. */
  #take(): void {
    for (const name of this.#touched) {
      this.#rows.drop(name);
      this.#sizes.set(name, sizeOf(this.#journal, name));
    }
    this.#touched.clear();
  }
}
