// Processes under limits, with real workers.

import { CapBook, type CapMember } from '../../core/governance/cap-book.ts';
import { budgetOf, ManifestBudget } from '../../core/manifest/budget-schema.ts';
import type { Json } from '../../core/model/json.ts';
import type { ProcessConfig } from '../../core/model/process-config.ts';
import type { Clock } from '../../core/model/ports.ts';
import { DEFAULT_BUDGET, type BudgetConfig } from '../../core/model/budget.ts';
import { OPERATOR, type Bench } from './runtime.ts';

/** No day ends while the tests run. */
export const FAR_HOUR = (new Date().getUTCHours() + 12) % 24;

export const budget = (more: Partial<BudgetConfig>): { budget: BudgetConfig } => ({
  budget: { ...DEFAULT_BUDGET, resetHour: FAR_HOUR, ...more },
});

/** As a manifest says it, so that it can be changed while its process lives. */
export function written(section: Json): Pick<ProcessConfig, 'budget' | 'written'> {
  return { budget: budgetOf(ManifestBudget.parse(section), noPrices), written: { budget: section } };
}

function noPrices(file: string): never {
  throw new Error(`There are no prices in ${file}.`);
}

/** Charges as often as its event says. */
export const CHARGES = `
  for (let n = 0; n < Number(event.payload); n += 1) {
    await ctx.effect('charge', { class: 'ask', args: { n } }, async () => void note('charge ' + n));
  }`;

export const isHeld = (of: Bench) => (): boolean =>
  of.process.snapshot.holds.some(({ kind }) => kind === 'budget');

export async function extend(of: Bench, limit: string, amount: number): Promise<void> {
  await of.process.governance.extendBudget({ limit, amount, forMs: null }, OPERATOR);
}

/** What a process asks where there are no caps. */
export function noCaps(clock: Pick<Clock, 'now'>): CapMember {
  const book = new CapBook({ clock, configs: {}, ledger: null, onRoom: () => {} });
  return book.join('agent', () => {
    throw new Error('Nobody is asked where there are no caps.');
  });
}
