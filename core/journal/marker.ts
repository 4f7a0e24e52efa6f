// S1/S8  The marker makes a directory ours. Only a directory whose marker we made is ever written.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, codeOf } from '../model/errors.ts';
import { isObject, numberAt, textAt, type Json } from '../model/json.ts';
import { writeAll, type Disk } from './disk.ts';
import { FORMAT_VERSION, MARKER_FILE, STATE_DIRECTORY } from './layout.ts';
import { ENTRIES_SUFFIX } from './process-files.ts';
import { unreadable } from './unreadable.ts';

export interface Marker {
  readonly format: number;
  readonly id: string;
  /** Of the workspace that the journal belongs to, relative to the journal's parent. */
  readonly workspace: string | null;
  /** The id of the journal that this is a copy of [S10]. */
  readonly copiedFrom: string | null;
}

/**
 * The marker of a directory; null where there is none, which makes it a foreign journal or none at all.
 * @throws `journal.bad-marker` for a marker that can't be understood
 */
export function readMarker(directory: string): Marker | null {
  const path = join(directory, MARKER_FILE);
  let text: string;
  try {
    text = statSync(path).isFile() ? readFileSync(path, 'utf8') : '';
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw unreadable(path, error);
  }
  const parsed = parse(text);
  if (!isObject(parsed) || textAt(parsed, 'id') === '') {
    throw new AppError(
      'journal.bad-marker',
      `${path} is not a marker that Holdfast wrote. Restore the file from a backup, or move it away to look at the directory as it is.`,
      { path },
    );
  }
  const workspace = parsed['workspace'];
  return {
    format: numberAt(parsed, 'format'),
    id: textAt(parsed, 'id'),
    workspace: typeof workspace === 'string' ? workspace : null,
    copiedFrom: textAt(parsed, 'copied_from') || null,
  };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/**
 * Whether a directory may be written: it is ours, new, or holds no journal. Looks and never touches.
 * @throws `journal.foreign` for somebody else's journal, `journal.newer-format` for a later version's
 */
export function mayWriteIn(directory: string): Marker | null {
  const marker = readMarker(directory);
  if (marker !== null && marker.format > FORMAT_VERSION) {
    throw new AppError(
      'journal.newer-format',
      `${directory} was written in format ${marker.format}, and this version writes ${FORMAT_VERSION}. It can be looked at; update Holdfast to run it.`,
      { directory, format: marker.format },
    );
  }
  if (marker === null && existsSync(directory) && readdirSync(directory).some(isJournalFile)) {
    throw new AppError(
      'journal.foreign',
      `${directory} holds a journal that Holdfast did not make, so it is only looked at. Choose another directory to write to.`,
      { directory },
    );
  }
  return marker;
}

function isJournalFile(name: string): boolean {
  return name.endsWith(ENTRIES_SUFFIX);
}

/**
 * The marker of a directory that is to be written, made where there is none. Whoever calls this holds the lock, and a
 * marker appears whole or not at all, so that neither a rival nor a crash leaves half of one.
 * @throws what {@link mayWriteIn} throws
 */
export function claimDirectory(disk: Disk, directory: string, workspace: string | null): Marker {
  const marker = mayWriteIn(directory);
  if (marker !== null) return marker;
  const made = { format: FORMAT_VERSION, id: crypto.randomUUID(), workspace, copiedFrom: null };
  writeMarker(disk, directory, made);
  return made;
}

/** Gives a copy a name of its own: two journals with one would be taken for each other [S10]. */
export function nameCopy(disk: Disk, directory: string, marker: Marker): Marker {
  const made = { ...marker, id: crypto.randomUUID(), copiedFrom: marker.id };
  writeMarker(disk, directory, made);
  return made;
}

function writeMarker(disk: Disk, directory: string, { format, id, workspace, copiedFrom }: Marker): void {
  const temporary = join(directory, STATE_DIRECTORY, 'marker.tmp');
  const marker = {
    format,
    id,
    ...(workspace === null ? {} : { workspace }),
    ...(copiedFrom === null ? {} : { copied_from: copiedFrom }),
  };
  const fd = disk.open(temporary, 'w');
  try {
    writeAll(disk, fd, Buffer.from(`${JSON.stringify(marker)}\n`));
    disk.syncNow(fd);
  } finally {
    disk.close(fd);
  }
  disk.rename(temporary, join(directory, MARKER_FILE));
}
