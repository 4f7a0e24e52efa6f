// The module of a code agent, which is inside its workspace, links followed [S1].

import { readFileSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError, messageOf } from '../model/errors.ts';
import { isInside } from './is-inside.ts';

export interface ManifestPlace {
  /** The workspace. */
  readonly directory: string;
  /** Where the manifest lies, or would. */
  readonly path: string;
}

/** @throws `manifest.outside-workspace`, `manifest.no-module` */
export function moduleOf(
  { directory, path }: ManifestPlace,
  entrypoint: string,
): { readonly path: string; readonly source: Buffer } {
  const absolute = resolve(directory, entrypoint);
  if (!isInside(resolve(directory), absolute)) throw outside(path, entrypoint);
  let real: string;
  try {
    // A link may lead out of the workspace, and the workspace itself may be reached by one.
    real = realpathSync(absolute);
  } catch (error) {
    throw noModule(path, entrypoint, messageOf(error), error);
  }
  if (!isInside(realpathSync(directory), real)) throw outside(path, entrypoint);
  return { path: absolute, source: readSource(path, absolute) };
}

/** False for a directory, and for a pipe or a device, which might never end. What can't be asked is read, to say why. */
export function mayBeFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return true;
  }
}

function outside(path: string, entrypoint: string): AppError {
  return new AppError(
    'manifest.outside-workspace',
    `${path} names the entrypoint ${entrypoint}, which is not inside the workspace. Move the module into it.`,
    { path, entrypoint },
  );
}

function readSource(path: string, entrypoint: string): Buffer {
  if (!mayBeFile(entrypoint)) throw noModule(path, entrypoint, 'it is no file');
  try {
    return readFileSync(entrypoint);
  } catch (error) {
    throw noModule(path, entrypoint, messageOf(error), error);
  }
}

function noModule(path: string, entrypoint: string, why: string, cause?: unknown): AppError {
  return new AppError(
    'manifest.no-module',
    `${path} names the entrypoint ${entrypoint}, which can't be read: ${why}.`,
    { path, entrypoint },
    { cause },
  );
}
