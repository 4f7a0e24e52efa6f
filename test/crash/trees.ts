// Directories as values: read whole, compared by hash, put on a disk again.

import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Tree } from './operations.ts';

/** What lies outside the recorded port: the lock is the kernel's business, and says nothing of the journal. */
const NOT_RECORDED = /^(.*\/)?\.holdfast\/(lock(\/.*)?|holder\.json(\.tmp)?)$/;

/** With all its bytes; of files that nobody will look into, only that they are there. */
export function readTree(root: string, isOfInterest: (path: string) => boolean = () => true): Tree {
  const tree = new Map<string, Buffer | null>();
  const walk = (folder: string): void => {
    for (const file of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? file.name : `${folder}/${file.name}`;
      if (NOT_RECORDED.test(path)) continue;
      if (file.isDirectory()) {
        tree.set(path, null);
        walk(path);
      } else {
        tree.set(path, isOfInterest(path) ? readFileSync(join(root, path)) : NOTHING);
      }
    }
  };
  walk('');
  return tree;
}

const NOTHING = Buffer.alloc(0);

/** Empties the directory and fills it with the tree. */
export function writeTree(root: string, tree: Tree): void {
  mkdirSync(root, { recursive: true });
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true, force: true });
  for (const [path, bytes] of tree) if (bytes === null) mkdirSync(join(root, path), { recursive: true });
  for (const [path, bytes] of tree) if (bytes !== null) writeFileOf(join(root, path), bytes);
}

/** Of a large file nobody looks at more than the size: it is the reserve. */
function writeFileOf(path: string, bytes: Buffer): void {
  if (!path.endsWith('/reserve')) return writeFileSync(path, bytes);
  writeFileSync(path, '');
  truncateSync(path, bytes.length);
}

/** What lies below a folder, by path relative to it. */
export function subtree(tree: Tree, folder: string): Tree {
  const prefix = `${folder}/`;
  return new Map(
    [...tree].flatMap(([path, bytes]) =>
      path.startsWith(prefix) ? [[path.slice(prefix.length), bytes]] : [],
    ),
  );
}

/** Equal for equal trees, in whatever order they were built. */
export function hashTree(tree: Tree): string {
  const parts: string[] = [];
  for (const path of [...tree.keys()].sort()) {
    const bytes = tree.get(path)!;
    parts.push(path, bytes === null ? '/' : hashBytes(bytes));
  }
  return hash('sha1', parts.join('\0'), 'base64');
}

/** Most files of one state are the very buffers of the state before. */
const hashes = new WeakMap<Buffer, string>();

function hashBytes(bytes: Buffer): string {
  const known = hashes.get(bytes);
  if (known !== undefined) return known;
  const made = hash('sha1', bytes, 'base64');
  hashes.set(bytes, made);
  return made;
}

/** Drops what lies in a directory that is not there. */
export function reachable(tree: Tree): Tree {
  const isThere = (path: string): boolean => {
    const parent = dirname(path);
    return parent === '.' || (tree.get(parent) === null && isThere(parent));
  };
  return new Map([...tree].filter(([path]) => isThere(path)));
}

/** What differs, path by path, for a person; empty where nothing does. */
export function compareTrees(expected: Tree, found: Tree): string[] {
  const differences: string[] = [];
  for (const path of new Set([...expected.keys(), ...found.keys()])) {
    const [a, b] = [expected.get(path), found.get(path)];
    if (a === undefined) differences.push(`${path} is there and on no record`);
    else if (b === undefined) differences.push(`${path} is on record and not there`);
    else if (a === null || b === null ? a !== b : !a.equals(b)) differences.push(`${path} differs`);
  }
  return differences;
}
