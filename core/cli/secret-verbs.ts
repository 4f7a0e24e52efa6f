// The verbs for secrets. A value is never typed as an argument, which everybody on the machine could read: it comes by
// standard input, or from a variable.

import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import type { ProcessDetail } from '../contract/process-detail.ts';
import { codeOf } from '../model/errors.ts';
import { durationMs } from './budget-verbs.ts';
import { at, type HostVerb } from './host-verb.ts';

export const SECRET_VERBS: readonly HostVerb[] = [
  {
    usage: at('secrets'),
    description: 'list the secrets of a process: where they come from, and whether they may be read',
    asks: 'processes.read',
    says: (answer) => secretLines(answer as ProcessDetail),
    picks: (answer) => (answer as ProcessDetail).secrets,
  },
  {
    usage: at('rotate-secret', ' <name>'),
    description: 'give a secret another value, read from standard input, without a restart',
    asks: 'secrets.rotate',
    options: [
      new Option('--from-env <variable>', 'take the value from this variable instead'),
      new Option('--ttl <duration>', 'for how long: 45s, 30m, 2h or 1d; else as the manifest says').argParser(
        durationMs,
      ),
    ],
    more: ([, name], { fromEnv, ttl }) => ({
      name,
      value: typeof fromEnv === 'string' ? fromVariable(fromEnv) : fromStandardInput(),
      ...(ttl === undefined ? {} : { ttlMs: ttl }),
    }),
  },
  {
    usage: at('revoke-secret', ' [name]'),
    description: 'let nobody read a secret any more; all of them where none is named',
    asks: 'secrets.revoke',
    more: ([, name]) => ({ name: name ?? null }),
  },
];

function fromVariable(variable: string): string {
  const value = process.env[variable];
  if (value !== undefined && value !== '') return value;
  throw new InvalidArgumentError(`${variable} is not set here, so there is no new value`);
}

function fromStandardInput(): string {
  if (process.stdin.isTTY) {
    throw new InvalidArgumentError(
      'The new value comes by standard input, or from a variable with --from-env <variable>. A terminal would show it',
    );
  }
  return withoutEnd(readAll());
}

/** An end is a line feed that an editor or a shell put there. */
function withoutEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}

function readAll(): string {
  try {
    return readFileSync(0, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(
      `Standard input can't be read (${codeOf(error)}), so there is no new value`,
    );
  }
}

function secretLines({ secrets, row }: ProcessDetail): readonly string[] {
  if (!row.live) return [`Nobody runs ${row.name} here, so nothing is known of its secrets.`];
  if (secrets.length === 0) return [`${row.name} has no secrets.`];
  return secrets.map(({ name, from, status, expiresAt, rotatedAt, lastReadAt, isRotationLost }) =>
    [
      `${name}  ${status}  from ${from}`,
      expiresAt === null ? 'never expires' : `until ${expiresAt}`,
      ...(rotatedAt === null ? [] : [`rotated ${rotatedAt}`]),
      ...(isRotationLost ? ['that value went with the host that had it'] : []),
      lastReadAt === null ? 'never read' : `last read ${lastReadAt}`,
    ].join(' · '),
  );
}
