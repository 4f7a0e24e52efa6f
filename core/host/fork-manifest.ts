// The manifest of a forked process: that of the one it comes from, with another name and whatever was changed. Checked whole
// before anything is written, and written last: a manifest whose journal is not there yet would begin anew, with its triggers
// on.

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument, type Document } from 'yaml';
import { checkManifest, MANIFEST_SUFFIX } from '../manifest/load-workspace.ts';
import { AppError, messageOf } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { checkTriggers } from '../runtime/trigger-list.ts';
import { refuseKeepingNothing } from '../runtime/write-fork.ts';

export interface ForkManifest {
  readonly definition: ProcessDefinition;
  readonly path: string;
  /** @throws `fork.no-manifest` */
  readonly write: () => void;
}

/**
 * @param path of the manifest that it is made from
 * @param changes settings by their place in it, `config.concurrency`
 * @throws `manifest.*`, `trigger.*`, `journal.required`, `fork.name-taken`, `fork.bad-setting`
 */
export function forkManifest(
  workspace: string,
  path: string,
  name: string,
  changes: Readonly<Record<string, Json>>,
): ForkManifest {
  const document = parsed(path);
  document.set('name', name);
  for (const [place, value] of Object.entries(changes)) put(document, place, value);
  const text = document.toString();
  const target = join(workspace, `${fileNameOf(name)}${MANIFEST_SUFFIX}`);
  refuseTaken(target, name);
  const definition = checkManifest(workspace, target, text);
  checkTriggers(definition.config.triggers);
  refuseKeepingNothing(definition);
  return { definition, path: target, write: () => writeWhole(target, name, text) };
}

function parsed(path: string): Document {
  try {
    const document = parseDocument(readFileSync(path, 'utf8'));
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document;
  } catch (error) {
    throw new AppError(
      'manifest.unreadable',
      `${path} can't be read any more, and the fork's manifest is made from it: ${messageOf(error)}. Mend it first.`,
      { path },
      { cause: error },
    );
  }
}

function put(document: Document, place: string, value: Json): void {
  try {
    document.setIn(place.split('.'), value);
  } catch (error) {
    throw new AppError(
      'fork.bad-setting',
      `The manifest has no place ${JSON.stringify(place)} for a setting: ${messageOf(error)}. Name it by its keys, as in config.concurrency.`,
      { place },
      { cause: error },
    );
  }
}

/** As it is written in the name of a file, which may not begin with a dot: such files are not looked at. */
function fileNameOf(name: string): string {
  return name
    .replaceAll(/^\.|[^A-Za-z0-9._-]/gu, (character) => `%${character.codePointAt(0)!.toString(16)}`)
    .slice(0, 200);
}

function refuseTaken(target: string, name: string): void {
  if (!existsSync(target)) return;
  throw new AppError(
    'fork.name-taken',
    `There is a manifest ${target} already, so a fork can't be called ${name}. Choose another name.`,
    { name, path: target },
  );
}

function writeWhole(path: string, name: string, text: string): void {
  const part = `${path}.part`;
  // One that came meanwhile is somebody else's.
  refuseTaken(path, name);
  try {
    writeFileSync(part, text, { flush: true });
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw new AppError(
      'fork.no-manifest',
      `The journal of the fork is there, and its manifest ${path} can't be written: ${messageOf(error)}. Make room for it and fork again; it goes on from there.`,
      { path },
      { cause: error },
    );
  }
}
