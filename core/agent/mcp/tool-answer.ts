// What a server answered to a call, as a text that a model can read: whatever is not text is named, and left out.

import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { ToolAnswer } from '../llm/tool.ts';
import { cleanText } from '../llm/clean-text.ts';
import { cleanLine } from './clean-text.ts';

/** Of the text that a model gets to read: more would crowd out everything else. */
const MAX_TEXT_BYTES = 100_000;
const MAX_PARTS = 1_000;
const MAX_LABEL = 300;

/** `misfit`: what of the structured part does not fit the schema that the tool declares; null where all is well. */
export function answerOf(
  result: JsonObject,
  { maxBytes, misfit }: { readonly maxBytes: number; readonly misfit: (value: Json) => string | null },
): ToolAnswer {
  const content: readonly Json[] = Array.isArray(result['content']) ? result['content'] : [];
  const parts = content.slice(0, MAX_PARTS).map(partText);
  if (content.length > MAX_PARTS) parts.push(`[${content.length - MAX_PARTS} more parts were left out]`);
  const structured = result['structuredContent'] ?? null;
  if (structured !== null) {
    const text = jsonText(structured);
    // Servers are asked to say the same as text too.
    if (!content.some((part) => saysTheSame(part, structured, text))) parts.push(text);
    const lie = misfit(structured);
    if (lie !== null)
      parts.push(`[The structured answer does not fit the schema that the tool declares: ${lie}]`);
  }
  return cutAnswer(parts.join('\n\n'), result['isError'] === true, Math.min(maxBytes, MAX_TEXT_BYTES));
}

/** What a server said instead of an answer. */
export function refusalAnswer(message: string, code: number): ToolAnswer {
  return cutAnswer(`The tool's server refused: ${message} (${code})`, true, MAX_TEXT_BYTES);
}

export function tooLargeAnswer(bytes: number, maxBytes: number): ToolAnswer {
  return {
    text: `[The tool answered with ${bytes < maxBytes ? 'more' : `at least ${bytes} bytes, more`} than the ${maxBytes} bytes that its server may send at once. It has run; nothing of its answer was kept.]`,
    isError: true,
    cutFromBytes: bytes,
  };
}

function cutAnswer(given: string, isError: boolean, maxBytes: number): ToolAnswer {
  const text = cleanText(given);
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return { text, isError };
  const head = Buffer.from(text)
    .subarray(0, maxBytes)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  return {
    text: `${head}\n[Cut here: the answer has ${bytes} bytes, and these are the first ${Buffer.byteLength(head)}.]`,
    isError,
    cutFromBytes: bytes,
  };
}

function partText(part: Json): string {
  if (!isObject(part)) return '[a part that is none was left out]';
  const label = (value: unknown): string => (typeof value === 'string' ? cleanLine(value, MAX_LABEL) : '');
  const { type = null } = part;
  switch (typeof type === 'string' ? type : '') {
    case 'text':
      return typeof part['text'] === 'string' ? part['text'] : '';
    case 'image':
    case 'audio':
      return `[${label(type)}, ${label(part['mimeType']) || 'of no type'}, ${bytesOf(part['data'])} bytes: left out]`;
    case 'resource_link':
      return `[resource ${label(part['name'])}: ${label(part['uri'])}]`;
    case 'resource': {
      const resource = part['resource'] ?? null;
      if (!isObject(resource)) return '[a resource that is none was left out]';
      const { uri, text, mimeType, blob } = resource;
      if (typeof text === 'string') return `[resource ${label(uri)}]\n${text}`;
      return `[resource ${label(uri)}, ${label(mimeType) || 'of no type'}, ${bytesOf(blob)} bytes: left out]`;
    }
    default:
      return `[a part of the type ${label(type) || 'of no name'} was left out]`;
  }
}

/** Of base64. */
function bytesOf(data: unknown): number {
  return typeof data === 'string' ? Math.floor((data.length * 3) / 4) : 0;
}

function saysTheSame(part: Json, structured: Json, text: string): boolean {
  if (!isObject(part) || part['type'] !== 'text' || typeof part['text'] !== 'string') return false;
  const values = isObject(structured) ? Object.values(structured) : [];
  if (part['text'] === text || (values.length === 1 && values[0] === part['text'])) return true;
  if (part['text'].length > 4 * text.length + 1_000) return false;
  try {
    return JSON.stringify(JSON.parse(part['text'])) === JSON.stringify(structured);
  } catch {
    return false;
  }
}

function jsonText(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '[a structured answer was left out: it is nested too deep]';
  }
}
