// What a call of a model is booked at before it is made, and what it counts for once it is known what it used.

import type { BudgetConfig } from './budget.ts';
import type { EffectEnd, RecordedEffect } from './effects.ts';
import type { JsonObject } from './json.ts';
import { KNOWN_PRICES } from './known-prices.ts';
import {
  plus,
  TOKEN_METERS,
  total,
  withoutUsage,
  type Amounts,
  type Meter,
  type TokenMeter,
} from './meters.ts';
import { moneyOf, mostMoney, priceIn, type PriceTable, type TokensUsed } from './prices.ts';

type Priced = Pick<BudgetConfig, 'prices'>;

/** As its effect announces it. `expects`: so much at most, as its code says; null where it says nothing. */
export interface ModelCall {
  readonly model: string;
  readonly expects: TokensUsed | null;
}

/** `isUnclear`: part of what its code told was no number, so it may have been more. */
export interface ReportedUse {
  readonly tokens: TokensUsed;
  readonly isUnclear: boolean;
  /** Which model that was, where it is not the one that was announced. */
  readonly model?: string;
}

export interface CallBooking {
  readonly booked: Amounts;
  /** What has to fit: of what is not known, the least that it can be, so that nothing is begun once a limit is reached. */
  readonly asked: Amounts;
  /** Recorded with the announcement. */
  readonly facts: JsonObject;
}

export function pricesOf({ prices }: Priced): PriceTable {
  return prices ?? KNOWN_PRICES;
}

export function isPriced(config: Priced, model: string): boolean {
  return priceIn(pricesOf(config), model) !== null;
}

export function bookingOfCall(config: Priced, { model, expects }: ModelCall): CallBooking {
  const table = pricesOf(config);
  const price = priceIn(table, model);
  const booked = usageOf(config, model, { tokens: expects ?? {}, isUnclear: expects === null });
  const most = mostOf(table, model);
  const isFree = price !== null && price.input === 0 && price.output === 0;
  const leastOf: Amounts = {
    tokens: 1,
    ...(expects === null ? Object.fromEntries(TOKEN_METERS.map((kind) => [kind, 1])) : {}),
    ...(isFree ? {} : { money: 1e-6 }),
  };
  return {
    booked,
    asked: { ...leastOf, ...booked },
    facts: { model, ...pricedBy(table), ...(most === null ? {} : { most: { ...most } }) },
  };
}

/** Which prices it was worked out with, as its entry records it. */
export function pricedBy({ version, currency }: PriceTable): JsonObject {
  return { prices: version, currency };
}

/**
 * What an effect counts for by what its code told: of what did not happen, or is in doubt, what its call used. What it was
 * booked at else stays as it is.
 */
export function usedOf(
  config: Priced,
  { model = '', booked = {} }: Pick<RecordedEffect, 'model' | 'booked'>,
  end: EffectEnd['kind'],
  { tokens, isUnclear, model: by = model }: ReportedUse,
): Amounts {
  // What was not told in full may have been as much as was expected.
  const known = isUnclear ? atLeast(tokens, booked) : tokens;
  const usage = usageOf(config, by, { tokens: known, isUnclear });
  return end === 'done' ? plus(withoutUsage(booked), usage) : usage;
}

function usageOf(config: Priced, model: string, { tokens, isUnclear }: ReportedUse): Amounts {
  const price = priceIn(pricesOf(config), model);
  const { money, isWhole } = price === null ? { money: 0, isWhole: false } : moneyOf(price, tokens);
  const all: [Meter, number][] = [
    ['modelTurns', 1],
    ['tokens', total(...TOKEN_METERS.map((kind) => tokens[kind] ?? 0))],
    ...TOKEN_METERS.map((kind): [Meter, number] => [kind, tokens[kind] ?? 0]),
    ['money', money],
    ['unpriced', isWhole && !isUnclear ? 0 : 1],
  ];
  return Object.fromEntries(all.filter(([, amount]) => amount > 0));
}

function atLeast(told: TokensUsed, booked: Amounts): TokensUsed {
  const known: Partial<Record<TokenMeter, number>> = {};
  for (const kind of TOKEN_METERS) known[kind] = Math.max(told[kind] ?? 0, booked[kind] ?? 0);
  return known;
}

/** The most that a call of it can use; without money where only that is not known, null where nothing is. */
function mostOf(table: PriceTable, model: string): Amounts | null {
  const price = priceIn(table, model);
  if (price === null || price.maxInput === null || price.maxOutput === null) return null;
  const { maxInput, maxOutput } = price;
  const money = mostMoney(price);
  return {
    tokens: maxInput + maxOutput,
    tokensIn: maxInput,
    tokensCachedRead: maxInput,
    tokensCachedWrite: maxInput,
    tokensOut: maxOutput,
    ...(money === null || money === 0 ? {} : { money }),
  };
}
