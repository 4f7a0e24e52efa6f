import { createStore, type StoreApi } from 'zustand/vanilla';
import { BY_NAME, type FilterId, type Sorting } from './arrange.ts';

/** How the fleet is looked at. It outlives the view, so that coming back finds everything in its place. */
export interface FleetViewState {
  readonly text: string;
  readonly filter: FilterId | null;
  readonly sorting: Sorting;
  /** By key, so that it survives every refresh. */
  readonly selected: string | null;
}

export type FleetViewStore = StoreApi<FleetViewState>;

export function createFleetViewStore(): FleetViewStore {
  return createStore<FleetViewState>(() => ({ text: '', filter: null, sorting: BY_NAME, selected: null }));
}
