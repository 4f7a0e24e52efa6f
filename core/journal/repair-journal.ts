// S14 A repair never touches the damaged journal. It makes a copy of all that is good in it, keeps every byte that is left
//     out, and says at the end of each journal that had damage what is missing where, so that exactly those breaks are none
//     any more. Where entries are missing that the last full checkpoint does not stand for, nobody knows what they told of:
//     the process is held, and what is unfinished is asked.

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { snapshotToState } from '../model/checkpoint.ts';
import { AppError, RetryableError } from '../model/errors.ts';
import { FOLD_VERSION } from '../model/fold.ts';
import type { JsonObject } from '../model/json.ts';
import type { EntrySources } from './complete-entry.ts';
import { copyTree, lostMarkerAdvice, makeCopy, placeForCopy, type Recover } from './copy-target.ts';
import { LOCAL_DISK, type Disk } from './disk.ts';
import { openFileJournal, readFileJournal, type FileJournal } from './file-journal.ts';
import { HeadFile, headPath } from './head-file.ts';
import { hostIdentity } from './host-identity.ts';
import { PRIVATE_DIRECTORY, STATE_DIRECTORY } from './layout.ts';
import { livingHolder } from './lock.ts';
import { mayWriteIn, nameCopy } from './marker.ts';
import { CHECKPOINT_SUFFIX, ENTRIES_SUFFIX } from './process-files.ts';
import { copyProcess, type CopiedProcess } from './repair-copy.ts';
import type { Gap } from './repair-gaps.ts';
import { checkTarget, targetsIn, verifyJournal } from './verify-journal.ts';
import type { Checked, CheckTarget } from './verify-process.ts';

export type { Gap } from './repair-gaps.ts';

export interface RepairedProcess {
  readonly process: string;
  readonly keptLines: number;
  readonly keptBytes: number;
  readonly droppedBytes: number;
  readonly gaps: readonly Gap[];
  /** Values outside of their entries that are not there, or not what was written. */
  readonly lostSpills: readonly string[];
  /** It does nothing until somebody resumes it. */
  readonly held: boolean;
  readonly reason: string;
}

export interface RepairReport {
  readonly directory: string;
  /** Null where there was nothing to repair, and so no copy was made. */
  readonly copy: string | null;
  readonly repaired: readonly RepairedProcess[];
  /** Copied as they are. */
  readonly unchanged: readonly string[];
  /** Of which nothing is left: in the copy they begin from nothing. Known by the names of their files. */
  readonly gone: readonly string[];
}

export interface RepairOptions {
  readonly recover: Recover;
  /** What is written through; the local disk unless given. */
  readonly disk?: Disk;
  readonly sources?: EntrySources;
  /** Writes on network disks and in synced folders too [S10]. */
  readonly allowSharedDisk?: boolean;
}

/**
 * Repairs a journal directory of ours into a new one. There is a whole copy afterwards, or none.
 * @throws `repair.not-ours`, RetryableError `repair.being-written`, `repair.target-exists`, `.target-inside`,
 *   `.source-changed`, `.failed`, `journal.newer-format`, `.unreadable`
 */
export async function repairJournal(
  directory: string,
  to: string,
  options: RepairOptions,
): Promise<RepairReport> {
  const source = resolve(directory);
  const { targets, format } = await targetsIn(source);
  if (format !== 'holdfast') throw notOurs(source);
  mayWriteIn(source);
  refuseLiveWriter(source);
  const { disk = LOCAL_DISK } = options;
  const place = placeForCopy({ verb: 'repair', source, to, disk });
  const damaged: (readonly [CheckTarget, Checked])[] = [];
  const unchanged: string[] = [];
  const gone: string[] = [];
  for (const target of targets) {
    const checked = await checkTarget(target);
    if (checked.report.damageCount === 0) unchanged.push(target.process);
    else if (checked.report.segments === 0) gone.push(target.process);
    else damaged.push([target, checked]);
  }
  if (damaged.length + gone.length === 0)
    return { directory: source, copy: null, repaired: [], unchanged, gone };
  const repaired = await makeCopy(place, (copy) => fill(copy, source, damaged, options));
  return { directory: source, copy: resolve(to), repaired, unchanged, gone };
}

