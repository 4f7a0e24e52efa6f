// Making a copy of a journal directory in one piece: it grows beside its place under another name and gets its own when it
// is whole, so that whatever comes between, there is a whole copy or none. The source is only read, and has to be the same
// afterwards.

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import type { JournalProvider } from '../model/ports.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import { copyFile, type Disk } from './disk.ts';
import { FORMAT_VERSION, MARKER_FILE, PRIVATE_DIRECTORY, STATE_DIRECTORY } from './layout.ts';

/** Recovery, which is not this layer's to know: the replay engine's. */
export type Recover = (
  journal: JournalProvider,
  processId: string,
  options: { readonly lenient: boolean },
) => Promise<ProcessSnapshot>;

export interface CopyJob {
  /** What the codes of its errors begin with. */
  readonly verb: 'repair' | 'adopt';
  readonly source: string;
  readonly to: string;
  readonly disk: Disk;
}

/** Where a copy is going to be, and what its source was like when that was decided. */
export interface CopyPlace extends CopyJob {
  readonly target: string;
  readonly before: string;
}

/**
 * Makes nothing yet.
 * @throws `<verb>.target-exists`, `.target-inside`
 */
export function placeForCopy(job: CopyJob): CopyPlace {
  const target = realPathOf(resolve(job.to));
  refuseTarget(job, target);
  return { ...job, target, before: fingerprint(job.source) };
}

/**
 * Gives `make` a new directory, which is at its place and durable when this resolves, and gone when it rejects. Whatever
 * `make` writes there it syncs itself.
 * @throws `<verb>.source-changed`, `.failed`, and what `make` throws with such a code
 */
export async function makeCopy<T>(place: CopyPlace, make: (directory: string) => Promise<T>): Promise<T> {
  const { source, disk, target } = place;
  const parent = dirname(target);
  const partial = join(parent, `.holdfast-${crypto.randomUUID().slice(0, 8)}.partial`);
  let made: string | undefined;
  try {
    made = mkdirSync(parent, { recursive: true, mode: PRIVATE_DIRECTORY });
    disk.makeDirectory(partial);
    const result = await make(partial);
    if (fingerprint(source) !== place.before) throw changed(place);
    await syncFolders(disk, partial);
    // What is there is empty.
    if (existsSync(target)) rmdirSync(target);
    disk.rename(partial, target);
    await disk.syncDirectory(parent);
    return result;
  } catch (error) {
    throw failed(place, error, isRemoved(partial, parent, made ?? null) ? null : partial);
  }
}

/** What to do with a journal of ours that has no marker any more. */
export function lostMarkerAdvice(source: string): string {
  return `${source} is a journal that Holdfast wrote and that has lost its marker. Put ${MARKER_FILE} back there, from a backup or with one line: {"format":${FORMAT_VERSION},"id":"${crypto.randomUUID()}"}`;
}

function refuseTarget({ verb, source, to }: CopyJob, target: string): void {
  const from = realpathSync(source);
  if (isWithin(from, target) || isWithin(target, from)) {
    throw new AppError(
      `${verb}.target-inside`,
      `${to} and ${source} lie one inside the other. Name a directory elsewhere.`,
      { source, to },
    );
  }
  refuseBelowFile(verb, to, dirname(target));
  const stats = lstatSync(target, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isDirectory() && readdirSync(target).length === 0) return;
  // Links that lead somewhere are followed by now.
  const link = stats.isSymbolicLink() ? ', a link that leads nowhere' : '';
  const what = stats.isDirectory() ? ', and not empty' : link;
  throw new AppError(
    `${verb}.target-exists`,
    `${to} is there already${what}. Name a directory that does not exist; nothing is written over.`,
    { to },
  );
}

/** Nothing can be made below what is no directory. */
function refuseBelowFile(verb: CopyJob['verb'], to: string, above: string): void {
  if (!existsSync(above) && dirname(above) !== above) {
    refuseBelowFile(verb, to, dirname(above));
    return;
  }
  if (statSync(above).isDirectory()) return;
  throw new AppError(
    `${verb}.target-exists`,
    `${to} can't be made: ${above} is there already, and no directory. Name a directory that does not exist; nothing is written over.`,
    { to },
  );
}

function changed({ verb, source }: CopyJob): AppError {
  return new AppError(
    `${verb}.source-changed`,
    `${source} was written while it was copied. End what writes there, and try again.`,
    { source },
  );
}

function failed({ verb, source, to }: CopyJob, cause: unknown, left: string | null): AppError {
  const rest =
    left === null
      ? 'What was begun of it is removed'
      : `What was begun of it could not be removed and lies in ${left}`;
  const message = `${to} was not made. ${messageOf(cause).replace(/\.$/, '')}. ${rest}, and ${source} is as it was.`;
  const code = codeOf(cause);
  return new AppError(
    code.startsWith(`${verb}.`) ? code : `${verb}.failed`,
    message,
    { source, to, code },
    { cause },
  );
}

/** Takes back what was made: the copy, and the empty folders that lead to its place, the topmost of which is `made`. */
function isRemoved(partial: string, parent: string, made: string | null): boolean {
  try {
    rmSync(partial, { recursive: true, force: true });
    if (made !== null) removeFolders(parent, made);
    return true;
  } catch {
    return !existsSync(partial); // Whoever asked is told what is still there.
  }
}

function removeFolders(from: string, to: string): void {
  rmdirSync(from);
  if (from !== to) removeFolders(dirname(from), to);
}

/** As the system knows it, also where its end does not exist yet. */
function realPathOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  return dirname(path) === path ? path : join(realPathOf(dirname(path)), basename(path));
}

function isWithin(outer: string, inner: string): boolean {
  const way = relative(outer, inner);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && resolve(outer, way) !== way);
}

/** What changes when anything in a directory is written, the lock aside. */
function fingerprint(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith(join(STATE_DIRECTORY, 'lock')))
    .sort()
    .map((path) => {
      const stats = lstatSync(join(directory, path), { throwIfNoEntry: false });
      return stats?.isDirectory() === true ? path : `${path}:${stats?.ino}:${stats?.size}:${stats?.mtimeMs}`;
    })
    .join('\n');
}

/** The files are durable; so are their names afterwards. */
async function syncFolders(disk: Disk, directory: string): Promise<void> {
  for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort().toReversed())
    if (lstatSync(join(directory, path)).isDirectory()) await disk.syncDirectory(join(directory, path));
  await disk.syncDirectory(directory);
}

/** Copies what `isWanted` of the files below a directory, which need not exist. */
export async function copyTree(
  disk: Disk,
  from: string,
  to: string,
  isWanted: (path: string) => boolean = () => true,
): Promise<void> {
  if (statSync(from, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const folders = new Set<string>();
  for (const path of readdirSync(from, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!isWanted(path) || statSync(join(from, path), { throwIfNoEntry: false })?.isFile() !== true) continue;
    const copy = join(to, path);
    if (!folders.has(dirname(copy))) disk.makeDirectory(dirname(copy));
    folders.add(dirname(copy));
    await copyFile(disk, join(from, path), copy);
  }
}
