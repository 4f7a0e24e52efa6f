// The order of the lines that a repair keeps: their numbers in the copy, and what is missing between them [S14].

import { isFullCheckpoint } from '../model/checkpoint.ts';
import { FIRST_PREV } from './codec.ts';
import type { LeftOut } from './quarantine.ts';
import { CopyNumbers } from './repair-numbers.ts';
import type { MetLine } from './repair-plan.ts';
import { gapKey, isDropped, isKnownForeign, learn, noFacts } from './verify-facts.ts';
import type { DamageKind, NoteKind, Place } from './verify-findings.ts';
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

export type GapReason = Gap['reason'];

/** What leaving it out means: nothing of an end that nobody was told of, or of what was put in or comes twice, is missed. */
export function weightOf(reason: GapReason): 'end' | 'none' | 'loss' {
  if (reason === 'torn-tail' || reason === 'unfinished-batch') return 'end';
  return reason === 'foreign' || reason === 'duplicate-id' ? 'none' : 'loss';
}

export interface Row {
  readonly gaps: readonly Gap[];
  /** The numbers of somebody else's lines that no entry tells of. */
  readonly foreign: readonly { readonly from: number; readonly to: number }[];
}

export class Gaps {
  /** The number of the last line of ours. */
  lastOurs = 0;
  /** The number of the last full checkpoint. */
  lastFull = 0;
  /** Of the last segment that keeps a line: it does not begin where the one before ends. */
  isApart = false;
  readonly #found: Gap[] = [];
  /** Of those where nothing was left out: what decides whether an entry that is kept tells of them. */
  readonly #untold = new Map<Gap, { readonly isBehindHole: boolean; readonly prev: string | null }>();
  /** Of somebody else's lines behind ours. */
  readonly #others: { readonly from: number; to: number }[] = [];
  /** What the lines that are kept tell. */
  readonly #facts = noFacts();
  readonly #numbers = new CopyNumbers();
  #lastHash = FIRST_PREV;
  /** Somebody else's lines that are kept behind the last one of ours. */
  #othersSince = 0;
  /** What was left out since the last line kept. */
  #waiting: LeftOut<GapReason>[] = [];
  /** Of the good lines that have no place. */
  #highest: Pick<Place, 'seq' | 'segment' | 'offset'> = { seq: 0, segment: '', offset: 0 };

  get last(): { readonly number: number; readonly hash: string } {
    return { number: this.#numbers.last, hash: this.#lastHash };
  }

  beginSegment(segment: ScannedSegment): void {
    this.#numbers.begin(segment);
  }

  /** As whoever reads the copy will count. */
  numberOf({ facts }: MetLine): number {
    return facts?.is === 'ours' ? facts.keys.seq : this.#numbers.next();
  }

  /** Bytes that stood between the last line kept and the next one. */
  leave(leftOut: LeftOut<GapReason>): void {
    this.#waiting.push(leftOut);
  }

  /** A line that has no place: if nothing that is kept reaches its number, the end is missing. */
  pass({ facts, segment, line }: MetLine): void {
    if (facts?.is === 'ours' && facts.keys.seq > this.#highest.seq)
      this.#highest = { seq: facts.keys.seq, segment: segment.file, offset: line!.offset };
  }

  /** Takes a line as the next one, and says what is missing before it. */
  keep({ facts, segment, line }: MetLine, number: number): void {
    if (facts === null || facts.is === 'bad') return;
    const { last: after, boundary, isSegmentStart } = this.#numbers;
    const prev = facts.is === 'ours' ? facts.keys.prev : null;
    // Somebody else's line names none, and only where it begins a segment it may have another number than the next one.
    const follows = number === after + 1 && (prev ?? this.#lastHash) === this.#lastHash;
    if (this.#waiting.length > 0) {
      const isLoss =
        !follows || (prev === null && this.#waiting.some(({ reason }) => weightOf(reason) === 'loss'));
      this.#tell(number, () => isLoss);
    } else if (!follows) {
      const place = { segment: segment.file, offset: line!.offset };
      const isBehindHole = isSegmentStart && number > boundary + 1;
      const gap = this.#miss(number, place, isBehindHole ? 'missing-segment' : 'link');
      this.#untold.set(gap, { isBehindHole, prev });
    }
    // With more of them, one that was put in may have the place of a damaged line.
    const isOnlyOne = this.#othersSince === 1 && number === this.lastOurs + 2;
    if (prev !== null && follows && isOnlyOne) this.#clear();
    this.#othersSince = prev === null ? this.#othersSince + 1 : 0;
    if (isSegmentStart) this.isApart = boundary > 0 && number !== boundary + 1;
    this.#numbers.take(number);
    this.#lastHash = facts.hash;
    if (facts.is === 'foreign' && this.lastOurs > 0) add(this.#others, number);
    if (facts.is !== 'ours') return;
    this.lastOurs = number;
    learn(this.#facts, facts.entry);
    if (facts.entry.entry_type === 'checkpoint' && isFullCheckpoint(facts.entry.data)) this.lastFull = number;
  }

  /** `lostTail` is where the head says that more had been written. */
  end(lostTail: Place | null): Row {
    this.#tell(null, (reason) => weightOf(reason) === 'loss');
    if (lostTail !== null || this.#highest.seq > this.#numbers.last)
      this.#miss(null, lostTail ?? this.#highest, 'lost-tail');
    const foreign: { from: number; to: number }[] = [];
    for (const { from, to } of this.#others)
      for (let number = from; number <= to; number += 1)
        if (!isKnownForeign(this.#facts, number)) add(foreign, number);
    return { gaps: this.#found.filter((gap) => !this.#isTold(gap)), foreign };
  }

  /** Between two lines of ours there is room for one, and it is there: what was left out with it is not missed. */
  #clear(): void {
    for (let at = this.#found.length - 1; at >= 0 && this.#found[at]!.after >= this.lastOurs; at -= 1)
      this.#found[at] = { ...this.#found[at]!, isLoss: false };
  }

  #tell(next: number | null, isLoss: (reason: GapReason) => boolean): void {
    const { last: after } = this.#numbers;
    for (const leftOut of this.#waiting)
      this.#found.push({ after, next, ...leftOut, isLoss: isLoss(leftOut.reason) });
    this.#waiting = [];
  }

  /** Where nothing was left out, and entries are missing all the same. */
  #miss(next: number | null, { segment, offset }: Pick<Place, 'segment' | 'offset'>, reason: GapReason): Gap {
    const { last: after } = this.#numbers;
    const gap: Gap = { after, next, segment, offset, bytes: 0, file: null, reason, isLoss: true };
    this.#found.push(gap);
    return gap;
  }

  /** By retention or by an earlier repair, in an entry that is kept. */
  #isTold(gap: Gap): boolean {
    const { after, next } = gap;
    const untold = this.#untold.get(gap);
    if (untold === undefined || next === null) return false;
    const { isBehindHole, prev } = untold;
    return this.#facts.gaps.has(gapKey(after, next)) || (isBehindHole && isDropped(this.#facts, next, prev));
  }
}

function add(runs: { readonly from: number; to: number }[], number: number): void {
  const run = runs.at(-1);
  if (run !== undefined && run.to + 1 === number) run.to = number;
  else runs.push({ from: number, to: number });
}
