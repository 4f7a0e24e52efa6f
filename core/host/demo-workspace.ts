import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { isObject } from '../model/json.ts';

/** In the workspace: which files were put there, and with what in them. */
const RECORD = '.holdfast-demo.json';

/**
 * The demo workspace, in the user's data folder, where it may be written. A file of it is brought up to date for as long as
 * it is what was put there: one that somebody changed or removed is left so, and whatever else lies there is left alone.
 * @throws `data.unusable`
 */
export async function prepareDemo(dataDirectory: string, source: string): Promise<string> {
  const workspace = join(dataDirectory, 'demo');
  try {
    await mkdir(workspace, { recursive: true });
    const before = await recordedIn(workspace);
    const record: Record<string, string> = {};
    for (const path of await filesIn(source)) record[path] = await bring(path, source, workspace, before);
    const fresh = join(workspace, `${RECORD}.new`);
    await writeFile(fresh, `${JSON.stringify(record, null, 2)}\n`);
    await rename(fresh, join(workspace, RECORD));
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

/** Gives what is to be recorded of it: the print of what was put there, now or earlier. */
async function bring(
  path: string,
  source: string,
  workspace: string,
  before: ReadonlyMap<string, string>,
): Promise<string> {
  const ours = await readFile(join(source, path));
  const target = join(workspace, path);
  const there = await readIfThere(target);
  const put = before.get(path);
  const isOurs = there === null ? put === undefined : printOf(there) === put;
  if (!isOurs) return put ?? printOf(ours);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, ours);
  return printOf(ours);
}

/** Relative, with slashes. */
async function filesIn(source: string): Promise<readonly string[]> {
  const found = await readdir(source, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(source, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .toSorted();
}

async function recordedIn(workspace: string): Promise<ReadonlyMap<string, string>> {
  const record = jsonIn((await readIfThere(join(workspace, RECORD)))?.toString() ?? '{}');
  const known = isObject(record) ? Object.entries(record) : [];
  return new Map(known.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Then nothing is known to be ours, and all that is there is left alone.
    return null;
  }
}

/** Null where nothing is. */
async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return null;
    // A folder in a file's place, or a file in that of its folder: no text of ours.
    if (code === 'EISDIR' || code === 'ENOTDIR') return Buffer.alloc(0);
    throw error;
  }
}

function printOf(content: Buffer): string {
  return hash('sha256', content);
}
