// What calls of models cost: exact in every digit of the price, and unknown where nobody knows.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_BUDGET } from '../../core/model/budget.ts';
import { KNOWN_PRICES } from '../../core/model/known-prices.ts';
import { bookingOfCall, usedOf } from '../../core/model/model-calls.ts';
import { moneyOf, mostMoney, type ModelPrice, type PriceTable } from '../../core/model/prices.ts';

const PRICE: ModelPrice = {
  input: 2,
  cachedRead: 0.5,
  cachedWrite: 2.5,
  output: 8,
  maxInput: 1_000,
  maxOutput: 100,
};
const TABLE: PriceTable = {
  version: 'test-1',
  currency: 'EUR',
  models: {
    'a:one': PRICE,
    'a:no-cache': { ...PRICE, cachedRead: null, cachedWrite: null, maxInput: null },
    'a:free': { ...PRICE, input: 0, cachedRead: 0, cachedWrite: 0, output: 0 },
  },
};
const CONFIG = { ...DEFAULT_BUDGET, prices: TABLE };

describe('money', () => {
  test.each([
    [{ input: 2 }, { tokensIn: 1_000_000 }, 2],
    [{ input: 0.1, output: 0.2 }, { tokensIn: 1_000_000, tokensOut: 1_000_000 }, 0.3],
    // A millionth of the unit is a token for a price of 1.
    [{ input: 1 }, { tokensIn: 1 }, 0.000001],
    // Less than a millionth is never nothing.
    [{ input: 0.05 }, { tokensIn: 7 }, 0.000001],
    [{ input: 0.05 }, { tokensIn: 20 }, 0.000001],
    [{ input: 0.05 }, { tokensIn: 21 }, 0.000002],
    [{ input: 1e-7 }, { tokensIn: 1 }, 0.000001],
    [{ input: 0 }, { tokensIn: 5 }, 0],
    // In doubles 0.07 * 100 is 7.000000000000001, which would be a millionth too much.
    [{ input: 0.07 }, { tokensIn: 100 }, 0.000007],
    [{ input: 1.1 }, { tokensIn: 10 }, 0.000011],
    // Seventeen digits.
    [{ input: 0.12345678901234568 }, { tokensIn: 100_000_000 }, 12.345679],
    [{ input: 0.10000000000000002 }, { tokensIn: 10 }, 0.000002],
    [{ input: 1e6 }, { tokensIn: 1_000_000_000 }, 1e9],
  ] as const)('%o for %o is %d', (price, tokens, money) => {
    expect(moneyOf({ ...PRICE, ...price }, tokens)).toEqual({ money, isWhole: true });
  });

  test('is what whole numbers give, whatever the price and the count', () => {
    const price = fc.record({ whole: fc.nat(999), millionths: fc.nat(999_999) });
    fc.assert(
      fc.property(price, price, fc.nat(2_000_000), fc.nat(2_000_000), (a, b, tokensIn, tokensOut) => {
        const text = (p: typeof a): string => `${p.whole}.${String(p.millionths).padStart(6, '0')}`;
        const micros = (p: typeof a): bigint => BigInt(p.whole) * 1_000_000n + BigInt(p.millionths);
        const exact = micros(a) * BigInt(tokensIn) + micros(b) * BigInt(tokensOut);
        const expected = Number((exact + 999_999n) / 1_000_000n) / 1e6;
        const found = moneyOf(
          { ...PRICE, input: Number(text(a)), output: Number(text(b)) },
          { tokensIn, tokensOut },
        );
        expect(found.money).toBe(expected);
      }),
    );
  });

  test('[P5] a kind without a price is not counted as nothing, but as not known', () => {
    const { 'a:no-cache': price } = TABLE.models;
    expect(moneyOf(price!, { tokensIn: 1_000_000, tokensCachedRead: 5 })).toEqual({
      money: 2,
      isWhole: false,
    });
    expect(moneyOf(price!, { tokensIn: 1_000_000 })).toEqual({ money: 2, isWhole: true });
  });

  test('the most that a call can cost takes the dearest way in', () => {
    expect(mostMoney(PRICE)).toBe(0.0033);
    expect(mostMoney(TABLE.models['a:no-cache']!)).toBeNull();
  });
});

