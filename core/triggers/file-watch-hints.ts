// What the system says has changed. A hint: it may come late, twice or never, and says only where to look.

import { join, relative } from 'node:path';
import { watch } from 'chokidar';
import { codeOf, messageOf } from '../model/errors.ts';

export interface Hints {
  /** Of a file. */
  readonly onFile: (path: string) => void;
  /** Something happened to a folder, or it is not known to what: everything is to be looked at. */
  readonly onAnything: () => void;
  /** The folder itself went away: no more hints come from here. */
  readonly onGone: () => void;
  /** There are not enough watchers, and none will come. */
  readonly onExhausted: (why: string) => void;
}

const EXHAUSTED: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOSPC', 'ENOMEM']);

/** `real` is where `folder` leads to; hints name paths in `folder`. Disposing stops them. */
export function startHints(folder: string, real: string, hints: Hints): AsyncDisposable {
  let isOver = false;
  const watcher = watch(real, {
    ignoreInitial: true,
    followSymlinks: false,
    ignorePermissionErrors: true,
    atomic: false, // it would keep back what is deleted, and leave out what looks like an editor's
  });
  const named = (path: string): string => join(folder, relative(real, path));
  watcher.on('all', (event, path) => {
    if (isOver) return;
    if (event === 'unlinkDir' && path === real) hints.onGone();
    else if (event === 'addDir' || event === 'unlinkDir') hints.onAnything();
    else hints.onFile(named(path));
  });
  // What came while it was setting itself up was missed.
  watcher.on('ready', () => !isOver && hints.onAnything());
  watcher.on('error', (error) => {
    if (isOver) return;
    const code = codeOf(error);
    if (EXHAUSTED.has(code)) hints.onExhausted(`${messageOf(error)} (${code})`);
    else hints.onAnything();
  });
  return {
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await watcher.close();
    },
  };
}
