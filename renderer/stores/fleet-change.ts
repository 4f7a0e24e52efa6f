// How the fleet follows its host. The order of changes is their sequence; a gap means that something was lost, and
// then nothing but reading again is safe.

import type { EventOf } from '../../core/contract/events.ts';
import type { FleetView, JournalView } from '../../core/contract/fleet-views.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';

export type FleetChange = EventOf<'fleet.changed'>;

/** The fleet as the host last told it, processes by key. */
export interface Fleet {
  readonly sequence: number;
  readonly at: string;
  readonly journals: readonly JournalView[];
  readonly processes: Readonly<Record<string, ProcessRow>>;
}

export function fleetOf(view: FleetView): Fleet {
  return {
    sequence: view.sequence,
    at: view.at,
    journals: view.journals,
    processes: Object.fromEntries(view.processes.map((row) => [row.key, row])),
  };
}

export type Applied =
  | { readonly kind: 'applied'; readonly fleet: Fleet }
  /** Already part of what was read. */
  | { readonly kind: 'old' }
  | { readonly kind: 'gap' };

export function applyChange(fleet: Fleet, change: FleetChange): Applied {
  if (change.sequence <= fleet.sequence) return { kind: 'old' };
  if (change.sequence !== fleet.sequence + 1) return { kind: 'gap' };
  return { kind: 'applied', fleet: changed(fleet, change) };
}

/** The snapshot with all changes that arrived while it was on its way, or a gap. */
export function applyAll(fleet: Fleet, changes: readonly FleetChange[]): Applied {
  let current = fleet;
  for (const change of changes) {
    const applied = applyChange(current, change);
    if (applied.kind === 'gap') return applied;
    if (applied.kind === 'applied') current = applied.fleet;
  }
  return { kind: 'applied', fleet: current };
}

function changed(fleet: Fleet, change: FleetChange): Fleet {
  const processes = { ...fleet.processes };
  for (const row of change.upserts) processes[row.key] = row;
  for (const key of change.removed) delete processes[key];
  const same = change.upserts.length === 0 && change.removed.length === 0;
  return {
    sequence: change.sequence,
    at: change.at,
    journals: change.journals ?? fleet.journals,
    processes: same ? fleet.processes : processes,
  };
}
