// Processes under limits, with real workers.

import { DEFAULT_BUDGET, type BudgetConfig } from '../../core/model/budget.ts';
import { OPERATOR, type Bench } from './runtime.ts';

export const budget = (more: Partial<BudgetConfig>): { budget: BudgetConfig } => ({
  budget: { ...DEFAULT_BUDGET, ...more },
});

/** Charges as often as its event says. */
export const CHARGES = `
  for (let n = 0; n < Number(event.payload); n += 1) {
    await ctx.effect('charge', { class: 'ask', args: { n } }, async () => void note('charge ' + n));
  }`;

export const isHeld = (of: Bench) => (): boolean =>
  of.process.snapshot.holds.some(({ kind }) => kind === 'budget');

export async function extend(of: Bench, limit: string, amount: number): Promise<void> {
  await of.process.extendBudget({ limit, amount, forMs: null }, OPERATOR);
}
