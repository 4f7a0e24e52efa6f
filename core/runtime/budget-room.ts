// What becomes of a process when there is no room under a limit for what it does, and when there is again: under its own, a
// cap on all, or one that it shares with its family.

import type { Overrun } from '../model/budget-state.ts';
import { describeOverrun } from '../model/budget.ts';
import { endsWith } from './motion-decisions.ts';
import { host, type Actor } from './lifecycle-driver.ts';
import type { ProcessParts } from './process-parts.ts';

export interface BudgetRoomOptions extends Pick<
  ProcessParts,
  'recorder' | 'guard' | 'lifecycle' | 'budget' | 'caps'
> {
  /** It has used as much as it may, and is not to wait for more. */
  readonly end: (actor: Actor) => void;
}

export class BudgetRoom {
  readonly #options: BudgetRoomOptions;

  constructor(options: BudgetRoomOptions) {
    this.#options = options;
  }

  /** What did not fit was not done. It waits for more, unless the manifest says that it is to stop. */
  exceeded(overrun: Overrun): void {
    const { budget, guard, lifecycle, end } = this.#options;
    if (guard.trouble !== null) return;
    const actor = host(describeOverrun(overrun));
    if (endsWith(overrun, budget.config.onExceeded)) end(actor);
    else lifecycle.hold('budget', actor);
  }

  /** There may be room for what waits for that: it goes on where there is. */
  relieve(why: string): void {
    const { recorder, guard, lifecycle, budget } = this.#options;
    if (!guard.mayMove || !budget.hasRoom) return;
    if (recorder().snapshot.holds.some(({ kind }) => kind === 'budget'))
      lifecycle.lift(['budget'], host(why));
  }

  /** Begins another day of its budget where the last one is over. */
  turn(): void {
    const { guard, budget } = this.#options;
    if (guard.mayMove) budget.turn();
  }

  /** The same before it moves; what waited for another day goes on. */
  turnAndRelieve(): void {
    this.#options.budget.turn();
    this.relieve('there is room in its budget again');
  }

  /** Other caps apply. */
  capsChanged(): void {
    const { guard, caps } = this.#options;
    if (!guard.mayMove) return;
    caps.turn();
    this.relieveCap();
  }

  /** There may be room under a cap. */
  relieveCap(): void {
    if (this.#exceeded?.cap !== undefined) this.relieve('there is room under the cap again');
  }

  /** There may be room in the budget that its family shares. */
  relieveFamily(): void {
    if (this.#exceeded?.of !== undefined) this.relieve('there is room in the budget that it shares');
  }

  get #exceeded(): Overrun | null {
    return this.#options.recorder().snapshot.budget.exceeded;
  }
}
