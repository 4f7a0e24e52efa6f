// S13 What the head, which is kept apart from the journal, knows durable has to be there.

import type { Head } from './head-file.ts';
import type { Facts } from './verify-facts.ts';
import type { Findings, Place } from './verify-findings.ts';
import type { LineFacts } from './verify-line.ts';
import type { ScannedSegment } from './verify-scan.ts';

export class HeadCheck {
  readonly #head: Head | null;
  readonly #found: Findings;
  /** The file where a journal of which nothing is left would be. */
  readonly #file: string;
  #segment: ScannedSegment | null = null;
  #last: Place | null = null;
  /** Its line is there. */
  #isSeen = false;
  /** It lies where it was written. */
  #isInPlace = false;
  /** A line with its number is damaged, which is told already. */
  #isDamaged = false;

  constructor(head: Head | null, facts: Facts, file: string, found: Findings) {
    // A head may lag behind: what it names may have been dropped since.
    this.#head = head !== null && head.seq <= (facts.dropped?.lastSeq ?? 0) ? null : head;
    this.#file = file;
    this.#found = found;
  }

  begin(segment: ScannedSegment): void {
    this.#segment = segment;
  }

  take(line: LineFacts, place: Place): void {
    this.#last = place;
    if (this.#head === null) return;
    const { seq, hash, first, sizeBytes } = this.#head;
    if (line.is === 'bad') {
      if (place.seq === seq) this.#isDamaged = true;
      return;
    }
    // Then the damaged one was put in, and only counted that far.
    if (line.is === 'ours' && place.seq < seq) this.#isDamaged = false;
    if (line.hash === hash) {
      if (place.seq === seq) this.#isSeen = true;
      if (this.#segment?.first === first && place.offset + place.sizeBytes === sizeBytes)
        this.#isInPlace = true;
    }
  }

  /**
   * Where the end is missing, if it is. `end` is the number of the last line, whatever it is; `isDamaged`: something else
   * is wrong, which may be why the head's line lies elsewhere.
   */
  end(end: number, isDamaged: boolean): Place | null {
    const head = this.#head;
    if (head === null || head.seq === 0 || this.#isDamaged) return null;
    const active = this.#segment?.last === null ? this.#segment : null;
    // In a segment that is sealed by now its place says nothing.
    const isInPlace = this.#isInPlace || head.first !== active?.first;
    // As whoever takes it for writing looks at it: by the last line's number.
    if (this.#isSeen && (isDamaged || (isInPlace && end >= head.seq))) return null;
    const last = this.#last?.seq ?? 0;
    const place = {
      seq: last + 1,
      segment: this.#last?.segment ?? this.#file,
      offset: this.#last === null ? 0 : this.#last.offset + this.#last.sizeBytes,
      sizeBytes: 0,
    };
    const reason =
      this.#segment === null
        ? `the journal is gone, and entry ${head.seq} had been written and synced`
        : last < head.seq
          ? `the journal ends at entry ${last}, and entry ${head.seq} had been written and synced`
          : `the journal is not what was written and synced up to entry ${head.seq}`;
    this.#found.add('lost-tail', place, reason);
    return place;
  }
}
