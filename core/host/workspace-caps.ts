// The caps of a workspace and of its user: read from their files, and read again when these change.

import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CAPS_FILE, readCaps } from '../manifest/caps-schema.ts';
import type { CapConfigs } from '../model/caps.ts';

const LOOK_EVERY_MS = 2_000;

export interface CapFiles {
  readonly workspace: string;
  /** Null where no user's data folder is known. */
  readonly all: string | null;
}

export function capFiles(workspace: string, knownJournals: string | null): CapFiles {
  return {
    workspace: join(workspace, CAPS_FILE),
    all: knownJournals === null ? null : join(dirname(knownJournals), CAPS_FILE),
  };
}

/** @throws `caps.unreadable`, `caps.invalid`: nothing is run without knowing what it may use */
export function capsOf({ workspace, all }: CapFiles): CapConfigs {
  const [ofWorkspace, ofAll] = [readCaps(workspace), all === null ? null : readCaps(all)];
  return {
    ...(ofWorkspace === null ? {} : { workspace: ofWorkspace }),
    ...(ofAll === null ? {} : { all: ofAll }),
  };
}

/** Tells of each change that makes sense; one that does not leaves the caps as they are, and `onFailure` says why, once. */
export function watchCaps(
  files: CapFiles,
  {
    onChange,
    onFailure,
  }: {
    readonly onChange: (caps: CapConfigs) => void;
    readonly onFailure: (error: unknown) => void;
  },
): Disposable {
  let seen = stampOf(files);
  const look = (): void => {
    const now = stampOf(files);
    if (now === seen) return;
    seen = now;
    try {
      onChange(capsOf(files));
    } catch (error) {
      onFailure(error);
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Changes whenever one of the files does. */
function stampOf({ workspace, all }: CapFiles): string {
  return [workspace, ...(all === null ? [] : [all])]
    .map((path) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats === undefined ? 'none' : `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
    })
    .join('|');
}
