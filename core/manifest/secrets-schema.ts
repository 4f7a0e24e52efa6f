// What a manifest says of secrets: Promptise's keys and defaults, durations in seconds; under `holdfast` what it has no word
// for. A value is never part of a message from here.

import { resolve } from 'node:path';
import { z } from 'zod';
import {
  checkValue,
  MAX_SECRET_TTL_MS,
  MAX_SECRETS,
  SECRET_NAME,
  type SecretsConfig,
  type SecretSource,
} from '../model/secrets.ts';
import { variablesIn } from './variables.ts';

const VARIABLE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
const ENTRY = /^[A-Za-z0-9_][A-Za-z0-9_./@-]{0,199}$/;

const BAD_NAME =
  'the name of a secret begins with a letter and has at most 100 letters, digits, "_", "." and "-"';
const Ttl = z
  .number()
  .positive()
  .max(
    MAX_SECRET_TTL_MS / 1_000,
    `a duration is a year at most, which is ${MAX_SECRET_TTL_MS / 1_000} seconds`,
  );

export const ManifestSecrets = z
  .strictObject({
    enabled: z.boolean().default(true),
    secrets: z
      .record(z.string(), z.string().min(1))
      .refine((secrets) => Object.keys(secrets).length <= MAX_SECRETS, `at most ${MAX_SECRETS} are kept`)
      .default({}),
    default_ttl: Ttl.nullish(),
    ttls: z.record(z.string(), Ttl).default({}),
    revoke_on_stop: z.boolean().default(true),
    holdfast: z
      .strictObject({ allow_literals: z.boolean().default(false), implied: z.boolean().default(true) })
      .prefault({}),
  })
  .superRefine(({ secrets, ttls, holdfast }, context) => {
    for (const [name, written] of Object.entries(secrets)) {
      const problem = problemOf(name, written, holdfast.allow_literals);
      if (problem !== null) context.addIssue({ code: 'custom', path: ['secrets', name], message: problem });
    }
    for (const name of Object.keys(ttls)) {
      if (Object.hasOwn(secrets, name)) continue;
      const those = Object.keys(secrets).join(', ') || 'none';
      const message = `there is no secret of this name; there are: ${those}`;
      context.addIssue({ code: 'custom', path: ['ttls', name], message });
    }
  });
type ManifestSecrets = z.output<typeof ManifestSecrets>;

function problemOf(name: string, written: string, allowLiterals: boolean): string | null {
  if (!SECRET_NAME.test(name)) return BAD_NAME;
  const source = sourceOf(written, '/');
  if (source.kind === 'variable' || source.kind === 'file') return null;
  if (source.kind === 'keychain') {
    return ENTRY.test(source.entry) ? null : 'the name of a keychain entry has letters, digits and "_./@-"';
  }
  if (variablesIn(written).length > 0) {
    return 'a variable is the whole value, like ${NAME}, without a default and without text around it';
  }
  if (!allowLiterals) {
    return `the value itself stands in the manifest, which is a file that is copied and committed. Give it as \${${name.toUpperCase().replaceAll(/[^A-Z0-9_]/g, '_')}}, as file:<path> or as keychain:<entry>; holdfast.allow_literals: true takes it all the same`;
  }
  try {
    checkValue('It', written);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function sourceOf(written: string, directory: string): SecretSource {
  const variable = VARIABLE.exec(written)?.[1];
  if (variable !== undefined) return { kind: 'variable', variable };
  if (written.startsWith('file:'))
    return { kind: 'file', path: resolve(directory, written.slice('file:'.length)) };
  if (written.startsWith('keychain:')) return { kind: 'keychain', entry: written.slice('keychain:'.length) };
  return { kind: 'literal', value: written };
}

/**
 * @param directory what paths are relative to
 * @param others texts in the manifest that may name variables with secrets in them
 */
export function secretsOf(
  { enabled, secrets, default_ttl, ttls, revoke_on_stop }: ManifestSecrets,
  directory: string,
  others: readonly string[],
): SecretsConfig {
  const sources = Object.fromEntries(
    Object.entries(enabled ? secrets : {}).map(([name, written]) => [name, sourceOf(written, directory)]),
  );
  const ttlOf = (name: string): number | null => {
    const seconds = ttls[name] ?? default_ttl ?? null;
    return seconds === null ? null : seconds * 1_000;
  };
  return {
    sources,
    ttlsMs: Object.fromEntries(Object.keys(sources).map((name) => [name, ttlOf(name)])),
    revokeOnStop: revoke_on_stop,
    withheld: [...new Set([...Object.values(secrets), ...others].flatMap(variablesIn))].sort(),
  };
}