type Damaged = readonly (readonly [CheckTarget, Checked])[];

async function fill(
  copy: string,
  source: string,
  damaged: Damaged,
  options: RepairOptions,
): Promise<readonly RepairedProcess[]> {
  const { disk = LOCAL_DISK, recover } = options;
  await copyOthers(disk, source, copy, new Set(damaged.map(([{ name }]) => name)));
  const copied: Copied[] = [];
  for (const [target, checked] of damaged) {
    const process = await copyProcess(disk, target, checked, copy);
    writeHead(disk, copy, target.name, process);
    copied.push([target, checked, process]);
  }
  const results = await tell(copy, copied, options);
  await refuseRest(copy, damaged, recover);
  return results;
}

function notOurs(source: string): AppError {
  const advice = existsSync(join(source, STATE_DIRECTORY))
    ? lostMarkerAdvice(source)
    : `${source} is not a journal that Holdfast wrote, and has nothing to repair it by. Adopt it: a copy of ours leaves out what can't be read: holdfast adopt <directory> --to <copy>`;
  return new AppError('repair.not-ours', advice, { source });
}

/** Who runs this program knows what it writes itself. */
function refuseLiveWriter(source: string): void {
  const holder = livingHolder(source);
  if (holder === null || holder.pid === process.pid) return;
  throw new RetryableError(
    'repair.being-written',
    `${source} is being written by process ${holder.pid}. Quit that first; what it writes meanwhile would be missing in the copy.`,
    { source, pid: holder.pid },
  );
}

const SEGMENT = /^[^/\\]+[/\\](?:\d{12}-\d{12}\.jsonl(?:\.gz)?|next\.tmp)$/;

/** All that belongs to the journal but the damaged processes' own files, heads and lock. */
async function copyOthers(
  disk: Disk,
  source: string,
  copy: string,
  damaged: ReadonlySet<string>,
): Promise<void> {
  mkdirSync(join(copy, STATE_DIRECTORY), { recursive: true, mode: PRIVATE_DIRECTORY });
  const marker = mayWriteIn(source);
  if (marker !== null) nameCopy(disk, copy, marker);
  const isAnothers = (file: string): boolean => {
    const suffix = [ENTRIES_SUFFIX, CHECKPOINT_SUFFIX].find((end) => file.endsWith(end));
    return suffix !== undefined && !/[/\\]/.test(file) && !damaged.has(file.slice(0, -suffix.length));
  };
  await copyTree(disk, source, copy, isAnothers);
  const parts: readonly (readonly [string, (path: string) => boolean])[] = [
    ['segments', (path) => SEGMENT.test(path) && !damaged.has(path.split(/[/\\]/, 1)[0]!)],
    ['spills', () => true],
    ['quarantine', () => true],
  ];
  for (const [part, isWanted] of parts)
    await copyTree(disk, join(source, STATE_DIRECTORY, part), join(copy, STATE_DIRECTORY, part), isWanted);
}

/** All that was copied is durable, and no writer may take the lines behind a gap for a batch that nobody was told of [S11]. */
function writeHead(disk: Disk, copy: string, name: string, { last }: CopiedProcess): void {
  if (last.number === 0) return;
  const stats = statSync(join(copy, name + ENTRIES_SUFFIX), { throwIfNoEntry: false });
  using file = new HeadFile(disk, headPath(copy, name));
  file.write({
    seq: last.number,
    hash: last.hash,
    first: 0,
    sizeBytes: stats?.size ?? 0,
    inode: stats?.ino ?? 0,
    machine: hostIdentity().machine,
    isUnsynced: false,
  });
}

type Copied = readonly [CheckTarget, Checked, CopiedProcess];

/** Has each journal say what was repaired, through the writer that every entry goes through. */
async function tell(
  copy: string,
  copied: readonly Copied[],
  options: RepairOptions,
): Promise<readonly RepairedProcess[]> {
  const results: RepairedProcess[] = [];
  for (const isApart of [false, true]) {
    const some = copied.filter(([, , process]) => process.isApart === isApart);
    if (some.length > 0)
      results.push(...(await tellThrough(openCopy(copy, isApart, options), some, options)));
  }
  return results;
}

