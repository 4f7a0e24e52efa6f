// What was spent when: by the journal, in sum what the gauges say, and harmless in a spreadsheet.

import { expect, test } from 'vitest';
import { CostHistory, COST_HEADINGS, costCells, type CostRow } from '../../core/model/cost-history.ts';
import { csvLine } from '../../core/model/csv.ts';
import { isNone, minus, plus, type Amounts } from '../../core/model/meters.ts';
import { moneyText } from '../../core/model/money-text.ts';
import type { PriceTable } from '../../core/model/prices.ts';
import { budget } from '../support/budgets.ts';
import { bench, isIdle } from '../support/runtime.ts';
import { holdfast } from '../support/child.ts';

const PRICES: PriceTable = {
  version: 'test-1',
  currency: 'EUR',
  models: {
    '=one': { input: 1, cachedRead: 0.1, cachedWrite: 1.25, output: 10, maxInput: 1_000, maxOutput: 500 },
  },
};

test('[P3] rows add up to what the fold counts: done, not happened, in doubt, decided and left open', async () => {
  const b = await bench(
    `await ctx.effect('=HYPERLINK("x")', { class: 'ask', model: '=one', expects: { tokensIn: 9 } }, async ({ used }) => used({ tokensIn: 5 }));
     await ctx.effect('look', { class: 'retry', retry: { attempts: 1 } }, async () => { throw new Error('lost'); }).catch(() => {});
     await ctx.effect('ask', { class: 'ask', model: 'b:other' }, async ({ used }) => { used({ tokensOut: 7 }); throw new DidNotHappen('no'); }).catch(() => {});
     if (event.payload === 'doubt') await ctx.effect('pay', { class: 'ask' }, async () => { throw new Error('lost'); });`,
    budget({ prices: PRICES, effectCosts: { pay: { cost: 2.5, isIrreversible: true } } }),
  );
  await b.trigger();
  await b.until('the end', isIdle);
  await b.trigger('doubt');
  await b.until('the doubt', ({ snapshot, live }) => {
    const pay = snapshot.open[0]?.effects.find(({ name }) => name === 'pay');
    return pay?.end?.kind === 'in_doubt' && live.running === 0;
  });
  const { effectId } = b.process.snapshot.open[0]!.effects.find(({ name }) => name === 'pay')!;
  await b.process.desk.resolveEffect(effectId, { kind: 'skip' }, { name: 'operator:t', reason: 'known' });
  await b.until('the end', isIdle);
  const history = new CostHistory();
  const rows = (await b.entries()).flatMap((entry): CostRow[] => {
    const row = history.feed(entry);
    return row === null ? [] : [row];
  });
  const sum = rows.reduce<Amounts>((all, { spent }) => plus(all, spent), {});
  const { spent } = b.process.snapshot.budget;
  expect(isNone(minus(minus(spent, { runs: 2 }), sum))).toBe(true);
  expect(sum).toEqual(minus(spent, { runs: 2 }));
  expect(rows.map(({ effect, outcome }) => [effect, outcome])).toEqual([
    ['=HYPERLINK("x")', 'done'],
    ['ask', 'did_not_happen'],
    ['', 'left open'],
    ['=HYPERLINK("x")', 'done'],
    ['ask', 'did_not_happen'],
    ['pay', 'skip'],
    ['', 'left open'],
  ]);
  expect(rows[0]).toMatchObject({ model: '=one', prices: 'test-1', currency: 'EUR' });
  expect(rows.every(({ period }) => period === b.process.snapshot.budget.period!.id)).toBe(true);

  const { stdout } = await holdfast(['costs', `${b.directory}/journal`, 'agent', '--csv']);
  const lines = stdout.split('\r\n');
  expect(lines[0]).toBe(COST_HEADINGS.join(','));
  expect(lines).toHaveLength(rows.length + 2);
  expect(lines[1]).toBe(csvLine(costCells(rows[0]!)));
  expect(lines[1]).toContain(`,"'=HYPERLINK(""x"")",done,'=one,1,0,1,1,5,0,0,0,0.000005,EUR,test-1,0`);
  const told = await holdfast(['costs', `${b.directory}/journal`, 'agent']);
  expect(told.stdout).toMatch(/=HYPERLINK\("x"\) {2}=one {2}cost 1 · 5 tokens · €0\.000005/);
  expect(told.stdout).toMatch(/day of .*: cost 6\.5 · 24 tokens · ≥ €0\.00001 \(2 calls unpriced\)/);
});

test('what nobody told the tokens of has used an unknown number of them, not none', async () => {
  const b = await bench("await ctx.effect('ask', { class: 'ask', model: 'b:other' }, async () => {});");
  await b.trigger();
  await b.until('the end', isIdle);
  await b.entries();
  const { stdout } = await holdfast(['costs', `${b.directory}/journal`, 'agent']);
  expect(stdout).toMatch(/ask {2}b:other {2}cost 1 · tokens unknown · /);
});

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  [' =1', "' =1"],
  ['|cmd', "'|cmd"],
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  [5, '5'],
  [1e-6, '0.000001'],
  [1e15, '1000000000000000'],
])('a cell %j is %j', (cell, text) => {
  expect(csvLine([cell])).toBe(text);
});

test('[P5] money that is not all known is at least so much, and never nothing', () => {
  const usd = (money: number, unpriced: number): string => moneyText({ money, unpriced, currency: 'USD' });
  expect(usd(1.2, 0)).toBe('$1.20');
  expect(usd(1.2, 2)).toBe('≥ $1.20 (2 calls unpriced)');
  expect(usd(0, 1)).toBe('price unknown (1 call)');
  expect(usd(0.000421, 0)).toBe('$0.000421');
  expect(moneyText({ money: 3, unpriced: 0, currency: 'CHF' })).toBe('3.00 CHF');
  expect(moneyText({ money: 3, unpriced: 0, currency: null })).toBe('3.00');
});
