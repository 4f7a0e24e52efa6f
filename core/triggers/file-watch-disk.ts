// Looking at a disk. Three answers, and never two: there, not there, and not known. What can't be read is not gone.

import { readdir, stat, type Dirent, type Stats } from 'node:fs';
import { mkdir, realpath, stat as statOnce } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import type { Print } from './file-watch-change.ts';

export type Look =
  | { readonly kind: 'file'; readonly print: Print }
  /** Nothing, or no regular file. */
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly error: Error };

export type Listing =
  | {
      readonly kind: 'listed';
      /** Names of what may be a file; links are, and lead to one or to nothing. */
      readonly names: readonly string[];
      /** Names of folders. Links to folders are none: a loop has no end. */
      readonly folders: readonly string[];
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly error: Error };

/** Lies in every journal of ours. */
export const JOURNAL_MARKER = 'journal.holdfast';

/** Answers that are waited for at a time; Node asks with four threads. */
const AT_ONCE = 32;
/** A network disk that hangs must leave threads for everything else. */
const AT_ONCE_SHARED = 2;
const NOT_THERE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** Calls back for each path, in any order. Resolves when all are looked at. */
export function lookAtAll(
  paths: readonly string[],
  isShared: boolean,
  onLook: (path: string, look: Look) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let next = 0;
    let left = paths.length;
    if (left === 0) resolve();
    const start = (): void => {
      if (next >= paths.length) return;
      const path = paths[next]!;
      next += 1;
      // Without a promise each, a large tree is looked at in a third of the time.
      stat(path, (error, stats) => {
        try {
          onLook(path, lookOf(error, stats));
        } catch (thrown) {
          reject(thrown);
          return;
        }
        left -= 1;
        if (left === 0) resolve();
        else start();
      });
    };
    for (let at = 0; at < (isShared ? AT_ONCE_SHARED : AT_ONCE); at += 1) start();
  });
}

function lookOf(error: NodeJS.ErrnoException | null, stats: Stats | undefined): Look {
  if (error !== null || stats === undefined) {
    return isNotThere(error) ? { kind: 'none' } : { kind: 'unknown', error: error! };
  }
  if (!stats.isFile()) return { kind: 'none' };
  const { dev, ino, size, mtimeMs, ctimeMs, birthtimeMs } = stats;
  return { kind: 'file', print: { dev, ino, size, mtimeMs, ctimeMs, birthtimeMs } };
}

export function listFolder(folder: string): Promise<Listing> {
  return new Promise((resolve) => {
    readdir(folder, { withFileTypes: true }, (error, entries) => {
      if (error !== null) resolve(isNotThere(error) ? { kind: 'none' } : { kind: 'unknown', error });
      else resolve(sorted(entries));
    });
  });
}

function sorted(entries: readonly Dirent[]): Listing {
  const names: string[] = [];
  const folders: string[] = [];
  for (const entry of entries) {
    if (entry.isDirectory()) folders.push(entry.name);
    else if (entry.isFile() || entry.isSymbolicLink()) names.push(entry.name);
  }
  return { kind: 'listed', names, folders };
}

function isNotThere(error: unknown): boolean {
  return NOT_THERE.has(codeOf(error));
}

/**
 * Makes the folder if it is not there.
 * @throws `trigger.not-a-directory`, `trigger.bad-path`
 */
export async function prepareFolder(path: string): Promise<void> {
  try {
    // A recursive one is content with what is there, and says EEXIST of a file.
    await mkdir(path, { recursive: true });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') {
      throw new AppError(
        'trigger.bad-path',
        `${path} is not there and can't be made: ${messageOf(error)}. Name a folder that can be watched.`,
        { path, code: codeOf(error) },
        { cause: error },
      );
    }
  }
  const isFolder = await statOnce(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (isFolder) return;
  throw new AppError(
    'trigger.not-a-directory',
    `${path} is no folder, and only folders are watched. Name the one that it is in, and its name as a pattern.`,
    { path },
  );
}

/** Where a path leads to, and which folder is there now; null where there is none. */
export async function realFolder(
  path: string,
): Promise<{ readonly real: string; readonly identity: string } | null> {
  try {
    const real = await realpath(path);
    const { dev, ino } = await statOnce(real);
    return { real, identity: `${dev}:${ino}:${real}` };
  } catch {
    return null; // what a listing of it says is told elsewhere
  }
}

export function inside(folder: string, names: readonly string[]): readonly string[] {
  return names.map((name) => join(folder, name));
}
