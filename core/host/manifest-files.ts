// Manifests on disk, read and written for whoever edits them: whole or not at all, never over what somebody else wrote
// meanwhile, and without secrets on the way [J10].

import { linkSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readableIn } from '../manifest/manifest-document.ts';
import { manifestFileText } from '../manifest/manifest-file.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import type { Scrub } from '../model/scrubber.ts';
import { syncDirectory } from './fork-manifest.ts';
import { hashOf, linkedTo } from './manifest-scan.ts';
import { literalSecrets } from './manifest-secrets.ts';

/** Where removed manifests lie, in the workspace; nothing looks for manifests in there. */
export const TRASH = '.holdfast-trash';

export interface ManifestText {
  readonly text: string;
  readonly hash: string;
}

/** Null where there is none. @throws `manifest.unreadable`, `manifest.is-link` */
export function readManifest(workspace: string, file: string): ManifestText | null {
  const path = join(workspace, file);
  if (linkedTo(path) !== null) {
    throw new AppError(
      'manifest.is-link',
      `${file} is a link, and is not edited from here: what it leads to may be another's. Edit that where it lies.`,
      { file },
    );
  }
  try {
    const text = manifestFileText(path);
    return { text, hash: hashOf(text) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new AppError(
      'manifest.unreadable',
      `${file} can't be read: ${messageOf(error)}. Check the file and who may read it.`,
      { file, code: codeOf(error) },
      { cause: error },
    );
  }
}

/** @throws `manifest.holds-secret` for a text that must not leave this host, or come back from elsewhere */
export function refuseSecrets(file: string, text: string, scrub: Scrub): void {
  const places = literalSecrets(readableIn(text));
  if (places.length === 0 && scrub.text(text) === text) return;
  const where = places.length === 0 ? 'the value of a secret' : `a secret itself, at ${places.join(', ')}`;
  throw new AppError(
    'manifest.holds-secret',
    `${file} has ${where}, so it is neither shown nor saved from here. Name a variable of the host's environment in its place, as in \${NAME}, or edit the file where it lies.`,
    { file, places },
  );
}

/**
 * Durable when it returns.
 * @param expected what it was when it was read; null for a file that is not there yet
 * @throws `manifest.changed-since`, `manifest.unwritable`
 */
export function writeManifest(
  workspace: string,
  file: string,
  text: string,
  expected: string | null,
): ManifestText {
  const before = refuseChanged(workspace, file, expected);
  const path = join(workspace, file);
  const part = join(workspace, `.${file}.${crypto.randomUUID()}.part`);
  // A text that was edited in a page has lost the line ends that it came with.
  const whole = before?.text.includes('\r\n') === true ? text.replaceAll(/\r?\n/g, '\r\n') : text;
  try {
    writeFileSync(part, whole, {
      flush: true,
      flag: 'wx',
      ...(before === null ? {} : { mode: statSync(path).mode & 0o777 }),
    });
    refuseChanged(workspace, file, expected);
    if (before === null) placeNew(part, path);
    else renameSync(part, path);
    syncDirectory(workspace);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw changedSince(file, 'it is there by now');
    if (error instanceof AppError) throw error;
    throw unwritable(file, error);
  } finally {
    rmSync(part, { force: true });
  }
  return { text: whole, hash: hashOf(whole) };
}

/** A new name takes no other's place, where the disk can promise that. */
function placeNew(part: string, path: string): void {
  try {
    linkSync(part, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw error;
    renameSync(part, path);
  }
}

/** Gives where it lies from now on, in the workspace. @throws `manifest.changed-since`, `manifest.is-link`, `manifest.unwritable` */
export function trashManifest(workspace: string, file: string, expected: string): string {
  refuseChanged(workspace, file, expected);
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  if (linkedTo(join(workspace, TRASH)) !== null) {
    throw new AppError(
      'manifest.is-link',
      `${TRASH} is a link, so ${file} would leave the workspace, and was left where it is. Make a folder of it.`,
      { file },
    );
  }
  const kept = join(TRASH, `${stamp}-${crypto.randomUUID().slice(0, 8)}-${file}`);
  try {
    mkdirSync(join(workspace, TRASH), { recursive: true, mode: 0o700 });
    renameSync(join(workspace, file), join(workspace, kept));
    syncDirectory(join(workspace, TRASH));
    syncDirectory(workspace);
  } catch (error) {
    throw unwritable(file, error);
  }
  return kept;
}

function refuseChanged(workspace: string, file: string, expected: string | null): ManifestText | null {
  const now = readManifest(workspace, file);
  if ((now?.hash ?? null) === expected) return now;
  const how =
    now === null ? 'it is gone' : expected === null ? 'it is there by now' : 'its text is another one';
  throw changedSince(file, how);
}

function changedSince(file: string, how: string): AppError {
  return new AppError(
    'manifest.changed-since',
    `${file} was changed by somebody else since it was read: ${how}. Nothing was saved. Read it again, and make your change to that.`,
    { file },
  );
}

function unwritable(file: string, cause: unknown): AppError {
  return new AppError(
    'manifest.unwritable',
    `${file} can't be written: ${messageOf(cause)}. It is as it was; look at the disk and at who may write the workspace.`,
    { file, code: codeOf(cause) },
    { cause },
  );
}
