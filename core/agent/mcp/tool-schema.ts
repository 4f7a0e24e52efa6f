// Whether what a server says of its tools' arguments can be used: it goes to a model and is checked against here, so it has
// to be small, to refer to nothing outside itself, and to be checked in no time.

import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { messageOf, codeOf } from '../../model/errors.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { cleanLine } from './clean-text.ts';
import { withinTime } from './within-time.ts';

const MAX_BYTES = 32 * 1024;
const MAX_DEPTH = 24;
const MAX_NODES = 4_000;
const COMPILE_MS = 2_000;
/** Of one call's arguments, or answer: far more than it takes on a machine that is busy. */
const CHECK_MS = 2_000;
/** Of the schemas of one server, each time it is asked: meanwhile its worker does nothing else. */
const SERVER_MS = 5_000;
const MAX_COMPILED = 1_000;
const MAX_WHY = 300;

export type CheckedSchema =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly why: string };

/** What is left of the time that the schemas of one server may take. */
export interface SchemaTime {
  leftMs: number;
}

export function schemaTime(): SchemaTime {
  return { leftMs: SERVER_MS };
}

/** As it may be offered. */
export function checkedSchema(given: unknown, time: SchemaTime = schemaTime()): CheckedSchema {
  const shape = shapeProblem(given);
  if (shape !== null) return { ok: false, why: shape };
  const schema = withoutNames(given as JsonObject);
  if (schema['type'] !== 'object') return { ok: false, why: 'it is not of the type object' };
  const begun = performance.now();
  const found = time.leftMs > 0 ? compiledOnce(schema, time.leftMs) : TOO_LATE;
  time.leftMs -= performance.now() - begun;
  return found.ok ? { ok: true, schema } : found;
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
      for (const [key, inner] of Object.entries(value)) {
        if (key.endsWith('$ref') || key === '$dynamicRef' || key === '$recursiveRef') {
          if (typeof inner === 'string' && !inner.startsWith('#'))
            return 'it refers to something outside itself';
        }
        next.push(inner);
      }
    }
    level = next;
  }
  const bytes = Buffer.byteLength(JSON.stringify(given));
  return bytes > MAX_BYTES ? `it has ${bytes} bytes, and ${MAX_BYTES} is the most` : null;
}

type Check = (value: unknown) => string | null;
type Compiled = { readonly ok: true; readonly check: Check } | { readonly ok: false; readonly why: string };

const TOO_LATE: Compiled = { ok: false, why: 'it takes too long to read' };

/** By their text. Servers say the same each time they are asked. */
const compiled = new Map<string, Compiled>();
/** Those that took too long once, which a busy machine may have done. */
const late = new Set<string>();

function compiledOnce(schema: JsonObject, maxMs = COMPILE_MS): Compiled {
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const found = compile(schema, Math.min(COMPILE_MS, maxMs));
  if (found === TOO_LATE && !late.has(text)) late.add(text);
  else compiled.set(text, found);
  for (const kept of [compiled, late]) if (kept.size > MAX_COMPILED) kept.clear();
  return found;
}

/** What does not fit, or null. Checking itself may take no longer than a moment. */
function compile(schema: JsonObject, maxMs: number): Compiled {
  try {
    const validate = withinTime(Math.ceil(maxMs), () => new AjvJsonSchemaValidator().getValidator(schema));
    const check = (value: unknown): string | null => {
      const { valid, errorMessage } = withinTime(CHECK_MS, () => validate(value));
      return valid ? null : cleanLine(errorMessage, MAX_WHY);
    };
    return { ok: true, check };
  } catch (error) {
    return isTooSlow(error) ? TOO_LATE : { ok: false, why: cleanLine(messageOf(error), MAX_WHY) };
  }
}

function isTooSlow(error: unknown): boolean {
  return codeOf(error) === 'mcp.too-slow';
}

/** By the schema, as long as somebody has it. */
const known = new WeakMap<object, Compiled>();

function knownOf(given: object): Compiled {
  const shape = shapeProblem(given);
  return shape === null ? compiledOnce(withoutNames(given as JsonObject)) : { ok: false, why: shape };
}

/** What of a value does not fit a schema, for a person; null where it fits. */
export function misfit(given: object, value: unknown): string | null {
  const found = known.get(given) ?? knownOf(given);
  known.set(given, found);
  if (!found.ok) return `the schema can't be used: ${found.why}`;
  try {
    return found.check(value);
  } catch (error) {
    return isTooSlow(error) ? 'it takes too long to check' : cleanLine(messageOf(error), MAX_WHY);
  }
}
