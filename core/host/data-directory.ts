import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import envPaths from 'env-paths';
import { AppError, codeOf } from '../model/errors.ts';

/**
 * The user's data folder, made where it is missing: `$HOLDFAST_DATA`, or where this system keeps such things.
 * @throws `data.unusable`, saying why and what to do next
 */
export function dataDirectory(): string {
  const asked = process.env['HOLDFAST_DATA'] ?? '';
  const directory = resolve(asked === '' ? envPaths('holdfast', { suffix: '' }).data : asked);
  const why = madeOrWhyNot(directory);
  if (why === null) return directory;
  const [subject, advice] =
    asked === ''
      ? ['The data folder', 'Set HOLDFAST_DATA to a directory that can be written.']
      : ['HOLDFAST_DATA', 'Name a directory that can be written.'];
  throw new AppError('data.unusable', `${subject} is ${directory}, ${why}. ${advice}`, { directory });
}

/** Where it is remembered where this user's journals are, and how far they go. */
export function knownJournalsIn(data: string): string {
  return join(data, 'journals');
}

/** Somebody insists that a network disk or a synced folder will do for journals [S10]. */
export function isSharedDiskAllowed(): boolean {
  return process.env['HOLDFAST_ALLOW_SHARED_DISK'] === '1';
}

/** Null: it is there and may be written. */
function madeOrWhyNot(directory: string): string | null {
  let at = directory;
  try {
    const missing: string[] = [];
    while (kindOf(at) === 'nothing' && dirname(at) !== at) {
      missing.unshift(at);
      at = dirname(at);
    }
    if (kindOf(at) === 'file') return at === directory ? 'which is a file' : `but ${at} is a file`;
    // One by one: asked for all at once, Node never comes back from a place like /proc that has no room for any.
    for (at of missing) make(at);
  } catch (error) {
    return at === directory
      ? `which can't be made (${codeOf(error)})`
      : `but ${at} can't be made or looked into (${codeOf(error)})`;
  }
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `which can't be written (${codeOf(error)})`;
  }
}

function make(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another start may have made it in the meantime.
    if (codeOf(error) !== 'EEXIST' || kindOf(directory) !== 'directory') throw error;
  }
}

function kindOf(path: string): 'directory' | 'file' | 'nothing' {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'nothing';
  return stats.isDirectory() ? 'directory' : 'file';
}
