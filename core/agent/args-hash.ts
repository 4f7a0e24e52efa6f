import { hash } from 'node:crypto';
import { isObject, type Json } from '../model/json.ts';

/** The same for the same arguments however their keys are ordered: 16 hex digits of SHA-256. */
export function argsHash(args: Json): string {
  return hash('sha256', JSON.stringify(sorted(args))).slice(0, 16);
}

/** The same value with the keys of its objects in order. */
export function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => sorted(item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key]!)]),
  );
}
