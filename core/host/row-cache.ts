import type { ProcessRow } from '../contract/process-row.ts';

export interface RowCache {
  /** The row made from `facts`: the last one while every fact is the very same, else what `make` gives. */
  row(name: string, facts: readonly unknown[], make: () => ProcessRow): ProcessRow;
  /** Something that no fact tells may have changed. */
  drop(name: string): void;
  /** Forgets those that are not there any more. */
  keepOnly(names: { has(name: string): boolean }): void;
}

/** Most of a fleet does not change between one look and the next, and a row costs more than a look at its facts. */
export function rowCache(): RowCache {
  const known = new Map<string, { readonly facts: readonly unknown[]; readonly row: ProcessRow }>();
  return {
    row: (name, facts, make) => {
      const before = known.get(name);
      if (before !== undefined && before.facts.every((fact, at) => Object.is(fact, facts[at])))
        return before.row;
      const row = make();
      known.set(name, { facts, row });
      return row;
    },
    drop: (name) => void known.delete(name),
    keepOnly: (names) => {
      for (const name of known.keys()) if (!names.has(name)) known.delete(name);
    },
  };
}
