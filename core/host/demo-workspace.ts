import { cp } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The demo workspace, copied from `source` into the user's data folder, where it may be written: the agents anew each
 * time, since they are ours, and what they did left alone.
 */
export async function prepareDemo(dataDirectory: string, source: string): Promise<string> {
  const workspace = join(dataDirectory, 'demo');
  await cp(source, workspace, { recursive: true, force: true });
  return workspace;
}