/** Where the active segment stands apart the checkpoint begins a new one, which does not. */
function openCopy(
  copy: string,
  isApart: boolean,
  { disk, sources, allowSharedDisk }: RepairOptions,
): FileJournal {
  return openFileJournal(copy, {
    isRepair: true,
    ...(isApart ? { segmentBytes: 1 } : {}),
    ...(disk === undefined ? {} : { disk }),
    ...(sources === undefined ? {} : { sources }),
    ...(allowSharedDisk === undefined ? {} : { allowSharedDisk }),
  });
}

async function tellThrough(
  journal: FileJournal,
  copied: readonly Copied[],
  { recover }: RepairOptions,
): Promise<readonly RepairedProcess[]> {
  try {
    const results: RepairedProcess[] = [];
    for (const each of copied) results.push(await tellOne(journal, each, recover));
    await journal.settled();
    return results;
  } finally {
    await journal.close();
  }
}

async function tellOne(
  journal: FileJournal,
  [{ process }, { missingSpills }, copied]: Copied,
  recover: Recover,
): Promise<RepairedProcess> {
  const { gaps, foreign, lastFull, keptLines, keptBytes, droppedBytes } = copied;
  const losses = gaps.filter(({ isLoss }) => isLoss);
  // The checkpoint that is left stands for everything before it.
  const held = losses.some(({ after }) => after >= lastFull);
  const reason = reasonOf(losses, missingSpills.length, held);
  await journal.claim(process);
  for (const range of foreign)
    await journal.append({ process_id: process, entry_type: 'foreign_lines', data: range });
  const data: JsonObject = {
    kind: 'repair',
    gaps: gaps.map(({ after, next, segment, offset, bytes, file, reason: why }) => {
      return { after, next, segment, offset, bytes, file, reason: why };
    }),
    held,
    reason,
    ...(missingSpills.length === 0 ? {} : { lost_spills: missingSpills }),
  };
  await journal.append({ process_id: process, entry_type: 'journal_repaired', data });
  const snapshot = await recover(journal, process, { lenient: true });
  await journal.checkpoint(process, snapshotToState(snapshot, FOLD_VERSION));
  return { process, keptLines, keptBytes, droppedBytes, gaps, lostSpills: missingSpills, held, reason };
}

const SHOWN_STRETCHES = 5;

function reasonOf(losses: readonly Gap[], lostSpills: number, held: boolean): string {
  const stretches = [...new Set(losses.map(stretchText))];
  const shown = stretches.slice(0, SHOWN_STRETCHES).join(', ');
  const more =
    stretches.length <= SHOWN_STRETCHES ? '' : ` and ${stretches.length - SHOWN_STRETCHES} more places`;
  const missing = stretches.length === 0 ? 'No entry is missing' : `Entries are missing ${shown}${more}`;
  const spills = lostSpills === 0 ? '' : `, and ${lostSpills} large ${lostSpills === 1 ? 'value' : 'values'}`;
  return held
    ? `${missing}${spills}: the journal was damaged and repaired. Find out what they may have told of, then resume.`
    : `${missing}${spills}: the journal was damaged and repaired.`;
}

function stretchText({ after, next }: Gap): string {
  if (next === null) return after === 0 ? 'from the beginning to the end' : `after ${after}`;
  return after === 0 ? `before ${next}` : `between ${after} and ${next}`;
}

/** A repair that can't vouch for what it made has failed. */
async function refuseRest(copy: string, damaged: Damaged, recover: Recover): Promise<void> {
  const { processes } = await verifyJournal(copy);
  for (const { process, damage } of processes) {
    const [first] = damage;
    if (first === undefined) continue;
    throw new AppError(
      'repair.failed',
      `The journal of ${process} is still damaged in the copy: ${first.segment}, line ${first.seq} at byte ${first.offset}: ${first.reason}. Check the disk.`,
      { process },
    );
  }
  const journal = readFileJournal(copy);
  for (const [{ process }] of damaged) await recover(journal, process, { lenient: false });
}
