// What a model call used, by kind of token. A provider that says nothing of a kind leaves it unknown, which is not none.

import type { LanguageModelV4Usage } from '@ai-sdk/provider';

/** What is left out is unknown. */
export interface TokenUsage {
  /** Of the input, what came from no cache and went into none; all of it where nothing is said of caching. */
  readonly tokensIn?: number;
  readonly tokensCachedRead?: number;
  readonly tokensCachedWrite?: number;
  /** Reasoning included. */
  readonly tokensOut?: number;
}

// As each provider calls them. The packages turn what was not said into 0; what was said they keep in `raw`.
const IN = ['prompt_tokens', 'input_tokens', 'promptTokenCount'];
const OUT = ['completion_tokens', 'output_tokens', 'candidatesTokenCount', 'thoughtsTokenCount'];
const CACHED_READ = [
  'cached_tokens',
  'cache_read_input_tokens',
  'cachedContentTokenCount',
  'num_cached_tokens',
];
const CACHED_WRITE = ['cache_creation_input_tokens', 'cache_write_tokens'];
/** Where a part of them is told apart. */
const DETAILS = ['prompt_tokens_details', 'prompt_token_details', 'input_tokens_details'];

/** Beyond it a count is a slip, or a lie. */
const MOST = 1e12;

export function tokenUsageOf({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): TokenUsage {
  const said = (count: number | undefined, keys: readonly string[]): number | undefined =>
    isCount(count) && (count > 0 || raw === undefined || isSaid(raw, keys)) ? count : undefined;
  const total = said(inputTokens.total, IN);
  let read = said(inputTokens.cacheRead, CACHED_READ);
  let written = said(inputTokens.cacheWrite, CACHED_WRITE);
  if (total !== undefined && (read ?? 0) + (written ?? 0) > total) {
    // More from the cache than there was: not to be believed, and the whole is the dearer reading.
    read = undefined;
    written = undefined;
  }
  const plain = total === undefined ? said(inputTokens.noCache, IN) : total - (read ?? 0) - (written ?? 0);
  const out = said(outputTokens.total, OUT);
  return {
    ...(plain === undefined ? {} : { tokensIn: plain }),
    ...(read === undefined ? {} : { tokensCachedRead: read }),
    ...(written === undefined ? {} : { tokensCachedWrite: written }),
    ...(out === undefined ? {} : { tokensOut: out }),
  };
}

function isSaid(raw: Readonly<Record<string, unknown>>, keys: readonly string[]): boolean {
  const places = [raw, ...DETAILS.map((key) => raw[key])];
  return places.some(
    (place) =>
      typeof place === 'object' &&
      place !== null &&
      keys.some((key) => typeof (place as Readonly<Record<string, unknown>>)[key] === 'number'),
  );
}

function isCount(count: number | undefined): count is number {
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 && count <= MOST;
}
