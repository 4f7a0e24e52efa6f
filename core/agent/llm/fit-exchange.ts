// What a turn has come to, made to fit: of results that were long ago in it their beginnings are enough. Pure, so that a
// re-run asks the same.

import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { cutText } from './clean-text.ts';
import { tokensOf } from './estimate-tokens.ts';

/** Of a result that is shortened, in characters. */
const SHORT = 600;
/** The newest results stay whole, of so many answers. */
const WHOLE = 1;

const shortened = new WeakMap<LanguageModelV4Message, LanguageModelV4Message>();

/** The oldest results go first, and only as many as have to; 0 for as much as there is. */
export function fitExchange(
  exchange: readonly LanguageModelV4Message[],
  before: number,
  maxTokens: number,
): readonly LanguageModelV4Message[] {
  if (maxTokens === 0) return exchange;
  let tooMuch = before + tokensOf(exchange) - maxTokens;
  if (tooMuch <= 0) return exchange;
  const results = exchange.flatMap((message, at) => (message.role === 'tool' ? [at] : [])).slice(0, -WHOLE);
  const fitted = [...exchange];
  for (const at of results) {
    if (tooMuch <= 0) break;
    const whole = fitted[at]!;
    const short = shortenedOf(whole);
    tooMuch -= tokensOf([whole]) - tokensOf([short]);
    fitted[at] = short;
  }
  return fitted;
}

function shortenedOf(message: LanguageModelV4Message): LanguageModelV4Message {
  const known = shortened.get(message);
  if (known !== undefined) return known;
  const short = message.role === 'tool' ? { ...message, content: message.content.map(shortPart) } : message;
  shortened.set(message, short);
  return short;
}

type ToolPart = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number];

function shortPart(part: ToolPart): ToolPart {
  if (part.type !== 'tool-result') return part;
  const { output } = part;
  if (output.type !== 'text' && output.type !== 'error-text') return part;
  return { ...part, output: { ...output, value: cutText(output.value, SHORT) } };
}
