// Values as text. These functions run in Node and, as source text, in the page's isolated world: each may use only
// its arguments, the language, and the others in this file.

/** What structured clone keeps, as JSON: `[tag, ...]` for all but null, booleans, strings and finite numbers. */
export type Encoded = null | boolean | string | number | [string, ...unknown[]];

function bytesToText(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}

function encodeObject(value: object): Encoded {
  if (Array.isArray(value)) return ['array', ...value.map((item) => encodeValue(item))];
  if (value instanceof Date) return ['date', value.getTime()];
  if (value instanceof Map) {
    return ['map', ...[...value].map(([key, item]) => [encodeValue(key), encodeValue(item)])];
  }
  if (value instanceof Set) return ['set', ...[...value].map((item) => encodeValue(item))];
  if (value instanceof Error) return ['error', value.name, value.message, value.stack ?? ''];
  if (value instanceof RegExp) return ['regexp', value.source, value.flags];
  if (value instanceof ArrayBuffer) return ['bytes', 'ArrayBuffer', bytesToText(new Uint8Array(value))];
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    // A Buffer is a Uint8Array to everybody else.
    const name = value instanceof Uint8Array ? 'Uint8Array' : value.constructor.name;
    return ['bytes', name, bytesToText(bytes)];
  }
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) {
    throw new Error('An object could not be cloned.');
  }
  return ['object', ...Object.entries(value).map(([key, item]) => [key, encodeValue(item)])];
}

export function encodeValue(value: unknown): Encoded {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : ['number', Object.is(value, -0) ? '-0' : String(value)];
    case 'undefined':
      return ['undefined'];
    case 'bigint':
      return ['bigint', String(value)];
    case 'object':
      return value === null ? null : encodeObject(value);
    case 'function':
    case 'symbol':
      throw new Error('An object could not be cloned.');
  }
}

function decodeBytes(name: string, text: string): unknown {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  if (name === 'ArrayBuffer') return bytes.buffer;
  if (name === 'Uint8Array') return bytes;
  const View = (globalThis as unknown as Record<string, new (buffer: ArrayBuffer) => unknown>)[name]!;
  return new View(bytes.buffer);
}

function decodeError(name: string, message: string, stack: string): Error {
  const error = new Error(message);
  error.name = name;
  error.stack = stack;
  return error;
}

export function decodeValue(encoded: unknown): unknown {
  if (!Array.isArray(encoded)) return encoded;
  const [tag, ...rest] = encoded as [string, ...unknown[]];
  switch (tag) {
    case 'undefined':
      return undefined;
    case 'number':
      return Number(rest[0]);
    case 'bigint':
      return BigInt(rest[0] as string);
    case 'array':
      return rest.map((item) => decodeValue(item));
    case 'date':
      return new Date(rest[0] as number);
    case 'map':
      return new Map(
        rest.map((pair) => (pair as unknown[]).map((item) => decodeValue(item)) as [unknown, unknown]),
      );
    case 'set':
      return new Set(rest.map((item) => decodeValue(item)));
    case 'error':
      return decodeError(...(rest as [string, string, string]));
    case 'regexp':
      return new RegExp(rest[0] as string, rest[1] as string);
    case 'bytes':
      return decodeBytes(rest[0] as string, rest[1] as string);
    case 'object':
      return Object.fromEntries((rest as [string, unknown][]).map(([key, item]) => [key, decodeValue(item)]));
    default:
      throw new Error(`Unknown kind of value: ${tag}`);
  }
}

/** The source of all the above, for a page. */
export const VALUES_SOURCE = [
  bytesToText,
  encodeObject,
  encodeValue,
  decodeBytes,
  decodeError,
  decodeValue,
].join('\n');
