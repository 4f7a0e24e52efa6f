// The copy that a repair makes of one process's journal: every line that can be read, fits its checksum and has its place,
// byte for byte; the rest goes to quarantine, byte for byte too [S14].

import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isFullCheckpoint } from '../model/checkpoint.ts';
import { FIRST_PREV } from './codec.ts';
import { copyFile, type Disk } from './disk.ts';
import { DuplicateIds } from './duplicate-ids.ts';
import { PartFile } from './part-file.ts';
import { ENTRIES_SUFFIX } from './process-files.ts';
import { Quarantine, type LeftOut } from './quarantine.ts';
import { meetLines, planRepair, type MetLine, type RepairPlan } from './repair-plan.ts';
import { nextSegmentPath, PACKED_SUFFIX, sealedPath } from './segments.ts';
import { gapKey, isDropped, isKnownForeign } from './verify-facts.ts';
import type { DamageKind, NoteKind } from './verify-findings.ts';
import type { LineFacts } from './verify-line.ts';
import type { Checked, CheckTarget } from './verify-process.ts';
import type { ScannedSegment } from './verify-scan.ts';

/** What is missing between two lines of the copy, as the entry `journal_repaired` has it. */
export interface Gap {
  /** The numbers of the lines before and behind it; 0 at the beginning, null at the end. */
  readonly after: number;
  readonly next: number | null;
  /** What was left out there: its file, relative to the original's directory, where it began in it, and how long it was. */
  readonly segment: string;
  readonly offset: number;
  readonly bytes: number;
  /** Where those bytes are now, relative to the copy; null where there were none. */
  readonly file: string | null;
  readonly reason: DamageKind | Extract<NoteKind, 'torn-tail' | 'unfinished-batch'>;
  /** Entries are missing there, as far as anybody can tell. */
  readonly isLoss: boolean;
}

export interface CopiedProcess {
  readonly gaps: readonly Gap[];
  /** The numbers in the copy of somebody else's lines that no entry tells of. */
  readonly foreign: readonly { readonly from: number; readonly to: number }[];
  readonly keptLines: number;
  readonly keptBytes: number;
  readonly droppedBytes: number;
  /** The number and the hash of the last line; 0 where nothing was kept. */
  readonly last: { readonly number: number; readonly hash: string };
  /** The number of the last full checkpoint, 0 without one. */
  readonly lastFull: number;
  /** The active segment does not begin where the sealed ones end: before anybody else writes there, it has to be sealed. */
  readonly isApart: boolean;
}

/** Copies what is good of a process into the directory `to`, without its checkpoint file, which is written anew. */
export async function copyProcess(
  disk: Disk,
  target: CheckTarget,
  checked: Checked,
  to: string,
): Promise<CopiedProcess> {
  const plan = await planRepair(target.directory, target.name, checked.unfinished);
  const copy = new ProcessCopy(disk, target, checked, to, plan);
  try {
    return await copy.make();
  } finally {
    copy.closeAll();
  }
}

type Reason = Gap['reason'];

/** What leaving it out means: nothing of an end that nobody was told of, or of what was put in or comes twice, is missed. */
function weightOf(reason: Reason): 'end' | 'none' | 'loss' {
  if (reason === 'torn-tail' || reason === 'unfinished-batch') return 'end';
  return reason === 'foreign' || reason === 'duplicate-id' ? 'none' : 'loss';
}

class ProcessCopy {
  readonly #disk: Disk;
  readonly #target: CheckTarget;
  readonly #checked: Checked;
  readonly #to: string;
  readonly #plan: RepairPlan;
  readonly #ids: DuplicateIds;
  readonly #quarantine: Quarantine<Reason>;
  #leftOutAt = 0;
  readonly #folders = new Set<string>();
  #kept: PartFile | null = null;
  #readBytes = 0;
  /** The last line kept, and the last of ours. */
  #last = { number: 0, hash: FIRST_PREV, seq: null as number | null };
  #lastOurs = 0;
  /** Where the last segment that keeps a line ends by its name. */
  #boundary = 0;
  #isSegmentStart = true;
  /** What was left out since the last line kept. */
  #waiting: LeftOut<Reason>[] = [];
  readonly #gaps: Gap[] = [];
  readonly #foreign: { from: number; to: number }[] = [];
  #lastFull = 0;
  #isApart = false;
  #keptLines = 0;
  #keptBytes = 0;
  #droppedBytes = 0;

