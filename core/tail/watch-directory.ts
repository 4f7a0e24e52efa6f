// Notices that files of a directory changed. The watcher is a hint and may miss: a slow look at every size and time
// catches what it missed, network disks included.

import { readdirSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { watch } from 'chokidar';
import { codeOf } from '../model/errors.ts';

const RECONCILE_MS = 2_000;

/** Calls back with the names of files that were added, changed or removed. Disposing stops it. */
export function watchDirectory(directory: string, onChange: (names: readonly string[]) => void): Disposable {
  let known = fingerprints(directory);
  const look = (): void => {
    const found = fingerprints(directory);
    const changed = [...new Set([...known.keys(), ...found.keys()])].filter(
      (name) => known.get(name) !== found.get(name),
    );
    known = found;
    if (changed.length > 0) onChange(changed);
  };
  const watcher = watch(directory, { depth: 0, ignoreInitial: true });
  watcher.on('all', (_event, path) => {
    if (path !== directory && !basename(path).startsWith('.')) look();
  });
  // A watcher that fails leaves the slow look, which is all that a network disk has anyway.
  watcher.on('error', () => {});
  const timer = setInterval(look, RECONCILE_MS);
  timer.unref();
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      void watcher.close();
    },
  };
}

function fingerprints(directory: string): Map<string, string> {
  const found = new Map<string, string>();
  let names: readonly string[];
  try {
    names = readdirSync(directory);
  } catch {
    return found; // Gone or unmounted: every file counts as removed.
  }
  for (const name of names) {
    try {
      const stats = statSync(`${directory}/${name}`, { throwIfNoEntry: false });
      if (stats?.isFile() === true) found.set(name, `${stats.ino}:${stats.size}:${stats.mtimeMs}`);
    } catch (error) {
      // A link that leads to itself, a disk that was pulled: what is wrong with it is all that there is to see.
      found.set(name, codeOf(error));
    }
  }
  return found;
}
