import { isObject, RawNumber, type Json } from '../../core/model/json.ts';

/** JSON as Python's `json.dumps` spells it: comma-space, colon-space, ASCII, `1e+16`, bare `NaN`. */
export function pythonJson(value: Json): string {
  if (value instanceof RawNumber) return value.source;
  if (Array.isArray(value)) return `[${value.map((item: Json) => pythonJson(item)).join(', ')}]`;
  if (isObject(value)) {
    const pairs = Object.entries(value).map(([key, item]) => `${text(key)}: ${pythonJson(item)}`);
    return `{${pairs.join(', ')}}`;
  }
  if (typeof value === 'string') return text(value);
  // A double that is whole has a fraction in Python, unless it is written as an integer.
  return JSON.stringify(value);
}

function text(value: string): string {
  return JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
