// Notices that manifests, or the code that they name, may have changed. The system's hints come at once and may miss; a slow
// look catches what they missed, network disks and code in other folders included.

import { watch, type FSWatcher } from 'node:fs';

const SLOW_LOOK_MS = 3_000;
/** Editors write a file in several steps, and many files are changed at once. */
const SETTLE_MS = 100;

/** Calls back, never twice at once, until it is disposed. `concerns`: whether a file of the folder matters. */
export function watchManifests(
  directory: string,
  concerns: (file: string) => boolean,
  look: () => Promise<void>,
): Disposable {
  let soon: NodeJS.Timeout | null = null;
  let isLooking = false;
  let isOver = false;
  const run = async (): Promise<void> => {
    soon = null;
    if (isOver || isLooking) return;
    isLooking = true;
    try {
      await look();
    } finally {
      isLooking = false;
    }
  };
  const hint = (): void => {
    if (soon !== null || isOver) return;
    soon = setTimeout(() => void run(), SETTLE_MS);
    soon.unref();
  };
  const watcher = hintsOf(directory, (file) => {
    if (file === null || concerns(file)) hint();
  });
  const slow = setInterval(() => void run(), SLOW_LOOK_MS);
  slow.unref();
  return {
    [Symbol.dispose]: () => {
      isOver = true;
      if (soon !== null) clearTimeout(soon);
      clearInterval(slow);
      watcher?.close();
    },
  };
}

/** Null where the system gives none: the slow look is all that there is then. */
function hintsOf(directory: string, onHint: (file: string | null) => void): FSWatcher | null {
  try {
    const watcher = watch(directory, { persistent: false }, (_, file) => onHint(file));
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}
