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

/** JSON for a person: every number as it was written, `NaN` included, which makes it no JSON for a program. */
export function showJson(value: Json, indent?: number): string {
  return JSON.stringify(withMarkedNumbers(value), null, indent).replaceAll(
    /"\\u0000(NaN|-?Infinity)"/g,
    '$1',
  );
}

function withMarkedNumbers(value: Json): Json {
  if (value instanceof RawNumber) return value.isJson ? value : `\u0000${value.source}`;
  if (Array.isArray(value)) return value.map((item: Json) => withMarkedNumbers(item));
  if (isObject(value)) return mapValues(value, withMarkedNumbers);
  return value;
}

/** A deep copy; raw numbers are immutable and shared. */
export function cloneJson(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => cloneJson(item));
  if (isObject(value)) return mapValues(value, cloneJson);
  return value;
}

function mapValues(object: JsonObject, map: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
