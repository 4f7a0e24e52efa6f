// Where a manifest may hold a secret itself, and not only its name. Such a value is never shown, and a text that has one is
// edited where it lies [J10].

import { isSecretUrl } from '../governance/receiver-secrets.ts';
import { MOVED_SECTIONS } from '../manifest/manifest-schema.ts';
import { looksLikeSecret, secretArguments } from '../manifest/literal-secrets.ts';
import { isVariable } from '../manifest/variables.ts';
import { isObject, type Json } from '../model/json.ts';

/** What is shown in its place. */
const REDACTED = '**********';

/** A name that stands for one, in what a server is started or called with. */
const SECRET_NAME = /key|token|secret|passw|auth|cookie|credential/i;
/** Of a server: a credential by its place, whatever it is called there. */
const CREDENTIALS: ReadonlySet<string> = new Set(['bearer_token', 'api_key', 'auth']);
const HAS_VARIABLE = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/;

/** The value as it may be shown at this place: without what looks like a secret either. */
export function withoutLiterals(keys: readonly string[], value: Json): Json {
  if (typeof value === 'string') {
    const isAddress = keys.length === 3 && keys[0] === 'servers' && keys[2] === 'url';
    return isLiteralSecret(keys, value) || (isAddress && looksLikeSecret(value)) ? REDACTED : value;
  }
  if (Array.isArray(value)) {
    const secret = secretItems(keys, value);
    return (value as readonly Json[]).map((item, at) =>
      secret.has(at) ? REDACTED : withoutLiterals([...keys, String(at)], item),
    );
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withoutLiterals([...keys, key], item)]),
  );
}

/** The places of a document, as far as it can be made out, at which a secret stands. */
export function literalSecrets(value: unknown, keys: readonly string[] = []): readonly string[] {
  if (typeof value === 'string') return isLiteralSecret(keys, value) ? [keys.join('.')] : [];
  if (Array.isArray(value)) {
    return (value as readonly unknown[]).flatMap((item, at) => literalSecrets(item, [...keys, String(at)]));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => literalSecrets(item, [...keys, key]));
}

/** Of a server's arguments, of which one names the next. */
function secretItems(keys: readonly string[], items: readonly Json[]): ReadonlySet<number> {
  const isArguments = keys.length === 3 && keys[0] === 'servers' && keys[2] === 'args';
  return new Set(
    isArguments ? secretArguments(items.map((item) => (typeof item === 'string' ? item : ''))) : [],
  );
}

function isLiteralSecret(place: readonly string[], text: string): boolean {
  // Sections may stand under `config` as well.
  const keys = place[0] === 'config' && MOVED_SECTIONS.includes(place[1] ?? '') ? place.slice(1) : place;
  const last = keys.at(-1) ?? '';
  if (keys[0] === 'secrets' && keys[1] === 'secrets') {
    return !isVariable(text) && !/^(?:file|keychain):/.test(text);
  }
  if (last === 'hmac_secret' || keys.join('.') === 'holdfast.escalation.secret') return !isVariable(text);
  if (last === 'webhook_url') return !HAS_VARIABLE.test(text) && isSecretUrl(text);
  if (keys[0] === 'servers' && keys.length === 3 && CREDENTIALS.has(last)) return !HAS_VARIABLE.test(text);
  const holder = keys.at(-2);
  if (holder !== 'env' && holder !== 'headers') return false;
  return SECRET_NAME.test(last) && !HAS_VARIABLE.test(text);
}
