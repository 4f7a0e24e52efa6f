// `${NAME}` and `${NAME:-otherwise}` in a manifest's document, put in place before it is checked, as Promptise does: what is
// set counts, even where it is empty. Where a secret is named it stays a reference, for what is read here is written into
// journals.

import { define, isObject, type Json } from '../model/json.ts';
import type { Place } from './manifest-document.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Expanded {
  readonly value: unknown;
  /** Places whose whole value came from the environment: a number among them is a text yet. */
  readonly isFromVariable: (place: Place) => boolean;
  readonly problems: readonly { readonly place: Place; readonly message: string }[];
}

/** A default ends at the first brace, and is no longer than this. */
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}\n]{0,4096}))?\}/g;

const ANY = Symbol('any key');
/** Where a secret is named, or the address of a receiver, which is as good as one. */
const SECRET_PLACES: readonly (readonly (string | typeof ANY)[])[] = [
  ['secrets', 'secrets', ANY],
  ['servers', ANY, 'env', ANY],
  ['servers', ANY, 'headers', ANY],
  ['servers', ANY, 'bearer_token'],
  ['servers', ANY, 'api_key'],
  ['servers', ANY, 'auth'],
  ['triggers', ANY, 'hmac_secret'],
  ['budget', 'escalation', 'webhook_url'],
  ['health', 'escalation', 'webhook_url'],
  ['mission', 'escalation', 'webhook_url'],
  ['holdfast', 'escalation', 'webhook_url'],
  ['holdfast', 'escalation', 'secret'],
  ['holdfast', 'approval_webhook', 'hmac_secret'],
];

/** Where a secret may be named among other things: by what is declared as one, or called as one. */
const MIXED_PLACES: typeof SECRET_PLACES = [
  ['servers', ANY, 'args', ANY],
  ['servers', ANY, 'url'],
];

export function expandVariables(document: unknown, environment: Environment): Expanded {
  const problems: { place: Place; message: string }[] = [];
  const fromVariable = new Set<string>();
  const secret = secretsIn(document);

  const textOf = (text: string, place: Place): string => {
    let isUnset = false;
    const whole = text.replaceAll(REFERENCE, (written, name: string, otherwise: string | undefined) => {
      const isMixed = isAt(MIXED_PLACES, place);
      if (looksSecret(name) || secret.variables.has(name) || (isMixed && secret.names.has(name))) {
        if (isMixed && !otherwise) return `\${${name}}`;
        problems.push({ place, message: secretProblem(name, otherwise) });
        isUnset = true;
        return written;
      }
      const value = valueIn(environment, name) ?? otherwise;
      if (value !== undefined) return value;
      problems.push({
        place,
        message: `\${${name}} is not set in the environment of this host. Set it, or give it a default: \${${name}:-…}`,
      });
      isUnset = true;
      return written;
    });
    if (whole !== text || isUnset) fromVariable.add(JSON.stringify(place));
    return whole;
  };

  const valueOf = (value: unknown, place: Place): unknown => {
    if (typeof value === 'string') return isAt(SECRET_PLACES, place) ? value : textOf(value, place);
    if (Array.isArray(value)) return value.map((item: unknown, at) => valueOf(item, [...place, at]));
    if (!isObject(value)) return value;
    const copy: Record<string, Json> = {};
    for (const [key, inner] of Object.entries(value))
      define(copy, key, valueOf(inner, [...place, key]) as Json);
    return copy;
  };

  const value = valueOf(document, []);
  return { value, problems, isFromVariable: (place) => fromVariable.has(JSON.stringify(place)) };
}

function secretProblem(name: string, otherwise: string | undefined): string {
  const what = `\${${name}} is a secret by its name, and what stands here is written into the journal.`;
  return otherwise
    ? `${what} So would be what stands behind it: name it without`
    : `${what} Name it among the secrets, or in args, url, env or headers of a server`;
}

function isAt(places: typeof SECRET_PLACES, place: Place): boolean {
  return places.some(
    (one) => one.length === place.length && one.every((key, at) => key === ANY || key === place[at]),
  );
}

/** What the manifest itself says is secret: its names for secrets, and the variables that they come from. */
function secretsIn(document: unknown): Readonly<Record<'names' | 'variables', ReadonlySet<string>>> {
  const section = isObject(document) ? document['secrets'] : undefined;
  const given = isObject(section) ? section['secrets'] : undefined;
  const secrets = isObject(given) ? given : {};
  const variables = Object.values(secrets).flatMap((text) => (typeof text === 'string' ? namesIn(text) : []));
  return { names: new Set(Object.keys(secrets)), variables: new Set(variables) };
}

/** The text with other names in the places of those that it refers to. */
export function withNames(text: string, named: (name: string) => string): string {
  return text.replaceAll(REFERENCE, (_, name: string) => `\${${named(name)}}`);
}

/** The names that a text refers to, with a default or without. */
export function namesIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCE)].map(([, name]) => name!);
}

/** Undefined where it is not set; names that every object has are not. */
function valueIn(environment: Environment, name: string): string | undefined {
  return Object.hasOwn(environment, name) ? environment[name] : undefined;
}

const SECRET_WORDS = new Set([
  'authorization',
  'cookie',
  'apikey',
  'token',
  'secret',
  'password',
  'passwd',
  'pwd',
  'signature',
  'credential',
  'credentials',
]);

/** Whether what has this name holds a credential: `GITHUB_TOKEN`, `OPENAI_API_KEY`. */
export function looksSecret(name: string): boolean {
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  return words.at(-1) === 'key' || words.some((word) => SECRET_WORDS.has(word));
}

/** What every shell has, and no secret: put in place where a server's environment names it. */
const EVERYBODYS = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TERM|TMPDIR|TZ|NODE_ENV)$/;

/**
 * A text of a server's `env` or `headers`, in which each `${NAME}` that is left is the name of a secret.
 * What is only a default is put in place of a variable that is not set.
 */
export function secretReferences(
  text: string,
  environment: Environment,
  isDeclared: (name: string) => boolean,
): { readonly text: string; readonly unset: readonly string[] } {
  const unset: string[] = [];
  const whole = text.replaceAll(REFERENCE, (written, name: string, otherwise: string | undefined) => {
    if (isDeclared(name)) return `\${${name}}`;
    const value = valueIn(environment, name);
    if (EVERYBODYS.test(name)) {
      if (value === undefined && otherwise === undefined) unset.push(name);
      return value ?? otherwise ?? written;
    }
    return value === undefined && otherwise !== undefined ? otherwise : `\${${name}}`;
  });
  return { text: whole, unset };
}
