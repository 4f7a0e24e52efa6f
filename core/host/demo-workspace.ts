import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, codeOf, messageOf } from '../model/errors.ts';

/**
 * The demo workspace, copied from `source` into the user's data folder, where it may be written: the agents anew each
 * time, since they are ours, and what they did left alone.
 * @throws `data.unusable`
 */
export async function prepareDemo(dataDirectory: string, source: string): Promise<string> {
  const workspace = join(dataDirectory, 'demo');
  try {
    await cp(source, workspace, { recursive: true, force: true });
  } catch (error) {
    throw new AppError(
      'data.unusable',
      `The demo workspace can't be made at ${workspace}: ${messageOf(error)}. Set HOLDFAST_DATA to a directory that can be written.`,
      { workspace, code: codeOf(error) },
      { cause: error },
    );
  }
  return workspace;
}
