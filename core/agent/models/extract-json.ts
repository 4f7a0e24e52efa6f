// The JSON object in what a model said, with whatever it wrote around it. Found, never mended: what is no JSON stays none.

import { isObject, type Json, type JsonObject } from '../../model/json.ts';

/** Of a text the end counts: a model thinks first and answers then. */
const MAX_TEXT = 50_000;
const MAX_LOOKS = 100;

/** The last object in a text that fits; null where there is none. Of one inside of another, the outer one is first. */
export function extractJson(text: string, fits: (object: JsonObject) => boolean): JsonObject | null {
  const end = text.slice(-MAX_TEXT);
  const spans = spansIn(end).sort((a, b) => b.end - a.end);
  for (const span of spans.slice(0, MAX_LOOKS)) {
    const object = parsed(end.slice(span.start, span.end));
    if (object !== null && fits(object)) return object;
  }
  return null;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** From each brace to the one that closes it, in one pass. Braces in strings are none. */
function spansIn(text: string): Span[] {
  const open: number[] = [];
  const spans: Span[] = [];
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (isString) {
      if (char === '\\') at += 1;
      // No string of JSON goes over a line: this quote was never closed.
      else if (char === '"' || char === '\n') isString = false;
    } else if (char === '{') {
      open.push(at);
    } else if (char === '}') {
      const start = open.pop();
      if (start !== undefined) spans.push({ start, end: at + 1 });
    } else if (char === '"' && open.length > 0) {
      isString = true;
    }
  }
  return spans;
}

function parsed(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
