// Everything that waits for a person, over all journals that are open. Read while somebody looks at it, and again whenever
// the fleet says that it is another.

import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ConsoleClient } from '../../core/contract/client.ts';
import type { Failure } from '../../core/contract/define.ts';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import type { WaitingItem } from '../../core/contract/waiting-view.ts';
import type { FleetStore } from './fleet.ts';

export interface WaitingState {
  /** `failed` only before anything could be read; later failures leave what is known in place. */
  readonly phase: 'loading' | 'ready' | 'failed';
  readonly failure: Failure | null;
  /** The urgent first, and then the oldest. */
  readonly items: readonly WaitingItem[];
  /** Of more than there is room for. */
  readonly count: number;
  /** By its key; of what is gone, the one that took its place. */
  readonly selected: string | null;
}

export interface WaitingStore {
  readonly store: StoreApi<WaitingState>;
  /** The result stops it. */
  start(): () => void;
  /** Reads once, at once: after a failure. */
  again(): void;
  select(key: string): void;
}

/** What waits where a decision can be taken. */
export function waitingHere(processes: Readonly<Record<string, ProcessRow>>): number {
  return Object.values(processes).reduce((sum, row) => sum + (row.live ? row.waiting.count : 0), 0);
}

export function createWaitingStore(client: ConsoleClient, fleet: FleetStore): WaitingStore {
  const store = createStore<WaitingState>(() => ({
    phase: 'loading',
    failure: null,
    items: [],
    count: 0,
    selected: null,
  }));
  let known: string | null = null;
  let reading: Promise<void> | null = null;
  let isStale = false;

  const readOnce = async (): Promise<void> => {
    const { phase, journals, processes } = fleet.store.getState();
    if (phase !== 'ready') return;
    const waiting = new Set(
      Object.values(processes).flatMap((row) => (row.waiting.count > 0 ? [row.journalId] : [])),
    );
    const asked = journals.filter(({ id }) => waiting.has(id));
    const answers = await Promise.all(
      asked.map(({ id: journalId }) => client.request('waiting.read', { journalId })),
    );
    const failed = answers.find((answer) => !answer.ok);
    if (failed !== undefined && !failed.ok) {
      store.setState((now) => ({ phase: now.phase === 'ready' ? 'ready' : 'failed', failure: failed.error }));
      return;
    }
    const views = answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
    const items = arranged(views.flatMap((view) => view.items));
    const count = views.reduce((sum, view) => sum + view.count, 0);
    store.setState((now) => ({
      phase: 'ready',
      failure: null,
      items,
      count,
      selected: selectionIn(items, now),
    }));
  };

  const read = (): void => {
    if (reading !== null) {
      isStale = true;
      return;
    }
    reading = readOnce().finally(() => {
      reading = null;
      if (!isStale) return;
      isStale = false;
      read();
    });
  };

  const look = (): void => {
    const { phase, processes } = fleet.store.getState();
    if (phase !== 'ready') return;
    const now = Object.values(processes)
      .filter((row) => row.waiting.count > 0)
      .map((row) => `${row.key} ${row.waiting.mark} ${row.state} ${String(row.live)}`)
      .sort()
      .join('\n');
    if (now === known) return;
    known = now;
    read();
  };

  return {
    store,
    start() {
      known = null;
      look();
      return fleet.store.subscribe(look);
    },
    again: read,
    select(key) {
      store.setState({ selected: key });
    },
  };
}

function arranged(items: readonly WaitingItem[]): readonly WaitingItem[] {
  return items.toSorted(
    (a, b) =>
      Number(b.live) - Number(a.live) ||
      Number(b.isUrgent) - Number(a.isUrgent) ||
      Date.parse(a.since) - Date.parse(b.since) ||
      (a.key < b.key ? -1 : 1),
  );
}

/** What was looked at; where it is gone, what stands in its place now. */
function selectionIn(items: readonly WaitingItem[], before: WaitingState): string | null {
  if (items.some(({ key }) => key === before.selected)) return before.selected;
  const at = before.items.findIndex(({ key }) => key === before.selected);
  return (items[Math.min(Math.max(at, 0), items.length - 1)] ?? null)?.key ?? null;
}
