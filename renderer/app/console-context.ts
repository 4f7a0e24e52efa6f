import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import type { StoreApi } from 'zustand/vanilla';
import { AppError } from '../../core/model/errors.ts';
import type { Pending } from '../stores/commands.ts';
import type { Console } from '../stores/console.ts';
import type { FleetState } from '../stores/fleet.ts';
import type { ProcessState } from '../stores/process.ts';
import { targetKey, targetOf, type Target } from '../stores/target.ts';

export const ConsoleContext = createContext<Console | null>(null);

export function useConsole(): Console {
  const console = useContext(ConsoleContext);
  if (console === null) throw new AppError('console.no-context', 'A view was rendered outside the console.');
  return console;
}

/** A part of one of the console's stores; the view is rendered again when that part changes. */
export function usePart<State, Part>(
  choose: (console: Console) => { readonly store: StoreApi<State> },
  part: (state: State) => Part,
): Part {
  return useStore(choose(useConsole()).store, part);
}

/** A part of what is known of the fleet. */
export function useFleet<Part>(part: (state: FleetState) => Part): Part {
  return useStore(useConsole().fleet.store, part);
}

/** A part of what is known of the process that is shown. */
export function useProcess<Part>(part: (state: ProcessState) => Part): Part {
  return useStore(useConsole().process.store, part);
}

/** True while the host is silent: what is shown is old, and every action is off. */
export function useSilent(): boolean {
  return usePart(
    ({ liveness }) => liveness,
    (state) => state.silent,
  );
}

/** True while nothing can be asked of this process: the host is silent, or has not answered the last command. */
export function useActionsOff(target: Target): boolean {
  const silent = useSilent();
  const pending = usePending(target);
  return silent || pending !== undefined;
}

/** True while nobody can answer what this process asks: also where its journal is only looked at. */
export function useAnswersOff(row: ProcessRow): boolean {
  return useActionsOff(targetOf(row)) || !row.live;
}

/** The command that waits for its answer at this process. */
export function usePending(target: Target): Pending | undefined {
  return usePart(
    ({ actions }) => actions,
    (state) => state.pending[targetKey(target)],
  );
}
