// The script of a model that answers from one: a file of the workspace, like everything that a manifest names.

import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError, messageOf } from '../model/errors.ts';
import { isInside } from './is-inside.ts';

export interface NamedScript {
  readonly workspace: string;
  readonly manifest: string;
  /** Relative to the workspace. */
  readonly script: string;
}

/** @throws `manifest.no-script`, `manifest.outside-workspace` */
export function checkScript({ workspace, manifest, script }: NamedScript): void {
  const path = resolve(workspace, script);
  const names = `${manifest} names the script ${script}`;
  const outside = (): AppError =>
    new AppError(
      'manifest.outside-workspace',
      `${names}, which is not inside the workspace. Move it into it.`,
      { path: manifest, script },
    );
  if (!isInside(resolve(workspace), path)) throw outside();
  let real: string;
  try {
    // A link may lead out of the workspace, and the workspace itself may be reached by one.
    real = realpathSync(path);
    if (!statSync(real).isFile()) throw new Error('it is no file');
  } catch (error) {
    throw new AppError(
      'manifest.no-script',
      `${names}, which can't be read: ${messageOf(error)}. Its path is relative to the workspace.`,
      { path: manifest, script },
      { cause: error },
    );
  }
  if (!isInside(realpathSync(workspace), real)) throw outside();
}
