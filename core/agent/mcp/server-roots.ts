// The directories that a server is told it may use. They lie in the workspace, also behind every link, unless the manifest
// names an absolute path.

import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isInside } from '../../manifest/is-inside.ts';
import { AppError } from '../../model/errors.ts';

export interface ServerRoot {
  readonly uri: string;
  readonly name: string;
}

/** @throws `mcp.no-root`, `mcp.root-outside` */
export function serverRoots(workspace: string, roots: readonly string[]): Promise<readonly ServerRoot[]> {
  return Promise.all(
    roots.map(async (root) => {
      const path = await insideOf(workspace, root, 'The root');
      return { uri: pathToFileURL(path).href, name: root };
    }),
  );
}

/** The real path of a directory that a plan names. */
export async function insideOf(workspace: string, path: string, what: string): Promise<string> {
  const named = resolve(workspace, path);
  const real = await realpath(named).catch(() => null);
  const isDirectory = real !== null && (await stat(real)).isDirectory();
  if (real === null || !isDirectory) {
    throw new AppError(
      'mcp.no-root',
      `${what} ${path} is no directory there is. Make it, or name another in the manifest.`,
      {
        path,
      },
    );
  }
  if (isAbsolute(path) || isInside(await realpath(workspace), real)) return real;
  throw new AppError(
    'mcp.root-outside',
    `${what} ${path} lies outside of the workspace. Name it by its absolute path in the manifest if that is meant.`,
    { path },
  );
}
