// Whether what a server says of its tools' arguments can be offered: it goes to a model, whose provider refuses a whole call
// for the sake of one schema that is none, so it has to be small, to be one, and to refer to nothing outside itself. It is
// read by rules that are known, and no code is made of it.

import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { referred } from '../../model/check-schema.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { cleanLine } from './clean-text.ts';

const MAX_BYTES = 32 * 1024;
const MAX_DEPTH = 24;
const MAX_NODES = 4_000;
const MAX_WHY = 300;

export type CheckedSchema =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly why: string };

/** As it may be offered. */
export function checkedSchema(given: unknown): CheckedSchema {
  const shape = shapeProblem(given);
  if (shape !== null) return { ok: false, why: shape };
  const schema = withoutNames(given as JsonObject);
  if (schema['type'] !== 'object') return { ok: false, why: 'it is not of the type object' };
  const fault = partProblem(schema, schema) ?? faultOf(schema);
  return fault === null ? { ok: true, schema } : { ok: false, why: cleanLine(fault, MAX_WHY) };
}

/** What it calls itself, and the rules that it was written by, lead elsewhere. */
function withoutNames({ $schema: _, $id: __, ...schema }: JsonObject): JsonObject {
  return schema;
}

/** Without recursion, for it may be nested as deep as a message can. */
function shapeProblem(given: unknown): string | null {
  if (!isObject(given)) return 'it is no object';
  let nodes = 0;
  let level: unknown[] = [given];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH} levels`;
    nodes += level.length;
    if (nodes > MAX_NODES) return `it has more than ${MAX_NODES} parts`;
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      for (const inner of Object.values(value)) next.push(inner);
    }
    level = next;
  }
  const bytes = Buffer.byteLength(JSON.stringify(given));
  return bytes > MAX_BYTES ? `it has ${bytes} bytes, and ${MAX_BYTES} is the most` : null;
}

/** Whose value is one that arguments may have, and no schema. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** What its parts refer to, and their patterns: what the rules say nothing of. */
function partProblem(schema: JsonObject, part: object): string | null {
  for (const [key, inner] of Object.entries(part) as [string, Json][]) {
    if (VALUES.has(key)) continue;
    const problem =
      typeof inner === 'string'
        ? (referenceProblem(schema, key, inner) ?? patternProblem(key, inner))
        : typeof inner === 'object' && inner !== null
          ? partProblem(schema, inner)
          : null;
    if (problem !== null) return problem;
  }
  return null;
}

function referenceProblem(schema: Json, key: string, reference: string): string | null {
  if (!key.endsWith('$ref') && key !== '$dynamicRef' && key !== '$recursiveRef') return null;
  if (!reference.startsWith('#')) return 'it refers to something outside itself';
  const isByPlace = reference === '#' || reference.startsWith('#/');
  return isByPlace && referred(schema, reference) === null
    ? `it refers to ${reference}, which is not there`
    : null;
}

/** That it is one; it is never run. */
function patternProblem(key: string, text: string): string | null {
  if (key !== 'pattern') return null;
  try {
    void new RegExp(text);
    return null;
  } catch {
    return `it has a pattern that is none: ${text}`;
  }
}

/** What schemas are held to, as they are written now and as they were before: by the rules of schemas themselves. */
const options = { strict: false, logger: false } as const;
let rules: readonly Pick<Ajv, 'validateSchema' | 'errors'>[] | null = null;

/** Null for one that is a schema by either. */
function faultOf(schema: JsonObject): string | null {
  rules ??= [new Ajv2020(options), new Ajv(options)];
  let fault: string | null = null;
  for (const one of rules) {
    if (one.validateSchema(schema) === true) return null;
    fault ??= faultText(one.errors ?? []);
  }
  return fault;
}

function faultText([first]: readonly ErrorObject[]): string {
  return `${first?.instancePath ?? ''} ${first?.message ?? 'is wrong'}`.trim();
}
