// Texts as Python sees them: characters are code points, not UTF-16 units. Half a character on its own, which JSON can
// hold, is taken for one of its own here too, but where halves meet they are one.

import { spend, type Work } from './filter-work.ts';

const BLANKS = new Set(
  '\t\n\u000b\f\r\u001c\u001d\u001e\u001f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008' +
    '\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
);
/** Below this, the engine's own search is fast whatever it is given. */
const SHORT_SEARCH = 100_000;

export function countPoints(text: string): number {
  let count = text.length;
  for (let at = 0; at + 1 < text.length; at += 1) {
    if (isPair(text, at)) {
      count -= 1;
      at += 1;
    }
  }
  return count;
}

function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

/** Python's `strip`: of blanks, or of the characters given. */
export function strip(text: string, characters: string | null): string {
  const [from, to] = stripped(text, characters === null ? BLANKS : new Set(characters));
  return text.slice(from, to);
}

/** Where a text begins and ends without the blanks around it. */
export function stripped(text: string, characters: ReadonlySet<string> = BLANKS): [from: number, to: number] {
  let from = 0;
  let to = text.length;
  for (let point = pointAt(text, from); from < to && characters.has(point); point = pointAt(text, from)) {
    from += point.length;
  }
  for (let point = pointBefore(text, to); to > from && characters.has(point); point = pointBefore(text, to)) {
    to -= point.length;
  }
  return [from, to];
}

function pointAt(text: string, at: number): string {
  return text.slice(at, at + (isPair(text, at) ? 2 : 1));
}

function pointBefore(text: string, to: number): string {
  return text.slice(to - (to >= 2 && isPair(text, to - 2) ? 2 : 1), to);
}

/** Below, equal or above 0, by code points: UTF-16 puts the rare characters before some of the others. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  return (unit & 0xf800) === 0xd800 ? unit + 0x10000 : unit;
}

/** Whether a text holds another; in time that grows with both and not with their product. */
export function holds(text: string, sought: string, work: Work): boolean {
  spend(work, text.length + sought.length);
  if (text.length < sought.length) return false;
  if (text.length * sought.length <= SHORT_SEARCH) return text.includes(sought);
  const fallback = new Int32Array(sought.length);
  for (let at = 1, matched = 0; at < sought.length; at += 1) {
    while (matched > 0 && sought.charCodeAt(at) !== sought.charCodeAt(matched)) {
      matched = fallback[matched - 1]!;
    }
    if (sought.charCodeAt(at) === sought.charCodeAt(matched)) matched += 1;
    fallback[at] = matched;
  }
  for (let at = 0, matched = 0; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(at) !== sought.charCodeAt(matched))
      matched = fallback[matched - 1]!;
    if (text.charCodeAt(at) === sought.charCodeAt(matched)) matched += 1;
    if (matched === sought.length) return true;
  }
  return false;
}

/** As Python writes a text in a list: in single quotes where it can be. */
export function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replaceAll(/[\\'"\p{C}]|(?! )\p{Z}/gu, (character) => {
    if (character === '\\' || character === quote) return `\\${character}`;
    if (character === "'" || character === '"') return character;
    if (character === '\n') return '\\n';
    if (character === '\r') return '\\r';
    if (character === '\t') return '\\t';
    const point = character.codePointAt(0)!;
    const hex = point.toString(16);
    if (point < 0x100) return `\\x${hex.padStart(2, '0')}`;
    return point < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
  });
  return `${quote}${body}${quote}`;
}

/** As Python writes a float. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const [digits, power] = value.toExponential().split('e') as [string, string];
  const exponent = Number(power);
  const sign = Object.is(value, -0) ? '-' : '';
  if (exponent >= -4 && exponent < 16) {
    const plain = `${sign}${value}`;
    return plain.includes('.') ? plain : `${plain}.0`;
  }
  return `${digits}e${power.startsWith('-') ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
