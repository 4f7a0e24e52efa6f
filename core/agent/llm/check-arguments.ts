// Whether what a model calls a tool with is what the tool asks for. The schema comes from whoever made the tool: nothing of it
// may cost more than the call that it is about.

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { define, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { withoutArgument } from './list-tools.ts';
import type { ToolOffer } from './tool.ts';

/** Of a schema as JSON, and of its depth; larger ones only its server checks. */
const MAX_SCHEMA = 64 * 1024;
const MAX_DEPTH = 24;
const MAX_KEPT = 500;
const MAX_SHOWN = 5;
/** What runs for as long as its maker likes, leads elsewhere, or says the contrary of what stands in it once that is left out. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$id',
  '$recursiveRef',
  '$ref',
  '$schema',
  'contains',
  'else',
  'format',
  'id',
  'if',
  'not',
  'pattern',
  'patternProperties',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
  'uniqueItems',
]);
/** Whose keys are names that the tool's maker gave. */
const NAMES: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
/** Whose value is one that arguments may have, and no schema. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required']);

/** By what their sources say of them. */
const compiled = new Map<string, ValidateFunction | null>();

/** For the model to read; null where the arguments fit, or nobody can say here. */
export function argumentProblem(offer: ToolOffer, args: Json): string | null {
  if (!isObject(args)) return `The arguments of ${offer.name} must be an object.`;
  const check = checkOf(offer);
  if (check === null || check(args)) return null;
  const all = check.errors ?? [];
  return `The arguments of ${offer.name} do not fit: ${all.slice(0, MAX_SHOWN).map(shown).join('; ')}. Nothing was done.`;
}

function shown({ instancePath, message = 'is wrong', params }: ErrorObject): string {
  const extra = (params as { additionalProperty?: unknown }).additionalProperty;
  return `${instancePath === '' ? 'they' : instancePath} ${message}${typeof extra === 'string' ? `: ${extra}` : ''}`;
}

function checkOf(offer: ToolOffer): ValidateFunction | null {
  const schema = JSON.stringify(withoutArgument(offer.inputSchema, offer.keyArgument));
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const made = compile(schema);
  if (compiled.size >= MAX_KEPT) compiled.clear();
  compiled.set(schema, made);
  return made;
}

function compile(text: string): ValidateFunction | null {
  if (text.length > MAX_SCHEMA) return null;
  try {
    const schema = plainSchema(JSON.parse(text) as Json, 0);
    return new Ajv2020({ strict: false, logger: false, validateSchema: false }).compile(schema as JsonObject);
  } catch {
    // It is none, so there is nothing to hold anybody to; its server decides.
    return null;
  }
}

/** The same, only looser: what does not fit it does not fit the whole. @throws where it is too deep */
function plainSchema(schema: Json, depth: number): Json {
  if (depth > MAX_DEPTH) throw new RangeError('the schema is too deep');
  if (Array.isArray(schema)) return schema.map((item: Json) => plainSchema(item, depth + 1));
  if (!isObject(schema)) return schema;
  const isOpen = schema['patternProperties'] !== undefined;
  const plain: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (LEFT_OUT.has(key) || (isOpen && key === 'additionalProperties')) continue;
    // Of two that differ in what was left out both may fit.
    const name = key === 'oneOf' ? 'anyOf' : key;
    if (VALUES.has(key)) define(plain, name, value);
    else if (!NAMES.has(key) || !isObject(value)) define(plain, name, plainSchema(value, depth + 1));
    else {
      const parts = Object.entries(value).map(([each, part]) => [each, plainSchema(part, depth + 2)]);
      define(plain, name, Object.fromEntries(parts) as JsonObject);
    }
  }
  return plain;
}
