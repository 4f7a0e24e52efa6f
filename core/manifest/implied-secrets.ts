// Secrets that a manifest need not declare, because it names them where they are used: variables of its servers, and the
// keys of its models, which are there where the host has them.

import { define } from '../model/json.ts';
import { keyNamesOf } from '../model/model-keys.ts';
import type { SecretsConfig, SecretSource } from '../model/secrets.ts';

export interface Implied {
  /** Where they are not, each has to be granted, by declaring it; no worker gets their variables all the same. */
  readonly areGranted: boolean;
  /** Named by servers: it can't start without them. */
  readonly needed: readonly string[];
  /** Names of models, as a manifest has them. */
  readonly models: readonly string[];
}

export function withImplied(secrets: SecretsConfig, { areGranted, needed, models }: Implied): SecretsConfig {
  const sources: Record<string, SecretSource> = { ...secrets.sources };
  const added = (name: string, source: SecretSource): void => {
    if (!Object.hasOwn(sources, name)) define(sources, name, source);
  };
  for (const name of needed) added(name, { kind: 'variable', variable: name });
  for (const name of models.flatMap(keyNamesOf)) {
    added(name, { kind: 'variable', variable: name, isOptional: true });
  }
  const variables = Object.values(sources).flatMap((source) =>
    source.kind === 'variable' ? [source.variable] : [],
  );
  return {
    ...secrets,
    sources: areGranted ? sources : secrets.sources,
    ttlsMs: Object.fromEntries(
      Object.keys(areGranted ? sources : secrets.sources).map((name) => [
        name,
        Object.hasOwn(secrets.ttlsMs, name) ? secrets.ttlsMs[name]! : null,
      ]),
    ),
    withheld: [...new Set([...secrets.withheld, ...variables])].sort(),
  };
}
