// A manifest's text, read and checked by its schema. Everything that is wrong is found at once, each with its line.

import type { z } from 'zod';
import { define, isObject, type Json, type JsonObject } from '../model/json.ts';
import { expandVariables, type Environment } from './expand-variables.ts';
import { knownKeys, meantOption } from './known-keys.ts';
import { placeText, readDocument, type ManifestProblem, type Place } from './manifest-document.ts';
import { Manifest, MOVED_SECTIONS, NULLABLE_SECTIONS } from './manifest-schema.ts';
import { ManifestServer } from './server-schema.ts';

/** What stands in the way of a manifest. */
export interface Fault {
  readonly kind: 'yaml' | 'schema' | 'variable';
  readonly place: Place;
  readonly message: string;
  /** Of a text that can't be read, in which there are no places. */
  readonly line?: number | null;
}

export interface ReadManifest {
  /** Null where it can't be used. */
  readonly manifest: Manifest | null;
  /** As it is checked: with each section in its own place, and variables put in. Null where it is no list of settings. */
  readonly document: JsonObject | null;
  readonly faults: readonly Fault[];
  /** What means something else to Promptise. */
  readonly ambiguous: readonly ManifestProblem[];
  /** A place as it was written, with its line. */
  readonly at: (place: Place, message: string) => ManifestProblem;
}

export function readManifest(text: string, environment: Environment = process.env): ReadManifest {
  const { value, problems, ambiguous, lineOf } = readDocument(text);
  const nothing = {
    manifest: null,
    document: null,
    ambiguous,
    at: (place: Place, message: string) => ({ path: placeText(place), line: null, message }),
  };
  if (problems.length > 0) {
    const faults = problems.map(({ line, message }): Fault => ({ kind: 'yaml', place: [], message, line }));
    return { ...nothing, faults };
  }
  if (!isObject(value)) {
    const message =
      value === null || value === undefined
        ? 'it is empty. Give it at least a name'
        : 'it is no list of settings, each a key, a colon and a value. Give it at least a name';
    return { ...nothing, faults: [{ kind: 'schema', place: [], message }] };
  }
  const sorted = inPlace(value);
  const expanded = expandVariables(sorted.document, environment);
  const document = expanded.value as JsonObject;
  const asWritten = (place: Place): Place =>
    sorted.moved.has(String(place[0])) ? ['config', ...place] : place;
  const at = (place: Place, message: string): ManifestProblem => {
    const written = asWritten(place);
    return { path: placeText(written), line: lineOf(written), message };
  };
  const unset = new Set(expanded.problems.map(({ place }) => JSON.stringify(place)));
  const checked = check(document, expanded.isFromVariable);
  const faults = [
    ...sorted.faults,
    ...expanded.problems.map(({ place, message }): Fault => ({ kind: 'variable', place, message })),
    ...checked.faults.filter(({ place }) => !unset.has(JSON.stringify(place))),
  ];
  const manifest = faults.length === 0 ? checked.manifest : null;
  return { manifest, document: checked.document, faults, ambiguous, at };
}

/** Sections under `config:` where they belong; those that are null and may be are left out. */
function inPlace(value: JsonObject): {
  readonly document: JsonObject;
  readonly moved: ReadonlySet<string>;
  readonly faults: readonly Fault[];
} {
  const document: Record<string, Json> = {};
  for (const [key, section] of Object.entries(value)) {
    if (section !== null || !NULLABLE_SECTIONS.includes(key)) define(document, key, section);
  }
  const moved = new Set<string>();
  const faults: Fault[] = [];
  const { config } = document;
  if (!isObject(config)) return { document, moved, faults };
  const rest: Record<string, Json> = {};
  for (const [key, section] of Object.entries(config)) {
    if (!MOVED_SECTIONS.includes(key)) {
      define(rest, key, section);
      continue;
    }
    // Promptise builds the context from all three.
    const parts = key === 'context' ? ['context', 'world', 'memory'] : [key];
    const twice = parts.find((part) => Object.hasOwn(document, part));
    if (twice === undefined) {
      moved.add(key);
      if (section !== null || !NULLABLE_SECTIONS.includes(key)) define(document, key, section);
      continue;
    }
    const message = `it is given twice, here and as ${twice}: give it in one place`;
    faults.push({ kind: 'schema', place: ['config', key], message });
  }
  define(document, 'config', rest);
  return { document, moved, faults };
}

