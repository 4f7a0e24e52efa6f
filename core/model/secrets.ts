// The secrets of a process as its manifest names them, and what the journal tells of them: everything but their values.

import { AppError } from './errors.ts';
import type { ProcessSnapshot } from './snapshot.ts';
import { MIN_SECRET_LENGTH } from './secret-forms.ts';

/** Where a value comes from. A literal stands in the manifest itself. */
export type SecretSource =
  /** An optional one that is not set is as good as not named. */
  | { readonly kind: 'variable'; readonly variable: string; readonly isOptional?: true }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'keychain'; readonly entry: string }
  | { readonly kind: 'literal'; readonly value: string };

export interface SecretsConfig {
  readonly sources: Readonly<Record<string, SecretSource>>;
  /** For how long a value may be read, from when it was resolved or rotated; null for ever. */
  readonly ttlsMs: Readonly<Record<string, number | null>>;
  /** Whether a stop drops the values; the next start resolves them anew. */
  readonly revokeOnStop: boolean;
  /** Variables of the host's environment that hold secrets, of triggers too: no worker gets them. */
  readonly withheld: readonly string[];
}

export const NO_SECRETS: SecretsConfig = { sources: {}, ttlsMs: {}, revokeOnStop: true, withheld: [] };

export const MAX_SECRETS = 100;
export const MAX_SECRET_LENGTH = 4_096;
/** A year: beyond it a duration is a slip of the unit. */
export const MAX_SECRET_TTL_MS = 366 * 24 * 60 * 60 * 1_000;
export const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/;

/** What the journal says of one. Times are journal timestamps. */
export interface SecretState {
  readonly resolvedAt: string;
  readonly expiresAt: string | null;
  readonly rotatedAt: string | null;
  readonly revoked: { readonly at: string; readonly actor: string } | null;
  readonly lastReadAt: string | null;
}

/** Keeps what it has from somebody who asks for it in vain; the code that agents catch it by begins with `secret.`. */
export type SecretRefusal = 'unknown' | 'missing' | 'expired' | 'revoked';

/** The state of one that is configured; undefined before it was ever resolved. */
export function secretOf(
  { secrets }: Pick<ProcessSnapshot, 'secrets'>,
  name: string,
): SecretState | undefined {
  return Object.hasOwn(secrets, name) ? secrets[name] : undefined;
}

/** A single word may be one of those that a journal is written with, and would be taken out there too. */
const A_WORD = /^[a-z_]{1,15}$/i;
const PLACEHOLDER = /^\*{8,}$|^\[secret:/;

/** Why a value can't be told from other text wherever it stands; null where it can. It is not said what it is. */
export function valueProblem(value: string): string | null {
  if (value.length < MIN_SECRET_LENGTH) {
    return `it has ${value.length} characters, and what is shorter than ${MIN_SECRET_LENGTH} can't be kept out of a journal`;
  }
  if (value.length > MAX_SECRET_LENGTH) {
    return `it has ${value.length} characters, and ${MAX_SECRET_LENGTH} are the most`;
  }
  if (A_WORD.test(value)) {
    return 'it is a single short word, which a journal may hold for other reasons; use a longer one, or one with digits';
  }
  if (PLACEHOLDER.test(value)) return 'it is what stands where a secret was taken out';
  return value.includes('\0') ? 'it holds a character that no header or variable may hold' : null;
}

/** @throws `secret.bad-value`, without the value */
export function checkValue(what: string, value: string): void {
  const problem = valueProblem(value);
  if (problem !== null) throw new AppError('secret.bad-value', `${what} can't be a secret: ${problem}.`);
}
