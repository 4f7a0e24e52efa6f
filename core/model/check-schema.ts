// Whether a value is as a JSON schema says, as far as a person who edits arguments is helped by it: types, names, ranges.
// What it does not know it does not refuse, so it never keeps out what the tool itself would take; and a schema comes from
// strangers, so patterns, which can take for ever, and references, which can go round in circles, are left to the tool.

import { isObject, objectAt, RawNumber, sameJson, type Json, type JsonObject } from './json.ts';

const MAX_PROBLEMS = 5;
const MAX_DEPTH = 32;
/** Of looks at a schema together: what has alternatives in alternatives would be looked at for ever. */
const MAX_LOOKS = 20_000;

interface Look {
  readonly problems: string[];
  left: number;
}

/** One line each, at most five; none where nothing speaks against it. */
export function schemaProblems(schema: Json, value: Json): readonly string[] {
  const look: Look = { problems: [], left: MAX_LOOKS };
  check(schema, value, '', 0, look);
  return look.problems.slice(0, MAX_PROBLEMS);
}

function check(schema: Json, value: Json, path: string, depth: number, look: Look): void {
  if (schema === false) say(look, path, 'is not allowed');
  if (!isObject(schema) || depth > MAX_DEPTH || look.problems.length >= MAX_PROBLEMS) return;
  look.left -= 1;
  if (look.left < 0) return;
  if (!hasType(schema['type'], value)) {
    say(look, path, `must be ${namesOf(schema['type'])}`);
    return;
  }
  const { enum: allowed, const: only } = schema;
  if (Array.isArray(allowed) && !(allowed as readonly Json[]).some((one) => sameJson(one, value))) {
    say(look, path, `must be one of ${allowed.slice(0, 10).map(shown).join(', ')}`);
  }
  if (only !== undefined && !sameJson(only, value)) say(look, path, `must be ${shown(only)}`);
  checkRange(schema, value, path, look);
  if (isObject(value)) checkObject(schema, value, path, depth, look);
  else if (Array.isArray(value)) checkList(schema, value as readonly Json[], path, depth, look);
  checkAlternatives(schema, value, path, depth, look);
}

function checkObject(schema: JsonObject, value: JsonObject, path: string, depth: number, look: Look): void {
  const properties = objectAt(schema, 'properties') ?? {};
  const { required, additionalProperties, patternProperties } = schema;
  for (const key of Array.isArray(required) ? (required as readonly Json[]) : []) {
    if (typeof key === 'string' && !Object.hasOwn(value, key)) say(look, at(path, key), 'is missing');
  }
  for (const [key, inner] of Object.entries(value)) {
    if (Object.hasOwn(properties, key)) check(properties[key]!, inner, at(path, key), depth + 1, look);
    else if (patternProperties === undefined && additionalProperties === false) {
      const known = Object.keys(properties).slice(0, 20).join(', ');
      say(look, at(path, key), `is not known; there ${known === '' ? 'is nothing' : `are: ${known}`}`);
    } else if (additionalProperties !== undefined) {
      check(additionalProperties, inner, at(path, key), depth + 1, look);
    }
  }
}

function checkList(
  { items }: JsonObject,
  value: readonly Json[],
  path: string,
  depth: number,
  look: Look,
): void {
  if (items === undefined) return;
  for (const [index, inner] of value.entries()) {
    if (look.left < 0 || look.problems.length >= MAX_PROBLEMS) return;
    check(items, inner, `${path}[${index}]`, depth + 1, look);
  }
}

function checkRange(schema: JsonObject, value: Json, path: string, look: Look): void {
  const bound = (key: string, isWithin: (limit: number) => boolean, words: string): void => {
    const limit = schema[key];
    if (typeof limit === 'number' && !isWithin(limit)) say(look, path, `${words} ${limit}`);
  };
  if (typeof value === 'number') {
    bound('minimum', (least) => value >= least, 'must be at least');
    bound('maximum', (most) => value <= most, 'must be at most');
    bound('exclusiveMinimum', (least) => value > least, 'must be above');
    bound('exclusiveMaximum', (most) => value < most, 'must be below');
  } else if (typeof value === 'string') {
    bound('minLength', (least) => value.length >= least, 'must have characters at least');
    // Schemas count characters, and a pair is one.
    bound(
      'maxLength',
      (most) => value.length <= most || Array.from(value).length <= most,
      'must have characters at most',
    );
  } else if (Array.isArray(value)) {
    bound('minItems', (least) => value.length >= least, 'must have elements at least');
    bound('maxItems', (most) => value.length <= most, 'must have elements at most');
  }
}

/** Of alternatives one has to fit; why each of the others does not is of no help. */
function checkAlternatives(schema: JsonObject, value: Json, path: string, depth: number, look: Look): void {
  for (const key of ['anyOf', 'oneOf']) {
    const all = schema[key];
    if (!Array.isArray(all) || all.length === 0) continue;
    const fits = (all as readonly Json[]).some((one) => {
      const inner: Look = { problems: [], left: look.left };
      check(one, value, path, depth + 1, inner);
      look.left = inner.left;
      return inner.problems.length === 0;
    });
    if (!fits) say(look, path, 'is none of the alternatives that the tool takes');
  }
  const all = schema['allOf'];
  if (!Array.isArray(all)) return;
  for (const one of all as readonly Json[]) check(one, value, path, depth + 1, look);
}

function hasType(type: Json | undefined, value: Json): boolean {
  if (typeof type === 'string') return isOf(type, value);
  if (!Array.isArray(type)) return true;
  return (type as readonly Json[]).some((one) => typeof one !== 'string' || isOf(one, value));
}

function isOf(type: string, value: Json): boolean {
  const isNumber = typeof value === 'number' || value instanceof RawNumber;
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'number':
      return isNumber;
    case 'integer':
      return value instanceof RawNumber ? !/[.eE]/.test(value.source) : Number.isInteger(value);
    default:
      return true; // Not one of JSON's; the tool may know it.
  }
}

const NAMES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  boolean: 'true or false',
  number: 'a number',
  integer: 'a whole number',
};

function namesOf(type: Json | undefined): string {
  const all = (Array.isArray(type) ? (type as readonly Json[]) : [type ?? null]).map(String);
  return all.map((one) => (Object.hasOwn(NAMES, one) ? NAMES[one]! : one)).join(' or ');
}

function at(path: string, key: string): string {
  const shownKey = key.length > 100 ? `${key.slice(0, 99)}…` : key;
  return path === '' ? shownKey : `${path}.${shownKey}`;
}

function shown(value: Json): string {
  return (JSON.stringify(value) ?? 'null').slice(0, 100);
}

function say(look: Look, path: string, words: string): void {
  look.problems.push(path === '' ? `It ${words}` : `${path} ${words}`);
}
