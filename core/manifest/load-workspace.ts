// A workspace's manifests, `*.agent`, as process definitions. Reads and checks; runs nothing [S2].

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { manifestFileText } from './manifest-file.ts';
import { mayBeFile } from './module-file.ts';
import { faultText, processOf, type ProcessFault } from './process-of.ts';

export const MANIFEST_SUFFIX = '.agent';

export interface LoadedWorkspace {
  readonly definitions: readonly ProcessDefinition[];
  /** Where the manifest of each of them lies, by its name, and what stood in it. */
  readonly paths: ReadonlyMap<string, string>;
  readonly texts: ReadonlyMap<string, string>;
  /** One for each manifest that could not be used; the others are. */
  readonly problems: readonly AppError[];
}

/** @throws `workspace.unreadable` when the directory can't be listed, `workspace.empty` when it has no manifest */
export function loadWorkspace(directory: string): LoadedWorkspace {
  const files = manifestsOf(directory);
  if (files.length === 0) {
    throw new AppError(
      'workspace.empty',
      `${directory} has no ${MANIFEST_SUFFIX} file, so there is nothing to run. Open a journal directory with "show", or choose a workspace.`,
      { directory },
    );
  }
  const definitions = new Map<string, { path: string; text: string; definition: ProcessDefinition }>();
  const problems: AppError[] = [];
  for (const file of files) {
    const path = join(directory, file);
    try {
      const text = manifestFileText(path);
      const definition = checkManifest(directory, path, text);
      const { name } = definition;
      // A disk that knows no case would have one journal for both.
      const first = definitions.get(name.toLowerCase());
      if (first !== undefined) throw duplicate({ name, path }, { ...first, name: first.definition.name });
      definitions.set(name.toLowerCase(), { path, text, definition });
    } catch (error) {
      problems.push(error instanceof AppError ? error : unreadable(path, error));
    }
  }
  const found = [...definitions.values()];
  return {
    definitions: found.map(({ definition }) => definition),
    paths: new Map(found.map(({ definition, path }) => [definition.name, path])),
    texts: new Map(found.map(({ definition, text }) => [definition.name, text])),
    problems,
  };
}

interface Named {
  readonly name: string;
  readonly path: string;
}

function duplicate({ name, path }: Named, first: Named): AppError {
  const how =
    name === first.name
      ? `and so is ${first.path}`
      : `which but for capital letters is the ${JSON.stringify(first.name)} of ${first.path}`;
  return new AppError(
    'manifest.duplicate-name',
    `${path} is called ${JSON.stringify(name)}, ${how}, which is the one that runs. Rename one of them.`,
    { path, first: first.path, process: name },
  );
}

function unreadable(path: string, cause: unknown): AppError {
  return new AppError(
    'manifest.unreadable',
    `${path} can't be read, so its process is not run: ${messageOf(cause)}. Check the file and who may read it.`,
    { path, code: codeOf(cause) },
    { cause },
  );
}

/** True for a directory with manifests in it. */
export function isWorkspace(directory: string): boolean {
  try {
    return manifestsOf(directory).length > 0;
  } catch {
    return false;
  }
}

/** The names of a directory's manifests, sorted. @throws `workspace.unreadable` */
export function manifestsOf(directory: string): readonly string[] {
  try {
    // Names that begin with a dot are editors' locks and copies.
    return readdirSync(directory)
      .filter((name) => name.endsWith(MANIFEST_SUFFIX) && !name.startsWith('.'))
      .filter((name) => mayBeFile(join(directory, name)))
      .sort();
  } catch (error) {
    throw new AppError(
      'workspace.unreadable',
      `The workspace ${directory} can't be read: ${messageOf(error)}. Check the path.`,
      { directory, code: codeOf(error) },
      { cause: error },
    );
  }
}

/**
 * @param path where it lies, or would
 * @throws `manifest.*`
 */
export function checkManifest(directory: string, path: string, text: string): ProcessDefinition {
  const { definition, faults } = processOf({ directory, path }, text);
  if (definition === null) throw errorOf(path, faults);
  return definition;
}

/** What is wrong in one place only keeps its own name. */
function errorOf(path: string, faults: readonly ProcessFault[]): AppError {
  const [only, ...more] = faults;
  if (only!.error !== null && more.length === 0) return only!.error;
  const problems = faults.map(faultText);
  const isYaml = faults.some(({ isYaml: is }) => is);
  return new AppError(
    isYaml ? 'manifest.bad-yaml' : 'manifest.invalid',
    `${path} can't be used: ${problems.join('; ')}.`,
    { path, problems },
  );
}
