import type { LimitName } from './budget.ts';
import type { CapName } from './cap-names.ts';
import type { Amounts } from './meters.ts';
import { noSpending, type Spending } from './spending.ts';

/** More than the configuration allows, until `until`; for a run, of one event. */
export interface BudgetExtension {
  readonly limit: LimitName;
  readonly amount: number;
  /** Null: until the day of the budget is over, or the run. */
  readonly until: string | null;
  readonly eventId: string | null;
}

/** What did not fit. */
export interface Overrun {
  readonly limit: LimitName;
  readonly max: number;
  readonly spent: number;
  readonly reserved: number;
  readonly asked: number;
  /** Of the run that asked; null for a run that is still to begin. */
  readonly eventId: string | null;
  /** A model that nobody knows the price of: what it would cost is the matter, and `asked` says nothing. */
  readonly model?: string;
  /** Not its own limit: that of all together, in which the others' use is counted. */
  readonly cap?: CapName;
  /** A limit on what this process and all that it began use together: whose it is. */
  readonly of?: string;
}

/** What a process has used of the present day of its budget, as the journal tells it. */
export interface BudgetState {
  /**
   * `id` is when it began, or, where nobody opened one, the UTC day of the last run; `until` is null then. Null where the
   * journal knows of no run.
   */
  period: { readonly id: string; readonly until: string | null } | null;
  spent: Amounts;
  /** Of what is under way, whenever it began. */
  reserved: Amounts;
  /** Limits whose nearness was told in this period. */
  warned: readonly LimitName[];
  extensions: readonly BudgetExtension[];
  /** What did not fit last, until something makes room for it. */
  exceeded: Overrun | null;
  /** Of the money in it, as the last price told; null where none was. */
  currency: string | null;
  spending: Spending;
}

export function emptyBudget(): BudgetState {
  return {
    period: null,
    spent: {},
    reserved: {},
    warned: [],
    extensions: [],
    exceeded: null,
    currency: null,
    spending: noSpending(),
  };
}
