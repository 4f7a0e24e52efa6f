// Follows one journal file by offset, from a place on: whole lines only, in order, each once [J4].

import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { watchDirectory } from './watch-directory.ts';

/**
 * Calls `onGrown` at once and whenever the file may have grown. Disposing stops it. The caller reads from where it was;
 * `onReplaced` says that the file is shorter than that place or another file, so that place means nothing any more.
 */
export function followFile(
  path: string,
  position: () => number,
  onGrown: () => void,
  onReplaced: () => void,
): Disposable {
  let inode = inodeOf(path);
  const look = (): void => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return;
    if ((inode !== null && stats.ino !== inode) || stats.size < position()) onReplaced();
    inode = stats.ino;
    onGrown();
  };
  // Watching begins first, or what is written between the two would be noticed by neither.
  const watching = watchDirectory(dirname(path), look);
  look();
  return watching;
}

function inodeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
}
