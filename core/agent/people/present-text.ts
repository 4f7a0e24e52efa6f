// The file that a tool would write, as it is now, for whoever approves that. Only inside of what its server was given, and
// only at once: what waits for a disk while it is read would come in another order in a re-run [S26].

import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { ToolServer } from '../../model/agent-plan.ts';

const MAX_FILE = 256 * 1024;

/** Null where there is none, it lies elsewhere, or it is no text of a size to be compared. */
export function presentText(workspace: string, server: ToolServer, path: string): string | null {
  if (server.kind !== 'stdio' || path === '' || path.includes('\0')) return null;
  const roots = server.roots.flatMap((root) => realOf(join(workspace, root)) ?? []);
  const from = isAbsolute(path)
    ? [path]
    : [join(workspace, server.cwd, path), ...roots.map((root) => join(root, path))];
  for (const candidate of from) {
    const real = realOf(candidate);
    if (real !== null && roots.some((root) => isInside(root, real))) return textOf(real);
  }
  return null;
}

/** Where links lead to in the end; null where nothing is. */
function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null; // There is nothing to compare with, and that is all.
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function textOf(path: string): string | null {
  let file: number;
  try {
    // A pipe would be waited for.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    return null; // It went away, or may not be read.
  }
  try {
    const facts = fstatSync(file);
    if (!facts.isFile() || facts.size > MAX_FILE) return null;
    const bytes = Buffer.alloc(facts.size);
    const length = readSync(file, bytes, 0, facts.size, 0);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length));
    return text.includes('\0') ? null : text;
  } catch {
    return null; // No text.
  } finally {
    closeSync(file);
  }
}
