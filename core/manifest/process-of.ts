// A manifest's text as the definition of a process, or everything that is wrong with it.

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { AppError } from '../model/errors.ts';
import { withoutSecrets, type ProcessDefinition } from '../model/process-config.ts';
import { checkAgent } from './check-agent.ts';
import { configOf, type Attempt } from './config-of.ts';
import type { Environment } from './expand-variables.ts';
import { instructionsOf } from './live-sections.ts';
import { placeText, type ManifestProblem, type Place } from './manifest-document.ts';
import { notesOf } from './manifest-notes.ts';
import { moduleOf, type ManifestPlace } from './module-file.ts';
import { readManifest, type ReadManifest } from './read-manifest.ts';

export interface ProcessFault extends ManifestProblem {
  /** The text itself could not be read. */
  readonly isYaml: boolean;
  /** Where it has a name of its own. */
  readonly error: AppError | null;
}

export interface ReadProcess {
  /** Null where anything is wrong. */
  readonly definition: ProcessDefinition | null;
  readonly faults: readonly ProcessFault[];
  /** Of one that can be used: what is worth knowing. */
  readonly notes: readonly ManifestProblem[];
  /** Something about a place, with its line. */
  readonly at: ReadManifest['at'];
}

/** Reads the manifest's modules, scripts and prices; runs nothing. */
export function processOf(
  place: ManifestPlace,
  text: string,
  environment: Environment = process.env,
): ReadProcess {
  const read = readManifest(text, environment);
  const faults: ProcessFault[] = read.faults.map(({ kind, place: where, message, line }) => ({
    ...read.at(where, message),
    ...(line === undefined ? {} : { line }),
    isYaml: kind === 'yaml',
    error:
      kind === 'variable'
        ? new AppError('manifest.no-variable', `${place.path}: ${placeText(where)}: ${message}.`, {
            path: place.path,
          })
        : null,
  }));
  const attempt: Attempt = (where, does, otherwise) => {
    try {
      return does();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      faults.push({ ...read.at(where, error.message.replace(/\.$/, '')), isYaml: false, error });
      return otherwise;
    }
  };
  const module = moduleNamed(place, read, attempt);
  const { manifest, document } = read;
  const refused = (): ReadProcess => ({
    definition: null,
    faults: faults.sort(byLine),
    notes: [],
    at: read.at,
  });
  if (manifest === null || document === null) return refused();
  for (const { place: where, message } of checkAgent(manifest, document)) {
    faults.push({ ...read.at(where, message), isYaml: false, error: null });
  }
  if (manifest.entrypoint == null) {
    faults.push(...read.ambiguous.map((one) => ({ ...one, isYaml: false, error: null })));
  }
  const config = configOf({ manifest, document, place, environment, attempt });
  if (faults.length > 0) return refused();
  const definition: ProcessDefinition = {
    name: manifest.name,
    description: instructionsOf(manifest.instructions),
    entrypoint: module.path,
    directory: resolve(place.directory),
    config,
    configHash: sha256(JSON.stringify(withoutSecrets(config))),
    codeHash: sha256(module.source),
  };
  const notes = notesOf({ read, manifest, document, definition, environment });
  return { definition, faults, notes, at: read.at };
}

function byLine(a: ManifestProblem, b: ManifestProblem): number {
  return (a.line ?? 0) - (b.line ?? 0);
}

const NO_MODULE = { path: '', source: Buffer.alloc(0) };

/** That of a manifest with faults is looked at too, so that all of them are told at once. */
function moduleNamed(place: ManifestPlace, { document }: ReadManifest, attempt: Attempt): typeof NO_MODULE {
  const entrypoint = document?.['entrypoint'];
  if (typeof entrypoint !== 'string' || entrypoint === '' || entrypoint.includes('${')) return NO_MODULE;
  const where: Place = ['entrypoint'];
  return attempt(where, () => moduleOf(place, entrypoint) as typeof NO_MODULE, NO_MODULE);
}

/** One line: where it is, and what. */
export function faultText({ path, line, message }: ManifestProblem): string {
  const where = line === null ? '' : `line ${line}: `;
  // What names its place itself does not have it said twice.
  const isSaid = path === '' || message.includes('which is not a setting');
  return `${where}${isSaid ? '' : `${path}: `}${message}`;
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
