import { isAbsolute, relative, sep } from 'node:path';

/** Both absolute; the directory itself is inside. */
export function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
