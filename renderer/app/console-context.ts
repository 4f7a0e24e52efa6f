import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { StoreApi } from 'zustand/vanilla';
import { AppError } from '../../core/model/errors.ts';
import type { Pending } from '../stores/actions.ts';
import { targetKey, type Target } from '../stores/target.ts';
import type { Console } from '../stores/console.ts';

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

/** The command that waits for its answer at this process. */
export function usePending(target: Target): Pending | undefined {
  return usePart(
    ({ actions }) => actions,
    (state) => state.pending[targetKey(target)],
  );
}
