import { emptyTally, type Explorer } from './explore.ts';
import { scratch } from './scratch.ts';

export interface Budget extends Explorer, Disposable {}

/** A place to try states in for so long, and for so many states at least, however slow the machine is. */
export function budget({ ms, leastStates }: { readonly ms: number; readonly leastStates: number }): Budget {
  const place = scratch();
  const tally = emptyTally();
  const until = performance.now() + ms;
  return {
    root: place.directory,
    tally,
    goesOn: () => performance.now() < until || tally.states < leastStates,
    [Symbol.dispose]: () => place[Symbol.dispose](),
  };
}

/** Another one in each run: what a sample missed today may be in tomorrow's. It stands in what a failure says. */
export const SEED = Math.floor(Math.random() * 1_000_000);