describe('a call', () => {
  test('is booked at what it expects, one turn, and with the most that it can be', () => {
    const expects = { tokensIn: 100, tokensCachedRead: 50, tokensOut: 10 };
    const { booked, asked, facts } = bookingOfCall(CONFIG, { model: 'a:one', expects });
    expect(booked).toEqual({
      modelTurns: 1,
      tokens: 160,
      tokensIn: 100,
      tokensCachedRead: 50,
      tokensOut: 10,
      money: 0.000305,
    });
    expect(asked).toEqual(booked);
    expect(facts).toEqual({
      model: 'a:one',
      prices: 'test-1',
      currency: 'EUR',
      most: {
        tokens: 1_100,
        tokensIn: 1_000,
        tokensCachedRead: 1_000,
        tokensCachedWrite: 1_000,
        tokensOut: 100,
        money: 0.0033,
      },
    });
  });

  test('that expects nothing asks for the least that it can be, so that nothing begins once a limit is reached', () => {
    const { booked, asked } = bookingOfCall(CONFIG, { model: 'a:one', expects: null });
    expect(booked).toEqual({ modelTurns: 1, unpriced: 1 });
    expect(asked).toMatchObject({ modelTurns: 1, tokens: 1, tokensIn: 1, tokensOut: 1, money: 0.000001 });
    expect(bookingOfCall(CONFIG, { model: 'a:free', expects: null }).asked.money).toBeUndefined();
  });

  test('[P5] of a model without a price counts its tokens, and as a call that is not priced', () => {
    const { booked, facts } = bookingOfCall(CONFIG, { model: 'a:other', expects: { tokensIn: 9 } });
    expect(booked).toEqual({ modelTurns: 1, tokens: 9, tokensIn: 9, unpriced: 1 });
    expect(facts).toEqual({ model: 'a:other', prices: 'test-1', currency: 'EUR' });
    // A name is a name, and nothing that every object has.
    expect(bookingOfCall(CONFIG, { model: 'constructor', expects: {} }).booked.unpriced).toBe(1);
  });

  const booked = { toolCalls: 1, cost: 2.5, modelTurns: 1, tokens: 100, tokensIn: 100, money: 0.0002 };

  test('counts for what it used in place of what was expected, also where that is more', () => {
    const use = { tokens: { tokensIn: 10, tokensOut: 500 }, isUnclear: false };
    const usage = { modelTurns: 1, tokens: 510, tokensIn: 10, tokensOut: 500, money: 0.00402 };
    expect(usedOf(CONFIG, { model: 'a:one', booked }, 'done', use)).toEqual({
      toolCalls: 1,
      cost: 2.5,
      ...usage,
    });
    // What did not happen, or is in doubt, used its model all the same.
    for (const end of ['did_not_happen', 'in_doubt'] as const) {
      expect(usedOf(CONFIG, { model: 'a:one', booked }, end, use)).toEqual(usage);
    }
  });

  test('[P5] that told no number counts at least for what was expected, and as not priced', () => {
    const use = { tokens: { tokensIn: 10, tokensOut: 5 }, isUnclear: true };
    expect(usedOf(CONFIG, { model: 'a:one', booked }, 'done', use)).toEqual({
      toolCalls: 1,
      cost: 2.5,
      modelTurns: 1,
      tokens: 105,
      tokensIn: 100,
      tokensOut: 5,
      money: 0.00024,
      unpriced: 1,
    });
  });
});

test('the prices that come with Holdfast have all that a price needs', () => {
  for (const [name, price] of Object.entries(KNOWN_PRICES.models)) {
    expect(name).toMatch(/^[a-z]+:[a-z0-9.-]+$/);
    expect(price.output).toBeGreaterThan(price.input);
    expect(price.cachedRead!).toBeLessThan(price.input);
    expect(mostMoney(price)).toBeGreaterThan(0);
  }
});
