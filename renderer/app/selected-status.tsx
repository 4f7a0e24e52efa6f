import { useStore } from 'zustand';
import { useConsole } from './console-context.ts';
import { targetKey, targetOf } from '../stores/target.ts';
import { lookOf } from '../ui/state-look.ts';
import { visibleLine } from '../ui/visible-text.ts';

/** Tells a screen reader how the selected process fares, and no other: five hundred would never be silent. */
export function SelectedStatus() {
  const { actions, fleet, fleetView, place, process } = useConsole();
  const view = useStore(place.store, (state) => state.place.view);
  const shown = useStore(process.store, (state) => state.detail?.row);
  const selected = useStore(fleetView, (state) => state.selected);
  const inFleet = useStore(fleet.store, (state) =>
    selected === null ? undefined : state.processes[selected],
  );
  const row = view === 'process' ? shown : view === 'fleet' ? inFleet : undefined;
  const pending = useStore(actions.store, (state) =>
    row === undefined ? undefined : state.pending[targetKey(targetOf(row))],
  );
  const word = row === undefined ? '' : (pending?.what ?? lookOf(row.state).word);
  return (
    <div className="hf-hidden" role="status" aria-live="polite">
      {row !== undefined &&
        `${visibleLine(row.name)}: ${row.live || pending !== undefined ? '' : 'last recorded '}${word}`}
    </div>
  );
}
