// Settings of a manifest that people change while its process lives. The journal has each change, so it outlives a restart;
// where the manifest is changed at the same place afterwards, the manifest is the later word.

import { define, isObject, type Json, type JsonObject } from './json.ts';

/** A setting that is not what the manifest says. */
export interface LiveSetting {
  /** Null: as if the manifest did not have it. */
  readonly value: Json;
  /** What the manifest said there when it was changed; null where it said nothing. */
  readonly manifest: Json;
  readonly actor: string;
  readonly reason: string;
  readonly at: string;
}

/** By their paths, `budget.max_cost_per_day`. Never changed in place. */
export type LiveSettings = Readonly<Record<string, LiveSetting>>;

/** One of the changes that an operator makes together. */
export interface SettingChange {
  readonly path: string;
  readonly manifest: Json;
  readonly from: Json;
  readonly to: Json;
}

/** So many may differ from the manifest; more belong into it. */
export const MAX_SETTINGS = 200;
export const MAX_SETTING_PATH = 1_000;

/** The keys of a path: parted by dots, but for those behind a backslash, which belong to a key. */
export function keysOf(path: string): readonly string[] {
  const keys: string[] = [];
  let key = '';
  for (let at = 0; at < path.length; at += 1) {
    const is = path[at]!;
    const next = path[at + 1];
    if (is === '\\' && (next === '.' || next === '\\')) {
      key += next;
      at += 1;
    } else if (is === '.') {
      keys.push(key);
      key = '';
    } else key += is;
  }
  return [...keys, key];
}

/** The path of these keys, which {@link keysOf} takes apart again. */
export function pathOf(keys: readonly PropertyKey[]): string {
  return keys.map((key) => String(key).replaceAll(/[\\.]/g, String.raw`\$&`)).join('.');
}

/** What a document has at a path; null where it has nothing. */
export function valueAt(document: JsonObject, path: string): Json {
  let value: Json = document;
  for (const key of keysOf(path)) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return null;
    value = value[key]!;
  }
  return value;
}

/** The document with these settings; null takes one away. What stands in the way of a path makes room for it. */
export function withValues(document: JsonObject, values: Readonly<Record<string, Json>>): JsonObject {
  return Object.entries(values).reduce((whole, [path, value]) => put(whole, keysOf(path), value), document);
}

function put(document: JsonObject, [key = '', ...rest]: readonly string[], value: Json): JsonObject {
  const copy: Record<string, Json> = { ...document };
  const inner: Json = Object.hasOwn(document, key) ? document[key]! : null;
  if (rest.length > 0) {
    // Taking away what is not there makes nothing.
    if (value !== null || isObject(inner)) define(copy, key, put(isObject(inner) ? inner : {}, rest, value));
  } else if (value === null) delete copy[key];
  else define(copy, key, value);
  return copy;
}

/** What is in force, by path. */
export function valuesOf(settings: LiveSettings): Readonly<Record<string, Json>> {
  const values: Record<string, Json> = {};
  for (const [path, { value }] of Object.entries(settings)) define(values, path, value);
  return values;
}
