// What a process spent, from its journal as it lies there, whoever runs it [P6].

import { readFileJournal } from '../journal/file-journal.ts';
import { CostHistory, type CostRow } from '../model/cost-history.ts';
import { isBad } from '../model/entry.ts';

/** Oldest first. The journal is read from its first line on, in parts. */
export async function* readCosts(directory: string, process: string): AsyncGenerator<CostRow> {
  const history = new CostHistory();
  for await (const { items } of readFileJournal(directory).readFrom(process, null)) {
    for (const item of items) {
      const row = isBad(item) ? null : history.feed(item);
      if (row !== null) yield row;
    }
  }
}

export interface NewestCosts {
  /** Oldest first. */
  readonly rows: readonly CostRow[];
  readonly count: number;
}

export async function newestCosts(directory: string, process: string, limit: number): Promise<NewestCosts> {
  let rows: CostRow[] = [];
  let count = 0;
  for await (const row of readCosts(directory, process)) {
    count += 1;
    rows.push(row);
    if (rows.length > 2 * limit) rows = rows.slice(-limit);
  }
  return { rows: rows.slice(-limit), count };
}
