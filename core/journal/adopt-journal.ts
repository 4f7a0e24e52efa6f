// S8  A journal that somebody else made is never written. Adopting it makes a copy that is ours: its lines byte for byte,
//     what can't be read kept apart, and behind them, through the writer that every entry goes through, where they are from
//     and a full checkpoint of what recovery gives for the original, whose checkpoint file may be ahead of its lines [S19].
// J9  A file that several processes share can't belong to one of ours.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { snapshotToState } from '../model/checkpoint.ts';
import type { StoredEntry } from '../model/entry.ts';
import { AppError, codeOf, messageOf } from '../model/errors.ts';
import { applyEntry, FOLD_VERSION } from '../model/fold.ts';
import { isObject, RawNumber, sameJson, type Json, type JsonObject } from '../model/json.ts';
import type { ProcessSnapshot } from '../model/snapshot.ts';
import type { EntrySources } from './complete-entry.ts';
import { lostMarkerAdvice, makeCopy, placeForCopy, type Recover } from './copy-target.ts';
import { copyFile, LOCAL_DISK, type Disk } from './disk.ts';
import { openFileJournal, readFileJournal, type FileJournal } from './file-journal.ts';
import { inspectDirectory } from './inspect-directory.ts';
import { STATE_DIRECTORY, WORKSPACE_JOURNAL } from './layout.ts';
import { PartFile } from './part-file.ts';
import { CHECKPOINT_SUFFIX, checkName, entriesFile, ENTRIES_SUFFIX, nameToRead } from './process-files.ts';
import { Quarantine, type LeftOut } from './quarantine.ts';
import { verifyJournal } from './verify-journal.ts';
import { lineFacts, type LineFault } from './verify-line.ts';
import { scanJournal } from './verify-scan.ts';

/** Lines that stood together and can't be read, and an incomplete last one. */
export interface SkippedLines extends LeftOut<LineFault | 'torn-tail'> {
  /** The number of the first, counted in the original. */
  readonly line: number;
  readonly lines: number;
}

export interface AdoptedProcess {
  readonly process: string;
  /** That are taken over. */
  readonly lines: number;
  readonly skipped: readonly SkippedLines[];
}

export interface AdoptReport {
  readonly directory: string;
  readonly copy: string;
  readonly adopted: readonly AdoptedProcess[];
  /** Files of which no line can be read, so that nobody knows whose they are, and where their bytes are now. */
  readonly leftOut: readonly LeftOutFile[];
}

interface LeftOutFile {
  readonly file: string;
  readonly skipped: readonly SkippedLines[];
}

export interface AdoptOptions {
  readonly recover: Recover;
  /** What is written through; the local disk unless given. */
  readonly disk?: Disk;
  readonly sources?: EntrySources;
  /** Writes on network disks and in synced folders too [S10]. */
  readonly allowSharedDisk?: boolean;
}

/**
 * Makes a journal of ours from one of Promptise's. There is a whole copy afterwards, or none.
 * @throws `adopt.already-ours`, `adopt.name-collision`, `adopt.not-recordable`, `adopt.target-exists`, `.target-inside`,
 *   `.source-changed`, `.failed`, and what {@link inspectDirectory} throws
 */
export async function adoptJournal(
  directory: string,
  to: string,
  options: AdoptOptions,
): Promise<AdoptReport> {
  const { directory: source, format } = inspectDirectory(directory);
  if (format === 'holdfast' || existsSync(join(source, STATE_DIRECTORY))) {
    throw new AppError(
      'adopt.already-ours',
      format === 'holdfast'
        ? `${source} is a journal that Holdfast wrote, so there is nothing to adopt. Run it as it is.`
        : lostMarkerAdvice(source),
      { source },
    );
  }
  const { disk = LOCAL_DISK } = options;
  const place = placeForCopy({ verb: 'adopt', source, to, disk });
  const names = await journalNames(source);
  const results = await makeCopy(place, (copy) => fill(copy, source, names, resolve(to), options));
  return { directory: source, copy: resolve(to), ...results };
}

