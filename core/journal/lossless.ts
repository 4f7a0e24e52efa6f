// Reading JSON as Python writes it, without changing a digit. Plain JSON.parse is six times faster, so it does every
// line that can't be hurt by it.

import { RawNumber, type Json } from '../model/json.ts';

/** A run of digits that a double may not hold, or an exponent that may leave its range. Strings match too: harmless. */
const RISKY = /[\d.]{16}|[eE][+-]?\d{3}/;
const NON_JSON = /NaN|Infinity/;

/**
 * Parses one JSON text. Numbers that a double would change, and the bare tokens `NaN`, `Infinity` and `-Infinity`,
 * come back as raw numbers.
 * @throws SyntaxError where it is not JSON even so
 */
export function parseLossless(text: string): Json {
  if (!RISKY.test(text)) {
    try {
      return JSON.parse(text) as Json;
    } catch (error) {
      if (!NON_JSON.test(text)) throw error;
    }
  }
  return parseWithSource(NON_JSON.test(text) ? quoteTokens(text) : text);
}

// Prefix of the strings that stand for bare tokens while the text is parsed. Not guessable, so no journal text can
// pretend to be one.
const TOKEN = `\u0000${crypto.randomUUID()}:`;

function quoteTokens(text: string): string {
  const parts: string[] = [];
  const candidate = /"|-?Infinity|NaN/g;
  let from = 0;
  for (let match = candidate.exec(text); match !== null; match = candidate.exec(text)) {
    if (match[0] === '"') {
      candidate.lastIndex = endOfString(text, candidate.lastIndex);
    } else {
      parts.push(text.slice(from, match.index), JSON.stringify(TOKEN + match[0]));
      from = candidate.lastIndex;
    }
  }
  return parts.join('') + text.slice(from);
}

/** Behind the quote that ends the string whose inside begins at `from`. A pattern would run out of stack on long ones. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slash = quote;
    while (slash > from && text[slash - 1] === '\\') slash -= 1;
    if ((quote - slash) % 2 === 0) return quote + 1;
  }
  return text.length;
}

interface ReviverContext {
  readonly source?: string;
}

function parseWithSource(text: string): Json {
  const revive = (key: string, value: unknown, context?: ReviverContext): unknown => {
    if (key.startsWith(TOKEN)) throw new SyntaxError(`${key.slice(TOKEN.length)} is no key`);
    if (typeof value === 'number' && context?.source !== undefined) return exact(value, context.source);
    if (typeof value === 'string' && value.startsWith(TOKEN)) return new RawNumber(value.slice(TOKEN.length));
    return value;
  };
  return (JSON.parse as (text: string, reviver: typeof revive) => Json)(text, revive);
}

function exact(value: number, source: string): number | RawNumber {
  if (source.length < 16 && !/e/i.test(source)) return value;
  return digitsOf(String(value)) === digitsOf(source) ? value : new RawNumber(source);
}

/** A decimal as sign, digits without outer zeros, and exponent: equal for equal numbers however they are spelled. */
function digitsOf(decimal: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(decimal);
  if (match === null) return decimal;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return `${sign}0`;
  return `${sign}${digits}e${Number(exponent) - fraction.length + (all.length - digits.length)}`;
}
