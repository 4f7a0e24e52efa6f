// How many tokens something is, before any provider has counted them: roughly, and rather too many.

import type { LanguageModelV4Message } from '@ai-sdk/provider';

const BYTES_PER_TOKEN = 4;
/** What a provider puts around each message. */
const PER_MESSAGE = 4;

/** A message goes into every call behind it, and does not change. */
const known = new WeakMap<LanguageModelV4Message, number>();

export function tokensOfText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

export function tokensOf(messages: readonly LanguageModelV4Message[]): number {
  return messages.reduce((sum, message) => sum + tokensOfMessage(message), 0);
}

export function tokensOfMessage(message: LanguageModelV4Message): number {
  let tokens = known.get(message);
  if (tokens === undefined) {
    tokens = tokensOfText(JSON.stringify(message)) + PER_MESSAGE;
    known.set(message, tokens);
  }
  return tokens;
}
