import { AppError } from './errors.ts';

// ES2025, in every engine that this project runs on, and not yet in the compiler's library.
declare global {
  interface JSON {
    rawJSON(text: string): object;
  }
}

/** Any value that JSON can hold, and {@link RawNumber} for the numbers that JavaScript can't. */
export type Json = null | boolean | number | string | RawNumber | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/**
 * A number kept as it was written, because a double would change it or JSON has no word for it:
 * integers beyond 2^53, `1e400`, decimals of more digits than a double holds, and Python's `NaN`, `Infinity`
 * and `-Infinity`.
 */
export class RawNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  /** False for the three tokens that Python writes and JSON does not know. */
  get isJson(): boolean {
    return !NOT_JSON.test(this.source);
  }

  /** Written as it was read. What JSON has no word for is refused, not turned into null. */
  toJSON(): unknown {
    if (this.isJson) return JSON.rawJSON(this.source);
    throw new AppError(
      'json.not-a-number',
      `${this.source} is not JSON, so it can't be written. Use null or a text instead.`,
    );
  }
}

const NOT_JSON = /^(NaN|-?Infinity)$/;

export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawNumber)
  );
}

/** The text of a key, or the given default where it is absent or something else. */
export function textAt(object: JsonObject, key: string, otherwise = ''): string {
  const value = object[key];
  return typeof value === 'string' ? value : otherwise;
}

export function numberAt(object: JsonObject, key: string, otherwise = 0): number {
  const value = object[key];
  return typeof value === 'number' ? value : otherwise;
}

export function objectAt(object: JsonObject, key: string): JsonObject | null {
  const value = object[key];
  return isObject(value) ? value : null;
}

/** The elements of an array that are objects; none where the key holds something else. */
export function objectsAt(object: JsonObject, key: string): readonly JsonObject[] {
  const value = object[key];
  return Array.isArray(value) ? (value as readonly Json[]).filter(isObject) : [];
}

/** Structural equality of JSON values; key order does not count, the spelling of raw numbers does. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (a instanceof RawNumber || b instanceof RawNumber) {
    return a instanceof RawNumber && b instanceof RawNumber && a.source === b.source;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item: Json, at) => sameJson(item, b[at] as Json));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

/**
 * The value with every raw number that JSON has no word for as `{ "$number": "NaN" }`, so that any JSON parser can
 * read the output of a command.
 */
export function withTaggedNumbers(value: Json): Json {
  if (value instanceof RawNumber) return value.isJson ? value : { $number: value.source };
  if (Array.isArray(value)) return value.map((item: Json) => withTaggedNumbers(item));
  if (isObject(value)) return mapValues(value, withTaggedNumbers);
  return value;
}

/** The value with the double nearest to every number that none holds, as JavaScript reads them. */
export function withDoubles(value: Json): Json {
  if (value instanceof RawNumber) return Number(value.source);
  if (Array.isArray(value)) return value.map((item: Json) => withDoubles(item));
  return isObject(value) ? mapValues(value, withDoubles) : value;
}

/** JSON for a person: every number as it was written, `NaN` included, which makes it no JSON for a program. */
export function showJson(value: Json, indent?: number): string {
  return JSON.stringify(withMarkedNumbers(value), null, indent).replaceAll(
    /"((?:\\u0000)*)\\u0000(NaN|-?Infinity)"/g,
    (_, more: string, token: string) => (more === '' ? token : `"${more}${token}"`),
  );
}

function withMarkedNumbers(value: Json): Json {
  if (value instanceof RawNumber) return value.isJson ? value : `\u0000${value.source}`;
  if (typeof value === 'string') return withoutMark(value);
  if (Array.isArray(value)) return value.map((item: Json) => withMarkedNumbers(item));
  if (!isObject(value)) return value;
  const marked: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) define(marked, withoutMark(key), withMarkedNumbers(item));
  return marked;
}

/** A text that looks like a marked number gets one mark more, which is taken away again. */
function withoutMark(text: string): string {
  return /^\0+(?:NaN|-?Infinity)$/.test(text) ? `\0${text}` : text;
}

/** A deep copy; raw numbers are immutable and shared. */
export function cloneJson(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => cloneJson(item));
  if (isObject(value)) return mapValues(value, cloneJson);
  return value;
}

const SHOWN_PLACE = 120;

/** Deeper than this nothing is recorded: a journal's readers, ours and others, recurse. */
export const MAX_RECORDED_DEPTH = 200;

/**
 * What the journal will give back for a value: a copy, after the changes that JSON makes (a date is its text, an absent
 * value in an object is no key at all).
 * @throws `json.not-recordable`, naming the place, for what JSON can't hold or would change into null
 */
export function recordable(value: unknown, what = 'the value'): Json {
  let text: string | undefined;
  try {
    refuseUnrecordable(value, what, 0);
    text = JSON.stringify(value) as string | undefined;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw notRecordable(what, error instanceof Error ? error.message : 'it has no JSON form');
  }
  // A raw number stays one only where it is; everything else is what the text says.
  return value instanceof RawNumber || hasRawNumber(value)
    ? cloneJson(value as Json)
    : text === undefined
      ? null
      : (JSON.parse(text) as Json);
}

function refuseUnrecordable(value: unknown, place: string, depth: number): void {
  if (depth > MAX_RECORDED_DEPTH)
    throw notRecordable(place, `it is nested more than ${MAX_RECORDED_DEPTH} levels deep`);
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) throw notRecordable(place, `it is ${value}`);
      return;
    case 'bigint':
    case 'symbol':
    case 'function':
      throw notRecordable(place, `it is a ${typeof value}`);
    case 'object':
      // A key that is called so is none that JSON asks.
      if (value === null || ('toJSON' in value && typeof value.toJSON === 'function')) return;
      if (
        value instanceof Map ||
        value instanceof Set ||
        value instanceof Promise ||
        value instanceof Error
      ) {
        throw notRecordable(
          place,
          `it is a ${value.constructor.name}, which JSON turns into an empty object`,
        );
      }
      for (const [key, item] of Object.entries(value))
        refuseUnrecordable(item, `${place}.${key.slice(0, 100)}`, depth + 1);
      return;
    case 'string':
    case 'boolean':
    case 'undefined':
      return;
  }
}

function notRecordable(place: string, why: string): AppError {
  return new AppError(
    'json.not-recordable',
    `${place.length <= SHOWN_PLACE ? place : `${place.slice(0, SHOWN_PLACE)}…`} can't be recorded: ${why}. Use plain JSON values.`,
  );
}

export function hasRawNumber(value: unknown): boolean {
  if (value instanceof RawNumber) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasRawNumber);
}

/** A plain loop: three times as fast as entries made and taken apart, and every checkpoint is copied whole. */
function mapValues(object: JsonObject, map: (value: Json) => Json): JsonObject {
  const mapped: Record<string, Json> = {};
  for (const key of Object.keys(object)) define(mapped, key, map(object[key]!));
  return mapped;
}

/** Sets a key that may be called `__proto__`. */
export function define<T>(record: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    record[key] = value;
  }
}