interface Checked {
  readonly manifest: Manifest | null;
  readonly document: JsonObject;
  readonly faults: readonly Fault[];
}

function check(document: JsonObject, isFromVariable: (place: Place) => boolean): Checked {
  const first = Manifest.safeParse(document);
  if (first.success) return { manifest: first.data, document, faults: [] };
  // A number that comes from a variable is a text until here.
  const typed = first.error.issues.reduce((whole, issue) => {
    if (issue.code !== 'invalid_type' || !isFromVariable(issue.path)) return whole;
    const value = asType(valueIn(whole, issue.path), issue.expected);
    return value === undefined ? whole : (withValue(whole, issue.path, value) as JsonObject);
  }, document);
  const result = typed === document ? first : Manifest.safeParse(typed);
  if (result.success) return { manifest: result.data, document: typed, faults: [] };
  return {
    manifest: null,
    document: typed,
    faults: result.error.issues.flatMap((issue) => faultsOf(issue, typed)),
  };
}

function asType(value: unknown, expected: string): Json | undefined {
  if (typeof value !== 'string') return undefined;
  if (expected === 'boolean') return /^(?:true|false)$/i.test(value) ? /^true$/i.test(value) : undefined;
  if (expected !== 'number' && expected !== 'int') return undefined;
  const number = Number(value);
  return value.trim() !== '' && Number.isFinite(number) ? number : undefined;
}

function valueIn(value: unknown, place: Place): unknown {
  return place.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Readonly<Record<PropertyKey, unknown>>)[key]
        : undefined,
    value,
  );
}

function withValue(value: unknown, [key, ...rest]: Place, to: Json): Json {
  if (key === undefined) return to;
  if (Array.isArray(value)) {
    return value.map((item: Json, at) => (at === key ? withValue(item, rest, to) : item));
  }
  const copy: Record<string, Json> = { ...(value as JsonObject) };
  define(copy, String(key), withValue(copy[String(key)], rest, to));
  return copy;
}

/** An issue of a union is those of the shape that was meant. */
function faultsOf(issue: z.core.$ZodIssue, document: JsonObject, around: Place = []): readonly Fault[] {
  const place: Place = [...around, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(Manifest, place, document);
    const those = known.length === 0 ? '' : `; there are ${known.join(', ')}`;
    const where = place.length === 0 ? 'the manifest' : placeText(place);
    return issue.keys.map((key) => ({
      kind: 'schema',
      place: [...place, key],
      message: `${where} has "${key}", which is not a setting${those}`,
    }));
  }
  if (issue.code === 'invalid_union' && 'errors' in issue && issue.errors.length > 0) {
    const meant = meantIssues(issue, document, place);
    if (meant !== null) return meant.flatMap((inner) => faultsOf(inner, document, place));
  }
  return [{ kind: 'schema', place, message: messageOf(issue, valueIn(document, place)) }];
}

function messageOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  const isMissing = issue.code === 'invalid_type' && value === undefined;
  return isMissing && issue.message.startsWith('Invalid input')
    ? `it is missing: it is a ${issue.expected}, and needed`
    : issue.message;
}

function meantIssues(
  issue: Extract<z.core.$ZodIssue, { code: 'invalid_union' }>,
  document: JsonObject,
  place: Place,
): readonly z.core.$ZodIssue[] | null {
  // The one union of shapes; of all others the message of the union itself says what may stand there.
  if (place[0] !== 'servers' || place.length !== 2) return null;
  const { options } = ManifestServer;
  return issue.errors[options.indexOf(meantOption(options, valueIn(document, place)) as never)] ?? null;
}
