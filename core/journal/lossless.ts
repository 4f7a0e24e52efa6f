// Reading JSON as Python writes it, without changing a digit. Plain JSON.parse is six times faster, so it does every
// text that can't be hurt by it.

import { RawNumber, type Json } from '../model/json.ts';

/**
 * A number that a double may not hold: sixteen digits or more, or an exponent that may leave its range. A number stands
 * behind one of these characters or at the beginning, so the digits in ids and hashes don't count. What looks like one
 * in a text does: harmless.
 */
const RISKY = /[:,[\s](-?(?:[\d.]{16,}(?:[eE][+-]?\d+)?|\d[\d.]*[eE][+-]?\d{3,}))/g;
const NON_JSON = /NaN|Infinity/;

/**
 * Parses one JSON text. Numbers that a double would change, and the bare tokens `NaN`, `Infinity` and `-Infinity`,
 * come back as raw numbers.
 * @throws SyntaxError where it is not JSON even so
 */
export function parseLossless(text: string): Json {
  if (!mayChange(text)) {
    try {
      return JSON.parse(text) as Json;
    } catch (error) {
      if (!NON_JSON.test(text)) throw error;
    }
  }
  return parseWithSource(NON_JSON.test(text) ? quoteTokens(text) : text);
}

/** Whether a double would change a number in it. Most long ones are doubles that Python wrote out in full. */
function mayChange(text: string): boolean {
  const first = text[0];
  if (first !== '{' && first !== '[') return true;
  RISKY.lastIndex = 0;
  for (let match = RISKY.exec(text); match !== null; match = RISKY.exec(text)) {
    if (!isExact(match[1]!)) return true;
  }
  return false;
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
      // Quoted, a token would pass for a key, and be gone where another of the same name follows.
      if (isKey(text, candidate.lastIndex)) throw new SyntaxError(`${match[0]} is no key`);
      parts.push(text.slice(from, match.index), JSON.stringify(TOKEN + match[0]));
      from = candidate.lastIndex;
    }
  }
  return parts.join('') + text.slice(from);
}

const COLON_NEXT = /[ \t\r\n]*:/y;

function isKey(text: string, end: number): boolean {
  COLON_NEXT.lastIndex = end;
  return COLON_NEXT.test(text);
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
  const revive = (_key: string, value: unknown, context?: ReviverContext): unknown => {
    if (typeof value === 'number' && context?.source !== undefined) return exact(value, context.source);
    if (typeof value === 'string' && value.startsWith(TOKEN)) return new RawNumber(value.slice(TOKEN.length));
    return value;
  };
  return (JSON.parse as (text: string, reviver: typeof revive) => Json)(text, revive);
}

function exact(value: number, source: string): number | RawNumber {
  if (source.length < 16 && !/e/i.test(source)) return value;
  return isExact(source) ? value : new RawNumber(source);
}

function isExact(source: string): boolean {
  const written = String(Number(source));
  return written === source || digitsOf(written) === digitsOf(source);
}

/** A decimal as sign, digits without outer zeros, and exponent: equal for equal numbers however they are spelled. */
function digitsOf(decimal: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(decimal);
  if (match === null) return decimal;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  // A zero is a zero, as JSON.parse has it.
  if (digits === '') return '0';
  return `${sign}${digits}e${Number(exponent) - fraction.length + (all.length - digits.length)}`;
}
