// The verb that tells what was spent when: read from the journal, whoever runs it [P6].

import { readCosts } from '../host/read-costs.ts';
import { COST_HEADINGS, costCells, type CostRow } from '../model/cost-history.ts';
import { csvLine } from '../model/csv.ts';
import { plus, type Amounts } from '../model/meters.ts';
import { moneyText } from '../model/money-text.ts';
import { open } from './look.ts';
import { print, printJson, printCsv } from './output.ts';

export interface CostsGiven {
  readonly json: boolean;
  readonly csv: boolean;
}

/** @throws `process.not-found` */
export async function costs(directory: string, process: string, { json, csv }: CostsGiven): Promise<void> {
  const { journal } = await open(directory, process);
  if (csv) printCsv(csvLine(COST_HEADINGS));
  const days = new Map<string, { spent: Amounts; currency: string }>();
  for await (const row of readCosts(journal.directory, process)) {
    if (csv) printCsv(csvLine(costCells(row)));
    else if (json) printJson(row);
    else print(line(row));
    const day = days.get(row.period) ?? { spent: {}, currency: '' };
    days.set(row.period, { spent: plus(day.spent, row.spent), currency: row.currency || day.currency });
  }
  if (csv || json) return;
  if (days.size === 0) print(`${process} has spent nothing that its journal tells of.`);
  for (const [period, { spent, currency }] of days)
    print(`day of ${period || 'unknown'}: ${text(spent, currency)}`);
}

function line({ at, effect, model, outcome, spent, currency }: CostRow): string {
  const what =
    effect === '' ? outcome : `${effect}${outcome === 'done' ? '' : ` (${outcome.replaceAll('_', ' ')})`}`;
  return `${at}  ${what}${model === '' ? '' : `  ${model}`}  ${text(spent, currency)}`;
}

function text({ cost = 0, tokens, money = 0, unpriced = 0, modelTurns }: Amounts, currency: string): string {
  if (modelTurns === undefined) return `cost ${cost}`;
  const paid = moneyText({ money, unpriced, currency: currency || null });
  // A provider may tell none of what it counted, which is not that there were none.
  return `cost ${cost} · ${tokens === undefined ? 'tokens unknown' : `${tokens} tokens`} · ${paid}`;
}
