// What a path that somebody wants to open is [S1, S8]. Looks and never touches.

import { accessSync, constants, lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { readCheckpointFile } from './checkpoint-file.ts';
import { MARKER_FILE, PROMPTISE_JOURNAL, WORKSPACE_JOURNAL } from './layout.ts';
import { readMarker, type Marker } from './marker.ts';
import { CHECKPOINT_SUFFIX, ENTRIES_SUFFIX } from './process-files.ts';
import { entriesForwards, isBad } from './read-entries.ts';
import { unreadable } from './unreadable.ts';

export interface InspectedDirectory {
  readonly directory: string;
  readonly format: 'holdfast' | 'promptise';
  readonly marker: Marker | null;
}

/**
 * The journal directory behind a path: the directory itself, the parent of a marker, or the journal that a workspace
 * keeps in its usual place.
 * @throws `journal.not-found`, `.not-a-directory`, `.unreadable`, `.empty`, `.none-here`, `.not-a-journal`,
 *   `.bad-marker`, each with what to do next
 */
export function inspectDirectory(path: string): InspectedDirectory {
  const directory = directoryOf(resolve(path));
  const files = list(directory);
  const marker = readMarker(directory);
  if (marker !== null) return { directory, format: 'holdfast', marker };
  const journals = files.filter((name) => name.endsWith(ENTRIES_SUFFIX) && isFile(join(directory, name)));
  const isPromptise =
    someHoldAnEntry(journals.map((name) => join(directory, name))) || holdsCheckpoint(directory, files);
  if (!isPromptise) return insideOf(directory, files, journals);
  return { directory, format: 'promptise', marker: null };
}

function directoryOf(path: string): string {
  let stats;
  try {
    stats = statSync(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  if (stats.isDirectory()) return path;
  if (basename(path) === MARKER_FILE) return dirname(path);
  throw new AppError(
    'journal.not-a-directory',
    `${path} is a file. Open the directory it lies in, or that directory's ${MARKER_FILE}.`,
    { path },
  );
}

function list(directory: string): readonly string[] {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK);
    return readdirSync(directory);
  } catch (error) {
    throw unreadable(directory, error);
  }
}

/** Not a journal itself: perhaps the workspace that keeps one in its usual place. */
function insideOf(
  directory: string,
  files: readonly string[],
  journals: readonly string[],
): InspectedDirectory {
  for (const usual of [WORKSPACE_JOURNAL, PROMPTISE_JOURNAL]) {
    const inner = join(directory, usual);
    if (isDirectory(inner)) return inspectDirectory(inner);
  }
  if (journals.length > 0) {
    const what = journals.length === 1 ? journals[0]! : `${journals.length} .jsonl files`;
    throw new AppError(
      'journal.not-a-journal',
      `${directory} has ${what}, but no line in there is a journal entry. Open a directory that Holdfast or Promptise wrote.`,
      { directory },
    );
  }
  if (files.length === 0) {
    throw new AppError(
      'journal.empty',
      `${directory} is empty. Open a directory that Holdfast or Promptise wrote.`,
      { directory },
    );
  }
  throw new AppError(
    'journal.none-here',
    `${directory} holds no journal: it has no ${MARKER_FILE} and no .jsonl file. Open the directory that has them.`,
    { directory },
  );
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Promptise writes the checkpoint first: killed right then, it leaves nothing else. */
function holdsCheckpoint(directory: string, files: readonly string[]): boolean {
  return files.some(
    (file) =>
      file.endsWith(CHECKPOINT_SUFFIX) &&
      isFile(join(directory, file)) &&
      isState(readCheckpointFile(directory, file.slice(0, -CHECKPOINT_SUFFIX.length))),
  );
}

function isState(state: JsonObject | null): boolean {
  return state !== null && ('context_state' in state || 'lifecycle_state' in state);
}

/** A pipe or a device of that name would never end. */
function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** @throws `journal.unreadable` where none does as far as can be seen, and not all can */
function someHoldAnEntry(paths: readonly string[]): boolean {
  let hidden: unknown = null;
  for (const path of paths) {
    try {
      if (holdsAnEntry(path)) return true;
    } catch (error) {
      hidden ??= unreadable(path, error);
    }
  }
  if (hidden !== null) throw hidden;
  return false;
}

function holdsAnEntry(path: string): boolean {
  for (const item of entriesForwards(path)) if (!isBad(item) && item.entry_type !== '') return true;
  return false;
}
