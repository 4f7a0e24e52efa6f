// What stands where a secret was taken out, in arguments that a person reads and may edit: whoever sent them has the value, and
// the person only its name. What is left as it stands means the value; put anywhere else, it would be a text like any other,
// so it is refused.

import { define, isObject, RawNumber, type Json, type JsonObject } from './json.ts';
import { MIN_SECRET_LENGTH } from './secret-forms.ts';

/** What stands where a value was. */
export function placeholderOf(name: string): string {
  return `[secret:${name}]`;
}

const PLACEHOLDER = /\[secret:[^\]]{1,200}\]/;
const MAX_PATH = 200;

export function hasPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text);
}

/** Whether anything of a value, or the name of anything, was taken out of it. */
export function holdsPlaceholder(value: Json): boolean {
  if (typeof value === 'string') return hasPlaceholder(value);
  if (Array.isArray(value)) return (value as readonly Json[]).some(holdsPlaceholder);
  return (
    isObject(value) &&
    Object.entries(value).some(([key, inner]) => hasPlaceholder(key) || holdsPlaceholder(inner))
  );
}

/** What edited arguments come to, or what of them can't be used, for whoever edited them. */
export type Restored = { readonly args: Json } | { readonly problem: string };

/** Held against what was shown, which is all that most know: gives what was edited, or what of it was moved or changed. */
export function unmoved(shown: Json, edited: Json): Restored {
  return restoredBy((text, there) => (text === there ? text : undefined), edited, shown);
}

/** With the values of whoever sent them in the places of their names. */
export function restored(original: Json, edited: Json): Restored {
  return restoredBy((text, there) => (couldShow(there, text) ? there : undefined), edited, original);
}

/** What a text stands for, where it may stand for what is there; else undefined. */
type Meaning = (text: string, there: Json | undefined) => Json | undefined;

interface Walk {
  readonly meaning: Meaning;
  readonly problems: string[];
}

function restoredBy(meaning: Meaning, edited: Json, there: Json): Restored {
  const walk: Walk = { meaning, problems: [] };
  const args = meant(walk, edited, there, '');
  const [problem] = walk.problems;
  return problem === undefined ? { args } : { problem };
}

function meant(walk: Walk, edited: Json, there: Json | undefined, path: string): Json {
  if (typeof edited === 'string') {
    if (!hasPlaceholder(edited)) return edited;
    return walk.meaning(edited, there) ?? moved(walk, edited, path);
  }
  if (Array.isArray(edited)) {
    const others: readonly Json[] = Array.isArray(there) ? there : [];
    return (edited as readonly Json[]).map((item, at) => meant(walk, item, others[at], `${path}[${at}]`));
  }
  if (!isObject(edited)) return edited;
  const others = isObject(there) ? there : {};
  const whole: Record<string, Json> = {};
  for (const [key, inner] of Object.entries(edited)) {
    const name = hasPlaceholder(key) ? (nameMeant(walk, key, edited, others) ?? moved(walk, key, path)) : key;
    const other = Object.hasOwn(others, name) ? others[name] : undefined;
    define(whole, name, meant(walk, inner, other, path === '' ? key : `${path}.${key}`));
  }
  return whole;
}

/** Of a name that was taken out: the only one that it can be. */
function nameMeant({ meaning }: Walk, key: string, edited: JsonObject, others: JsonObject): string | null {
  const all = Object.keys(others).filter(
    (other) => (other === key || !Object.hasOwn(edited, other)) && meaning(key, other) === other,
  );
  return all.find((other) => other === key) ?? (all.length === 1 ? all[0]! : null);
}

/** Says so, and leaves it as it is. */
function moved({ problems }: Walk, text: string, path: string): string {
  const [name] = PLACEHOLDER.exec(text) ?? [text];
  const place = path === '' ? 'the name of an argument' : path.slice(0, MAX_PATH);
  problems.push(
    `${name} in ${place} stands for a value that nobody sees. Leave the whole text as it was and where it was, or write one without it`,
  );
  return text;
}

/**
 * Whether a value can be shown so: what stands around the names is the same, and each stands for as much as a secret has at
 * least. A number is taken out whole.
 */
function couldShow(value: Json | undefined, text: string): value is Json {
  if (value === text) return true;
  const around = text.split(new RegExp(PLACEHOLDER, 'g'));
  if (typeof value === 'number' || value instanceof RawNumber) {
    const { length } = value instanceof RawNumber ? value.source : String(value);
    return around.join('') === '' && around.length === 2 && length >= MIN_SECRET_LENGTH;
  }
  if (typeof value !== 'string') return false;
  const last = around.pop()!;
  let at = 0;
  for (const [number, part] of around.entries()) {
    const from = number === 0 ? 0 : at + MIN_SECRET_LENGTH;
    const found = number === 0 ? (value.startsWith(part) ? 0 : -1) : value.indexOf(part, from);
    if (found < 0) return false;
    at = found + part.length;
  }
  return value.endsWith(last) && at + MIN_SECRET_LENGTH <= value.length - last.length;
}
