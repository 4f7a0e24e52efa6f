import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const REPOSITORY = join(import.meta.dirname, '../..');
export const PROMPTISE_JOURNALS = join(import.meta.dirname, '../journals/promptise');

export function promptiseCases(): readonly string[] {
  return readdirSync(PROMPTISE_JOURNALS).sort();
}

/** Every file below a directory with its bytes, mode and time, as one hash: the same before and after, nothing was touched. */
export function treeHash(directory: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(directory, name);
    const stats = lstatSync(path);
    hash.update(`${name}\0${stats.mode}\0${stats.mtimeMs}\0${stats.size}\0`);
    if (stats.isFile()) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}
