import type { FleetView, JournalView } from '../contract/fleet-views.ts';
import type { ProcessRow } from '../contract/process-row.ts';

export interface FleetChanges {
  /** The rows now, by key. */
  readonly rows: ReadonlyMap<string, ProcessRow>;
  readonly upserts: ProcessRow[];
  readonly removed: string[];
  readonly journals: JournalView[];
}

/** What differs between what was told last and what is so now. */
export function fleetChanges(known: ReadonlyMap<string, ProcessRow>, fleet: FleetView): FleetChanges {
  const rows = new Map(fleet.processes.map((row) => [row.key, row]));
  const upserts = fleet.processes.filter((row) => {
    const before = known.get(row.key);
    if (before === row) return false;
    return before === undefined || JSON.stringify(before) !== JSON.stringify(row);
  });
  const removed = [...known.keys()].filter((key) => !rows.has(key));
  return { rows, upserts, removed, journals: fleet.journals };
}
