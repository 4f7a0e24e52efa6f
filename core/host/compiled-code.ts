// What Node compiled is kept between starts: a command and a worker are there in a third of the time. Entries are found by
// the text of the code, so what has changed is compiled anew.

import { mkdirSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import envPaths from 'env-paths';

/**
 * For everything that is imported from now on, in the user's cache folder, or under `$HOLDFAST_DATA`. Where nothing can be
 * kept, everything is compiled as ever.
 */
export function keepCompiledCode(): void {
  const asked = process.env['HOLDFAST_DATA'] ?? '';
  const directory =
    asked === ''
      ? join(envPaths('holdfast', { suffix: '' }).cache, 'compiled')
      : join(resolve(asked), 'compiled');
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch {
    return; // A folder that can't be made is told by whoever needs one.
  }
  enableCompileCache(directory);
}

/** What a child is to be told, so that it keeps its own there too; null where nothing is kept. */
export function compiledCodeDirectory(): string | null {
  // Node makes a folder in it for each of its versions, and tells that.
  const own = getCompileCacheDir();
  return own === undefined ? null : dirname(own);
}
