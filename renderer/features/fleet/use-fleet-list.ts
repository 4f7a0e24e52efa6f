import { useCallback, useMemo } from 'react';
import type { ProcessRow } from '../../../core/contract/process-row.ts';
import { useFleet } from '../../app/console-context.ts';
import { arrange } from '../../stores/arrange.ts';
import type { FleetViewState } from '../../stores/fleet-view.ts';
import { useHeldOrder } from '../../ui/use-held-order.ts';

/** The rows to show, in the order in which to show them now. */
export function useFleetList({ text, filter, sorting }: FleetViewState) {
  const processes = useFleet((state) => state.processes);
  const journals = useFleet((state) => state.journals);
  const fresh = useMemo(
    () => arrange(processes, journals, { text, filter, sorting }).map((row) => row.key),
    [processes, journals, text, filter, sorting],
  );
  const exists = useCallback((key: string) => processes[key] !== undefined, [processes]);
  const question = `${filter ?? ''} ${sorting.column} ${sorting.descending} ${text}`;
  const order = useHeldOrder(fresh, question, exists);
  const rows = useMemo(
    () => order.keys.flatMap((key): ProcessRow | readonly ProcessRow[] => processes[key] ?? []),
    [order.keys, processes],
  );
  return { ...order, rows };
}

export type FleetList = ReturnType<typeof useFleetList>;
