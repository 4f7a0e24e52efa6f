// Whether a value is as a JSON schema says: the one checker of the arguments that a model or a person gives a tool, and of
// what a tool answers. A schema comes from strangers, so it is read and never run:
//
// * No code is made of it, so it can be used where none may be made, as in a page of the console.
// * All that it costs is counted, and what is too dear is left to the tool: looking ends, and has found what it had found.
// * A pattern, which can take for ever, and a reference to somewhere else are left to the tool too. So is whatever is not
//   known here: nothing is refused that the tool itself might take.

import { isObject, objectAt, RawNumber, sameJson, type Json, type JsonObject } from './json.ts';
import { hasPlaceholder } from './placeholder.ts';

const MAX_PROBLEMS = 5;
const MAX_DEPTH = 32;
/** Of looks at a schema, keys, elements and values that are compared, together: a tenth of a second, or less. */
const MAX_WORK = 100_000;
const MAX_SHOWN = 100;
const MAX_NAMES = 20;

interface Look {
  readonly root: Json;
  readonly problems: string[];
  left: number;
}

/** One line each, at most five; none where nothing speaks against it. */
export function schemaProblems(schema: Json, value: Json): readonly string[] {
  const look: Look = { root: schema, problems: [], left: MAX_WORK };
  check(schema, value, '', 0, look);
  return look.problems.slice(0, MAX_PROBLEMS);
}

/**
 * What a reference inside of a schema leads to; null for one that leads nowhere or is not by place: `#/$defs/a` is.
 */
export function referred(root: Json, reference: string): Json | null {
  if (reference !== '#' && !reference.startsWith('#/')) return null;
  let at: Json | undefined = root;
  for (const part of reference.split('/').slice(1)) {
    const key = keyIn(part);
    if (Array.isArray(at)) at = /^\d+$/.test(key) ? (at as readonly Json[])[Number(key)] : undefined;
    else
      at = isObject(at ?? null) && Object.hasOwn(at as JsonObject, key) ? (at as JsonObject)[key] : undefined;
  }
  return at ?? null;
}

