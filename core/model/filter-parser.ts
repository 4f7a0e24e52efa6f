// From the text of a filter to its tree. Kept here:
// 1. The grammar is Python's; a construct outside of the language is refused when the filter is read, never later.
// 2. What Python reads with at most 200 elements is read here too: elements are counted as its `ast` module counts them.

import { badFilter } from './filter-error.ts';
import { FUNCTIONS, METHODS, type Callable } from './filter-functions.ts';
import { stripped } from './filter-text.ts';
import { tokensOf, type Token } from './filter-tokens.ts';

const MAX_CHARACTERS = 2_000;
const MAX_ELEMENTS = 200;

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in' | 'is' | 'is not';

interface Placed {
  readonly from: number;
  readonly to: number;
}
export type FilterNode = Placed &
  (
    | { readonly kind: 'constant'; readonly value: null | boolean | bigint | number | string }
    | { readonly kind: 'name'; readonly name: string }
    | {
        readonly kind: 'display';
        readonly of: 'list' | 'tuple' | 'set';
        readonly items: readonly FilterNode[];
      }
    | { readonly kind: 'and' | 'or'; readonly items: readonly FilterNode[] }
    | { readonly kind: 'not' | 'minus'; readonly of: FilterNode }
    | {
        readonly kind: 'compare';
        readonly first: FilterNode;
        readonly rest: readonly { readonly by: Comparison; readonly right: FilterNode }[];
      }
    | { readonly kind: 'item'; readonly of: FilterNode; readonly key: FilterNode }
    | { readonly kind: 'field'; readonly of: FilterNode; readonly name: string }
    | { readonly kind: 'call'; readonly name: string; readonly args: readonly FilterNode[] }
    | {
        readonly kind: 'method';
        readonly name: string;
        readonly of: FilterNode;
        readonly args: readonly FilterNode[];
      }
  );

const CONSTANTS: Readonly<Record<string, null | boolean>> = { None: null, True: true, False: false };
const ARITHMETIC: ReadonlySet<string> = new Set('+ - * / // % @ ** & | ^ << >>'.split(' '));
const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);
const CLOSING = { '(': ')', '[': ']', '{': '}' } as const;

