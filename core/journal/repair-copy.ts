// The copy that a repair makes of one process's journal: every line that can be read, fits its checksum and has its place,
// byte for byte; the rest goes to quarantine, byte for byte too [S14].

import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../model/errors.ts';
import { copyFile, type Disk } from './disk.ts';
import { DuplicateIds } from './duplicate-ids.ts';
import { PartFile } from './part-file.ts';
import { ENTRIES_SUFFIX } from './process-files.ts';
import { Quarantine } from './quarantine.ts';
import { Gaps, weightOf, type Gap, type GapReason } from './repair-gaps.ts';
import { meetLines, planRepair, rangesInTurn, type MetLine, type RepairPlan } from './repair-plan.ts';
import { nextSegmentPath, PACKED_SUFFIX, sealedPath } from './segments.ts';
import type { Checked, CheckTarget } from './verify-process.ts';
import type { ScannedLine, ScannedSegment } from './verify-scan.ts';

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
  /** The segment that is going to be written does not begin where the sealed ones end: it has to be sealed first. */
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

class ProcessCopy {
  readonly #disk: Disk;
  readonly #target: CheckTarget;
  readonly #checked: Checked;
  readonly #to: string;
  /** Whether a line of ours, and one of somebody else's, has no place. */
  readonly #isLeftOut: (index: number) => boolean;
  readonly #isOtherLeftOut: (index: number) => boolean;
  readonly #ids: DuplicateIds;
  readonly #quarantine: Quarantine<GapReason>;
  readonly #gaps = new Gaps();
  #kept: PartFile | null = null;
  /** Of the segment, kept or not. */
  #readBytes = 0;
  #keptLines = 0;
  #keptBytes = 0;
  #droppedBytes = 0;

  constructor(disk: Disk, target: CheckTarget, checked: Checked, to: string, plan: RepairPlan) {
    this.#disk = disk;
    this.#target = target;
    this.#checked = checked;
    this.#to = to;
    this.#isLeftOut = rangesInTurn(plan.ours);
    this.#isOtherLeftOut = rangesInTurn(plan.others);
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
      if (met.line !== null) await this.#take(met, met.line);
    }
    if (segment !== null) await this.#endSegment(segment);
    // A crash came while it was sealed: whoever opens it finishes that.
    const next = nextSegmentPath(directory, name);
    if (segment !== null && segment.last !== null && isFile(next))
      await this.#copyWhole(next, nextSegmentPath(this.#to, name));
    const { gaps, foreign } = this.#gaps.end(this.#checked.lostTail);
    const { last, lastFull, isApart } = this.#gaps;
    return {
      gaps,
      foreign,
      last,
      lastFull,
      isApart,
      keptLines: this.#keptLines,
      keptBytes: this.#keptBytes,
      droppedBytes: this.#droppedBytes,
    };
  }

  closeAll(): void {
    this.#kept?.[Symbol.dispose]();
    this.#quarantine[Symbol.dispose]();
  }

  async #beginSegment(segment: ScannedSegment): Promise<void> {
    this.#gaps.beginSegment(segment);
    this.#readBytes = 0;
    if (segment.trouble === null) {
      this.#kept = this.#open(this.#pathOf(segment));
      return;
    }
    const { path, sizeBytes: bytes } = segment;
    if (!isFile(path)) throw noFile(path);
    const file = this.#quarantine.newFile(0, bytes);
    await this.#copyWhole(path, join(this.#to, file));
    this.#gaps.leave({ segment: segment.file, offset: 0, bytes, file, reason: 'segment-unreadable' });
    this.#droppedBytes += bytes;
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
    if (!segment.isPacked || !isWhole) return;
    this.#disk.remove(path);
    await this.#copyWhole(segment.path, path + PACKED_SUFFIX);
  }

  #pathOf({ first, last }: ScannedSegment): string {
    const { name } = this.#target;
    return last === null ? join(this.#to, name + ENTRIES_SUFFIX) : sealedPath(this.#to, name, first, last);
  }

  async #take(met: MetLine, { raw, offset }: ScannedLine): Promise<void> {
    this.#readBytes += raw.length;
    const number = this.#gaps.numberOf(met);
    const reason = this.#whyDropped(met, number);
    if (reason === null) {
      await this.#endDropped();
      this.#gaps.keep(met, number);
      this.#kept!.write(raw);
      this.#keptBytes += raw.length;
      this.#keptLines += 1;
      return;
    }
    this.#gaps.pass(met);
    const { reason: before } = this.#quarantine;
    if (before !== null && weightOf(before) !== weightOf(reason)) await this.#endDropped();
    this.#quarantine.put(raw, { segment: met.segment.file, offset, reason });
    this.#droppedBytes += raw.length;
  }

  #whyDropped(met: MetLine, number: number): GapReason | null {
    const { facts, index, isUnfinished, segment } = met;
    if (isUnfinished) return 'unfinished-batch';
    // Behind the last line feed, which in a sealed segment is damage.
    if (facts === null) return segment.last === null ? 'torn-tail' : 'not-json';
    if (facts.is === 'bad') return facts.fault;
    if (facts.is !== 'ours') return this.#isOtherLeftOut(index) ? 'foreign' : null;
    const isLeftOut = this.#isLeftOut(index);
    const { entry_id } = facts.entry;
    const isBack = number <= this.#gaps.lastOurs;
    if (!isLeftOut && !isBack)
      return entry_id !== '' && this.#ids.seenAt(entry_id, number) !== null ? 'duplicate-id' : null;
    if (this.#ids.has(entry_id)) return 'duplicate-id';
    return isBack ? 'sequence' : 'link';
  }

  async #endDropped(): Promise<void> {
    const leftOut = await this.#quarantine.end();
    if (leftOut !== null) this.#gaps.leave(leftOut);
  }

  #open(path: string): PartFile {
    this.#disk.makeDirectory(dirname(path));
    return new PartFile(this.#disk, path);
  }

  async #copyWhole(from: string, to: string): Promise<void> {
    this.#disk.makeDirectory(dirname(to));
    await copyFile(this.#disk, from, to);
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function noFile(path: string): AppError {
  return new AppError(
    'repair.failed',
    `${path} is no file, and has the name of a part of the journal. Move it away`,
    { path },
  );
}