function keyIn(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // It is no address, and so a key as it stands.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Whether there is enough left for so much more. */
function pays(look: Look, work: number): boolean {
  look.left -= work;
  return look.left >= 0;
}

function isFull({ problems, left }: Look): boolean {
  return problems.length >= MAX_PROBLEMS || left < 0;
}

function check(schema: Json, value: Json, path: string, depth: number, look: Look): void {
  if (isFull(look)) return;
  if (schema === false) say(look, path, 'is not allowed');
  if (!isObject(schema) || depth > MAX_DEPTH || !pays(look, 1)) return;
  // What has a name of its own is read by its own references.
  if (depth > 0 && typeof schema['$id'] === 'string') return;
  // What stands for a secret says nothing of its value.
  if (typeof value === 'string' && hasPlaceholder(value)) return;
  if (!hasType(schema, value)) {
    say(look, path, `must be ${namesOf(schema['type'])}`);
    return;
  }
  checkChoice(schema, value, path, look);
  checkRange(schema, value, path, look);
  if (isObject(value)) checkObject(schema, value, path, depth, look);
  else if (Array.isArray(value)) checkList(schema, value as readonly Json[], path, depth, look);
  checkAlternatives(schema, value, path, depth, look);
  const { $ref: reference } = schema;
  if (typeof reference !== 'string' || !pays(look, reference.length)) return;
  const other = referred(look.root, reference);
  if (other !== null) check(other, value, path, depth + 1, look);
}

function checkChoice(
  { enum: allowed, const: only }: JsonObject,
  value: Json,
  path: string,
  look: Look,
): void {
  const all = Array.isArray(allowed) ? (allowed as readonly Json[]) : null;
  const compared = (all?.length ?? 0) + (only === undefined ? 0 : 1);
  if (compared === 0 || !pays(look, compared * weightOf(value, look))) return;
  if (all !== null && !all.some((one) => sameJson(one, value))) {
    say(look, path, `must be one of ${all.slice(0, 10).map(shown).join(', ')}`);
  }
  if (only !== undefined && !sameJson(only, value)) say(look, path, `must be ${shown(only)}`);
}

/** What comparing it may cost. */
function weightOf(value: Json, look: Look): number {
  if (typeof value === 'string') return 1 + value.length / 1_000;
  if (typeof value !== 'object' || value === null || value instanceof RawNumber) return 1;
  let weight = 0;
  const rest: Json[] = [value];
  while (rest.length > 0 && weight <= look.left) {
    const one = rest.pop()!;
    weight += typeof one === 'string' ? 1 + one.length / 1_000 : 1;
    if (typeof one !== 'object' || one === null || one instanceof RawNumber) continue;
    for (const inner of Object.values(one)) rest.push(inner);
  }
  return weight;
}

function checkObject(schema: JsonObject, value: JsonObject, path: string, depth: number, look: Look): void {
  const properties = objectAt(schema, 'properties') ?? {};
  const { required, additionalProperties, patternProperties } = schema;
  for (const key of Array.isArray(required) ? (required as readonly Json[]) : []) {
    if (isFull(look) || !pays(look, 1)) return;
    if (typeof key === 'string' && !Object.hasOwn(value, key)) say(look, at(path, key), 'is missing');
  }
  for (const key of Object.keys(value)) {
    if (isFull(look) || !pays(look, 1)) return;
    const inner = value[key]!;
    if (Object.hasOwn(properties, key)) check(properties[key]!, inner, at(path, key), depth + 1, look);
    else if (patternProperties === undefined && additionalProperties === false) {
      const known = Object.keys(properties);
      if (!pays(look, known.length)) return;
      const names = known.slice(0, MAX_NAMES).map(cut).join(', ');
      const more = known.length > MAX_NAMES ? ', …' : '';
      say(look, at(path, key), `is not known; there ${names === '' ? 'is nothing' : `are: ${names}${more}`}`);
    } else if (patternProperties === undefined && additionalProperties !== undefined) {
      check(additionalProperties, inner, at(path, key), depth + 1, look);
    }
  }
}

/** Places first, and then all others: as it is said now, and as it was said before. */
function checkList(
  { items, prefixItems, additionalItems }: JsonObject,
  value: readonly Json[],
  path: string,
  depth: number,
  look: Look,
): void {
  const places = [prefixItems, items].find((some): some is Json[] => Array.isArray(some)) ?? [];
  const others = Array.isArray(items) ? additionalItems : items;
  if (places.length === 0 && others === undefined) return;
  for (const [index, inner] of value.entries()) {
    if (isFull(look) || !pays(look, 1)) return;
    const own = index < places.length ? places[index] : others;
    if (own !== undefined) check(own, inner, `${path}[${index}]`, depth + 1, look);
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
    bound('maxLength', (most) => !isLonger(value, most, look), 'must have characters at most');
  } else if (Array.isArray(value)) {
    bound('minItems', (least) => value.length >= least, 'must have elements at least');
    bound('maxItems', (most) => value.length <= most, 'must have elements at most');
  }
}

/** Schemas count characters, and a pair is one. */
function isLonger(text: string, most: number, look: Look): boolean {
  if (text.length <= most) return false;
  if (text.length > 2 * most) return true;
  if (!pays(look, text.length)) return false;
  return Array.from(text).length > most;
}

/** Of alternatives one has to fit; why each of the others does not is of no help. */
function checkAlternatives(schema: JsonObject, value: Json, path: string, depth: number, look: Look): void {
  for (const key of ['anyOf', 'oneOf']) {
    const all = schema[key];
    if (!Array.isArray(all) || all.length === 0) continue;
    const fits = (all as readonly Json[]).some((one) => {
      const inner: Look = { root: look.root, problems: [], left: look.left };
      check(one, value, path, depth + 1, inner);
      look.left = inner.left;
      // What could not be looked at to its end may fit.
      return inner.problems.length === 0 || inner.left < 0;
    });
    if (!fits) say(look, path, 'is none of the alternatives that the tool takes');
  }
  const all = schema['allOf'];
  if (!Array.isArray(all)) return;
  for (const one of all as readonly Json[]) {
    if (isFull(look)) return;
    check(one, value, path, depth + 1, look);
  }
}

function hasType({ type, nullable }: JsonObject, value: Json): boolean {
  if (value === null && nullable === true) return true;
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
  const all = (Array.isArray(type) ? (type as readonly Json[]).slice(0, MAX_NAMES) : [type ?? null]).map(
    String,
  );
  return all.map((one) => (Object.hasOwn(NAMES, one) ? NAMES[one]! : cut(one))).join(' or ');
}

function at(path: string, key: string): string {
  return path === '' ? cut(key) : `${path}.${cut(key)}`;
}

function cut(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
}

/** What has parts may have more of them than anybody reads. */
function shown(value: Json): string {
  if (Array.isArray(value)) return '[…]';
  return isObject(value) ? '{…}' : cut(JSON.stringify(value));
}

function say(look: Look, path: string, words: string): void {
  look.problems.push(path === '' ? `It ${words}` : `${path} ${words}`);
}
