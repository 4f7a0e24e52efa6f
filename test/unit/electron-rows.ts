import type { FleetView } from '../../core/contract/fleet-views.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import { budgetOf } from '../renderer/fixtures.ts';

/** A live process at work, but for what is given. */
export function processRow(given: Partial<ProcessRow> & { readonly name: string }): ProcessRow {
  return {
    key: `j1/${given.name}`,
    journalId: 'j1',
    description: '',
    live: true,
    state: 'running',
    stateSince: null,
    why: '',
    whyAt: null,
    tone: 'working',
    budget: budgetOf({ day: '2026-01-01', runs: 0 }),
    causes: [],
    health: { sample: 0, failures: 0, runs: [], verdict: 'unknown', anomalies: [] },
    invocations: 0,
    queued: 0,
    doubts: 0,
    waiting: { count: 0, mark: '' },
    restarts: 0,
    entries: 1,
    lastEntryType: 'created',
    lastEntryAt: null,
    worker: null,
    actions: [],
    ...given,
  };
}

export function fleetOf(...processes: readonly ProcessRow[]): FleetView {
  return { sequence: 1, at: '2026-01-01T00:00:00+00:00', journals: [], processes: [...processes] };
}