  constructor(disk: Disk, target: CheckTarget, checked: Checked, to: string, plan: RepairPlan) {
    this.#disk = disk;
    this.#target = target;
    this.#checked = checked;
    this.#to = to;
    this.#plan = plan;
    this.#ids = new DuplicateIds(checked.suspects);
    this.#quarantine = new Quarantine(disk, to, target.name);
  }

  async make(): Promise<CopiedProcess> {
    const { directory, name } = this.#target;
    let segment: ScannedSegment | null = null;
    for await (const met of meetLines(directory, name, this.#checked.unfinished)) {
      if (met.segment !== segment) {
        if (segment !== null) await this.#endSegment(segment);
        segment = met.segment;
        await this.#beginSegment(segment);
      }
      if (met.line !== null) await this.#take(met);
    }
    if (segment !== null) await this.#endSegment(segment);
    // A crash came while it was sealed: whoever opens it finishes that.
    const next = nextSegmentPath(directory, name);
    if (segment !== null && segment.last !== null && isFile(next))
      await this.#copyWhole(next, nextSegmentPath(this.#to, name));
    this.#end();
    await this.#quarantine.sync();
    for (const folder of this.#folders) await this.#disk.syncDirectory(folder);
    return {
      gaps: this.#gaps,
      foreign: this.#foreign,
      keptLines: this.#keptLines,
      keptBytes: this.#keptBytes,
      droppedBytes: this.#droppedBytes,
      last: { number: this.#last.number, hash: this.#last.hash },
      lastFull: this.#lastFull,
      isApart: this.#isApart,
    };
  }

  closeAll(): void {
    this.#kept?.[Symbol.dispose]();
    this.#quarantine[Symbol.dispose]();
  }

  async #beginSegment(segment: ScannedSegment): Promise<void> {
    this.#isSegmentStart = true;
    this.#readBytes = 0;
    if (segment.trouble !== null) {
      const { file, path, sizeBytes } = segment;
      const kept = this.#quarantine.newFile(0, sizeBytes);
      await this.#copyWhole(path, join(this.#to, kept));
      this.#waiting.push({
        segment: file,
        offset: 0,
        bytes: sizeBytes,
        file: kept,
        reason: 'segment-unreadable',
      });
      this.#droppedBytes += sizeBytes;
      return;
    }
    this.#kept = this.#open(this.#pathOf(segment));
  }