/** The file names without suffix, of which there may be a checkpoint file alone. */
async function journalNames(source: string): Promise<readonly string[]> {
  const files = readdirSync(source)
    .filter((file) => file.endsWith(ENTRIES_SUFFIX) && statSync(join(source, file)).isFile())
    .map((file) => file.slice(0, -ENTRIES_SUFFIX.length));
  const processes = await readFileJournal(source).processes();
  const names = [...new Set([...files, ...processes.map(nameToRead)])].sort();
  const seen = new Map<string, string>();
  for (const name of names) {
    const twin = seen.get(name.toLowerCase());
    if (twin !== undefined) throw collision(twin, name, `${name}${ENTRIES_SUFFIX}`);
    seen.set(name.toLowerCase(), name);
  }
  return names;
}

function collision(one: string, other: string, file: string): AppError {
  return new AppError(
    'adopt.name-collision',
    `The processes ${JSON.stringify(one)} and ${JSON.stringify(other)} would share the file ${file}, and a journal of ours belongs to one. Move one of them to a directory of its own first.`,
    { processes: [one, other], file },
  );
}

async function fill(
  copy: string,
  source: string,
  names: readonly string[],
  to: string,
  options: AdoptOptions,
): Promise<Pick<AdoptReport, 'adopted' | 'leftOut'>> {
  const { recover, disk = LOCAL_DISK, sources, allowSharedDisk } = options;
  const original = readFileJournal(source);
  const journal = openFileJournal(copy, {
    disk,
    // Where a workspace keeps its journal, that workspace is its own.
    workspace: basename(to) === WORKSPACE_JOURNAL ? '..' : null,
    ...(sources === undefined ? {} : { sources }),
    ...(allowSharedDisk === undefined ? {} : { allowSharedDisk }),
  });
  const adopted: AdoptedProcess[] = [];
  const leftOut: LeftOutFile[] = [];
  const expected = new Map<string, ProcessSnapshot>();
  try {
    for (const name of names) {
      const lines = await copyLines(disk, source, copy, name);
      const snapshot = await recovered(original, lines.process, recover);
      if (snapshot === null) {
        leftOut.push({ file: name + ENTRIES_SUFFIX, skipped: lines.skipped });
        disk.remove(journal.pathOf(lines.process));
        continue;
      }
      const checkpoint = join(source, name + CHECKPOINT_SUFFIX);
      if (statSync(checkpoint, { throwIfNoEntry: false })?.isFile() === true)
        await copyFile(disk, checkpoint, join(copy, name + CHECKPOINT_SUFFIX));
      expected.set(lines.process, await takeOver(journal, source, lines, snapshot));
      adopted.push({ process: lines.process, lines: lines.kept, skipped: lines.skipped });
    }
    await journal.settled();
  } finally {
    await journal.close();
  }
  await refuseOther(copy, expected, recover);
  return { adopted, leftOut };
}

/** Null where no line can be read and no checkpoint file either: an empty state would be a guess [P5]. */
async function recovered(
  original: FileJournal,
  process: string,
  recover: Recover,
): Promise<ProcessSnapshot | null> {
  try {
    return await recover(original, process, { lenient: false });
  } catch (error) {
    if (codeOf(error) === 'journal.damaged') return null;
    throw error;
  }
}

interface CopiedLines {
  readonly process: string;
  readonly kept: number;
  readonly keptBytes: number;
  readonly skipped: readonly SkippedLines[];
}

async function copyLines(disk: Disk, source: string, copy: string, name: string): Promise<CopiedLines> {
  using file = new PartFile(disk, join(copy, name + ENTRIES_SUFFIX));
  using quarantine = new Quarantine<SkippedLines['reason']>(disk, copy, name);
  const skipped: SkippedLines[] = [];
  let process: string | null = null;
  let kept = 0;
  let number = 0;
  let skippedFrom = 0;
  const endSkipped = async (before: number): Promise<void> => {
    const leftOut = await quarantine.end();
    if (leftOut !== null) skipped.push({ ...leftOut, line: skippedFrom, lines: before - skippedFrom });
  };
  for await (const { segment, lines } of scanJournal(source, name)) {
    for (const { bytes, raw, offset, isWhole } of lines) {
      number += 1;
      const facts = isWhole ? lineFacts(bytes) : null;
      if (facts === null || facts.is === 'bad') {
        // Told of on its own: nobody was ever told that it is safe.
        if (facts === null) await endSkipped(number);
        if (quarantine.reason === null) skippedFrom = number;
        quarantine.put(raw, { segment: segment.file, offset, reason: facts?.fault ?? 'torn-tail' });
        continue;
      }
      await endSkipped(number);
      file.write(raw);
      kept += 1;
      const owner = facts.is === 'blank' ? '' : facts.entry.process_id;
      if (owner === '' || owner === process || entriesFile(owner) !== name + ENTRIES_SUFFIX) continue;
      if (process !== null) throw collision(process, owner, name + ENTRIES_SUFFIX);
      process = owner;
    }
  }
  await endSkipped(number + 1);
  await file.finish();
  checkName(process ?? name);
  return { process: process ?? name, kept, keptBytes: file.sizeBytes, skipped };
}

