// [C2] A host that is killed while ninety percent of its limits are used, and another one on the same journal.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ProcessRow } from '../../core/contract/process-row.ts';
import { readFileJournal } from '../../core/journal/file-journal.ts';
import { FAR_HOUR } from '../support/budgets.ts';
import { runHost, workspaceOf, type ChildHost } from '../support/run-host.ts';
import { waitFor } from '../support/wait-for.ts';

const MANIFEST = `budget:
  max_tool_calls_per_day: 10
  daily_reset_hour_utc: ${FAR_HOUR}
  holdfast: { max_tokens_per_day: 1000, max_money_per_day: 1, prices: ./prices.yaml }
`;
const PRICES = 'version: test-1\ncurrency: EUR\nmodels: { a:one: { input: 1000, output: 0 } }\n';
/** A thousandth of the currency for each token. */
const ASKS = `for (let n = 0; n < event.payload; n += 1) {
  await ctx.effect('ask', { class: 'ask', args: { n }, model: 'a:one', expects: { tokensIn: 100 } }, async ({ used }) => used({ tokensIn: 100 }));
}`;

test('[C2] [P4] ninety percent used, kill -9, start again: ninety percent used, of effects, tokens and money', async () => {
  const workspace = workspaceOf({ clerk: ASKS }, MANIFEST);
  writeFileSync(join(workspace, 'prices.yaml'), PRICES);
  const budgetOf = async (host: ChildHost): Promise<ProcessRow['budget']> => {
    const { stdout } = await host.command('show', workspace, 'clerk', '--json');
    return (JSON.parse(stdout) as { row: ProcessRow }).row.budget;
  };
  const usedOf = async (host: ChildHost): Promise<Record<string, number>> => {
    const { limits } = await budgetOf(host);
    return Object.fromEntries(limits.map(({ limit, spent, max }) => [limit, spent / max]));
  };
  const ninety = { max_tool_calls_per_day: 0.9, max_tokens_per_day: 0.9, max_money_per_day: 0.9 };
  const first = await runHost(workspace);
  expect((await first.command('trigger', workspace, 'clerk', '--payload', '9')).code).toBe(0);
  await waitFor(async () => (await usedOf(first))['max_tool_calls_per_day'] === 0.9, {
    what: 'nine effects',
  });
  expect(await usedOf(first)).toEqual(ninety);
  // What a host says of itself is ahead of the disk.
  const journal = readFileJournal(join(workspace, '.holdfast-journal'));
  await waitFor(async () => (await journal.read('clerk', { entryType: 'invocation_result' })).length === 1, {
    what: 'its end on the disk',
  });
  await first.kill();
  const second = await runHost(workspace, first.data);
  expect(await usedOf(second)).toEqual(ninety);
  expect(await budgetOf(second)).toMatchObject({
    currency: 'EUR',
    models: { turns: 9, tokens: 900, money: 0.9 },
  });
  // One more fits, and the one after it waits.
  expect((await second.command('trigger', workspace, 'clerk', '--payload', '2')).code).toBe(0);
  await waitFor(async () => (await budgetOf(second)).exceeded !== null, { what: 'the hold' });
  expect((await usedOf(second))['max_tokens_per_day']).toBe(1);
});
