/** One process, as requests name it. */
export interface Target {
  readonly journalId: string;
  readonly process: string;
}

export function sameTarget(a: Target | null, b: Target | null): boolean {
  if (a === null || b === null) return a === b;
  return a.journalId === b.journalId && a.process === b.process;
}

/** A key for a table; ids and names may hold anything but a line feed in the id. */
export function targetKey({ journalId, process }: Target): string {
  return `${journalId}\n${process}`;
}

export function targetOf(row: { readonly journalId: string; readonly name: string }): Target {
  return { journalId: row.journalId, process: row.name };
}
