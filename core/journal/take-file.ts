// Taking one process's journal for writing, in this order: there is an active segment [S15]; a failed sync of the last
// writer is made good [J7]; the tail is whole [J6, S11]; what is there is durable; it is as it was left [S10, S13]; and
// then it says what was found, and who writes from now on [S7, S8].

import { existsSync, fstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { damagedError } from '../model/damage.ts';
import { AppError, messageOf } from '../model/errors.ts';
import { FOLD_VERSION } from '../model/fold.ts';
import type { JsonObject } from '../model/json.ts';
import type { FilePosition, Heads } from './append-file.ts';
import { copyFile, type Disk } from './disk.ts';
import { FIRST_PREV } from './codec.ts';
import { lastEpoch, positionOf } from './file-facts.ts';
import { HeadFile, headPath, readHead, type Head } from './head-file.ts';
import type { HostIdentity } from './host-identity.ts';
import { judgeTail } from './judge-tail.ts';
import type { DirectoryLock } from './lock.ts';
import type { Marker } from './marker.ts';
import { ENTRIES_SUFFIX } from './process-files.ts';
import { quarantineTail, repairTail, type RepairedTail } from './repair-tail.ts';
import { APPEND_FLAGS, restoreActive } from './seal-segment.ts';
import { sealedSegments, segmentsDirectory } from './segments.ts';
import { concernOf, refuseLostTail, refuseMissing, refuseOlder } from './whereabouts.ts';

export interface TakeOptions {
  readonly disk: Disk;
  readonly directory: string;
  readonly process: string;
  /** Its file name without suffix. */
  readonly name: string;
  readonly marker: Marker;
  readonly identity: HostIdentity;
  readonly lock: DirectoryLock;
  /** Where heads are kept apart from the journal; null for nowhere. */
  readonly farHead: string | null;
  /** Goes on behind real damage: only for the copy that a repair makes [S14]. */
  readonly isRepair: boolean;
  /** Hears of what is no reason to stop. */
  readonly onTrouble: (trouble: AppError) => void;
  /** Hears of each repair as soon as it is done, so that it is told even if the journal can't take the entry now. */
  readonly onRepaired: (repair: JsonObject) => void;
}

export interface Taken {
  readonly fd: number;
  readonly position: FilePosition;
  readonly heads: Heads;
  /** Entries to be said first, behind those of repairs: type and data. */
  readonly say: readonly (readonly [string, JsonObject])[];
}

/** @throws `journal.damaged`, `journal.lost-tail`, `journal.repair-failed`, `journal.segment-unreadable` */
export async function takeFile(options: TakeOptions): Promise<Taken> {
  const { disk, directory, process, name, identity, lock, farHead, isRepair } = options;
  const path = join(directory, name + ENTRIES_SUFFIX);
  await restoreActive({ disk, directory, name });
  let near = readHead(headPath(directory, name));
  const far = farHead === null ? null : readHead(farHead);
  const isNew = !existsSync(path);
  if (!isNew && near?.isUnsynced === true) {
    near = { ...near, inode: 0 };
    await writeAnew(disk, directory, name, path, near);
  }
  // Gone altogether; an empty file in its place would say less than none.
  if (isNew && near !== null && !isRepair) refuseMissing(process, path, near);
  const fd = disk.open(path, APPEND_FLAGS);
  try {
    // Whoever was here last may have died, or failed, between giving a name and making it durable.
    await disk.syncDirectory(directory);
    if (existsSync(segmentsDirectory(directory, name)))
      await disk.syncDirectory(segmentsDirectory(directory, name));
    const sealed = sealedSegments(directory, name).at(-1) ?? null;
    // A journal that lost its end is left exactly as it is, the rest of its last line included.
    const left = positionOf(fd, sealed);
    if (!isRepair) refuseOlder(process, path, left, sealed);
    if (near !== null && !isRepair) refuseLostTail(process, path, near, fd, left);
    const foreign = await mendAndSync(options, fd, near, far);
    const position = positionOf(fd, sealed);
    const found = { fd, position, near, far, machine: identity.machine, marker: options.marker };
    const concern = isRepair ? null : concernOf(path, found);
    const epoch = lock.raiseAbove(lastEpoch(directory, name));
    const say: (readonly [string, JsonObject])[] = [];
    if (foreign !== null) say.push(['foreign_lines', { ...foreign }]);
    say.push(['writer_opened', signature(identity, epoch)]);
    if (concern !== null) say.push(['hold_placed', { hold: 'gap', reason: concern, actor: 'holdfast' }]);
    return { fd, position, say, heads: openHeads(options) };
  } catch (error) {
    disk.close(fd);
    throw error;
  }
}

/** What a killed writer left may be nowhere but in memory, and everything here is about to be called durable. */
async function mendAndSync(
  options: TakeOptions,
  fd: number,
  near: Head | null,
  far: Head | null,
): Promise<{ readonly from: number; readonly to: number } | null> {
  const { disk, directory, name } = options;
  try {
    const foreign = await mend(options, fd, Math.max(near?.seq ?? 0, far?.seq ?? 0));
    await disk.sync(fd);
    return foreign;
  } catch (error) {
    // The next to take it must not believe a sync that only did not fail once more [J7].
    if (!(error instanceof AppError)) rememberUnsynced(disk, headPath(directory, name), near);
    throw error;
  }
}

function rememberUnsynced(disk: Disk, path: string, near: Head | null): void {
  const blank = { seq: 0, hash: FIRST_PREV, first: 0, sizeBytes: 0, inode: 0, machine: '' };
  try {
    using file = new HeadFile(disk, path);
    file.write({ ...blank, ...near, isUnsynced: true });
  } catch {
    // The disk takes nothing, which is what is being told.
  }
}

/** Cuts what nobody was told about, and refuses what is damaged; gives the lines that somebody else added. */
async function mend(
  options: TakeOptions,
  fd: number,
  acknowledged: number,
): Promise<{ readonly from: number; readonly to: number } | null> {
  const { disk, directory, process, name, onRepaired } = options;
  const tell = (kind: string, { offset, sizeBytes, file }: RepairedTail): void =>
    onRepaired({ kind, offset, bytes: sizeBytes, file });
  const { unfinished, damage, foreign } = await judgeTail(directory, name, acknowledged);
  if (damage.length > 0 && !options.isRepair) throw damagedError(process, damage);
  if (unfinished !== null) {
    // What is sealed was durable before it was sealed: damage in there is never an unfinished batch.
    if (!unfinished.isActive) throw damagedError(process, [unfinished.damage]);
    tell('unfinished_batch', await quarantineTail(disk, directory, name, fd, unfinished.offset));
    return foreign;
  }
  const torn = await repairTail(disk, directory, name, fd);
  if (torn !== null) tell('torn_tail', torn);
  return foreign;
}

/** Anew, because what the system shows of a file after a failed sync may be on no disk, and is never written again [J7]. */
async function writeAnew(
  disk: Disk,
  directory: string,
  name: string,
  path: string,
  head: Head,
): Promise<void> {
  const temporary = join(segmentsDirectory(directory, name), 'rewrite.tmp');
  disk.makeDirectory(dirname(temporary));
  try {
    await copyFile(disk, path, temporary);
  } catch (error) {
    disk.remove(temporary);
    throw error;
  }
  // The head knows of another file coming, or it would be taken for a copy.
  using file = new HeadFile(disk, headPath(directory, name));
  await file.writeSynced(head);
  await disk.syncDirectory(dirname(headPath(directory, name)));
  disk.rename(temporary, path);
  await disk.syncDirectory(directory);
}

function forgetful(process: string, path: string, cause: unknown): AppError {
  return new AppError(
    'journal.forgetful',
    `How far the journal of ${process} goes can't be remembered in ${path}: ${messageOf(cause)}. It is written all the same, but a lost end would not be noticed; make that path writable and start again.`,
    { process, path },
    { cause },
  );
}

function signature({ hostId, pid, startTime, build }: HostIdentity, epoch: number): JsonObject {
  return { epoch, host_id: hostId, pid, start_time: startTime, build, fold_version: FOLD_VERSION };
}

/** A head that can't be kept costs the journal nothing but that a lost end would not be noticed. */
function openHeads({ disk, directory, process, name, farHead, identity, onTrouble }: TakeOptions): Heads {
  const files = [headPath(directory, name), ...(farHead === null ? [] : [farHead])].flatMap((path) => {
    try {
      return [new HeadFile(disk, path)];
    } catch (error) {
      onTrouble(forgetful(process, path, error));
      return [];
    }
  });
  let inode = { fd: -1, number: 0 };
  return {
    write: ({ seq, prev, first, sizeBytes }, fd, isUnsynced) => {
      if (inode.fd !== fd) inode = { fd, number: fstatSync(fd).ino };
      const { machine } = identity;
      const head: Head = { seq, hash: prev, first, sizeBytes, inode: inode.number, machine, isUnsynced };
      for (const file of files) file.write(head);
    },
    [Symbol.dispose]: () => {
      for (const file of files) file[Symbol.dispose]();
    },
  };
}
