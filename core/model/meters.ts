// What is counted, and sums of it.

/** Tokens of a model call: each is of one kind and of no other. */
export const TOKEN_METERS = ['tokensIn', 'tokensCachedRead', 'tokensCachedWrite', 'tokensOut'] as const;
export type TokenMeter = (typeof TOKEN_METERS)[number];

/**
 * What model calls use. `tokens`: of all kinds. `money` in the currency of the price table. `unpriced`: calls of which not
 * all money is known, so that `money` is *at least* that [P5].
 */
export const USAGE_METERS = ['modelTurns', 'tokens', ...TOKEN_METERS, 'money', 'unpriced'] as const;

/** `runs`: invocations begun. `toolCalls`: effects performed. `cost` in the manifest's own units. */
export const METERS = ['runs', 'toolCalls', 'irreversible', 'cost', ...USAGE_METERS] as const;
export type Meter = (typeof METERS)[number];

/** What is left out is none. */
export type Amounts = Readonly<Partial<Record<Meter, number>>>;

const PRECISION = 1e6;
/** More than that is nobody's use: a number in a hand-written journal, which is not to become infinite. */
export const MOST = 1e15;

/** Sums of fractions are kept to the millionth, so that the same amounts give the same sum in any order. */
export function kept(sum: number): number {
  return Math.round(sum * PRECISION) / PRECISION;
}

export function plus(a: Amounts, b: Amounts): Amounts {
  return combined(a, b, 1);
}

/** What is left is never less than none. */
export function minus(a: Amounts, b: Amounts): Amounts {
  return combined(a, b, -1);
}

function combined(a: Amounts, b: Amounts, sign: 1 | -1): Amounts {
  const sum: Partial<Record<Meter, number>> = { ...a };
  for (const meter of Object.keys(b) as Meter[]) {
    const value = Math.min(MOST, kept((sum[meter] ?? 0) + sign * (b[meter] ?? 0)));
    if (value <= 0) delete sum[meter];
    else sum[meter] = value;
  }
  return sum;
}

/** A sum of such amounts, as exact as they are. */
export function total(...amounts: readonly number[]): number {
  return Math.min(MOST, kept(amounts.reduce((a, b) => a + b, 0)));
}

/** What a model call uses, and what an effect counts for whatever it is. */
export function withoutUsage(amounts: Amounts): Amounts {
  const rest = { ...amounts };
  for (const meter of USAGE_METERS) delete rest[meter];
  return rest;
}

export function isNone(amounts: Amounts): boolean {
  return Object.keys(amounts).length === 0;
}

/** As a line has it: what is no meter, or no amount, is not there. */
export function amountsOf(value: unknown): Amounts {
  const amounts: Partial<Record<Meter, number>> = {};
  if (typeof value !== 'object' || value === null) return amounts;
  for (const meter of METERS) {
    const amount = (value as Record<string, unknown>)[meter];
    if (typeof amount === 'number' && Number.isFinite(amount) && amount > 0) {
      amounts[meter] = Math.min(MOST, amount);
    }
  }
  return amounts;
}
