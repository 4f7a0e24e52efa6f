// The functions and methods of the filter language, with how many arguments they take.

import { countPoints, strip } from './filter-text.ts';
import {
  contains,
  Display,
  floatValue,
  isTrue,
  lengthOf,
  NotANumber,
  numberOf,
  textOf,
  typeName,
  type Value,
} from './filter-values.ts';
import { FilterFault, spend, type Work } from './filter-work.ts';

export interface Callable {
  readonly least: number;
  readonly most: number;
  /** @throws FilterFault for arguments that it can't take */
  readonly call: (args: readonly Value[], work: Work) => Value;
}

/** Of a text that is read as a number. */
const MAX_NUMBER_TEXT = 64;

/** What a character that is taken away costs. */
const STRIPPED = 8;

const INTEGER = /^[+-]?\d(?:_?\d)*$/;
const FLOAT = /^[+-]?(?:\d(?:_?\d)*(?:\.(?:\d(?:_?\d)*)?)?|\.\d(?:_?\d)*)(?:e[+-]?\d(?:_?\d)*)?$/i;
const TOKEN = /^([+-]?)(inf|infinity|nan)$/i;

function takes(least: number, most: number, call: Callable['call']): Callable {
  return { least, most, call };
}

/** A missing first argument is not the same as one that is None. */
export const FUNCTIONS: ReadonlyMap<string, Callable> = new Map<string, Callable>([
  ['len', takes(1, 1, ([value], work) => lengthOf(value!, work))],
  ['str', takes(0, 1, (args, work) => (args.length === 0 ? '' : textOf(args[0]!, work)))],
  ['int', takes(1, 1, ([value]) => integer(value!))],
  ['float', takes(1, 1, ([value]) => float(value!))],
  ['bool', takes(0, 1, (args) => args.length > 0 && isTrue(args[0]!))],
  ['lower', takes(1, 1, ([value], work) => lower(textOf(value!, work), work))],
  ['upper', takes(1, 1, ([value], work) => upper(textOf(value!, work), work))],
  ['startswith', takes(2, 2, ([value, part], work) => hasEdge('start', textOf(value!, work), [part!], work))],
  ['endswith', takes(2, 2, ([value, part], work) => hasEdge('end', textOf(value!, work), [part!], work))],
  ['contains', takes(2, 2, ([container, item], work) => contains(container!, item!, work))],
]);

/** The first argument is the text that they are called on. */
export const METHODS: ReadonlyMap<string, Callable> = new Map<string, Callable>([
  [
    'lower',
    takes(
      0,
      0,
      method('lower', (text, _, work) => lower(text, work)),
    ),
  ],
  [
    'upper',
    takes(
      0,
      0,
      method('upper', (text, _, work) => upper(text, work)),
    ),
  ],
  ['strip', takes(0, 1, method('strip', stripped))],
  [
    'startswith',
    takes(
      1,
      3,
      method('startswith', (text, args, work) => hasEdge('start', text, args, work)),
    ),
  ],
  [
    'endswith',
    takes(
      1,
      3,
      method('endswith', (text, args, work) => hasEdge('end', text, args, work)),
    ),
  ],
]);

function method(
  name: string,
  call: (text: string, args: readonly Value[], work: Work) => Value,
): Callable['call'] {
  return ([text, ...args], work) => {
    if (typeof text !== 'string')
      throw new FilterFault(`${typeName(text!)} is no text, so it has no ${name}()`);
    return call(text, args, work);
  };
}

function lower(text: string, work: Work): string {
  spend(work, text.length);
  return text.toLowerCase();
}

function upper(text: string, work: Work): string {
  spend(work, text.length);
  return text.toUpperCase();
}

function stripped(text: string, [characters = null]: readonly Value[], work: Work): Value {
  if (characters !== null && typeof characters !== 'string') {
    throw new FilterFault(`strip() takes a text, not ${typeName(characters)}`);
  }
  spend(work, text.length + (characters?.length ?? 0));
  const left = strip(text, characters);
  spend(work, STRIPPED * (text.length - left.length));
  return left;
}

/** Of a text, or of the part of it that two more arguments name, as Python names parts. */
function hasEdge(
  edge: 'start' | 'end',
  text: string,
  [part, from = null, to = null]: readonly Value[],
  work: Work,
): boolean {
  const parts = part instanceof Display && part.kind === 'tuple' ? part.items : [part!];
  const bounds = [bound(from), bound(to)] as const;
  const within = from === null && to === null ? text : partOf(text, bounds, work);
  return parts.some((part) => {
    if (typeof part !== 'string') {
      throw new FilterFault(`${edge}swith takes a text or a tuple of texts, not ${typeName(part)}`);
    }
    spend(work, 1 + (part.length >> 4));
    if (within === null) return false;
    return edge === 'start' ? within.startsWith(part) : within.endsWith(part);
  });
}

function bound(value: Value): bigint | null {
  if (typeof value === 'boolean') return BigInt(value);
  if (value === null || typeof value === 'bigint') return value;
  throw new FilterFault(`${typeName(value)} is no place in a text`);
}

/** Null where it would begin behind its end: not even the empty text is there. */
function partOf(
  text: string,
  [from, to]: readonly [bigint | null, bigint | null],
  work: Work,
): string | null {
  spend(work, text.length * 2);
  const size = countPoints(text);
  const place = (bound: bigint): number => {
    const at = bound < 0n ? bound + BigInt(size) : bound;
    return at < 0n ? 0 : at > BigInt(size) ? size + 1 : Number(at);
  };
  const begin = place(from ?? 0n);
  const end = Math.min(size, place(to ?? BigInt(size)));
  return begin > end ? null : Array.from(text).slice(begin, end).join('');
}

function integer(value: Value): bigint {
  const number = numberOf(value);
  if (typeof number === 'bigint') return number;
  if (typeof number === 'number') {
    if (Number.isFinite(number)) return BigInt(Math.trunc(number));
    throw new FilterFault('there is no such integer');
  }
  const text = numberText(value, 'integer');
  if (!INTEGER.test(text)) throw new FilterFault('the text is no integer');
  return BigInt(text.replaceAll('_', ''));
}

function float(value: Value): number | NotANumber {
  if (value instanceof NotANumber) return value;
  const number = numberOf(value);
  if (typeof number === 'number') return number;
  if (typeof number === 'bigint') {
    const near = Number(number);
    if (Number.isFinite(near)) return near;
    throw new FilterFault('the integer is too large for a float');
  }
  const text = numberText(value, 'float');
  const [, sign, word] = TOKEN.exec(text) ?? [];
  if (word !== undefined) {
    const size = word.toLowerCase() === 'nan' ? Number.NaN : Number.POSITIVE_INFINITY;
    return floatValue(sign === '-' ? -size : size);
  }
  if (!FLOAT.test(text)) throw new FilterFault('the text is no number');
  return Number(text.replaceAll('_', ''));
}

function numberText(value: Value, what: string): string {
  if (typeof value !== 'string') throw new FilterFault(`${typeName(value)} can't be made a number (${what})`);
  if (value.length > MAX_NUMBER_TEXT * 2 || countPoints(value) > MAX_NUMBER_TEXT) {
    throw new FilterFault(`a text of more than ${MAX_NUMBER_TEXT} characters is not read as a number`);
  }
  return strip(value, null);
}
