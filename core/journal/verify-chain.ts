// How the lines of one journal follow each other: each names the one before it and has the number after it [J1, J2], or an
// entry says why not. Damage is told once: a line behind a damaged one can't be checked against it.

import { FIRST_PREV } from './codec.ts';
import { gapKey, isDropped, isKnownForeign, type Facts } from './verify-facts.ts';
import type { Findings, Place } from './verify-findings.ts';
import type { LineFacts } from './verify-line.ts';
import type { ScannedSegment } from './verify-scan.ts';

/** What stands before the next line. */
interface Before {
  readonly number: number;
  /** Null where it is not known. */
  readonly hash: string | null;
  /** It is damage itself, and told. */
  readonly isDamaged: boolean;
}

interface Run {
  readonly from: number;
  readonly to: number;
  readonly place: Place;
}

export class Chain {
  readonly #facts: Facts;
  readonly #found: Findings;
  #before: Before = { number: 0, hash: FIRST_PREV, isDamaged: false };
  #segment: ScannedSegment | null = null;
  /** Where the segment before ends by its name; 0 in the first. */
  #boundary = 0;
  #isSegmentStart = true;
  #lastOurs: number | null = null;
  /** Somebody else's lines since then: those that an entry tells of, or that stand before all of ours, and the others. */
  #known: Run | null = null;
  #unknown: Run | null = null;

  constructor(facts: Facts, found: Findings) {
    this.#facts = facts;
    this.#found = found;
  }

  /** The number of the last line. */
  get last(): number {
    return this.#before.number;
  }

  get hasOurs(): boolean {
    return this.#lastOurs !== null;
  }

  begin(segment: ScannedSegment): void {
    this.#boundary = this.#endOfSegment();
    this.#segment = segment;
    this.#isSegmentStart = true;
    if (segment.trouble === null) return;
    this.#enter(segment.first, null, placeOf(segment, segment.first, 0, 0));
    this.#before = { number: segment.last ?? segment.first, hash: null, isDamaged: true };
  }

  /** Takes the next line, and gives its number, and whether it follows the one before. */
  take(
    line: LineFacts,
    at: { readonly offset: number; readonly sizeBytes: number },
  ): { readonly seq: number; readonly fits: boolean } {
    const segment = this.#segment!;
    const number = line.is === 'ours' ? line.keys.seq : this.#nextNumber(segment);
    const place = placeOf(segment, number, at.offset, at.sizeBytes);
    const isMissed = this.#enter(number, line.is === 'ours' ? line.keys.prev : null, place);
    let fits = true;
    switch (line.is) {
      case 'ours':
        fits = this.#ours(line.keys.prev, place, isMissed);
        this.#before = { number, hash: line.hash, isDamaged: false };
        this.#lastOurs = Math.max(number, this.#lastOurs ?? 0);
        break;
      case 'foreign':
        this.#before = { number, hash: line.hash, isDamaged: this.#foreign(number, place) };
        break;
      case 'blank':
        this.#before = { number, hash: line.hash, isDamaged: false };
        break;
      case 'bad':
        this.#found.add(line.fault, place, line.reason);
        this.#before = { number, hash: null, isDamaged: true };
    }
    return { seq: number, fits };
  }

