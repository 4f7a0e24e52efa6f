// What a filter reckons with: Python's values, made out of JSON's. An event's lists and objects stay as they came, and
// their elements become values when they are looked at. Python tells integers from floats where JSON does not: a number
// is what JSON writes of it, so 1 and 1.0 are both the integer, and 1e300 is a float.

import { floatText, quoted, compareTexts, holds, countPoints } from './filter-text.ts';
import { deeper, FilterFault, spend, type Work } from './filter-work.ts';
import { isObject, RawNumber, type Json, type JsonObject } from './json.ts';

/** Not equal even to itself, and yet found in the list that it was put in: Python looks at which one it is. */
export class NotANumber {
  readonly text = 'nan';
}

/** A list, tuple or set that the expression makes. A set holds no two equal items. */
export class Display {
  readonly kind: 'list' | 'tuple' | 'set';
  readonly items: readonly Value[];

  constructor(kind: 'list' | 'tuple' | 'set', items: readonly Value[]) {
    this.kind = kind;
    this.items = items;
  }
}

/** An integer is a bigint and a float is a number. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | NotANumber
  | Display
  | readonly Json[]
  | JsonObject;
type List = Display | readonly Json[];

/** Python reads every `NaN` of a JSON text as the same one. */
const NAN_OF_JSON = new NotANumber();

/** From here on JSON writes integers with an exponent, which Python reads as floats. */
const WRITTEN_AS_FLOAT = 1e21;
/** Of an integer: Python reads no longer ones. */
const MAX_DIGITS = 4_300;
/** What an element that is looked at costs, and a character that is written as several. */
const ELEMENT = 16;
const ESCAPE = 8;

export function valueOf(json: Json | undefined, work: Work): Value {
  if (json === undefined) return null;
  if (typeof json === 'number') {
    if (Number.isNaN(json)) return NAN_OF_JSON;
    return Number.isInteger(json) && Math.abs(json) < WRITTEN_AS_FLOAT ? BigInt(json) : json;
  }
  if (!(json instanceof RawNumber)) return json;
  const { source } = json;
  spend(work, source.length);
  if (/^-?\d+$/.test(source)) {
    if (source.length > MAX_DIGITS) throw new FilterFault(`a number has more than ${MAX_DIGITS} digits`);
    return BigInt(source);
  }
  return source === 'NaN' ? NAN_OF_JSON : Number(source);
}

/** A float that was worked out, which is nobody else's. */
export function floatValue(value: number): number | NotANumber {
  return Number.isNaN(value) ? new NotANumber() : value;
}

export function typeName(value: Value): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number' || value instanceof NotANumber) return 'float';
  if (typeof value === 'string') return 'str';
  if (value instanceof Display) return value.kind;
  return Array.isArray(value) ? 'list' : 'dict';
}

export function isTrue(value: Value): boolean {
  if (value === null || typeof value === 'boolean') return value === true;
  if (typeof value === 'bigint') return value !== 0n;
  if (typeof value === 'number') return value !== 0;
  if (typeof value === 'string') return value !== '';
  if (value instanceof NotANumber) return true;
  return sizeOf(value) > 0;
}

/** @throws FilterFault where it has no length */
export function lengthOf(value: Value, work: Work): bigint {
  if (typeof value === 'string') {
    spend(work, value.length);
    return BigInt(countPoints(value));
  }
  if (isList(value) || isDict(value)) return BigInt(sizeOf(value));
  throw new FilterFault(`${typeName(value)} has no length`);
}