const TOLD_PLACES = 1_000;

/** Signs in behind the copied lines, says where they are from, and saves what they came to, which it gives. */
async function takeOver(
  journal: FileJournal,
  source: string,
  { process, kept, keptBytes, skipped }: CopiedLines,
  from: ProcessSnapshot,
): Promise<ProcessSnapshot> {
  await journal.claim(process);
  const data: JsonObject = {
    format: 'promptise',
    // Where it was on this machine is nobody else's business.
    directory: basename(source),
    lines: kept,
    skipped: skipped.slice(0, TOLD_PLACES).map((place) => ({ ...place })),
    ...(skipped.length <= TOLD_PLACES ? {} : { skipped_places: skipped.length }),
  };
  await journal.append({ process_id: process, entry_type: 'journal_adopted', data });
  let snapshot = from;
  for (const entry of await writtenSince(journal, process, keptBytes)) snapshot = applyEntry(snapshot, entry);
  try {
    await journal.checkpoint(process, snapshotToState(snapshot, FOLD_VERSION));
  } catch (error) {
    if (codeOf(error) !== 'journal.not-json' && codeOf(error) !== 'json.not-a-number') throw error;
    const place = unwritableAt(snapshotToState(snapshot, FOLD_VERSION), '');
    throw new AppError(
      'adopt.not-recordable',
      place === null
        ? `The state of ${process} can't be taken over. ${messageOf(error)}`
        : `The state of ${process} can't be taken over: ${place}, which is no JSON. Write null or a text there with Promptise first.`,
      { process },
      { cause: error },
    );
  }
  return snapshot;
}

/** Where a value holds a number that only Python writes, in words; null where it does not. */
function unwritableAt(value: Json, path: string): string | null {
  if (value instanceof RawNumber) return value.isJson ? null : `${path} is ${value.source}`;
  if (!Array.isArray(value) && !isObject(value)) return null;
  for (const [key, item] of Object.entries(value as JsonObject)) {
    const found = unwritableAt(item, path === '' ? key : `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

const MOST_SAID = 100;

/** What the writer said behind the copied bytes. */
async function writtenSince(
  journal: FileJournal,
  process: string,
  offset: number,
): Promise<readonly StoredEntry[]> {
  const { entries } = await journal.readLast(process, MOST_SAID);
  return entries.filter((entry) => entry.offset >= offset);
}

/** An adoption that changes anything has failed. */
async function refuseOther(
  copy: string,
  expected: ReadonlyMap<string, ProcessSnapshot>,
  recover: Recover,
): Promise<void> {
  const journal = readFileJournal(copy);
  for (const { process, damage } of (await verifyJournal(copy)).processes) {
    const [first] = damage;
    if (first !== undefined) {
      throw new AppError(
        'adopt.failed',
        `The journal of ${process} is damaged in the copy: ${first.segment}, line ${first.seq} at byte ${first.offset}: ${first.reason}. Check the disk.`,
        { process },
      );
    }
    const { context, lifecycle } = await recover(journal, process, { lenient: false });
    const before = expected.get(process);
    if (before !== undefined && sameJson(before.context, context) && before.lifecycle === lifecycle) continue;
    throw new AppError(
      'adopt.failed',
      `The copy of ${process} recovers to something else than its original. Keep the original, and report this.`,
      { process },
    );
  }
}
