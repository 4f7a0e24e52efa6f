// The copy that a repair makes of one process's journal: every line that can be read, fits its checksum and has its place,
// byte for byte; the rest goes to quarantine, byte for byte too [S14].

import { statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { isFullCheckpoint } from '../model/checkpoint.ts';
import { FIRST_PREV } from './codec.ts';
import { copyFile, writeAll, type Disk } from './disk.ts';
import { DuplicateIds } from './duplicate-ids.ts';
import { STATE_DIRECTORY } from './layout.ts';
import { ENTRIES_SUFFIX } from './process-files.ts';
import { meetLines, planRepair, type MetLine, type RepairPlan } from './repair-plan.ts';
import { quarantineName } from './repair-tail.ts';
import { nextSegmentPath, sealedPath } from './segments.ts';
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
type Waiting = Pick<Gap, 'segment' | 'offset' | 'bytes' | 'file' | 'reason'>;

/** What was put in or comes twice leaves nothing behind that would be missing. */
const NO_LOSS: ReadonlySet<Reason> = new Set(['torn-tail', 'unfinished-batch', 'foreign', 'duplicate-id', 'link', 'sequence']);

class ProcessCopy {
  readonly #disk: Disk;
  readonly #target: CheckTarget;
  readonly #checked: Checked;
  readonly #to: string;
  readonly #plan: RepairPlan;
  readonly #ids: DuplicateIds;
  readonly #quarantined = new Set<string>();
  readonly #folders = new Set<string>();
  /** What is being written. */
  #kept: PartFile | null = null;
  #dropped: (PartFile & { readonly waiting: Omit<Waiting, 'bytes' | 'file'> }) | null = null;
  /** The last line kept, and the last of ours. */
  #last = { number: 0, hash: FIRST_PREV, seq: null as number | null };
  #lastOurs = 0;
  /** Where the last segment that keeps a line ends by its name. */
  #boundary = 0;
  #isSegmentStart = true;
  /** What was left out since the last line kept. */
  #waiting: Waiting[] = [];
  readonly #gaps: Gap[] = [];
  readonly #foreign: { from: number; to: number }[] = [];
  #lastFull = 0;
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
    if (segment !== null && segment.last !== null && statSync(next, { throwIfNoEntry: false })?.isFile() === true)
      await this.#copyWhole(next, nextSegmentPath(this.#to, name));
    this.#end();
    for (const folder of this.#folders) await this.#disk.syncDirectory(folder);
    return {
      gaps: this.#gaps,
      foreign: this.#foreign,
      keptLines: this.#keptLines,
      keptBytes: this.#keptBytes,
      droppedBytes: this.#droppedBytes,
      last: { number: this.#last.number, hash: this.#last.hash },
      lastFull: this.#lastFull,
    };
  }

  closeAll(): void {
    this.#kept?.[Symbol.dispose]();
    this.#dropped?.[Symbol.dispose]();
  }

  async #beginSegment(segment: ScannedSegment): Promise<void> {
    this.#isSegmentStart = true;
    if (segment.trouble !== null) {
      const { file, path, sizeBytes } = segment;
      const kept = this.#quarantineFile(0, sizeBytes);
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
    const isWhole = kept.readBytes === kept.sizeBytes;
    await kept.finish();
    if (kept.sizeBytes === 0) {
      this.#disk.remove(path);
      return;
    }
    this.#boundary = segment.last ?? this.#last.number;
    if (!segment.isPacked || !isWhole) return;
    this.#disk.remove(path);
    await this.#copyWhole(segment.path, `${path}.gz`);
  }

  #pathOf({ first, last }: ScannedSegment): string {
    const { name } = this.#target;
    return last === null ? join(this.#to, name + ENTRIES_SUFFIX) : sealedPath(this.#to, name, first, last);
  }

  async #take(met: MetLine): Promise<void> {
    const line = met.line!;
    this.#kept!.readBytes += line.raw.length;
    const number = this.#numberOf(met);
    const reason = this.#whyDropped(met, number);
    if (reason !== null) {
      await this.#drop(met, reason);
      return;
    }
    await this.#endDropped();
    this.#join(met.facts!, number, met);
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
    const resume = this.#plan.resumes.get(this.#last.hash);
    const isPutIn = resume !== undefined && resume > index;
    if (facts.is !== 'ours') return isPutIn || this.#plan.putIn.has(index) ? 'foreign' : null;
    if (isPutIn) return 'link';
    if (number <= this.#lastOurs) return 'sequence';
    const { entry_id } = facts.entry;
    return entry_id !== '' && this.#ids.seenAt(entry_id, number) !== null ? 'duplicate-id' : null;
  }

  /** Takes a line as the next one, and says what is missing before it. */
  #join(facts: LineFacts, number: number, { segment, line }: MetLine): void {
    if (facts.is === 'bad') return;
    const { seq, hash, number: after } = this.#last;
    const isOurs = facts.is === 'ours';
    const follows = !isOurs || (facts.keys.prev === hash && (seq === null || number === seq + 1));
    if (this.#waiting.length > 0) {
      const isLoss = isOurs ? !follows : this.#waiting.some(({ reason }) => !NO_LOSS.has(reason));
      for (const waiting of this.#waiting) this.#gaps.push({ after, next: number, ...waiting, isLoss });
      this.#waiting = [];
    } else if (!follows && !this.#isExplained(after, number, isOurs ? facts.keys.prev : null)) {
      const { file } = segment;
      const reason = number > after + 1 && this.#isSegmentStart ? 'missing-segment' : 'link';
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
    if (facts.entry.entry_type === 'checkpoint' && isFullCheckpoint(facts.entry.data)) this.#lastFull = number;
  }

  #isExplained(after: number, number: number, prev: string | null): boolean {
    const { facts } = this.#checked;
    if (facts.gaps.has(gapKey(after, number))) return true;
    return this.#isSegmentStart && number > this.#boundary + 1 && isDropped(facts, number, prev);
  }

  #addForeign(number: number): void {
    if (isKnownForeign(this.#checked.facts, number)) return;
    const run = this.#foreign.at(-1);
    if (run !== undefined && run.to + 1 === number) run.to = number;
    else this.#foreign.push({ from: number, to: number });
  }

  async #drop({ segment, line }: MetLine, reason: Reason): Promise<void> {
    const { offset, raw } = line!;
    const isOther = this.#dropped !== null && NO_LOSS.has(this.#dropped.waiting.reason) !== NO_LOSS.has(reason);
    if (isOther) await this.#endDropped();
    if (this.#dropped === null) {
      const part = this.#open(join(this.#to, STATE_DIRECTORY, 'quarantine', 'part.tmp'));
      this.#dropped = Object.assign(part, { waiting: { segment: segment.file, offset, reason } });
    }
    this.#dropped.write(raw);
    this.#droppedBytes += raw.length;
  }

  async #endDropped(): Promise<void> {
    const dropped = this.#dropped;
    this.#dropped = null;
    if (dropped === null) return;
    await dropped.finish();
    const { waiting, sizeBytes, path } = dropped;
    const file = this.#quarantineFile(waiting.offset, waiting.offset + sizeBytes);
    this.#disk.rename(path, join(this.#to, file));
    this.#waiting.push({ ...waiting, bytes: sizeBytes, file: file.split(sep).join('/') });
  }

  #end(): void {
    const after = this.#last.number;
    for (const waiting of this.#waiting) {
      const isLoss = waiting.reason !== 'torn-tail' && waiting.reason !== 'unfinished-batch';
      this.#gaps.push({ after, next: null, ...waiting, isLoss });
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

  /** A new name in quarantine, relative to the copy. */
  #quarantineFile(start: number, end: number): string {
    const folder = join(STATE_DIRECTORY, 'quarantine');
    const name = quarantineName(this.#target.name, start, end);
    let file = join(folder, name);
    for (let n = 2; this.#quarantined.has(file) || isThere(join(this.#to, file)); n += 1)
      file = join(folder, name.replace(/\.bin$/, `-${n}.bin`));
    this.#quarantined.add(file);
    return file;
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

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

const BUFFER_BYTES = 1024 * 1024;

/** A file that is written line by line. */
class PartFile implements Disposable {
  readonly path: string;
  sizeBytes = 0;
  /** What was read for it, kept or not. */
  readBytes = 0;
  readonly #disk: Disk;
  #fd: number;
  #buffer: Buffer[] = [];
  #buffered = 0;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.path = path;
    this.#fd = disk.open(path, 'w');
  }

  write(bytes: Buffer): void {
    this.#buffer.push(bytes);
    this.#buffered += bytes.length;
    this.sizeBytes += bytes.length;
    if (this.#buffered >= BUFFER_BYTES) this.#flush();
  }

  /** Durable when this resolves. */
  async finish(): Promise<void> {
    this.#flush();
    await this.#disk.sync(this.#fd);
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    if (this.#fd < 0) return;
    this.#disk.close(this.#fd);
    this.#fd = -1;
  }

  #flush(): void {
    writeAll(this.#disk, this.#fd, Buffer.concat(this.#buffer));
    this.#buffer = [];
    this.#buffered = 0;
  }
}