/** @throws `trigger.bad-filter` */
export function treeOf(text: string): FilterNode {
  refuseUnreadable(text);
  const tokens = tokensOf(text);
  // The expression itself is Python's first element.
  let elements = 1;
  let at = 0;

  const peek = (ahead = 0): Token => tokens[Math.min(at + ahead, tokens.length - 1)]!;
  const fail = (token: Placed, why: string): Error => badFilter(text, token.from, why);
  const isSign = (sign: string, token = peek()): boolean => token.kind === 'sign' && token.sign === sign;
  const isWord = (word: string, token = peek()): boolean => token.kind === 'word' && token.word === word;
  const next = (): Token => {
    const token = peek();
    at += 1;
    return token;
  };
  const expectSign = (sign: string, opening: Token): Token => {
    if (isSign(sign)) return next();
    throw peek().kind === 'end' ? fail(opening, 'a bracket is not closed') : unexpected();
  };
  const count = (more: number, token: Placed): void => {
    elements += more;
    if (elements > MAX_ELEMENTS) throw fail(token, `it has more than ${MAX_ELEMENTS} elements`);
  };

  function unexpected(): Error {
    const token = peek();
    switch (token.kind) {
      case 'end':
        return fail(token, 'something is missing at the end');
      case 'constant':
      case 'name':
        return fail(token, `${text.slice(token.from, token.to)} is not expected here`);
      case 'word':
        return fail(
          token,
          isWord('not') || isWord('and') || isWord('or') || isWord('in') || isWord('is')
            ? `"${token.word}" is not expected here`
            : `"${token.word}" is a word of Python that filters don't have; a key of that name is payload['${token.word}']`,
        );
      case 'sign':
        if (token.sign === '=') return fail(token, '"=" compares nothing; write "=="');
        if (token.sign === '<>') return fail(token, '"<>" is not known; write "!="');
        if (ARITHMETIC.has(token.sign)) return fail(token, `"${token.sign}": filters don't calculate`);
        return fail(token, `"${token.sign}" is not expected here`);
    }
  }

  /** One expression, or several with commas between them, which are a tuple. */
  function expressions(): FilterNode {
    const first = disjunction();
    if (!isSign(',')) return first;
    const items = [first];
    while (isSign(',')) {
      next();
      if (endsHere()) break;
      items.push(disjunction());
    }
    count(2, first);
    return { kind: 'display', of: 'tuple', items, from: first.from, to: tokens[at - 1]!.to };
  }

  function endsHere(): boolean {
    const token = peek();
    return token.kind === 'end' || (token.kind === 'sign' && ')]}'.includes(token.sign));
  }

  function disjunction(): FilterNode {
    return chain('or', conjunction);
  }

  function conjunction(): FilterNode {
    return chain('and', inversion);
  }

  function chain(kind: 'and' | 'or', operand: () => FilterNode): FilterNode {
    const first = operand();
    if (!isWord(kind)) return first;
    const items = [first];
    while (isWord(kind)) {
      next();
      items.push(operand());
    }
    count(2, first);
    return { kind, items, from: first.from, to: items.at(-1)!.to };
  }

  function inversion(): FilterNode {
    if (!isWord('not')) return comparison();
    const word = next();
    count(2, word);
    const of = inversion();
    return { kind: 'not', of, from: word.from, to: of.to };
  }

  function comparison(): FilterNode {
    const first = negation();
    const rest: { by: Comparison; right: FilterNode }[] = [];
    for (let by = comparator(); by !== null; by = comparator()) rest.push({ by, right: negation() });
    if (rest.length === 0) return first;
    count(1 + rest.length, first);
    return { kind: 'compare', first, rest, from: first.from, to: rest.at(-1)!.right.to };
  }

  function comparator(): Comparison | null {
    const token = peek();
    if (token.kind === 'sign' && COMPARISONS.has(token.sign)) {
      next();
      return token.sign as Comparison;
    }
    if (isWord('in')) {
      next();
      return 'in';
    }
    if (isWord('not') && isWord('in', peek(1))) {
      at += 2;
      return 'not in';
    }
    if (!isWord('is')) return null;
    next();
    if (!isWord('not')) return 'is';
    next();
    return 'is not';
  }

  function negation(): FilterNode {
    if (isSign('+') || isSign('~')) throw fail(peek(), 'of such signs only "-" may stand before a value');
    if (!isSign('-')) return primary();
    const sign = next();
    count(2, sign);
    const of = negation();
    return { kind: 'minus', of, from: sign.from, to: of.to };
  }

  function primary(): FilterNode {
    let node = atom();
    for (;;) {
      const opening = peek();
      if (isSign('.')) {
        next();
        const token = next();
        if (token.kind !== 'name') {
          at -= 1;
          throw unexpected();
        }
        refuseHidden(token.name, token);
        count(2, token);
        node = { kind: 'field', of: node, name: token.name, from: node.from, to: token.to };
      } else if (isSign('[')) {
        next();
        if (isSign(']')) throw unexpected();
        const key = expressions();
        if (isSign(':')) throw fail(peek(), 'slices are not allowed');
        const { to } = expectSign(']', opening);
        count(2, opening);
        node = { kind: 'item', of: node, key, from: node.from, to };
      } else if (isSign('(')) {
        node = call(node);
      } else return node;
    }
  }

  function call(callee: FilterNode): FilterNode {
    const opening = next();
    const args: FilterNode[] = [];
    while (!isSign(')')) {
      args.push(disjunction());
      if (isSign('=')) throw fail(peek(), 'arguments have no names here');
      if (!isSign(',')) break;
      next();
    }
    const { to } = expectSign(')', opening);
    count(1, opening);
    const { from } = callee;
    if (callee.kind === 'name') {
      check(FUNCTIONS, 'function', callee.name, args.length, callee);
      return { kind: 'call', name: callee.name, args, from, to };
    }
    if (callee.kind === 'field') {
      check(METHODS, 'method', callee.name, args.length, opening);
      return { kind: 'method', name: callee.name, of: callee.of, args, from, to };
    }
    throw fail(opening, 'only functions and methods can be called, by their names');
  }

  function check(
    known: ReadonlyMap<string, Callable>,
    what: string,
    name: string,
    given: number,
    where: Placed,
  ): void {
    const callable = known.get(name);
    if (callable === undefined) {
      throw fail(where, `there is no ${what} "${name}"; there are ${[...known.keys()].sort().join(', ')}`);
    }
    if (given < callable.least || given > callable.most) {
      const { least, most } = callable;
      const wanted = least === most ? `${least}` : `${least} to ${most}`;
      const noun = wanted === '1' ? 'argument' : 'arguments';
      throw fail(where, `the ${what} "${name}" takes ${wanted} ${noun} and is given ${given}`);
    }
  }

  function refuseHidden(name: string, token: Placed): void {
    if (name.startsWith('_')) {
      throw fail(
        token,
        `"${name}" is not allowed, as it begins with "_"; a key of that name is payload['${name}']`,
      );
    }
  }

  function atom(): FilterNode {
    const token = peek();
    const { from, to } = token;
    switch (token.kind) {
      case 'name':
        next();
        refuseHidden(token.name, token);
        count(2, token);
        // Only when it is spelt in other letters, which Python reads as these.
        return Object.hasOwn(CONSTANTS, token.name)
          ? { kind: 'constant', value: CONSTANTS[token.name]!, from, to }
          : { kind: 'name', name: token.name, from, to };
      case 'word':
        if (!Object.hasOwn(CONSTANTS, token.word)) throw unexpected();
        next();
        count(1, token);
        return { kind: 'constant', value: CONSTANTS[token.word]!, from, to };
      case 'constant':
        return constant();
      case 'sign':
        if (token.sign === '(' || token.sign === '[' || token.sign === '{') return bracketed(token.sign);
        throw unexpected();
      case 'end':
        throw unexpected();
    }
  }

  /** A number, or a text; texts side by side are one. */
  function constant(): FilterNode {
    const { from } = peek();
    let value: bigint | number | string | null = null;
    let to = from;
    for (let token = peek(); token.kind === 'constant'; token = peek()) {
      if (value !== null && (typeof value !== 'string' || typeof token.value !== 'string'))
        throw unexpected();
      value = typeof value === 'string' ? `${value}${token.value}` : token.value;
      ({ to } = next());
    }
    count(1, { from, to });
    return { kind: 'constant', value, from, to };
  }

  function bracketed(sign: keyof typeof CLOSING): FilterNode {
    const opening = next();
    const items: FilterNode[] = [];
    let hasComma = false;
    while (!isSign(CLOSING[sign])) {
      items.push(disjunction());
      if (isSign(':')) throw fail(peek(), 'dictionaries are not allowed');
      if (!isSign(',')) break;
      hasComma = true;
      next();
    }
    const closing = expectSign(CLOSING[sign], opening);
    if (sign === '{' && items.length === 0) throw fail(opening, 'dictionaries are not allowed');
    if (sign === '(' && items.length === 1 && !hasComma) return items[0]!;
    count(sign === '{' ? 1 : 2, opening);
    const of = sign === '(' ? 'tuple' : sign === '[' ? 'list' : 'set';
    return { kind: 'display', of, items, from: opening.from, to: closing.to };
  }

  const tree = expressions();
  if (peek().kind !== 'end') throw unexpected();
  return tree;
}

function refuseUnreadable(text: string): void {
  const [from, to] = stripped(text);
  if (from === to) throw badFilter(text, 0, 'there is nothing');
  const points = Array.from(text);
  if (points.length > MAX_CHARACTERS) {
    const kept = points.slice(0, MAX_CHARACTERS).join('').length;
    throw badFilter(text, kept, `it goes on beyond ${MAX_CHARACTERS.toLocaleString('en')} characters`);
  }
  const odd = points.findIndex((point) => point === '\0' || !point.isWellFormed());
  if (odd >= 0) {
    throw badFilter(text, points.slice(0, odd).join('').length, 'there is a character that no text may hold');
  }
}
