// Manifests, checked as they are when a workspace is opened: all of a directory, or one. Nothing is run, and no journal is
// needed.

import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { manifestsOf, MANIFEST_SUFFIX } from '../manifest/load-workspace.ts';
import type { ManifestProblem } from '../manifest/manifest-document.ts';
import { manifestFileText } from '../manifest/manifest-file.ts';
import { processOf, type ReadProcess } from '../manifest/process-of.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { checkTriggers } from '../runtime/trigger-list.ts';

export interface ManifestReport {
  readonly file: string;
  readonly isValid: boolean;
  /** Null where anything is wrong with it. */
  readonly agent: ManifestAgent | null;
  readonly problems: readonly ManifestProblem[];
  readonly notes: readonly ManifestProblem[];
}

export interface ManifestAgent {
  readonly name: string;
  readonly kind: 'code' | 'model';
  /** The first is asked; the others are there for when it can't answer. None of an agent with code. */
  readonly models: readonly string[];
  readonly triggers: readonly string[];
  readonly servers: readonly string[];
  readonly secrets: readonly string[];
}

/** @throws `workspace.unreadable`, `workspace.empty` */
export function validateManifests(path: string): readonly ManifestReport[] {
  const files = filesAt(path);
  const taken = new Map<string, { readonly file: string; readonly name: string }>();
  return files.map((file) => {
    const report = reportOn(dirname(file), file);
    const name = report.agent?.name;
    if (name === undefined) return report;
    // A disk that knows no case would have one journal for both.
    const first = taken.get(name.toLowerCase());
    taken.set(name.toLowerCase(), first ?? { file, name });
    if (first === undefined) return report;
    const how =
      first.name === name
        ? 'is called so as well'
        : `is called ${JSON.stringify(first.name)}, which is the same but for capital letters`;
    const message = `${first.file} ${how}, and is the one that runs: rename one of them`;
    return { ...report, isValid: false, agent: null, problems: [{ path: 'name', line: null, message }] };
  });
}

/** What is worth knowing of the manifests of a workspace, by the names of their files. */
export function notesIn(workspace: string): readonly Pick<ManifestReport, 'file' | 'notes'>[] {
  const directory = resolve(workspace);
  return manifestsOf(directory).map((file) => ({
    file,
    notes: reportOn(directory, join(directory, file)).notes,
  }));
}

function filesAt(path: string): readonly string[] {
  const absolute = resolve(path);
  let isDirectory: boolean;
  try {
    isDirectory = statSync(absolute).isDirectory();
  } catch (error) {
    throw new AppError(
      'workspace.unreadable',
      `${path} ${codeOf(error) === 'ENOENT' ? 'does not exist' : `can't be read: ${messageOf(error)}`}. Name a manifest, or a directory with some in it.`,
      { path, code: codeOf(error) },
      { cause: error },
    );
  }
  if (!isDirectory) return [absolute];
  const names = manifestsOf(absolute);
  if (names.length > 0) return names.map((name) => join(absolute, name));
  throw new AppError(
    'workspace.empty',
    `${path} has no ${MANIFEST_SUFFIX} file, so there is nothing to check. "holdfast init" writes one.`,
    { path },
  );
}

function reportOn(directory: string, file: string): ManifestReport {
  let text: string;
  try {
    text = manifestFileText(file);
  } catch (error) {
    const message = `it can't be read: ${messageOf(error)}`;
    return { file, isValid: false, agent: null, problems: [{ path: '', line: null, message }], notes: [] };
  }
  const read = processOf({ directory, path: file }, text);
  const { definition, faults, notes } = read;
  const problems = [
    ...faults.map(({ path, line, message }) => ({ path, line, message })),
    ...(definition === null ? [] : triggerProblems(definition, read)),
  ];
  const isValid = problems.length === 0;
  return {
    file,
    isValid,
    agent: isValid && definition !== null ? agentOf(definition) : null,
    problems,
    notes,
  };
}

/** What could never wake anything is left out when a workspace is opened. */
function triggerProblems({ config }: ProcessDefinition, { at }: ReadProcess): readonly ManifestProblem[] {
  return config.triggers.flatMap((trigger, number) => {
    try {
      checkTriggers([trigger]);
      return [];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return [at(['triggers', number], error.message.replace(/\.$/, ''))];
    }
  });
}

function agentOf({ name, entrypoint, config }: ProcessDefinition): ManifestAgent {
  return {
    name,
    kind: entrypoint === '' ? 'model' : 'code',
    models: config.agent?.models ?? [],
    triggers: config.triggers.map(({ type }) => type),
    servers: Object.keys(config.agent?.servers ?? {}),
    secrets: Object.keys(config.secrets.sources),
  };
}