  /** Somebody else's lines at the end are no damage: the next start tells of them [S8]. */
  end(): void {
    this.#noteKnown();
    if (this.#unknown !== null)
      this.#found.note('foreign-lines', this.#unknown.place, `${linesText(this.#unknown)} at the end`);
    this.#unknown = null;
  }

  /**
   * Where the end of the last segment that has one by its name is missing, which a line of ours behind it would tell of; to be
   * asked at the end.
   */
  lostEnd(): Place | null {
    const { number } = this.#before;
    const boundary = Math.max(this.#boundary, this.#endOfSegment());
    if (this.#segment === null || !this.#isShort(boundary, null)) return null;
    const place = placeOf(this.#segment, number + 1, 0, 0);
    this.#found.add('missing-segment', place, `${areText(number + 1, boundary)} missing at the end`);
    return place;
  }

  /** Where the segment that came last ends by its name, or by its lines. */
  #endOfSegment(): number {
    return this.#segment === null ? 0 : (this.#segment.last ?? this.#before.number);
  }

  /** The lines before `boundary` end too soon, and neither a damaged one, nor a repair, nor retention says why. */
  #isShort(boundary: number, next: number | null): boolean {
    const { number, isDamaged } = this.#before;
    if (number >= boundary || isDamaged || this.#facts.gaps.has(gapKey(number, next))) return false;
    return !isDropped(this.#facts, boundary, null);
  }

  #nextNumber(segment: ScannedSegment): number {
    return this.#isSegmentStart ? Math.max(segment.first, this.#boundary + 1) : this.#before.number + 1;
  }

  /** True where the line is the first behind something that is not there: then it can't be checked against it. */
  #enter(number: number, prev: string | null, place: Place): boolean {
    if (!this.#isSegmentStart) return false;
    this.#isSegmentStart = false;
    if (number <= this.#boundary + 1) {
      // A line of ours names the one before it, and says so itself.
      if (prev === null && this.#isShort(this.#boundary, number))
        this.#found.add(
          'missing-segment',
          place,
          `${areText(this.#before.number + 1, number - 1)} missing before it, and nothing says why`,
        );
      return false;
    }
    const missing = areText(this.#boundary + 1, number - 1);
    if (isDropped(this.#facts, number, prev))
      this.#found.note('dropped-segments', place, `${missing} dropped by retention`);
    else if (this.#facts.gaps.has(gapKey(this.#before.number, number)))
      this.#found.note('repaired-gap', place, `${missing} missing, as a repair recorded`);
    else if (this.#facts.dropped?.lastSeq === number - 1)
      this.#found.add('missing-segment', place, 'does not follow what was dropped by retention before it');
    else this.#found.add('missing-segment', place, `${missing} missing before it, and nothing says why`);
    return true;
  }

  #ours(prev: string, place: Place, isMissed: boolean): boolean {
    const { seq } = place;
    const { number, hash, isDamaged } = this.#before;
    this.#noteKnown();
    if (this.#unknown !== null)
      this.#found.add(
        'foreign',
        this.#unknown.place,
        `${linesText(this.#unknown)}, and no entry tells of that`,
      );
    this.#unknown = null;
    if (this.#facts.gaps.has(gapKey(number, null)))
      this.#found.note('repaired-gap', place, 'what came before it is missing, as a repair recorded');
    if (isMissed) return true;
    const isBack = this.#lastOurs !== null && seq <= this.#lastOurs;
    const isLinked = hash === null || hash === prev;
    // Somebody else's line names none before it: only the numbers tell whether any are missing there.
    const isNext = hash === null ? !isBack : seq === number + 1;
    if (isLinked && isNext) return true;
    if (this.#facts.gaps.has(gapKey(number, seq))) {
      this.#found.note('repaired-gap', place, `follows entry ${number}, as a repair recorded`);
      return true;
    }
    if (isDamaged && !isBack) return true;
    const kind = isLinked ? 'sequence' : 'link';
    this.#found.add(kind, place, BREAKS[kind]);
    return false;
  }

  /** True where it is damage if a line of ours follows. */
  #foreign(number: number, place: Place): boolean {
    if (this.#lastOurs === null || isKnownForeign(this.#facts, number)) {
      this.#known = longer(this.#known, number, place);
      return false;
    }
    this.#unknown = longer(this.#unknown, number, place);
    return true;
  }

  #noteKnown(): void {
    if (this.#known !== null)
      this.#found.note(
        'foreign-lines',
        this.#known.place,
        `${linesText(this.#known)}: nothing vouches for them`,
      );
    this.#known = null;
  }
}

const BREAKS = {
  link: 'does not follow the line before it: lines were lost, put in or changed there',
  sequence: 'has a number that does not follow the one before it',
} as const;

function longer(run: Run | null, number: number, place: Place): Run {
  if (run === null) return { from: number, to: number, place };
  const sizeBytes = run.place.sizeBytes + place.sizeBytes;
  return { from: run.from, to: number, place: { ...run.place, sizeBytes } };
}

function linesText({ from, to }: Run): string {
  return from === to
    ? `line ${from} was written by something else`
    : `lines ${from} to ${to} were written by something else`;
}

function areText(from: number, to: number): string {
  return from === to ? `entry ${from} is` : `entries ${from} to ${to} are`;
}

function placeOf(segment: ScannedSegment, seq: number, offset: number, sizeBytes: number): Place {
  return { seq, segment: segment.file, offset, sizeBytes };
}
