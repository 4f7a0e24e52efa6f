// What a call of a model costs, by a table with a name of its own, which is recorded beside whatever it was worked out with:
// a present table is never asked about the past [S21].

import { MOST, type TokenMeter } from './meters.ts';

/** Per million tokens. Null: not known, and that is not nothing [P5]. */
export interface ModelPrice {
  readonly input: number;
  readonly cachedRead: number | null;
  readonly cachedWrite: number | null;
  readonly output: number;
  /** The most tokens that one call can take in, and give; null where not known. */
  readonly maxInput: number | null;
  readonly maxOutput: number | null;
}

export interface PriceTable {
  /** Which table it is: another one has another name. */
  readonly version: string;
  /** Three letters, ISO 4217. */
  readonly currency: string;
  /** By their names, `provider:model`. */
  readonly models: Readonly<Record<string, ModelPrice>>;
}

/** Tokens of one call by their kinds; what is left out is none. */
export type TokensUsed = Readonly<Partial<Record<TokenMeter, number>>>;

const KINDS = {
  tokensIn: 'input',
  tokensCachedRead: 'cachedRead',
  tokensCachedWrite: 'cachedWrite',
  tokensOut: 'output',
} as const satisfies Record<TokenMeter, keyof ModelPrice>;

export function priceIn({ models }: PriceTable, model: string): ModelPrice | null {
  return Object.hasOwn(models, model) ? models[model]! : null;
}

/**
 * What these tokens cost, in units of the currency. Exact in all digits of the prices, and then rounded up to the millionth,
 * to which sums are kept: a call never counts as less than it costs. `isWhole`: every kind in it has a price.
 */
export function moneyOf(
  price: ModelPrice,
  tokens: TokensUsed,
): { readonly money: number; readonly isWhole: boolean } {
  const parts: Decimal[] = [];
  let isWhole = true;
  for (const [kind, name] of Object.entries(KINDS) as [TokenMeter, (typeof KINDS)[TokenMeter]][]) {
    const count = tokens[kind] ?? 0;
    const each = price[name];
    if (count === 0) continue;
    if (each === null) isWhole = false;
    else parts.push(times(decimalOf(each), count));
  }
  // Millionths of the unit for a token are units for a million of them.
  return { money: Math.min(MOST, Number(roundedUp(parts)) / 1e6), isWhole };
}

/** The most that one call can cost; null where that is not known. */
export function mostMoney(price: ModelPrice): number | null {
  const { input, cachedRead, cachedWrite, maxInput, maxOutput } = price;
  if (maxInput === null || maxOutput === null) return null;
  const dearest = Math.max(input, cachedRead ?? 0, cachedWrite ?? 0);
  return moneyOf({ ...price, input: dearest }, { tokensIn: maxInput, tokensOut: maxOutput }).money;
}

/** `digits` with so many of them behind the point. */
interface Decimal {
  readonly digits: bigint;
  readonly behind: number;
}

/** As the number is written, which is how its table has it. */
function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const behind = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return behind >= 0 ? { digits, behind } : { digits: digits * 10n ** BigInt(-behind), behind: 0 };
}

function times({ digits, behind }: Decimal, count: number): Decimal {
  return { digits: digits * BigInt(count), behind };
}

function roundedUp(parts: readonly Decimal[]): bigint {
  const behind = Math.max(0, ...parts.map((part) => part.behind));
  const sum = parts.reduce((all, part) => all + part.digits * 10n ** BigInt(behind - part.behind), 0n);
  const unit = 10n ** BigInt(behind);
  return (sum + unit - 1n) / unit;
}
