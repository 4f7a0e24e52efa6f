// The words of a filter expression, as Python's tokenizer would cut them. Kept here:
// 1. Nothing is decided about meaning: what the language lacks is refused by the parser, which knows where it stands.
// 2. Every pattern is anchored where it is tried and takes a character once, so the work grows with the text alone.

import { badFilter } from './filter-error.ts';
import { stripped } from './filter-text.ts';

interface Placed {
  /** Where it begins and ends in the expression, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
}
export type Token = Placed &
  (
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'word'; readonly word: string }
    | { readonly kind: 'constant'; readonly value: bigint | number | string }
    | { readonly kind: 'sign'; readonly sign: string }
    | { readonly kind: 'end' }
  );

const MAX_BRACKETS = 100;

const RESERVED: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global ' +
    'if import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);

/** Python lets these follow a number without a space: `1or 2`. */
const AFTER_A_NUMBER: ReadonlySet<string> = new Set(['and', 'else', 'for', 'if', 'in', 'is', 'not', 'or']);

const BLANK = /[ \t\f]+|#[^\r\n]*|\\(?:\r\n|\r|\n)/y;
const LINE_END = /\r\n|\r|\n/y;
const NAME = /[\p{ID_Start}_]\p{ID_Continue}*/uy;
const WORD_REST = /[\p{ID_Continue}_]+/uy;
const DIGITS = String.raw`\d(?:_?\d)*`;
const EXPONENT = `[eE][+-]?${DIGITS}`;
const FLOAT = new RegExp(
  String.raw`(?:${DIGITS})?\.${DIGITS}(?:${EXPONENT})?|${DIGITS}\.(?:${EXPONENT})?|${DIGITS}${EXPONENT}`,
  'y',
);
const INTEGER = new RegExp(`0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|${DIGITS}`, 'y');
const OTHER_TEXT = /(?:[bB][rR]?|[rR][bB]|[fF][rR]?|[rR][fF])(?=['"])/y;
const QUOTE = /([rR]|[uU])?('''|"""|'|")/y;
const SIGN = /\.\.\.|:=|\*\*|\/\/|<<|>>|<>|[=!<>]=|[-+*/%@&|^~<>()[\]{},.:;=]/y;

/** @throws `trigger.bad-filter` */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const [begin, end] = stripped(text);
  let at = begin;
  let brackets = 0;
  let isOver = false;

  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at += match[0].length;
    return match;
  };

  const number = (): bigint | number | null => {
    const from = at;
    const float = take(FLOAT);
    const digits = (float ?? take(INTEGER))?.[0].replaceAll('_', '');
    if (digits === undefined) return null;
    const to = at;
    const rest = take(WORD_REST)?.[0];
    at = to;
    if (rest !== undefined && !AFTER_A_NUMBER.has(rest)) {
      throw badFilter(text, from, `${text.slice(from, to)}${rest} is no number`);
    }
    if (float !== null) return Number(digits);
    if (/^0\d*[1-9]/.test(digits)) {
      throw badFilter(text, from, `${digits} begins with a zero; leave it out`);
    }
    return BigInt(digits);
  };

  const literal = (): string | null => {
    const from = at;
    const other = take(OTHER_TEXT);
    if (other !== null) {
      throw badFilter(text, from, `a text with ${other[0]} before it is not allowed; use a plain one`);
    }
    const opening = take(QUOTE);
    if (opening === null) return null;
    const quote = opening[2]!;
    const begin = at;
    for (; !text.startsWith(quote, at); at += 1) {
      if (text[at] === '\\') at += text.startsWith('\r\n', at + 1) ? 2 : 1;
      else if (quote.length === 1 && /[\r\n]/.test(text[at] ?? '')) at = text.length;
      if (at >= text.length) throw badFilter(text, from, `the text is not closed by ${quote}`);
    }
    const body = text.slice(begin, at);
    at += quote.length;
    return /^[rR]$/.test(opening[1] ?? '') ? withLineFeeds(body) : unescaped(text, body, begin);
  };

  for (;;) {
    if (at >= end) break;
    if (take(BLANK) !== null) continue;
    const from = at;
    if (take(LINE_END) !== null) {
      isOver ||= brackets === 0 && tokens.length > 0;
      continue;
    }
    if (isOver) throw badFilter(text, from, 'a second line begins; put brackets around a long expression');
    const value = literal() ?? number();
    if (value !== null) {
      tokens.push({ kind: 'constant', value, from, to: at });
      continue;
    }
    const written = take(NAME)?.[0];
    if (written !== undefined) {
      // Python knows its own words only as they are written, and names only in this form.
      const token = RESERVED.has(written)
        ? ({ kind: 'word', word: written } as const)
        : ({ kind: 'name', name: written.normalize('NFKC') } as const);
      tokens.push({ ...token, from, to: at });
      continue;
    }
    const sign = take(SIGN)?.[0];
    if (sign === undefined) throw badFilter(text, from, `${nameOf(text.codePointAt(at)!)} is not allowed`);
    if ('([{'.includes(sign)) brackets += 1;
    if (')]}'.includes(sign)) brackets -= 1;
    if (brackets > MAX_BRACKETS) throw badFilter(text, from, `more than ${MAX_BRACKETS} brackets are open`);
    tokens.push({ kind: 'sign', sign, from, to: at });
  }
  tokens.push({ kind: 'end', from: end, to: end });
  return tokens;
}

function nameOf(point: number): string {
  const character = String.fromCodePoint(point);
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) && character !== '\\'
    ? character
    : `the character U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
}

const PLAIN_ESCAPES: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const ESCAPE =
  /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\r\n|[\s\S]))|\r\n?/gu;

/** An escape that Python doesn't know stands for itself, backslash included. */
function unescaped(text: string, body: string, begin: number): string {
  return body.replaceAll(
    ESCAPE,
    (whole, octal?: string, x?: string, u?: string, U?: string, other?: string, at?: unknown) => {
      const fail = (why: string): Error => badFilter(text, begin + Number(at), why);
      const hex = x ?? u ?? U;
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
      if (hex !== undefined) {
        const point = Number.parseInt(hex, 16);
        if (point > 0x10ffff) throw fail(`${whole} is no character`);
        if (point >= 0xd800 && point <= 0xdfff) {
          throw fail(`${whole} is half a character; write the character itself`);
        }
        return String.fromCodePoint(point);
      }
      if (other === undefined) return '\n';
      if ('xuUN'.includes(other)) {
        throw fail(
          other === 'N'
            ? 'characters by name are not known; write the character itself'
            : `\\${other} lacks digits`,
        );
      }
      return PLAIN_ESCAPES[other.startsWith('\r') ? '\n' : other] ?? whole;
    },
  );
}

function withLineFeeds(body: string): string {
  return body.replaceAll(/\r\n?/g, '\n');
}
