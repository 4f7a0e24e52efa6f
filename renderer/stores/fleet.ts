import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ConsoleClient } from '../../core/contract/client.ts';
import type { Failure } from '../../core/contract/define.ts';
import { applyAll, applyChange, fleetOf, type Fleet, type FleetChange } from './fleet-change.ts';

export interface FleetState extends Fleet {
  /** `failed` only before anything could be read; later failures leave what is known in place. */
  readonly phase: 'loading' | 'ready' | 'failed';
  readonly failure: Failure | null;
}

export interface FleetStore {
  readonly store: StoreApi<FleetState>;
  /** Reads the whole fleet; while one reading is under way, another call joins it. */
  read(): Promise<void>;
  dispose(): void;
}

const EMPTY: FleetState = {
  phase: 'loading',
  failure: null,
  sequence: -1,
  at: '',
  journals: [],
  processes: {},
};

/** Follows the fleet from the first call of `read` on. One batch is one change of the store. */
export function createFleetStore(client: ConsoleClient): FleetStore {
  const store = createStore<FleetState>(() => EMPTY);
  /** Changes that arrive while the snapshot is on its way; null while none is. */
  let held: FleetChange[] | null = null;
  let reading: Promise<void> | null = null;

  const off = client.on('fleet.changed', (change) => {
    if (held !== null) {
      held.push(change);
      return;
    }
    const state = store.getState();
    if (state.phase !== 'ready') return;
    const applied = applyChange(state, change);
    if (applied.kind === 'applied') store.setState(applied.fleet);
    if (applied.kind === 'gap') void read();
  });

  const readAll = async (): Promise<void> => {
    for (;;) {
      held = [];
      const result = await client.request('fleet.read', {});
      const changes: readonly FleetChange[] = held;
      held = null;
      if (!result.ok) {
        const { phase } = store.getState();
        store.setState({ phase: phase === 'ready' ? 'ready' : 'failed', failure: result.error });
        return;
      }
      const applied = applyAll(fleetOf(result.value), changes);
      if (applied.kind === 'applied') {
        store.setState({ ...applied.fleet, phase: 'ready', failure: null });
        return;
      }
    }
  };

  const read = (): Promise<void> => {
    reading ??= readAll().finally(() => {
      reading = null;
    });
    return reading;
  };

  return { store, read, dispose: off };
}
