// Looks for a planted secret in everything that a run wrote or said: in each of its forms, and in what is packed.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { allForms } from './encodings.ts';

/** With base64 at each of its three alignments, as far as the secret alone decides it. */
function needlesOf(secret: string): readonly string[] {
  const base64 = ['', 'x', 'xx'].flatMap((before) => {
    const text = Buffer.from(`${before}${secret}`).toString('base64').replace(/=+$/, '');
    const inside = text.slice(before.length === 0 ? 0 : before.length + 1, -1);
    return [inside, inside.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [...allForms(secret), ...base64].map((needle) => needle.toLowerCase());
}

/** Where it was found, and in which form; empty where it was not. */
export function plantedIn(
  secrets: readonly string[],
  texts: Iterable<readonly [where: string, text: string]>,
): string[] {
  const needles = secrets.flatMap(needlesOf);
  const found: string[] = [];
  for (const [where, text] of texts) {
    const folded = text.toLowerCase();
    for (const needle of needles) {
      if (folded.includes(needle)) found.push(`${where}: ${needle}`);
    }
  }
  return found;
}

/** All files under a directory, as text; what is packed as it is and unpacked. */
export function* filesUnder(directory: string): Generator<readonly [string, string]> {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    const where = relative(directory, path);
    yield [where, bytes.toString('utf8')];
    if (bytes[0] === 0x1f && bytes[1] === 0x8b)
      yield [`${where}, unpacked`, gunzipSync(bytes).toString('utf8')];
  }
}

/** Files and directories that others than their user may look into [J10]. */
export function openToOthers(directory: string): string[] {
  return [
    directory,
    ...readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name)),
  ]
    .filter((path) => (statSync(path).mode & 0o077) !== 0)
    .map((path) => relative(directory, path));
}
