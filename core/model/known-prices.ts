// The prices that Holdfast knows without being told: list prices of a few models, in US dollars per million tokens, as they
// were in November 2025. Prices change: `budget.holdfast.prices` names a file that takes this table's place.

import type { ModelPrice, PriceTable } from './prices.ts';

/** What OpenAI writes to its cache costs what other input does. */
function openai(
  [input, cachedRead, output]: readonly [number, number, number],
  maxInput: number,
  maxOutput: number,
): ModelPrice {
  return { input, cachedRead, cachedWrite: input, output, maxInput, maxOutput };
}

/** What is kept for five minutes; keeping it for an hour costs more, and is not told apart here. */
function anthropic(
  [input, cachedRead, cachedWrite, output]: readonly [number, number, number, number],
  maxOutput: number,
): ModelPrice {
  return { input, cachedRead, cachedWrite, output, maxInput: 200_000, maxOutput };
}

export const KNOWN_PRICES: PriceTable = {
  version: 'known-2025-11',
  currency: 'USD',
  models: {
    'openai:gpt-5': openai([1.25, 0.125, 10], 272_000, 128_000),
    'openai:gpt-5-mini': openai([0.25, 0.025, 2], 272_000, 128_000),
    'openai:gpt-5-nano': openai([0.05, 0.005, 0.4], 272_000, 128_000),
    'openai:gpt-4.1': openai([2, 0.5, 8], 1_047_576, 32_768),
    'openai:gpt-4.1-mini': openai([0.4, 0.1, 1.6], 1_047_576, 32_768),
    'openai:gpt-4.1-nano': openai([0.1, 0.025, 0.4], 1_047_576, 32_768),
    'openai:gpt-4o': openai([2.5, 1.25, 10], 128_000, 16_384),
    'openai:gpt-4o-mini': openai([0.15, 0.075, 0.6], 128_000, 16_384),
    'anthropic:claude-opus-4-5': anthropic([5, 0.5, 6.25, 25], 64_000),
    'anthropic:claude-opus-4-1': anthropic([15, 1.5, 18.75, 75], 32_000),
    'anthropic:claude-sonnet-4-5': anthropic([3, 0.3, 3.75, 15], 64_000),
    'anthropic:claude-haiku-4-5': anthropic([1, 0.1, 1.25, 5], 64_000),
  },
};
