// The manifest of a forked process: that of the one it comes from, with another name and whatever was changed. Checked whole
// before anything is written, and written last: a manifest whose journal is not there yet would begin anew, with its triggers
// on.

import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Document } from 'yaml';
import { checkManifest, MANIFEST_SUFFIX } from '../manifest/load-workspace.ts';
import { readDocument } from '../manifest/manifest-document.ts';
import { manifestFileText } from '../manifest/manifest-file.ts';
import { expandAliases, openedManifest, setIn, textOf, whereWritten } from '../manifest/manifest-text.ts';
import { AppError, messageOf } from '../model/errors.ts';
import { hasRawNumber, type Json } from '../model/json.ts';
import type { ProcessDefinition } from '../model/process-config.ts';
import { checkTriggers } from '../runtime/trigger-list.ts';
import { refuseKeepingNothing } from '../runtime/write-fork.ts';
import { withOwnMemory } from './fork-memory.ts';

export interface ForkManifest {
  readonly definition: ProcessDefinition;
  readonly path: string;
  /** Durable when it returns. @throws `fork.no-manifest` */
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
  // Another process has none but those that it is granted here [S40].
  for (const place of [['secrets'], ['config', 'secrets']]) {
    if (document.hasIn(place)) document.deleteIn(place);
  }
  for (const [place, value] of Object.entries(changes)) put(document, place, value);
  // Whoever grants it some grants it no others by that.
  const implied = whereWritten(document, ['secrets', 'holdfast', 'implied']);
  if (document.get('entrypoint') == null && !document.hasIn(implied)) {
    put(document, implied.join('.'), false);
  }
  document.set('name', name);
  const target = join(workspace, `${fileNameOf(name)}${MANIFEST_SUFFIX}`);
  refuseTaken(target, name);
  let definition = checkManifest(workspace, target, textOf(document));
  const memory = definition.config.agent?.memory ?? null;
  if (withOwnMemory(document, memory, name, Object.keys(changes))) {
    definition = checkManifest(workspace, target, textOf(document));
  }
  checkTriggers(definition.config.triggers);
  refuseKeepingNothing(definition);
  const text = textOf(document);
  return { definition, path: target, write: () => writeWhole({ from: path, to: target, name, text }) };
}

function parsed(path: string): Document {
  try {
    const text = manifestFileText(path);
    // Before any of it is made larger.
    const [problem] = readDocument(text).problems;
    if (problem !== undefined) throw new Error(problem.message);
    const document = openedManifest(text);
    expandAliases(document);
    return document;
  } catch (error) {
    throw new AppError(
      'manifest.unreadable',
      `${path} can't be read any more, and the fork's manifest is made from it: ${messageOf(error).split('\n')[0]}. Mend it first.`,
      { path },
      { cause: error },
    );
  }
}

function put(document: Document, place: string, value: Json): void {
  const path = whereWritten(document, place.split('.'));
  if (path[0] === 'name') {
    throw new AppError(
      'fork.bad-setting',
      'The name of a fork is the one that it is forked as, and no setting. Leave it out.',
      { place },
    );
  }
  if (hasRawNumber(value)) {
    throw new AppError(
      'fork.bad-setting',
      `The setting ${JSON.stringify(place)} has a number of more digits than a setting can have. Use a smaller one, or a text.`,
      { place },
    );
  }
  try {
    setIn(document, path, value);
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

interface Whole {
  readonly from: string;
  readonly to: string;
  readonly name: string;
  readonly text: string;
}

/** Nobody may read it who may not read the one that it is made from: there may be secrets in it. */
function writeWhole({ from, to, name, text }: Whole): void {
  const part = `${to}.part`;
  // One that came meanwhile is somebody else's.
  refuseTaken(to, name);
  let written: string | null = null;
  try {
    rmSync(part, { force: true });
    written = part;
    writeFileSync(part, text, { flush: true, mode: statSync(from).mode & 0o777 });
    renameSync(part, to);
    written = to;
    syncDirectory(dirname(to));
  } catch (error) {
    if (written !== null) rmSync(written, { force: true });
    throw new AppError(
      'fork.no-manifest',
      `The journal of the fork is there, and its manifest ${to} can't be written: ${messageOf(error)}. Make room for it and fork again; it goes on from there.`,
      { path: to },
      { cause: error },
    );
  }
}

/** A new name is durable when its directory is. Windows has no such call and needs none. */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
