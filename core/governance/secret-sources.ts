// Where the values of secrets come from. Nothing here says a value, whatever goes wrong.

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import type { SecretStore } from '../model/ports.ts';
import { checkValue, MAX_SECRET_LENGTH, type SecretSource } from '../model/secrets.ts';

export interface SourcePlaces {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Null for a host without one. */
  readonly store: SecretStore | null;
}

const OTHERS = 0o077;
/** Far more than any value: nothing of this size is read to find out. */
const MAX_FILE_BYTES = 64 * 1024;

/**
 * The value.
 * @throws `secret.missing`, `secret.unsafe-file`, `secret.no-keychain`, `secret.bad-value`, `keychain.*`
 */
export function readSource(name: string, source: SecretSource, places: SourcePlaces): string {
  const value = found(name, source, places);
  checkValue(`What ${describeSource(source)} holds for ${name}`, value);
  return value;
}

/** For a person. */
export function describeSource(source: SecretSource): string {
  switch (source.kind) {
    case 'variable':
      return `\${${source.variable}}`;
    case 'file':
      return `the file ${source.path}`;
    case 'keychain':
      return `the keychain entry ${source.entry}`;
    case 'literal':
      return 'the manifest';
  }
}

function found(name: string, source: SecretSource, { environment, store }: SourcePlaces): string {
  switch (source.kind) {
    case 'variable': {
      const value = environment[source.variable];
      if (value !== undefined && value !== '') return value;
      throw missing(name, `\${${source.variable}} is not set in the environment of this host. Set it`);
    }
    case 'file':
      return fileValue(name, source.path);
    case 'keychain': {
      if (store === null) throw noKeychain(name);
      const value = store.read(source.entry);
      if (value !== null) return value;
      throw missing(name, `the keychain has no entry ${source.entry}. Put it there by rotating ${name}`);
    }
    case 'literal':
      return source.value;
  }
}

export function noKeychain(name: string): AppError {
  return new AppError(
    'secret.no-keychain',
    `${name} is to come from the keychain, and the host that runs this has none: only the desktop console does. Run the workspace there, or give ${name} as a variable or a file.`,
    { name },
  );
}

function missing(name: string, why: string): AppError {
  return new AppError('secret.missing', `The secret ${name} can't be had: ${why}, and start again.`, {
    name,
  });
}

/** Its own user's and nobody else's to read, and no link to somewhere else. */
function fileValue(name: string, path: string): string {
  let fd: number;
  try {
    // A directory that leads elsewhere is as good as a link.
    if (lstatSync(path).isSymbolicLink() || realpathSync(dirname(path)) !== dirname(path)) {
      throw unsafe(name, path, 'it, or a directory on its way, is a link. Name the file itself');
    }
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const what = codeOf(error) === 'ENOENT' ? 'is not there' : `can't be read (${messageOf(error)})`;
    throw missing(name, `the file ${path} ${what}. Put the value into it`);
  }
  try {
    refuseUnsafe(name, path, fd);
    const text = readFileSync(fd, 'utf8');
    return text.replace(/\r?\n$/, '');
  } finally {
    closeSync(fd);
  }
}

/** Of what is open, whatever has its name by now. */
function refuseUnsafe(name: string, path: string, fd: number): void {
  const stats = fstatSync(fd);
  if (!stats.isFile()) throw unsafe(name, path, 'it is no file. Name a file with the value in it');
  if (stats.size > MAX_FILE_BYTES) {
    throw unsafe(
      name,
      path,
      `it has ${stats.size} bytes, and a secret has ${MAX_SECRET_LENGTH} characters at most`,
    );
  }
  // There are no such modes on Windows, where a user's folder is that user's.
  if (process.platform === 'win32') return;
  if (stats.uid !== process.getuid?.()) {
    throw unsafe(name, path, 'it belongs to another user. Make it yours (chown)');
  }
  if ((stats.mode & OTHERS) !== 0) {
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
    throw unsafe(name, path, `others may read it (mode ${mode}). Keep them out: chmod 600 ${path}`);
  }
}

function unsafe(name: string, path: string, why: string): AppError {
  return new AppError('secret.unsafe-file', `${path} is not used for the secret ${name}: ${why}.`, {
    name,
    path,
  });
}