function sizeOf(value: List | JsonObject): number {
  if (value instanceof Display) return value.items.length;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

function isList(value: Value): value is List {
  return value instanceof Display || Array.isArray(value);
}

function itemAt(list: List, at: number, work: Work): Value {
  return list instanceof Display ? list.items[at]! : valueOf(list[at], work);
}

/**
 * What lies under a key or an index; None where nothing does.
 * @throws FilterFault for an object and a key that no dictionary could have
 */
export function lookUp(container: Value, key: Value, work: Work): Value {
  if (isDict(container)) {
    refuseUnhashable(key);
    return typeof key === 'string' && Object.hasOwn(container, key) ? valueOf(container[key], work) : null;
  }
  const index = typeof key === 'boolean' ? BigInt(key) : key;
  if (typeof index !== 'bigint') return null;
  if (typeof container === 'string') {
    spend(work, container.length);
    const at = index < 0n ? index + BigInt(countPoints(container)) : index;
    return at < 0n || at >= BigInt(container.length) ? null : (pointOf(container, Number(at)) ?? null);
  }
  if (!isList(container) || (container instanceof Display && container.kind === 'set')) return null;
  const size = BigInt(sizeOf(container));
  const at = index < 0n ? index + size : index;
  return at < 0n || at >= size ? null : itemAt(container, Number(at), work);
}

function pointOf(text: string, at: number): string | undefined {
  let left = at;
  for (const point of text) {
    if (left === 0) return point;
    left -= 1;
  }
  return undefined;
}

function isDict(value: Value): value is JsonObject {
  return isObject(value) && !(value instanceof Display) && !(value instanceof NotANumber);
}

/** Of the numbers, and of True and False, which are two of them. */
export function numberOf(value: Value): bigint | number | null {
  if (typeof value === 'boolean') return BigInt(value);
  if (value instanceof NotANumber) return Number.NaN;
  return typeof value === 'bigint' || typeof value === 'number' ? value : null;
}

/** Python's `==`. */
export function isEqual(a: Value, b: Value, work: Work, depth = 0): boolean {
  spend(work, ELEMENT);
  const x = numberOf(a);
  const y = numberOf(b);
  // Exact between an integer and a float, as in Python.
  if (x !== null && y !== null) return x == y;
  if (typeof a === 'string' && typeof b === 'string') {
    spend(work, Math.min(a.length, b.length) >> 4);
    return a === b;
  }
  if (a === b) return true;
  if (isList(a) && isList(b)) {
    if (typeName(a) !== typeName(b) || sizeOf(a) !== sizeOf(b)) return false;
    if (a instanceof Display && a.kind === 'set') return isSubset(a, b as Display, work);
    return firstDifference(a, b, work, depth) === null;
  }
  if (!isDict(a) || !isDict(b)) return false;
  const keys = Object.keys(a);
  spend(work, 2 * ELEMENT * keys.length);
  if (keys.length !== Object.keys(b).length) return false;
  const below = deeper(depth);
  return keys.every(
    (key) => Object.hasOwn(b, key) && isSame(valueOf(a[key], work), valueOf(b[key], work), work, below),
  );
}

/** How Python finds an item in a list: the very same one, or an equal one. */
function isSame(a: Value, b: Value, work: Work, depth = 0): boolean {
  return (a instanceof NotANumber && a === b) || isEqual(a, b, work, depth);
}

/** The first place where two lists differ, as far as the shorter one goes. */
function firstDifference(a: List, b: List, work: Work, depth: number): number | null {
  const below = deeper(depth);
  const size = Math.min(sizeOf(a), sizeOf(b));
  for (let at = 0; at < size; at += 1) {
    if (!isSame(itemAt(a, at, work), itemAt(b, at, work), work, below)) return at;
  }
  return null;
}

function isSubset(a: Display, b: Display, work: Work): boolean {
  return a.items.every((item) => b.items.some((other) => isSame(item, other, work)));
}

export type Order = '<' | '<=' | '>' | '>=';

/** @throws FilterFault for two values that have no order */
export function isOrdered(by: Order, a: Value, b: Value, work: Work, depth = 0): boolean {
  const x = numberOf(a);
  const y = numberOf(b);
  if (x !== null && y !== null) {
    return by === '<' ? x < y : by === '<=' ? x <= y : by === '>' ? x > y : x >= y;
  }
  if (typeof a === 'string' && typeof b === 'string') {
    spend(work, Math.min(a.length, b.length));
    return holdsFor(by, compareTexts(a, b));
  }
  if (isList(a) && isList(b) && typeName(a) === typeName(b)) {
    if (a instanceof Display && a.kind === 'set') return isSetOrdered(by, a, b as Display, work);
    const at = firstDifference(a, b, work, depth);
    if (at === null) return holdsFor(by, sizeOf(a) - sizeOf(b));
    return isOrdered(by, itemAt(a, at, work), itemAt(b, at, work), work, deeper(depth));
  }
  throw new FilterFault(`${typeName(a)} and ${typeName(b)} have no order`);
}

function holdsFor(by: Order, difference: number): boolean {
  if (by === '<') return difference < 0;
  if (by === '<=') return difference <= 0;
  return by === '>' ? difference > 0 : difference >= 0;
}

/** Sets are below those that hold them. */
function isSetOrdered(by: Order, a: Display, b: Display, work: Work): boolean {
  if (by === '>') return isSetOrdered('<', b, a, work);
  if (by === '>=') return isSetOrdered('<=', b, a, work);
  return isSubset(a, b, work) && (by === '<=' || a.items.length < b.items.length);
}

/** Python's `in`; what can't be looked for is not there. */
export function contains(container: Value, item: Value, work: Work): boolean {
  if (typeof container === 'string') return typeof item === 'string' && holds(container, item, work);
  if (isDict(container)) return typeof item === 'string' && Object.hasOwn(container, item);
  if (!isList(container)) return false;
  if (container instanceof Display && container.kind === 'set' && !isHashable(item)) return false;
  for (let at = 0; at < sizeOf(container); at += 1) {
    if (isSame(itemAt(container, at, work), item, work)) return true;
  }
  return false;
}

function isHashable(value: Value): boolean {
  if (value instanceof Display) return value.kind === 'tuple' && value.items.every(isHashable);
  return !Array.isArray(value) && !isDict(value);
}

function refuseUnhashable(value: Value): void {
  if (!isHashable(value)) throw new FilterFault(`${typeName(value)} can't be a key`);
}

/** @throws FilterFault for what no set can hold */
export function setOf(values: readonly Value[], work: Work): Display {
  const items: Value[] = [];
  for (const value of values) {
    if (!isHashable(value)) throw new FilterFault(`${typeName(value)} can't be in a set`);
    if (!items.some((item) => isSame(item, value, work))) items.push(value);
  }
  return new Display('set', items);
}

/**
 * Whether two values are the same one. In Python that depends on how it keeps numbers and texts; here those are the same
 * that have one type and are equal.
 */
export function isIdentical(a: Value, b: Value, work: Work): boolean {
  if (a === b) return true;
  return typeof a === 'object' || typeof b === 'object' || typeof a !== typeof b
    ? false
    : isEqual(a, b, work);
}

/** Python's `str`. */
export function textOf(value: Value, work: Work): string {
  if (typeof value === 'string') return value;
  const parts: string[] = [];
  write(value, parts, work, 0);
  return parts.join('');
}

/** Python's `repr`. */
export function reprOf(value: Value, work: Work): string {
  return typeof value === 'string' ? quoted(value) : textOf(value, work);
}

function write(value: Value, parts: string[], work: Work, depth: number): void {
  const put = (text: string): void => {
    spend(work, text.length);
    parts.push(text);
  };
  spend(work, ELEMENT);
  if (value === null) return put('None');
  if (typeof value === 'boolean') return put(value ? 'True' : 'False');
  if (typeof value === 'bigint') return put(String(value));
  if (typeof value === 'number') return put(floatText(value));
  if (typeof value === 'string') {
    spend(work, value.length);
    const text = quoted(value);
    spend(work, ESCAPE * (text.length - value.length));
    return put(text);
  }
  if (value instanceof NotANumber) return put(value.text);
  const below = deeper(depth);
  if (isList(value)) {
    const kind = value instanceof Display ? value.kind : 'list';
    const size = sizeOf(value);
    put(kind === 'list' ? '[' : kind === 'set' ? '{' : '(');
    for (let at = 0; at < size; at += 1) {
      if (at > 0) put(', ');
      write(itemAt(value, at, work), parts, work, below);
    }
    return put(kind === 'list' ? ']' : kind === 'set' ? '}' : size === 1 ? ',)' : ')');
  }
  put('{');
  for (const [at, key] of Object.keys(value).entries()) {
    put(`${at > 0 ? ', ' : ''}${quoted(key)}: `);
    write(valueOf(value[key], work), parts, work, below);
  }
  put('}');
}