  /** A segment of which nothing is left is none; one of which everything is stays packed if it was. */
  async #endSegment(segment: ScannedSegment): Promise<void> {
    await this.#endDropped();
    const kept = this.#kept;
    this.#kept = null;
    if (kept === null) return;
    const path = this.#pathOf(segment);
    const isWhole = this.#readBytes === kept.sizeBytes;
    await kept.finish();
    if (kept.sizeBytes === 0) {
      this.#disk.remove(path);
      return;
    }
    this.#boundary = segment.last ?? this.#last.number;
    if (!segment.isPacked || !isWhole) return;
    this.#disk.remove(path);
    await this.#copyWhole(segment.path, path + PACKED_SUFFIX);
  }

  #pathOf({ first, last }: ScannedSegment): string {
    const { name } = this.#target;
    return last === null ? join(this.#to, name + ENTRIES_SUFFIX) : sealedPath(this.#to, name, first, last);
  }

  async #take(met: MetLine): Promise<void> {
    const line = met.line!;
    this.#readBytes += line.raw.length;
    const number = this.#numberOf(met);
    const reason = this.#whyDropped(met, number);
    if (reason !== null) {
      await this.#drop(met, reason);
      return;
    }
    await this.#endDropped();
    this.#join(met.facts!, number, met);
    if (this.#isSegmentStart && met.segment.last === null)
      this.#isApart = this.#boundary > 0 && number !== this.#boundary + 1;
    this.#isSegmentStart = false;
    this.#kept!.write(line.raw);
    this.#keptBytes += line.raw.length;
    this.#keptLines += 1;
  }

  /** As whoever reads the copy will count. */
  #numberOf({ facts, segment }: MetLine): number {
    if (facts?.is === 'ours') return facts.keys.seq;
    if (!this.#isSegmentStart) return this.#last.number + 1;
    return segment.last === null ? this.#boundary + 1 : Math.max(segment.first, this.#boundary + 1);
  }

  #whyDropped({ facts, line, index, isUnfinished, segment }: MetLine, number: number): Reason | null {
    if (isUnfinished) return 'unfinished-batch';
    if (facts === null) return segment.last === null && !line!.isWhole ? 'torn-tail' : 'not-json';
    if (facts.is === 'bad') return facts.fault;
    const isLeftOut = this.#isLeftOut(index);
    if (facts.is !== 'ours') return isLeftOut ? 'foreign' : null;
    const { entry_id } = facts.entry;
    if (!isLeftOut && number > this.#lastOurs)
      return entry_id !== '' && this.#ids.seenAt(entry_id, number) !== null ? 'duplicate-id' : null;
    if (this.#ids.has(entry_id)) return 'duplicate-id';
    return number <= this.#lastOurs ? 'sequence' : 'link';
  }

  /** Asked for growing indexes. */
  #isLeftOut(index: number): boolean {
    const { leftOut } = this.#plan;
    while (this.#leftOutAt < leftOut.length && leftOut[this.#leftOutAt]!.end < index) this.#leftOutAt += 1;
    const range = leftOut[this.#leftOutAt];
    return range !== undefined && range.start <= index;
  }

  /** Takes a line as the next one, and says what is missing before it. */
  #join(facts: LineFacts, number: number, { segment, line }: MetLine): void {
    if (facts.is === 'bad') return;
    const { seq, hash, number: after } = this.#last;
    const isOurs = facts.is === 'ours';
    const isBehindHole = this.#isSegmentStart && number > this.#boundary + 1;
    const follows = isOurs ? facts.keys.prev === hash && (seq === null || number === seq + 1) : !isBehindHole;
    if (this.#waiting.length > 0) {
      const isLoss = isOurs ? !follows : this.#waiting.some(({ reason }) => weightOf(reason) === 'loss');
      for (const waiting of this.#waiting) this.#gaps.push({ after, next: number, ...waiting, isLoss });
      this.#waiting = [];
    } else if (!follows && !this.#isExplained(number, isBehindHole, isOurs ? facts.keys.prev : null)) {
      const { file } = segment;
      const reason = isBehindHole ? 'missing-segment' : 'link';
      this.#gaps.push({
        after,
        next: number,
        segment: file,
        offset: line!.offset,
        bytes: 0,
        file: null,
        reason,
        isLoss: true,
      });
    }
    this.#last = { number, hash: facts.hash, seq: isOurs ? number : null };
    if (!isOurs) {
      if (facts.is === 'foreign' && this.#lastOurs > 0) this.#addForeign(number);
      return;
    }
    this.#lastOurs = number;
    if (facts.entry.entry_type === 'checkpoint' && isFullCheckpoint(facts.entry.data))
      this.#lastFull = number;
  }

  #isExplained(number: number, isBehindHole: boolean, prev: string | null): boolean {
    const { facts } = this.#checked;
    if (facts.gaps.has(gapKey(this.#last.number, number))) return true;
    return isBehindHole && isDropped(facts, number, prev);
  }

  #addForeign(number: number): void {
    if (isKnownForeign(this.#checked.facts, number)) return;
    const run = this.#foreign.at(-1);
    if (run !== undefined && run.to + 1 === number) run.to = number;
    else this.#foreign.push({ from: number, to: number });
  }

  async #drop({ segment, line }: MetLine, reason: Reason): Promise<void> {
    const { offset, raw } = line!;
    const { reason: before } = this.#quarantine;
    if (before !== null && weightOf(before) !== weightOf(reason)) await this.#endDropped();
    this.#quarantine.put(raw, { segment: segment.file, offset, reason });
    this.#droppedBytes += raw.length;
  }

  async #endDropped(): Promise<void> {
    const leftOut = await this.#quarantine.end();
    if (leftOut !== null) this.#waiting.push(leftOut);
  }

  #end(): void {
    const after = this.#last.number;
    for (const waiting of this.#waiting) {
      this.#gaps.push({ after, next: null, ...waiting, isLoss: weightOf(waiting.reason) === 'loss' });
    }
    const lost = this.#checked.report.damage.find(({ kind }) => kind === 'lost-tail');
    if (lost === undefined) return;
    const { segment, offset } = lost;
    this.#gaps.push({
      after,
      next: null,
      segment,
      offset,
      bytes: 0,
      file: null,
      reason: 'lost-tail',
      isLoss: true,
    });
  }

  #open(path: string): PartFile {
    this.#makeFolder(dirname(path));
    return new PartFile(this.#disk, path);
  }

  async #copyWhole(from: string, to: string): Promise<void> {
    this.#makeFolder(dirname(to));
    await copyFile(this.#disk, from, to);
  }

  #makeFolder(folder: string): void {
    if (!this.#folders.has(folder)) this.#disk.makeDirectory(folder);
    this.#folders.add(folder);
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
