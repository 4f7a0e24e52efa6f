// A schema as a model reads it: what it says in words is cleaned like everything else that a server says. Names and values are
// left as they are, for the server has to know them again; where something hides in those, the tool is not offered.

import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { cleanText } from '../llm/clean-text.ts';

const WORDS: ReadonlySet<string> = new Set(['description', 'title', '$comment']);
/** Whose value is one that arguments may have, and no schema. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** Null where its names or values have characters that nobody sees. */
export function readableSchema(schema: JsonObject): JsonObject | null {
  const cleaned = withCleanWords(schema) as JsonObject;
  const text = JSON.stringify(cleaned);
  return cleanText(text) === text ? cleaned : null;
}

/** It is as deep as a schema may be at most. */
function withCleanWords(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withCleanWords);
  if (!isObject(schema)) return schema;
  const parts = Object.entries(schema).map(([key, value]): [string, Json] => {
    if (typeof value === 'string') return [key, WORDS.has(key) ? cleanText(value) : value];
    return [key, VALUES.has(key) ? value : withCleanWords(value)];
  });
  return Object.fromEntries(parts);
}
